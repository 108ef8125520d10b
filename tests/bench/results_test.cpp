#include "graphnet/bench/results.h"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using nlohmann::json;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

UnitRecord timed_record(const std::string& verdict) {
  UnitRecord record;
  record.outcome.sample = "vision/a";
  record.outcome.compiler = "inductor";
  record.outcome.group = "resnet18";
  record.outcome.status = OutcomeStatus::kCorrect;
  record.outcome.strictest_level = -5;
  record.outcome.speedup = 2.0;
  record.identity = "1234";
  record.category = "computer vision";
  record.dtypes = {"float32"};
  record.verdict = verdict;
  record.compile_seconds = 12.5;
  record.reproduce = "graphnet bench vision/a --compiler inductor";
  record.measurements = {{"worker",
                          {{"timing",
                            {{"reference_seconds", 0.002},
                             {"candidate_seconds", 0.001},
                             {"low", 1.9},
                             {"high", 2.1},
                             {"disturbed", {1}},
                             {"trials", {{2.0, 1.0, true}, {9.0, 1.0, false}, {4.0, 2.0, true}}}}}}}};
  return record;
}

class ResultsTest : public testing::Test {
 protected:
  RunResults write_and_read(const std::vector<UnitRecord>& records) {
    Journal journal(run_, {{"graphnet", 1}, {"samples", json::array({"a", "b"})}, {"compilers", json::array({"c"})}});
    for (const UnitRecord& record : records) journal.append(record);
    return read_results(run_);
  }

  UnitResult result_of(const UnitRecord& record) {
    std::filesystem::remove_all(run_);
    return write_and_read({record}).results.at(0);
  }

  TemporaryFolder folder_{"graphnet-test-"};
  std::filesystem::path run_ = folder_.path() / "run";
};

TEST_F(ResultsTest, HaveWhatTheJournalRecorded) {
  const RunResults run = write_and_read({timed_record("converged")});
  ASSERT_EQ(run.results.size(), 1U);
  const UnitResult& result = run.results[0];
  EXPECT_EQ(result.outcome, timed_record("converged").outcome);
  EXPECT_EQ(result.category, "computer vision");
  EXPECT_DOUBLE_EQ(*result.reference_seconds, 0.002);
  EXPECT_DOUBLE_EQ(*result.high, 2.1);
  EXPECT_DOUBLE_EQ(*result.compile_seconds, 12.5);
  EXPECT_EQ(result.reproduce, "graphnet bench vision/a --compiler inductor");
  EXPECT_EQ(planned_units(run.info), 2U);
}

TEST_F(ResultsTest, RefuseAVerdictThatNoTimingEndsWith) {
  EXPECT_THAT(([&] { result_of(timed_record("Contended")); }),
              ThrowsMessage<Error>(HasSubstr("\"verdict\" has the unknown value \"Contended\"")));
}

TEST_F(ResultsTest, RefuseSecondsBelowZero) {
  UnitRecord record = timed_record("converged");
  record.compile_seconds = -1;
  EXPECT_THAT(([&] { result_of(record); }), ThrowsMessage<Error>(HasSubstr("\"compile_seconds\" is -1")));
}

TEST_F(ResultsTest, TakeTheTrialsThatTheSpeedupComesFrom) {
  const auto two = DoubleNear(std::log(2.0), 1e-12);
  EXPECT_THAT(result_of(timed_record("converged")).log_ratios, ElementsAre(two, two))
      << "the disturbed one is left out";
  EXPECT_EQ(result_of(timed_record("contended")).log_ratios.size(), 3U) << "where none is clean, all were used";
}

TEST_F(ResultsTest, HaveNoCompileTimeWhereNothingWasCompiled) {
  UnitRecord record = timed_record("converged");
  record.compile_seconds = 0;
  EXPECT_EQ(result_of(record).compile_seconds, std::nullopt);
}

TEST_F(ResultsTest, TellOfADegenerateReference) {
  UnitRecord record = timed_record("converged");
  record.degenerate = "all outputs are zero";
  EXPECT_EQ(result_of(record).degenerate, "all outputs are zero");
}

TEST_F(ResultsTest, LeaveATornLastLineOut) {
  write_and_read({timed_record("converged")});
  std::ofstream(run_ / kResultsFile, std::ios::app) << "{\"sample\":\"c\",\"comp";
  const RunResults run = read_results(run_);
  EXPECT_EQ(run.results.size(), 1U);
  EXPECT_TRUE(run.torn);
}

TEST_F(ResultsTest, NameTheLineThatIsDamaged) {
  write_and_read({timed_record("converged")});
  std::ofstream(run_ / kResultsFile, std::ios::app) << "{\"sample\":\"c\"}\n";
  try {
    read_results(run_);
    FAIL() << "a damaged line was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::EndsWith("results.jsonl:2: \"compiler\" is missing: text is expected"));
  }
}

}  // namespace
}  // namespace graphnet
