// Ranks of values, for the rank tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace graphnet {

// The positions of the values, those of smaller values first; equal ones keep their order.
std::vector<std::size_t> ascending_order(std::span<const double> values);

struct Ranking {
  std::vector<double> ranks;  // from 1 on; equal values share the mean of their ranks
  double ties = 0;            // sum of t^3 - t over groups of t equal values
};
Ranking rank(std::span<const double> values);

}  // namespace graphnet
