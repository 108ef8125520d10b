// Rows of outcome tables in one word each, for the tests of the scores.
#pragma once

#include "graphnet/score/outcome.h"
#include "graphnet/score/tolerance.h"

namespace graphnet::test {

inline Outcome row(OutcomeStatus status) {
  Outcome outcome;
  outcome.sample = "samples/a";
  outcome.compiler = "inductor";
  outcome.status = status;
  return outcome;
}

inline Outcome correct(double speedup, int strictest_level = kStrictestLevel) {
  Outcome outcome = row(OutcomeStatus::kCorrect);
  outcome.speedup = speedup;
  outcome.strictest_level = strictest_level;
  return outcome;
}

// Correct, with a speedup that is not to be trusted.
inline Outcome not_timed(double speedup = 33.0, int strictest_level = kStrictestLevel) {
  Outcome outcome = correct(speedup, strictest_level);
  outcome.is_timed = false;
  return outcome;
}

inline Outcome wrong() {
  return row(OutcomeStatus::kAccuracy);
}

inline Outcome failed(Stage stage, Cause cause = Cause::kException) {
  Outcome outcome = row(OutcomeStatus::kFailed);
  outcome.stage = stage;
  outcome.cause = cause;
  return outcome;
}

inline Outcome excluded() {
  return row(OutcomeStatus::kExcluded);
}
inline Outcome unavailable() {
  return row(OutcomeStatus::kUnavailable);
}

}  // namespace graphnet::test
