// The simulated time of the test device: streams, what is queued on them, and when it is done.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include "settings.h"

namespace graphnet::test_device {

// A point on a stream's timeline.
struct Moment {
  Time time{};
  Duration busy{};  // the costs of the work before it, without the gaps between
};

// One operator or copy.
struct Launch {
  std::string name;
  Time issued;                          // when the host began with it
  Duration cost{};                      // of the device's time
  std::span<const void* const> reads;   // data of the storages
  std::span<const void* const> writes;  // the same
};

struct Launched {
  Moment end;
  bool reads_unfinished = false;  // it begins before a launch on another stream has written what it reads
};

class Timeline {
 public:
  // Lives as long as the process: tensors may outlast static objects.
  static Timeline& instance();

  void configure(const Settings& settings);
  Settings settings() const;
  std::int64_t launches() const;

  // Queues on the calling thread's current stream, behind what is there. Throws c10::AcceleratorError once the device
  // has failed.
  Launched launch(const Launch& launch);

  // A copy to the host: `target`, filled with NaN until then, gets `value` at the first synchronisation or query after
  // the copy is due.
  void deliver_later(const Moment& due, const at::Tensor& target, const at::Tensor& value);

  // The memory is free, whoever was to write it.
  void forget(const void* data);

  Moment now_on(c10::StreamId stream);  // the end of its queue, or the present
  void make_wait(c10::StreamId stream, const Moment& for_moment);
  c10::StreamId new_stream();

  // Each throws c10::AcceleratorError where the device has failed by then.
  void wait_until(Time time);
  void wait_for_stream(c10::StreamId stream);
  void wait_for_all();
  bool is_past(Time time);
  bool is_idle(c10::StreamId stream);
  void check();

 private:
  struct Write {
    c10::StreamId stream;
    Time due;
  };
  struct Delivery {
    Time due;
    at::Tensor target;
    at::Tensor value;
  };

  void throw_if_failed() const;
  void deliver_due();

  mutable std::mutex mutex_;  // of all below; never held while a kernel runs
  Settings settings_;
  std::unordered_map<c10::StreamId, Moment> tails_;
  std::unordered_map<const void*, Write> writes_;  // the last one of each storage
  std::deque<Delivery> deliveries_;
  c10::StreamId streams_ = 0;  // made so far, beside stream 0
  std::int64_t launches_ = 0;
  std::optional<Time> failed_;
};

// The calling thread's current stream.
c10::StreamId current_stream();
c10::StreamId exchange_current_stream(c10::StreamId stream);

}  // namespace graphnet::test_device
