// The rows that a bench run prints while it goes: one a sample and compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphnet/report/table.h"

namespace graphnet {

// What is not known is absent and printed as "-".
struct BenchRow {
  std::string sample;
  std::string compiler;
  std::optional<double> reference_seconds{};
  std::optional<double> candidate_seconds{};
  std::optional<double> speedup{};
  std::optional<double> low{};  // 95 % interval of the speedup
  std::optional<double> high{};
  std::optional<int> correct_to{};  // the strictest tolerance level that every output passes
  std::optional<double> compile_seconds{};
  std::string verdict{};     // "converged", "accuracy", "compile: unsupported aten::view_as_complex"
  Tone tone = Tone::kPlain;  // of the verdict
};

// "1e-6" for level -6: the absolute tolerance of that level.
std::string level_text(int level);

class BenchTable {
 public:
  // Every sample and compiler that will get a row: the columns are as wide as these need.
  BenchTable(const std::vector<std::string>& samples, const std::vector<std::string>& compilers, TextStyle style);

  std::string header() const { return table_.header(); }
  std::string row(const BenchRow& row) const;

 private:
  StreamedTable table_;
};

}  // namespace graphnet
