// How LibTorch sees the test device: streams, events, the current device, and the registration of it all.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include "allocator.h"
#include "test_device.h"
#include "timeline.h"

namespace graphnet::test_device {
namespace {

struct Event {
  Moment moment;
  bool has_timing;
};

Event& event_of(void* event) {
  return *static_cast<Event*>(event);
}

void check_index(c10::DeviceIndex index) {
  TORCH_CHECK(index <= 0, "test_device: there is no device ", static_cast<int>(index));
}

c10::Stream stream_of(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, the_device(), id);
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kDeviceType; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::DeviceCapability getDeviceCapability(c10::Device /*device*/) const override { return {}; }
  c10::Device getDevice() const override { return the_device(); }
  void setDevice(c10::Device device) const override { check_index(device.index()); }
  void uncheckedSetDevice(c10::Device /*device*/) const noexcept override {}
  c10::Device exchangeDevice(c10::Device device) const override {
    check_index(device.index());
    return the_device();
  }

  c10::Stream getStream(c10::Device /*device*/) const override { return stream_of(current_stream()); }
  c10::Stream getDefaultStream(c10::Device /*device*/) const override { return stream_of(0); }
  c10::Stream getNewStream(c10::Device /*device*/, int /*priority*/) const override {
    return stream_of(timeline().new_stream());
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool /*is_high_priority*/) const override {
    return getNewStream(device, 0);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return stream_of(exchange_current_stream(stream.id()));
  }
  bool queryStream(const c10::Stream& stream) const override { return timeline().is_idle(stream.id()); }
  void synchronizeStream(const c10::Stream& stream) const override { timeline().wait_for_stream(stream.id()); }
  void synchronizeDevice(c10::DeviceIndex index) const override {
    check_index(index);
    timeline().wait_for_all();
  }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex /*device*/,
              c10::EventFlag flag) const override {
    TORCH_CHECK(flag != c10::EventFlag::INVALID, "test_device: invalid event flag");
    const Event recorded{timeline().now_on(stream.id()),
                         flag == c10::EventFlag::BACKEND_DEFAULT && timeline().settings().timing_events};
    if (*event == nullptr) {
      *event = new Event(recorded);
    } else {
      event_of(*event) = recorded;
    }
  }
  void block(void* event, const c10::Stream& stream) const override {
    timeline().make_wait(stream.id(), event_of(event).moment);
  }
  bool queryEvent(void* event) const override { return timeline().is_past(event_of(event).moment.time); }
  void synchronizeEvent(void* event) const override { timeline().wait_until(event_of(event).moment.time); }
  double elapsedTime(void* first, void* second, c10::DeviceIndex /*device*/) const override {
    const Event& start = event_of(first);
    const Event& end = event_of(second);
    TORCH_CHECK(start.has_timing && end.has_timing, "test_device: events without timing have no elapsed time");
    const Duration elapsed =
        timeline().settings().idle_gaps ? end.moment.time - start.moment.time : end.moment.busy - start.moment.busy;
    return std::chrono::duration<double, std::milli>(elapsed).count();
  }
  void destroyEvent(void* event, c10::DeviceIndex /*device*/) const noexcept override {
    delete static_cast<Event*>(event);
  }

 private:
  static Timeline& timeline() { return Timeline::instance(); }
};

class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex /*device*/) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex device) const override { check_index(device); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    check_index(device);
    return 0;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override { return exchangeDevice(device); }
  c10::Device getDeviceFromPtr(void* /*data*/) const override { return the_device(); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    at::native::resize_bytes_cpu(storage.unsafeGetStorageImpl(), bytes);  // with the storage's own allocator
  }
  // Asked for by at::manual_seed(). The CPU's kernels draw from the CPU's default generator.
  const at::Generator& getDefaultGenerator(c10::DeviceIndex /*device*/) const override {
    static const at::Generator generator = at::detail::createCPUGenerator();
    return generator;
  }
};

}  // namespace

void install() {
  static const bool once = [] {
    c10::register_privateuse1_backend(kName);
    c10::SetAllocator(kDeviceType, allocator());
    c10::impl::registerDeviceGuard(kDeviceType, new Guard);  // never freed: LibTorch keeps it to the end
    at::RegisterPrivateUse1HooksInterface(new Hooks);
    return true;
  }();
  static_cast<void>(once);
}

void configure(const Settings& settings) {
  Timeline::instance().configure(settings);
}

std::int64_t launches() {
  return Timeline::instance().launches();
}

}  // namespace graphnet::test_device
