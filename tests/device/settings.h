// What the test device is told to do: how large its memory is, what work costs, and which launch goes wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace graphnet::test_device {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Duration = Clock::duration;

// The n-th launch, counted from 1, of an operator ("aten::relu"), or of anything where the operator is "any". 0: never.
struct Trigger {
  std::string operator_name = "any";
  std::int64_t occurrence = 0;
};

struct Settings {
  // Memory. The tensors on the device may take `capacity` bytes together; one more is out of memory. getMemoryInfo()
  // tells of `reported` bytes: a larger number is a device whose free memory somebody else takes in the meantime.
  std::size_t capacity = std::size_t{16} << 30;
  std::size_t reported = 0;  // 0: the capacity

  Duration operator_cost{};  // of the device's time, for every operator
  Duration copy_cost{};      // the same, for a copy to, from or within the device
  Duration launch_cost{};    // of the host's time, for every launch
  Duration wake_up{};        // of the host's time, for every call that had to wait, after the work is done

  bool idle_gaps = true;      // false: elapsed times are sums of costs, exact however late the host is
  bool timing_events = true;  // false: no event of this device knows its time

  Trigger no_memory;  // this launch finds no memory for its result, whatever the capacity
  Trigger error;  // this launch fails: the next call that waits for it, or comes after it was due, throws, and so do
                  // all later ones
  Trigger hang;   // this launch is never done
};

// "capacity=64M,reported=1G,operator=2ms,copy=1ms,launch=100us,wake_up=5ms,idle_gaps=off,timing_events=off,
// no_memory=aten::mul:2,error=aten::relu:3,hang=any:100"; every part may be left out. Throws std::invalid_argument
// naming the part.
Settings parse_settings(std::string_view text);

}  // namespace graphnet::test_device
