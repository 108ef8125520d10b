// One device, one measurement: what keeps several graphnet on one machine from timing on a device at once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace graphnet {

// A lock on a device among all processes of this machine, whoever their users are, freed by the system where its holder
// dies. Those who want it take turns: one who gives it up and wants it again comes after those who wait.
class DeviceLock {
 public:
  // `device` as LibTorch writes it ("cpu", "cuda:0"). The lock's files lie in `folder`. Throws Error(kEnvironment)
  // where none can be made or opened there.
  explicit DeviceLock(const std::string& device, const std::filesystem::path& folder = default_folder());
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  // GRAPHNET_LOCK_FOLDER; else /run/lock where every user may write there, and else the folder for temporary files.
  static std::filesystem::path default_folder();

  enum class Use {
    kAlone,   // for timing
    kShared,  // for what disturbs timing, but not itself: compiling
  };

  // Waits for the device; `on_wait` is called once where it is not free. Returns false where `interrupt_descriptor`
  // became readable first. A lock that is held already is given up first.
  bool acquire(Use use, const std::function<void()>& on_wait, int interrupt_descriptor);
  void release();

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  int lock_ = -1;
  int turnstile_ = -1;  // held by the one who is next
};

}  // namespace graphnet
