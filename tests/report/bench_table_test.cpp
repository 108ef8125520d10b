#include "graphnet/report/bench_table.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

BenchTable table_for(const std::string& sample) {
  return BenchTable({sample}, {"inductor"}, {});
}

TEST(BenchTable, AlignsRowsUnderTheirHeadings) {
  const BenchRow row{.sample = "vision/resnet18",
                     .compiler = "inductor",
                     .reference_seconds = 0.02513,
                     .candidate_seconds = 0.02192,
                     .speedup = 1.146,
                     .low = 1.138,
                     .high = 1.155,
                     .confidence = 0.96,
                     .correct_to = -6,
                     .compile_seconds = 14.52,
                     .verdict = "converged"};
  const BenchTable table = table_for(row.sample);
  EXPECT_EQ(
      table.header() + table.row(row),
      "sample           compiler  eager ms  compiled ms  speedup  95 %           correct to  compile s  verdict\n"
      "vision/resnet18  inductor     25.13        21.92    1.146  [1.138,1.155]        1e-6       14.5  converged\n");
}

TEST(BenchTable, PrintsADashForWhatIsNotKnown) {
  const BenchRow row{
      .sample = "science/fno2d", .compiler = "inductor", .verdict = "compile: unsupported aten::fft_rfft2"};
  EXPECT_EQ(table_for(row.sample).row(row),
            "science/fno2d  inductor         -            -        -  -                       -          -  "
            "compile: unsupported aten::fft_rfft2\n");
}

TEST(BenchTable, PrintsNoIntervalThatIsLessSureThanItsHeadingSays) {
  const BenchRow row{.sample = "a", .compiler = "b", .speedup = 1.5, .low = 1.25, .high = 1.75, .confidence = 0.75};
  EXPECT_EQ(table_for("a").row(row).find('['), std::string::npos);
}

UnitResult unit(const std::string& sample, const std::string& compiler, const std::string& verdict,
                const std::string& degenerate = "") {
  UnitResult result;
  result.outcome.sample = sample;
  result.outcome.compiler = compiler;
  result.outcome.status = verdict.empty() ? OutcomeStatus::kExcluded : OutcomeStatus::kCorrect;
  if (!verdict.empty()) {
    result.outcome.speedup = 1.5;
    result.outcome.strictest_level = -5;
  }
  result.verdict = verdict;
  result.degenerate = degenerate;
  return result;
}

ScoreReport report_of_five_units() {
  const LabelledResults run{
      "runs/a",
      {unit("a", "inductor", "converged"), unit("b", "inductor", "noisy", "all outputs are constant"),
       unit("c", "inductor", "converged"), unit("d", "inductor", ""), unit("a", "eager", "")}};
  return make_score_report(std::span(&run, 1), {});
}

TEST(QualityText, CountsVerdictsAndNamesDegenerateSamples) {
  EXPECT_EQ(quality_text(report_of_five_units()),
            "inductor: 2 converged, 1 noisy; 1 sample with a degenerate reference: b\n");
}

TEST(QualityJson, HasEveryVerdictAndTheReasons) {
  const nlohmann::ordered_json quality = quality_json(report_of_five_units());
  ASSERT_EQ(quality.size(), 1U);
  EXPECT_EQ(quality[0]["verdicts"].dump(), R"({"converged":2,"capped":0,"noisy":1,"contended":0})");
  EXPECT_EQ(quality[0]["degenerate"][0]["reason"], "all outputs are constant");
}

TEST(BenchTable, CutsVeryLongSampleNames) {
  const std::string name(200, 'x');
  const std::string header = table_for(name).header();
  EXPECT_LT(header.find("compiler"), 60U);
}

TEST(LevelText, IsTheAbsoluteTolerance) {
  EXPECT_EQ(level_text(-6), "1e-6");
  EXPECT_EQ(level_text(0), "1e0");
}

}  // namespace
}  // namespace graphnet
