#include "timeline.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <c10/util/Exception.h>

#include "host_view.h"

namespace graphnet::test_device {
namespace {

constexpr auto kNever = std::chrono::hours(24 * 365);
constexpr int kErrorCode = 700;  // CUDA's number for an illegal memory access

thread_local c10::StreamId stream_of_thread = 0;

// Whether this is the launch that the trigger waits for.
bool hits(Trigger& trigger, const std::string& name) {
  if (trigger.occurrence == 0 || (trigger.operator_name != "any" && trigger.operator_name != name)) return false;
  return --trigger.occurrence == 0;
}

}  // namespace

c10::StreamId current_stream() {
  return stream_of_thread;
}

c10::StreamId exchange_current_stream(c10::StreamId stream) {
  return std::exchange(stream_of_thread, stream);
}

Timeline& Timeline::instance() {
  static auto* timeline = new Timeline;
  return *timeline;
}

void Timeline::configure(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  tails_.clear();
  writes_.clear();
  deliveries_.clear();
  launches_ = 0;
  failed_.reset();
}

Settings Timeline::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

std::int64_t Timeline::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

Launched Timeline::launch(const Launch& launch) {
  const Duration host_cost = settings().launch_cost;
  if (host_cost > Duration::zero()) std::this_thread::sleep_for(host_cost);

  const std::lock_guard lock(mutex_);
  throw_if_failed();
  TORCH_CHECK_WITH(OutOfMemoryError, !hits(settings_.no_memory, launch.name),
                   "test_device out of memory. Nothing is left for the result of ", launch.name, '.');
  ++launches_;
  const c10::StreamId stream = stream_of_thread;
  Moment& tail = tails_[stream];
  const Time start = std::max(launch.issued, tail.time);  // in order; an idle stream begins when the host launches
  const Duration cost = hits(settings_.hang, launch.name) ? Duration(kNever) : launch.cost;
  tail = {start + cost, tail.busy + cost};
  if (hits(settings_.error, launch.name)) failed_ = tail.time;

  Launched launched{tail, false};
  for (const void* data : launch.reads) {
    const auto write = writes_.find(data);
    if (write == writes_.end()) continue;
    launched.reads_unfinished |= write->second.stream != stream && write->second.due > start;
  }
  for (const void* data : launch.writes) writes_[data] = {stream, tail.time};
  return launched;
}

void Timeline::deliver_later(const Moment& due, const at::Tensor& target, const at::Tensor& value) {
  const std::lock_guard lock(mutex_);
  deliveries_.push_back({due.time, target, value});
}

void Timeline::forget(const void* data) {
  const std::lock_guard lock(mutex_);
  writes_.erase(data);
}

Moment Timeline::now_on(c10::StreamId stream) {
  const std::lock_guard lock(mutex_);
  throw_if_failed();
  const Moment& tail = tails_[stream];
  return {std::max(Clock::now(), tail.time), tail.busy};
}

void Timeline::make_wait(c10::StreamId stream, const Moment& for_moment) {
  const std::lock_guard lock(mutex_);
  Moment& tail = tails_[stream];
  tail = {std::max(tail.time, for_moment.time), std::max(tail.busy, for_moment.busy)};
}

c10::StreamId Timeline::new_stream() {
  const std::lock_guard lock(mutex_);
  return ++streams_;
}

void Timeline::wait_until(Time time) {
  Duration wake_up{};
  {
    const std::lock_guard lock(mutex_);
    if (failed_) time = std::min(time, *failed_);  // a device that has failed does not finish its queue
    wake_up = settings_.wake_up;
  }
  if (Clock::now() < time) {
    std::this_thread::sleep_until(time);
    if (wake_up > Duration::zero()) std::this_thread::sleep_for(wake_up);
  }
  check();
}

void Timeline::wait_for_stream(c10::StreamId stream) {
  std::unique_lock lock(mutex_);
  const Time time = tails_[stream].time;
  lock.unlock();
  wait_until(time);
}

void Timeline::wait_for_all() {
  std::unique_lock lock(mutex_);
  Time last{};
  for (const auto& [stream, tail] : tails_) last = std::max(last, tail.time);
  lock.unlock();
  wait_until(last);
}

bool Timeline::is_past(Time time) {
  check();
  return Clock::now() >= time;
}

bool Timeline::is_idle(c10::StreamId stream) {
  std::unique_lock lock(mutex_);
  const Time time = tails_[stream].time;
  lock.unlock();
  return is_past(time);
}

void Timeline::check() {
  const std::lock_guard lock(mutex_);
  deliver_due();
  throw_if_failed();
}

void Timeline::throw_if_failed() const {
  if (!failed_ || Clock::now() < *failed_) return;
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, kErrorCode,
                              "test_device error: an illegal memory access was encountered");
}

void Timeline::deliver_due() {
  const OnHost on_host;
  const Time now = Clock::now();
  std::erase_if(deliveries_, [&](const Delivery& delivery) {
    if (delivery.due > now) return false;
    if (!failed_ || delivery.due < *failed_) delivery.target.copy_(delivery.value);
    return true;
  });
}

}  // namespace graphnet::test_device
