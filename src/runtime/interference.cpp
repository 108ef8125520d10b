#include "graphnet/runtime/interference.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace graphnet {
namespace {

// The first bytes of a file of /proc, which gives them anew at each reading.
template <std::size_t kSize>
std::string_view read_again(int descriptor, char (&buffer)[kSize]) {
  if (descriptor < 0) return {};
  const ssize_t count = ::pread(descriptor, buffer, kSize, 0);
  return count > 0 ? std::string_view(buffer, static_cast<std::size_t>(count)) : std::string_view();
}

// The next number of the text, which is then cut off it; 0 where there is none.
double take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

int open_schedstat(const char* thread) {
  return ::open((std::string("/proc/self/task/") + thread + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

ProcessorTimes parse_processor_times(std::string_view text, double ticks_per_second) {
  constexpr std::string_view kAllProcessors = "cpu ";
  if (!text.starts_with(kAllProcessors)) return {};
  text.remove_prefix(kAllProcessors.size());
  double ticks[8];  // user, nice, system, idle, waiting for input and output, interrupts, soft interrupts, steal
  for (double& value : ticks) value = take_number(text);
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return {busy / ticks_per_second, ticks[7] / ticks_per_second};
}

double parse_run_delay(std::string_view text) {
  take_number(text);
  return take_number(text);
}

InterferenceMeter::InterferenceMeter() : stat_(::open("/proc/stat", O_RDONLY | O_CLOEXEC)) {}

InterferenceMeter::~InterferenceMeter() {
  if (stat_ >= 0) ::close(stat_);
  close_threads();
}

Interference InterferenceMeter::stop() {
  const Counters end = read();
  Interference result;
  result.waiting_seconds = std::max(0.0, end.waiting - start_.waiting);  // a thread may have ended
  result.steal_seconds = end.machine.steal - start_.machine.steal;
  result.other_seconds = std::max(0.0, end.machine.busy - start_.machine.busy - (end.own - start_.own));
  result.involuntary_switches = end.involuntary_switches - start_.involuntary_switches;
  return result;
}

InterferenceMeter::Counters InterferenceMeter::read() {
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Counters counters;
  counters.waiting = run_delay();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  counters.own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  counters.involuntary_switches = usage.ru_nivcsw;
  char buffer[256];  // holds the line for all processors, which is the first
  counters.machine = parse_processor_times(read_again(stat_, buffer), ticks_per_second);
  return counters;
}

double InterferenceMeter::run_delay() {
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  double nanoseconds = 0;
  std::map<long, int> threads;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const long id = std::strtol(entry->d_name, nullptr, 10);
    const auto known = threads_.extract(id);
    const int descriptor = known ? known.mapped() : open_schedstat(entry->d_name);
    threads.emplace(id, descriptor);
    char buffer[96];
    nanoseconds += parse_run_delay(read_again(descriptor, buffer));
  }
  ::closedir(folder);
  close_threads();  // those left have ended
  threads_ = std::move(threads);
  return nanoseconds * 1e-9;
}

void InterferenceMeter::close_threads() {
  for (const auto& [thread, descriptor] : threads_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

}  // namespace graphnet
