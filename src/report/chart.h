// The charts of a report page, each drawn small enough for a telephone: on a wide screen they stand side by side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphnet/report/run_report.h"

#include "scale.h"
#include "svg.h"

namespace graphnet {

inline constexpr double kPanelWidth = 360;

// A compiler of a run, as every chart shows it.
struct Series {
  const CompilerReport* scores = nullptr;
  std::vector<const UnitResult*> results;  // all of them, those left out of the scores too
  std::string label;                       // the compiler, with its run where there are several
  std::string color;                       // class of its colour
};

// Where the block of each sample is: one for all compilers.
class BlockNames {
 public:
  explicit BlockNames(const std::vector<std::string>& samples);
  std::string of(const std::string& sample) const;  // "s12"

 private:
  std::vector<std::pair<std::string, std::size_t>> sorted_;
};

// What an axis has to reach. Charts of several compilers that stand side by side share theirs.
struct Range {
  double low = 0;
  double high = 0;

  void include(double value);
  bool is_empty() const { return low > high; }
};

// Of the speedups of correct samples, 1 always inside, and of all times in milliseconds; empty where there are none.
// Contended timings, which can be off by any factor, do not stretch an axis: such dots lie at its end.
Range speedup_range(const std::vector<Series>& series);
Range time_range(const std::vector<Series>& series);

// S(t) and ES(t) over t, with their intervals.
std::string speedup_score_chart(const std::vector<Series>& series);
std::string error_aware_score_chart(const std::vector<Series>& series);

// Every correct sample's speedup by task category, on log2: dots, or the shape of their density where they are many.
std::string speedup_chart(const Series& series, const Range& range, const BlockNames& blocks);

// Reference time against compiled time, one dot a sample.
std::string time_chart(const Series& series, const Range& range, const BlockNames& blocks);

// The share of samples whose compile time is won back within so many calls. Empty where nothing was compiled.
std::string break_even_chart(const std::vector<Series>& series);

// S(0) by task category with its interval, all compilers in each.
std::string category_chart(const std::vector<Series>& series);

// Calls after which compiling has paid off: compile seconds / seconds saved by one call. Nothing where the sample is
// not correct or was not compiled; infinite where it did not become faster.
std::optional<double> break_even_calls(const UnitResult& result);

// What the charts have in common.
struct Frame {  // edges of the plotting area
  double left, top, right, bottom;
};
void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::vector<Tick>& ticks,
                 std::string_view title);
void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::vector<Tick>& ticks);

// Labels to the right of the frame at the heights of the ends of their lines, moved apart where they would overlap.
struct EndLabel {
  double y = 0;
  std::string text;
  std::string color;
};
void draw_end_labels(Svg& svg, const Frame& frame, std::vector<EndLabel> labels);

// Room to the right of a frame for such labels.
double end_label_room(const std::vector<Series>& series);
std::string short_label(const std::string& label);

}  // namespace graphnet
