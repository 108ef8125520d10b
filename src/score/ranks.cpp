#include "ranks.h"

#include <algorithm>
#include <numeric>

namespace graphnet {

std::vector<std::size_t> ascending_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

Ranking rank(std::span<const double> values) {
  const std::vector<std::size_t> order = ascending_order(values);
  Ranking result{std::vector<double>(values.size()), 0};
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const auto size = static_cast<double>(last - first);
    const double shared = static_cast<double>(first) + (size + 1) / 2;
    for (std::size_t i = first; i < last; ++i) result.ranks[order[i]] = shared;
    result.ties += size * size * size - size;
  }
  return result;
}

}  // namespace graphnet
