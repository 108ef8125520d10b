// The speedup score S(t) and the error-aware speedup score ES(t) of one compiler over a table of outcomes.
//
//   S(t)    = alpha^lambda * beta^(lambda*eta*p) * b^(1-lambda)
//   ES(t)   = S(t) with b replaced by gamma(t)
//   gamma(t) = b^(sum over error classes c of pi_c * [c is not yet tolerated at t])
//
// A class c is tolerated from t = c on, so below t = 1 the two scores are the same. From t = 1 on, which samples are
// correct, and with it alpha, beta, lambda, eta and pi, are those at t = 1: S is constant there, and ES rises as one
// class after the other is forgiven.
//
// Whether a sample is correct does not depend on how well it was timed. A correct sample whose speedup is not to be
// trusted (Outcome::is_timed) counts in N, correct, lambda and pi as every other, and is left out of alpha, beta and
// eta: it counts as the correct samples do on average whose speedup is trusted. Where there is none of these beside
// correct samples, alpha and the scores are not a number.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graphnet/score/outcome.h"
#include "graphnet/score/tolerance.h"

namespace graphnet {

// Correctness, and all that follows from it, does not change from this level on.
inline constexpr int kFreezeLevel = 1;

// The level at which correctness is decided for the scores, and all that stands beside them, at `level`.
int correctness_level(int level);

enum class Interpretation {
  kDefinition,  // runtime errors are tolerated from t = 2 on, as the formula says
  kPublished,   // from t = 3 on, as the published curves show
};

struct ScoreOptions {
  double failure_base = 0.1;      // b: a failure counts as a speedup of b; 0 < b <= 1
  double slowdown_penalty = 0.0;  // p >= 0: the extra weight of a correct sample that became slower
  Interpretation interpretation = Interpretation::kDefinition;
};

// Throws Error when b or p is outside its range.
void check_options(const ScoreOptions& options);

// "definition" and "published", as the --interpretation flag takes them.
std::string_view interpretation_name(Interpretation interpretation);
std::optional<Interpretation> parse_interpretation(std::string_view name);

// The level from which on errors of the class are tolerated by ES.
int tolerated_from(ErrorClass error_class, Interpretation interpretation);

// What S needs to know about a table at one level. The defaults are the values where nothing is there to average.
struct Aggregates {
  double alpha = 1.0;   // geometric mean of the speedup over correct samples
  double beta = 1.0;    // geometric mean of the speedup over correct samples with a speedup below 1
  double lambda = 0.0;  // correct / scored
  double eta = 0.0;     // slow / correct ones whose speedup is trusted
};

// S for failure base b, ES when given gamma in its place. Computed in logarithms, so no intermediate overflows.
double aggregate_score(const Aggregates& aggregates, double base, double slowdown_penalty);

// The scores at one level, with all that led to them.
struct Score {
  int level = 0;

  int samples = 0;              // N: all outcomes but the excluded and unavailable ones
  int correct = 0;              // at this level, or at kFreezeLevel where that is lower
  int timed = 0;                // correct and with a speedup that is trusted
  int slow = 0;                 // of these, with a speedup below 1
  std::array<int, 3> errors{};  // of class 1 (accuracy), 2 (runtime) and 3 (compile)
  int excluded = 0;
  int unavailable = 0;

  Aggregates aggregates;
  std::array<double, 3> error_share{};  // pi: the share of each class among the errors; all 0 without errors
  double gamma = 1.0;                   // 1 without errors

  // Not a number where no sample was scored, or some are correct and none of these is timed: there is nothing to say.
  double speedup_score = 0.0;      // S(t)
  double error_aware_score = 0.0;  // ES(t)
};

// The scores at one level, by the aggregate form above. All outcomes must be of one compiler and pass check_outcome;
// throws Error otherwise, and when the level is no score level.
Score score_at(std::span<const Outcome> outcomes, int level, const ScoreOptions& options);

// The scores at every level from kStrictestScoreLevel to kLoosestScoreLevel, in that order.
std::vector<Score> score_series(std::span<const Outcome> outcomes, const ScoreOptions& options);

// What one scored sample adds: the scores are the geometric means of these over the samples. Logarithms, because a
// resampling or a comparison of two runs goes on with sums of them.
struct Contribution {
  // To S: log of s^(p+1) where correct and s < 1, of s where correct, of b elsewhere; where correct and not timed, the
  // mean of the timed correct ones (not a number where there is none).
  double log_speedup = 0.0;
  double log_error_aware = 0.0;  // to ES: the same, but 0 instead of log b where the error class is tolerated
};

// One contribution for each scored outcome, in the order of the table. Same conditions as score_at.
std::vector<Contribution> contributions(std::span<const Outcome> outcomes, int level, const ScoreOptions& options);

// fast_p: the share of scored outcomes that are correct at the level and faster than p, a speedup. fast_share(.., 0) is
// the share of correct ones; for p > 0 it is that share times the share of fast ones among the correct ones that are
// timed. Not a number where no sample was scored, or for p > 0 where some are correct and none of these is timed.
double fast_share(std::span<const Outcome> outcomes, int level, double p);

// The p that fast_p is reported for.
inline constexpr std::array kFastThresholds{0.0, 0.8, 1.0, 1.2, 2.0};

}  // namespace graphnet
