#include "settings.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace graphnet::test_device {
namespace {

[[noreturn]] void fail(std::string_view text) {
  throw std::invalid_argument("GRAPHNET_TEST_DEVICE: cannot read \"" + std::string(text) + "\"");
}

// A whole number and the unit behind it.
std::pair<std::int64_t, std::string_view> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) fail(text);
  return {number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::size_t parse_bytes(std::string_view text) {
  const auto [number, unit] = parse_number(text);
  const auto bytes = static_cast<std::size_t>(number);
  if (unit.empty()) return bytes;
  if (unit == "K") return bytes << 10;
  if (unit == "M") return bytes << 20;
  if (unit == "G") return bytes << 30;
  fail(text);
}

Duration parse_duration(std::string_view text) {
  const auto [number, unit] = parse_number(text);
  if (unit == "us") return std::chrono::microseconds(number);
  if (unit == "ms") return std::chrono::milliseconds(number);
  if (unit == "s") return std::chrono::seconds(number);
  fail(text);
}

bool parse_switch(std::string_view text) {
  if (text == "on") return true;
  if (text == "off") return false;
  fail(text);
}

Trigger parse_trigger(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) fail(text);
  const auto [number, unit] = parse_number(text.substr(colon + 1));
  if (number == 0 || !unit.empty()) fail(text);
  return {std::string(text.substr(0, colon)), number};
}

void set(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "capacity") {
    settings.capacity = parse_bytes(value);
  } else if (name == "reported") {
    settings.reported = parse_bytes(value);
  } else if (name == "operator") {
    settings.operator_cost = parse_duration(value);
  } else if (name == "copy") {
    settings.copy_cost = parse_duration(value);
  } else if (name == "launch") {
    settings.launch_cost = parse_duration(value);
  } else if (name == "wake_up") {
    settings.wake_up = parse_duration(value);
  } else if (name == "idle_gaps") {
    settings.idle_gaps = parse_switch(value);
  } else if (name == "timing_events") {
    settings.timing_events = parse_switch(value);
  } else if (name == "no_memory") {
    settings.no_memory = parse_trigger(value);
  } else if (name == "error") {
    settings.error = parse_trigger(value);
  } else if (name == "hang") {
    settings.hang = parse_trigger(value);
  } else {
    fail(name);
  }
}

}  // namespace

Settings parse_settings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) fail(part);
    set(settings, part.substr(0, equals), part.substr(equals + 1));
  }
  return settings;
}

}  // namespace graphnet::test_device
