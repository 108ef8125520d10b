#include "graphnet/support/suggest.h"

#include <algorithm>
#include <utility>

namespace graphnet {
namespace {

constexpr std::size_t kLongestWord = 100;  // longer ones are no names, and cost time

// A third of the letters may be wrong, and in short words one.
std::size_t tolerated_distance(std::string_view word) {
  return std::max<std::size_t>(1, word.size() / 3);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between prefixes: for the prefix of a before last, the last one and this one.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, last[j] + 1, current[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
  }
  return current[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string nearest;
  std::size_t least = tolerated_distance(word) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return nearest;
  const auto begun = std::ranges::find_if(candidates, [&](const auto& text) { return text.starts_with(word); });
  return begun == candidates.end() ? std::string() : *begun;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = suggestion(word, candidates);
  return meant.empty() ? std::string() : "; did you mean " + meant + "?";
}

}  // namespace graphnet
