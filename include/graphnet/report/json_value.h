// Values of JSON that may be absent.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace graphnet {

// null where there is none.
template <class T>
nlohmann::ordered_json nullable(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

// The name that `name_of` has for a value; null where there is none.
template <class T, class NameOf>
nlohmann::ordered_json nullable_name(const std::optional<T>& value, const NameOf& name_of) {
  return value ? nlohmann::ordered_json(std::string(name_of(*value))) : nlohmann::ordered_json();
}

}  // namespace graphnet
