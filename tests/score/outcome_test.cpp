#include "graphnet/score/outcome.h"

#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "outcomes.h"

namespace graphnet {
namespace {

using test::correct;
using test::excluded;
using test::failed;
using test::unavailable;
using test::wrong;

TEST(Outcome, IsCorrectFromItsStrictestLevelOn) {
  const Outcome outcome = correct(2.0, -3);
  EXPECT_FALSE(is_correct(outcome, -4));
  EXPECT_TRUE(is_correct(outcome, -3));
  EXPECT_TRUE(is_correct(outcome, 4));
}

TEST(Outcome, ThatDidNotPassAnywhereIsNeverCorrect) {
  EXPECT_FALSE(is_correct(wrong(), kLoosestLevel));
  EXPECT_FALSE(is_correct(failed(Stage::kRun), kLoosestLevel));
  EXPECT_FALSE(is_correct(excluded(), kLoosestLevel));
}

TEST(Outcome, IsAnAccuracyErrorBelowItsStrictestLevel) {
  EXPECT_EQ(error_class(correct(2.0, 0), -1), ErrorClass::kAccuracy);
  EXPECT_EQ(error_class(correct(2.0, 0), 0), ErrorClass::kNone);
  EXPECT_EQ(error_class(wrong(), kLoosestLevel), ErrorClass::kAccuracy);
}

TEST(Outcome, OfAFailureAtLoadOrCompileIsClassThree) {
  for (const Stage stage : {Stage::kLoad, Stage::kCompile}) {
    EXPECT_EQ(error_class(failed(stage), 0), ErrorClass::kCompile) << stage_name(stage);
  }
}

TEST(Outcome, OfAFailureAfterCompileIsClassTwo) {
  for (const Stage stage : {Stage::kRun, Stage::kCheck, Stage::kTime, Stage::kRecheck}) {
    EXPECT_EQ(error_class(failed(stage), 0), ErrorClass::kRuntime) << stage_name(stage);
  }
}

TEST(Outcome, HasTheSameErrorClassWhateverTheCause) {
  for (const Cause cause : {Cause::kTimeOut, Cause::kOutOfMemory, Cause::kSignal, Cause::kUnsupportedOperator}) {
    EXPECT_EQ(error_class(failed(Stage::kCompile, cause), 0), ErrorClass::kCompile) << cause_name(cause);
  }
}

TEST(Outcome, HasNoErrorClassUnlessScored) {
  EXPECT_THROW(error_class(excluded(), 0), Error);
  EXPECT_THROW(error_class(unavailable(), 0), Error);
  EXPECT_THROW(class_of_failure(Stage::kReference), Error);
}

TEST(Outcome, IsScoredUnlessExcludedOrUnavailable) {
  EXPECT_TRUE(is_scored(correct(1.0)));
  EXPECT_TRUE(is_scored(wrong()));
  EXPECT_TRUE(is_scored(failed(Stage::kCompile, Cause::kUnsupportedOperator)));
  EXPECT_FALSE(is_scored(excluded()));
  EXPECT_FALSE(is_scored(unavailable()));
}

TEST(CheckOutcome, AcceptsEveryStatusWithItsFields) {
  for (const Outcome& outcome : {correct(1.0), wrong(), failed(Stage::kRun), excluded(), unavailable()}) {
    EXPECT_NO_THROW(check_outcome(outcome)) << outcome_status_name(outcome.status);
  }
}

TEST(CheckOutcome, AcceptsTheSpeedupOfAWrongUnit) {
  Outcome outcome = wrong();
  outcome.speedup = 3.0;
  EXPECT_NO_THROW(check_outcome(outcome));
}

TEST(CheckOutcome, RejectsSpeedupsThatCannotBeAveraged) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double speedup : {0.0, -1.0, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(check_outcome(correct(speedup)), Error) << speedup;
  }
}

TEST(CheckOutcome, RejectsALevelOutsideTheRange) {
  EXPECT_THROW(check_outcome(correct(1.0, kStrictestLevel - 1)), Error);
  EXPECT_THROW(check_outcome(correct(1.0, kLoosestLevel + 1)), Error);
}

TEST(CheckOutcome, RejectsMissingFields) {
  Outcome without_level = correct(1.0);
  without_level.strictest_level.reset();
  EXPECT_THROW(check_outcome(without_level), Error);
  Outcome without_speedup = correct(1.0);
  without_speedup.speedup.reset();
  EXPECT_THROW(check_outcome(without_speedup), Error);
  Outcome without_stage = failed(Stage::kRun);
  without_stage.stage.reset();
  EXPECT_THROW(check_outcome(without_stage), Error);
  Outcome without_cause = failed(Stage::kRun);
  without_cause.cause.reset();
  EXPECT_THROW(check_outcome(without_cause), Error);
}

TEST(CheckOutcome, RejectsFieldsOfAnotherStatus) {
  Outcome failed_but_fast = failed(Stage::kRun);
  failed_but_fast.speedup = 2.0;
  EXPECT_THROW(check_outcome(failed_but_fast), Error);
  Outcome wrong_but_passing = wrong();
  wrong_but_passing.strictest_level = 0;
  EXPECT_THROW(check_outcome(wrong_but_passing), Error);
  Outcome correct_but_crashed = correct(1.0);
  correct_but_crashed.cause = Cause::kSignal;
  EXPECT_THROW(check_outcome(correct_but_crashed), Error);
}

TEST(CheckOutcome, RejectsAFailureOfTheReference) {
  EXPECT_THROW(check_outcome(failed(Stage::kReference)), Error);
}

TEST(StrictestCommonLevel, IsTheLoosestThatAnyOutputNeeds) {
  const std::vector<std::optional<int>> outputs{-7, -2, -10};
  EXPECT_EQ(strictest_common_level(outputs), -2);
}

TEST(StrictestCommonLevel, IsNothingWhereAnOutputNeverPasses) {
  const std::vector<std::optional<int>> outputs{-7, std::nullopt};
  EXPECT_EQ(strictest_common_level(outputs), std::nullopt);
}

TEST(StrictestCommonLevel, IsTheStrictestWithoutOutputs) {
  EXPECT_EQ(strictest_common_level({}), kStrictestLevel);
}

// Every value of the enumeration that has `last` as its last one has a name, and the name leads back to it.
template <typename Enum, typename Name, typename Parse>
void expect_names_round_trip(Enum last, Name name, Parse parse) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(parse(name(value)), value);
  }
  EXPECT_EQ(parse("no such name"), std::nullopt);
}

TEST(OutcomeNames, LeadBackToTheirValues) {
  expect_names_round_trip(OutcomeStatus::kUnavailable, outcome_status_name, parse_outcome_status);
  expect_names_round_trip(Stage::kRecheck, stage_name, parse_stage);
  expect_names_round_trip(Cause::kNotInstalled, cause_name, parse_cause);
}

TEST(OutcomeNames, OfErrorClassesSayWhatWentWrong) {
  EXPECT_EQ(error_class_name(ErrorClass::kAccuracy), "accuracy");
  EXPECT_EQ(error_class_name(ErrorClass::kRuntime), "runtime");
  EXPECT_EQ(error_class_name(ErrorClass::kCompile), "compile");
}

}  // namespace
}  // namespace graphnet
