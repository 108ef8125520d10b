// Tolerance levels: how far an output of a compiled graph may be from the reference and still count as correct at level
// t.
#pragma once

#include "graphnet/graph/dtype.h"

namespace graphnet {

// Outputs are compared at every level from the strictest to the loosest. A larger level never rejects what a smaller
// one accepts, so one number, the strictest level that passes, says everything about an output.
inline constexpr int kStrictestLevel = -10;
inline constexpr int kLoosestLevel = 5;

// Scores are given for these levels; the loosest tolerance level is only there to tell "far off" from "hopeless".
inline constexpr int kStrictestScoreLevel = kStrictestLevel;
inline constexpr int kLoosestScoreLevel = 4;

// Runs of a graph that is not deterministic may differ this much; beyond it no comparison with it says anything.
inline constexpr int kLoosestStableLevel = -2;

// A pair of elements agrees when |candidate - reference| <= absolute + relative * |reference|.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// The tolerance of an output of `dtype` at `level`. Complex dtypes have that of their real parts; every dtype that is
// neither floating nor complex, and every floating one without a rule (8 bits), has {0, 0}: such outputs must be equal.
// Throws Error when the level lies outside kStrictestLevel..kLoosestLevel.
Tolerance tolerance(Dtype dtype, int level);

}  // namespace graphnet
