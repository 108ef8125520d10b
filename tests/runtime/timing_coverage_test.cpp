// A side against itself, a thousand times over, under noise of several kinds: the 95 % interval may miss 1 in one case
// of twenty, early stopping included. Clock and noise are simulated, so that the counts are always the same.
#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "fake_stopwatch.h"

namespace graphnet {
namespace {

using Random = std::mt19937_64;

// The logarithm of how much longer than usual a block takes. One series of them for each timing.
using Noise = std::function<double()>;

Noise independent(Random& random, double deviation) {
  return [&random, deviation] { return std::normal_distribution<double>(0, deviation)(random); };
}

// Most blocks are quiet; one in twenty takes up to three times as long.
Noise with_tail(Random& random) {
  return [&random] {
    std::uniform_real_distribution<double> share(0, 1);
    const double tail = share(random) < 0.05 ? std::log(1 + 2 * share(random)) : 0;
    return tail + std::normal_distribution<double>(0, 0.03)(random);
  };
}

Noise heavy_tailed(Random& random) {
  return [&random] { return 0.01 * std::student_t_distribution<double>(2)(random); };
}

// Each block takes over a share of the one before it.
Noise autocorrelated(Random& random, double correlation) {
  return [&random, correlation, value = 0.0]() mutable {
    const double fresh = std::normal_distribution<double>(0, 0.03)(random);
    value = correlation * value + std::sqrt(1 - correlation * correlation) * fresh;
    return value;
  };
}

// The machine gets slower and faster again, by half, over some hundred blocks, and is noisy beside.
Noise drifting(Random& random) {
  const double phase = std::uniform_real_distribution<double>(0, 2 * std::numbers::pi)(random);
  return [&random, phase, block = 0.0]() mutable {
    return 0.25 * std::sin(phase + 0.05 * ++block) + std::normal_distribution<double>(0, 0.02)(random);
  };
}

// Two states of the machine, some ten percent apart, that last some ten blocks each.
Noise switching(Random& random) {
  return [&random, slow = false]() mutable {
    std::uniform_real_distribution<double> share(0, 1);
    if (share(random) < 0.1) slow = !slow;
    return (slow ? 0.1 : 0) + std::normal_distribution<double>(0, 0.01)(random);
  };
}

struct Case {
  const char* name;
  std::function<Noise(Random&)> make;
  bool shared;  // by both sides, block after block; else each side has its own
};

void PrintTo(const Case& noise, std::ostream* stream) {
  *stream << noise.name;
}

class Coverage : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Noise, Coverage,
    ::testing::Values(Case{"Independent", [](Random& random) { return independent(random, 0.03); }, false},
                      Case{"Loud", [](Random& random) { return independent(random, 0.3); }, false},
                      Case{"WithTail", with_tail, false}, Case{"HeavyTailed", heavy_tailed, false},
                      Case{"AutocorrelatedMachine", [](Random& random) { return autocorrelated(random, 0.8); }, true},
                      Case{"AutocorrelatedSides", [](Random& random) { return autocorrelated(random, 0.5); }, false},
                      Case{"VeryAutocorrelatedSides", [](Random& random) { return autocorrelated(random, 0.8); },
                           false},
                      Case{"DriftingMachine", drifting, true}, Case{"SwitchingMachine", switching, true}),
    [](const auto& noise) { return std::string(noise.param.name); });

TEST_P(Coverage, OfTheIntervalIsWhatItSays) {
  constexpr int kRepetitions = 1000;
  int misses = 0;
  Random random(3);
  for (int i = 0; i < kRepetitions; ++i) {
    test::FakeStopwatch clock;
    Noise reference_noise = GetParam().make(random);
    Noise own_noise = GetParam().make(random);
    Noise& candidate_noise = GetParam().shared ? reference_noise : own_noise;
    TimingOptions options;
    options.seed = static_cast<std::uint64_t>(i);
    const TimingResult result = time_pair([&] { clock.advance(0.01 * std::exp(reference_noise())); },
                                          [&] { clock.advance(0.01 * std::exp(candidate_noise())); }, clock, options);
    misses += result.speedup_low > 1 || result.speedup_high < 1 ? 1 : 0;
  }
  EXPECT_LE(misses, 70);
}

}  // namespace
}  // namespace graphnet
