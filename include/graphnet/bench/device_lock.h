// One device, one measurement: what keeps several graphnet on one machine from timing on a device at once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace graphnet {

// A lock on a device among all processes of this machine, freed by the system where its holder dies.
class DeviceLock {
 public:
  // `device` as LibTorch writes it ("cpu", "cuda:0"). The lock's file lies in XDG_RUNTIME_DIR, else in the folder for
  // temporary files. Where no file can be made there, there is nothing to wait for.
  explicit DeviceLock(const std::string& device);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  enum class Use {
    kAlone,   // for timing
    kShared,  // for what disturbs timing, but not itself: compiling on the processor that is timed
  };

  // Waits for the device; `on_wait` is called once where it is not free. Returns false where `interrupt_descriptor`
  // became readable first. A lock that is held already changes its use.
  bool acquire(Use use, const std::function<void()>& on_wait, int interrupt_descriptor);
  void release();

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace graphnet
