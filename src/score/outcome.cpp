#include "graphnet/score/outcome.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "graphnet/score/tolerance.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

template <typename Enum>
using Named = std::pair<Enum, std::string_view>;

constexpr std::array kStatusNames{
    Named<OutcomeStatus>{OutcomeStatus::kCorrect, "correct"},
    Named<OutcomeStatus>{OutcomeStatus::kAccuracy, "accuracy"},
    Named<OutcomeStatus>{OutcomeStatus::kFailed, "failed"},
    Named<OutcomeStatus>{OutcomeStatus::kExcluded, "excluded"},
    Named<OutcomeStatus>{OutcomeStatus::kUnavailable, "unavailable"},
};

constexpr std::array kStageNames{
    Named<Stage>{Stage::kLoad, "load"},        Named<Stage>{Stage::kReference, "reference"},
    Named<Stage>{Stage::kCompile, "compile"},  Named<Stage>{Stage::kRun, "run"},
    Named<Stage>{Stage::kCheck, "check"},      Named<Stage>{Stage::kTime, "time"},
    Named<Stage>{Stage::kRecheck, "re-check"},
};

constexpr std::array kCauseNames{
    Named<Cause>{Cause::kException, "exception"},
    Named<Cause>{Cause::kUnsupportedOperator, "unsupported operator"},
    Named<Cause>{Cause::kTimeOut, "time-out"},
    Named<Cause>{Cause::kOutOfMemory, "out of memory"},
    Named<Cause>{Cause::kSignal, "signal"},
    Named<Cause>{Cause::kExitCode, "exit code"},
    Named<Cause>{Cause::kProtocol, "bad protocol"},
    Named<Cause>{Cause::kUnstableReference, "unstable reference"},
    Named<Cause>{Cause::kInsufficientMemory, "insufficient memory"},
    Named<Cause>{Cause::kNotInstalled, "not installed"},
};

constexpr std::array kErrorClassNames{
    Named<ErrorClass>{ErrorClass::kNone, "none"},
    Named<ErrorClass>{ErrorClass::kAccuracy, "accuracy"},
    Named<ErrorClass>{ErrorClass::kRuntime, "runtime"},
    Named<ErrorClass>{ErrorClass::kCompile, "compile"},
};

template <typename Names, typename Enum>
std::string_view find_name(const Names& names, Enum wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted) return name;
  }
  throw Error(ErrorKind::kInternal, "an enumeration of the outcome table has a value without a name");
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> find_value(const std::array<Named<Enum>, kCount>& names, std::string_view wanted) {
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

[[noreturn]] void reject(const Outcome& outcome, const std::string& reason) {
  throw Error(ErrorKind::kInput, "outcome of sample '" + outcome.sample + "' with compiler '" + outcome.compiler +
                                     "' (" + std::string(outcome_status_name(outcome.status)) + "): " + reason);
}

void check_level(const Outcome& outcome) {
  const bool correct = outcome.status == OutcomeStatus::kCorrect;
  if (correct != outcome.strictest_level.has_value()) {
    reject(outcome, correct ? "the strictest level that passes is missing"
                            : "only a correct unit has a strictest level that passes");
  }
  if (correct && (*outcome.strictest_level < kStrictestLevel || *outcome.strictest_level > kLoosestLevel)) {
    reject(outcome, "strictest level " + std::to_string(*outcome.strictest_level) + " is outside " +
                        std::to_string(kStrictestLevel) + ".." + std::to_string(kLoosestLevel));
  }
}

void check_speedup(const Outcome& outcome) {
  const bool correct = outcome.status == OutcomeStatus::kCorrect;
  const bool ran = correct || outcome.status == OutcomeStatus::kAccuracy;
  if (correct && !outcome.speedup) reject(outcome, "the speedup is missing");
  if (!ran && outcome.speedup) reject(outcome, "only a unit that ran to its end has a speedup");
  if (outcome.speedup && !(std::isfinite(*outcome.speedup) && *outcome.speedup > 0.0)) {
    reject(outcome, "the speedup has to be positive and finite, not " + std::to_string(*outcome.speedup));
  }
}

void check_stage(const Outcome& outcome) {
  const bool ran = outcome.status == OutcomeStatus::kCorrect || outcome.status == OutcomeStatus::kAccuracy;
  if (ran && (outcome.stage || outcome.cause)) reject(outcome, "only a unit that ended early has a stage or a cause");
  if (outcome.status != OutcomeStatus::kFailed) return;
  if (!outcome.stage || !outcome.cause) reject(outcome, "the stage or the cause of the failure is missing");
  if (*outcome.stage == Stage::kReference) reject(outcome, "where the reference fails, the sample is excluded");
}

}  // namespace

void check_outcome(const Outcome& outcome) {
  check_level(outcome);
  check_speedup(outcome);
  check_stage(outcome);
}

bool is_scored(const Outcome& outcome) {
  return outcome.status != OutcomeStatus::kExcluded && outcome.status != OutcomeStatus::kUnavailable;
}

bool is_correct(const Outcome& outcome, int level) {
  return outcome.status == OutcomeStatus::kCorrect && level >= outcome.strictest_level.value();
}

ErrorClass class_of_failure(Stage stage) {
  switch (stage) {
    case Stage::kLoad:
    case Stage::kCompile:
      return ErrorClass::kCompile;
    case Stage::kRun:
    case Stage::kCheck:
    case Stage::kTime:
    case Stage::kRecheck:
      return ErrorClass::kRuntime;
    case Stage::kReference:
      break;
  }
  throw Error(ErrorKind::kInternal, "a failure of the reference has no error class: it excludes the sample");
}

ErrorClass error_class(const Outcome& outcome, int level) {
  switch (outcome.status) {
    case OutcomeStatus::kCorrect:
      return is_correct(outcome, level) ? ErrorClass::kNone : ErrorClass::kAccuracy;
    case OutcomeStatus::kAccuracy:
      return ErrorClass::kAccuracy;
    case OutcomeStatus::kFailed:
      return class_of_failure(outcome.stage.value());
    case OutcomeStatus::kExcluded:
    case OutcomeStatus::kUnavailable:
      break;
  }
  throw Error(ErrorKind::kInternal,
              "an outcome that is not scored has no error class: sample '" + outcome.sample + "'");
}

std::optional<int> strictest_common_level(std::span<const std::optional<int>> outputs) {
  int common = kStrictestLevel;
  for (const std::optional<int>& level : outputs) {
    if (!level) return std::nullopt;
    common = std::max(common, *level);
  }
  return common;
}

std::string_view outcome_status_name(OutcomeStatus status) {
  return find_name(kStatusNames, status);
}
std::string_view stage_name(Stage stage) {
  return find_name(kStageNames, stage);
}
std::string_view cause_name(Cause cause) {
  return find_name(kCauseNames, cause);
}
std::string_view error_class_name(ErrorClass error_class) {
  return find_name(kErrorClassNames, error_class);
}

std::optional<OutcomeStatus> parse_outcome_status(std::string_view name) {
  return find_value(kStatusNames, name);
}
std::optional<Stage> parse_stage(std::string_view name) {
  return find_value(kStageNames, name);
}
std::optional<Cause> parse_cause(std::string_view name) {
  return find_value(kCauseNames, name);
}

}  // namespace graphnet
