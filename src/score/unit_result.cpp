#include "graphnet/score/unit_result.h"

#include <set>

namespace graphnet {

std::string dtype_class(const UnitResult& result) {
  std::set<std::string_view> floating;
  for (const std::string& dtype : result.dtypes) {
    if (dtype.find("float") != std::string::npos || dtype.starts_with("complex")) floating.insert(dtype);
  }
  std::string text;
  for (const std::string_view dtype : floating) {
    if (!text.empty()) text += '+';
    text += dtype;
  }
  return text.empty() ? "none" : text;
}

std::string category_of(const UnitResult& result) {
  return result.category.empty() ? "other" : result.category;
}

std::vector<Outcome> outcomes_in(std::span<const UnitResult> results) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(results.size());
  for (const UnitResult& result : results) outcomes.push_back(result.outcome);
  return outcomes;
}

}  // namespace graphnet
