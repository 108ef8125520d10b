// What the rest of the machine did to this process while something was timed, as the kernel counts it.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace graphnet {

struct Interference {
  double waiting_seconds = 0;             // threads of this process were ready but had no processor, summed over them
  double steal_seconds = 0;               // the host of this virtual machine ran something else, over all processors
  double other_seconds = 0;               // processor time of other programs, over all processors, in whole ticks
  std::int64_t involuntary_switches = 0;  // threads of this process were taken off their processors
};

// Of the whole machine since it started, in seconds summed over processors.
struct ProcessorTimes {
  double busy = 0;   // not idle, stolen time not counted
  double steal = 0;  // taken by the host of this virtual machine
};

// From the text of /proc/stat, whose times are in ticks. Zero where there is no line for all processors.
ProcessorTimes parse_processor_times(std::string_view text, double ticks_per_second);

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
    double waiting = 0;
    double own = 0;  // processor time of this process
    ProcessorTimes machine;
    std::int64_t involuntary_switches = 0;
  };
  Counters read();
  double run_delay();
  void close_threads();

  int stat_;                     // /proc/stat; -1 where it cannot be read
  std::map<long, int> threads_;  // schedstat of each thread, by its id
  Counters start_;
};

}  // namespace graphnet
