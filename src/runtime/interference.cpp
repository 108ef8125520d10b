#include "graphnet/runtime/interference.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <span>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace graphnet {
namespace {

// The first bytes of a file of /proc, which gives them anew at each reading.
std::string_view read_again(int descriptor, std::span<char> buffer) {
  if (descriptor < 0) return {};
  const ssize_t count = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  return count > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(count)) : std::string_view();
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

// The processors that this process may use; none where there are more than the system's set holds.
std::vector<int> usable_processors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) processors.push_back(processor);
  }
  return processors;
}

struct ProcessorTicks {
  double busy = 0;
  double steal = 0;
};

// From what follows the name in a processor's line: user, nice, system, idle, waiting for input and output, interrupts,
// soft interrupts, steal.
ProcessorTicks parse_ticks(std::string_view numbers) {
  double ticks[8];
  for (double& value : ticks) value = take_number(numbers);
  return {ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[7]};
}

}  // namespace

ProcessorTimes parse_processor_times(std::string_view text, const std::vector<int>& processors,
                                     double ticks_per_second) {
  constexpr std::string_view kName = "cpu";
  ProcessorTicks sum;
  double found = 0;
  while (text.starts_with(kName)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(kName.size(), end - kName.size());
    text.remove_prefix(std::min(end + 1, text.size()));
    int processor = -1;
    const auto [rest, failure] = std::from_chars(line.data(), line.data() + line.size(), processor);
    if (failure != std::errc()) {  // the line of all processors has no number behind its name
      sum.busy = parse_ticks(line).busy;
    } else if (std::ranges::binary_search(processors, processor)) {
      sum.steal += parse_ticks({rest, line.data() + line.size()}).steal;
      ++found;
    }
  }
  return {sum.busy / ticks_per_second, found > 0 ? sum.steal / found / ticks_per_second : 0};
}

double parse_run_delay(std::string_view text) {
  take_number(text);
  return take_number(text);
}

InterferenceMeter::InterferenceMeter()
    : stat_(::open("/proc/stat", O_RDONLY | O_CLOEXEC)), processors_(usable_processors()) {
  constexpr std::size_t kLongestLine = 160;
  const long configured = std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L);
  text_.resize(kLongestLine * static_cast<std::size_t>(configured + 1));
}

InterferenceMeter::~InterferenceMeter() {
  if (stat_ >= 0) ::close(stat_);
  close_threads();
}

Interference InterferenceMeter::stop() {
  const Counters end = read();
  Interference result;
  // A thread that ended says nothing; one that is new waited since its start, all of it in the block.
  for (const auto& [thread, waiting] : end.waiting) {
    const auto before = start_.waiting.find(thread);
    const double since = before == start_.waiting.end() ? waiting : waiting - before->second;
    result.waiting_seconds = std::max(result.waiting_seconds, since);
  }
  result.steal_seconds = end.machine.steal - start_.machine.steal;
  result.other_seconds = std::max(0.0, end.machine.busy - start_.machine.busy - (end.own - start_.own));
  result.involuntary_switches = end.involuntary_switches - start_.involuntary_switches;
  return result;
}

InterferenceMeter::Counters InterferenceMeter::read() {
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Counters counters;
  counters.waiting = run_delays();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  counters.own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  counters.involuntary_switches = usage.ru_nivcsw;
  counters.machine = parse_processor_times(read_again(stat_, text_), processors_, ticks_per_second);
  return counters;
}

std::map<long, double> InterferenceMeter::run_delays() {
  std::map<long, double> seconds;
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return seconds;
  std::map<long, int> threads;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const long id = std::strtol(entry->d_name, nullptr, 10);
    const auto known = threads_.extract(id);
    const int descriptor = known ? known.mapped() : open_schedstat(entry->d_name);
    threads.emplace(id, descriptor);
    char buffer[96];
    seconds[id] = parse_run_delay(read_again(descriptor, buffer)) * 1e-9;
  }
  ::closedir(folder);
  close_threads();  // those left have ended
  threads_ = std::move(threads);
  return seconds;
}

void InterferenceMeter::close_threads() {
  for (const auto& [thread, descriptor] : threads_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

}  // namespace graphnet
