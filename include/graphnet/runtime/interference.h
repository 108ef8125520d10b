// What the rest of the machine did to this process while something was timed, as the kernel counts it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

// What the kernel counts stolen time in, whenever it was stolen: a tick that falls into a short block may have begun
// long before.
inline constexpr double kStealTick = 0.01;

struct Interference {
  double waiting_seconds = 0;             // a thread of this process was ready but had no processor: the one that
                                          // waited longest
  double steal_seconds = 0;               // the host of this virtual machine ran something else: the mean over the
                                          // processors that this process may use, counted in ticks of kStealTick
  double other_seconds = 0;               // processor time of other programs, over all processors, in whole ticks
  std::int64_t involuntary_switches = 0;  // threads of this process were taken off their processors
};

// Of the machine since it started, in seconds.
struct ProcessorTimes {
  double busy = 0;   // not idle, stolen time not counted; summed over all processors
  double steal = 0;  // taken by the host of this virtual machine; the mean over some processors
};

// From the text of /proc/stat, whose times are in ticks; `processors` are those whose stolen time counts, in
// ascending order. Zero where the text has no lines for them.
ProcessorTimes parse_processor_times(std::string_view text, const std::vector<int>& processors,
                                     double ticks_per_second);

// Nanoseconds of waiting, the second number of the text of a thread's schedstat; 0 where it is not there.
double parse_run_delay(std::string_view text);

// Reads the counters before and after, from files that it keeps open: some ten microseconds each time. What a kernel
// does not tell is 0.
class InterferenceMeter {
 public:
  InterferenceMeter();
  ~InterferenceMeter();
  InterferenceMeter(const InterferenceMeter&) = delete;
  InterferenceMeter& operator=(const InterferenceMeter&) = delete;

  void start() { start_ = read(); }
  Interference stop();

 private:
  struct Counters {
    std::map<long, double> waiting;  // seconds, by thread
    double own = 0;                  // processor time of this process
    ProcessorTimes machine;
    std::int64_t involuntary_switches = 0;
  };
  Counters read();
  std::map<long, double> run_delays();
  void close_threads();

  int stat_;                     // /proc/stat; -1 where it cannot be read
  std::vector<int> processors_;  // that this process may use
  std::string text_;             // room for the lines of all processors
  std::map<long, int> threads_;  // schedstat of each thread, by its id
  Counters start_;
};

}  // namespace graphnet
