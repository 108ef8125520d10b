// What one unit of work (one sample with one compiler) ended in: the rows of the table that scores are computed from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

enum class OutcomeStatus {
  kCorrect,      // every output passes at some level; Outcome::strictest_level says which
  kAccuracy,     // it ran, but some output is wrong at every level, or has the wrong dtype or shape
  kFailed,       // the compiler or the compiled graph failed; Outcome::stage says where
  kExcluded,     // the reference failed, is unstable, or the sample was not started: says nothing about the compiler
  kUnavailable,  // the compiler cannot be used on this machine
};

// The part of a unit in which it ended early.
enum class Stage { kLoad, kReference, kCompile, kRun, kCheck, kTime, kRecheck };

enum class Cause {
  kException,
  kUnsupportedOperator,
  kTimeOut,
  kOutOfMemory,
  kSignal,
  kExitCode,
  kProtocol,            // the process wrote what the protocol does not allow
  kUnstableReference,   // two runs of the reference differ by more than a comparison can bear
  kInsufficientMemory,  // skipped before anything was allocated: the sample does not fit this machine
  kNotInstalled,        // the compiler, or a library it needs, is absent
};

// The error classes of the scores; the numbers are the c of the formulas.
enum class ErrorClass { kNone = 0, kAccuracy = 1, kRuntime = 2, kCompile = 3 };

struct Outcome {
  std::string sample;    // path of the sample, as reports name it
  std::string compiler;  // the compiler as it was asked for, options included
  std::string group;     // source model: samples of one group are not independent; empty means a group of its own

  OutcomeStatus status = OutcomeStatus::kExcluded;
  std::optional<int> strictest_level;  // kCorrect: every output passes at level t exactly when t >= this
  std::optional<double> speedup;       // reference time / candidate time; kCorrect has it, kAccuracy may
  bool is_timed = true;                // false: the speedup is not to be trusted, and enters no mean of speedups
  std::optional<Stage> stage;          // kFailed has it, kExcluded and kUnavailable may
  std::optional<Cause> cause;          // as stage
  std::string message;                 // one line for a person: what happened, and what to do

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Throws Error when the fields do not fit the status, when the level is out of range or when the speedup is not a
// positive finite number. A table that passes can be scored at every level.
void check_outcome(const Outcome& outcome);

// Excluded and unavailable units are counted and listed, but are no part of any score.
bool is_scored(const Outcome& outcome);

// Whether every output passes at the tolerance level; false for a unit that did not run.
bool is_correct(const Outcome& outcome, int level);

// The class of a failure: load and compile are 3, run, check, time and re-check 2, whatever the cause. Throws Error for
// kReference, because a reference that fails excludes the sample.
ErrorClass class_of_failure(Stage stage);

// The error class of a scored outcome at a tolerance level: kNone where it is correct there, kAccuracy where it ran but
// is not. Throws Error for an outcome that is not scored.
ErrorClass error_class(const Outcome& outcome, int level);

// The strictest level at which all outputs of a unit pass, from the one of each output; no value where some output
// passes nowhere. A unit without outputs passes everywhere.
std::optional<int> strictest_common_level(std::span<const std::optional<int>> outputs);

// Names as they stand in journals and reports ("correct", "out of memory"), and back; nothing for any other text.
std::string_view outcome_status_name(OutcomeStatus status);
std::string_view stage_name(Stage stage);
std::string_view cause_name(Cause cause);
std::string_view error_class_name(ErrorClass error_class);
std::optional<OutcomeStatus> parse_outcome_status(std::string_view name);
std::optional<Stage> parse_stage(std::string_view name);
std::optional<Cause> parse_cause(std::string_view name);

}  // namespace graphnet
