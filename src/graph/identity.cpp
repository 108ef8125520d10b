#include "graphnet/graph/identity.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "graphnet/graph/text.h"
#include "graphnet/support/sha256.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kDigits = 4;  // of one line's fingerprint

// Where a line of the graph comes from.
enum class Section { kInput, kWeight, kConstant, kCall, kOutput };

// Calls visit(section, index) for every line in order.
template <class Visitor>
void for_each_line(const Graph& graph, Visitor&& visit) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) visit(Section::kInput, i);
  for (std::size_t i = 0; i < graph.weights.size(); ++i) visit(Section::kWeight, i);
  for (std::size_t i = 0; i < graph.constants.size(); ++i) visit(Section::kConstant, i);
  for (std::size_t i = 0; i < graph.calls.size(); ++i) visit(Section::kCall, i);
  visit(Section::kOutput, std::size_t{0});
}

enum class DrawnRecipes { kIncluded, kLeftOut };

void append_tensor(std::string& text, const TensorType& type, const Recipe& recipe, DrawnRecipes drawn) {
  append_to(text, type);
  // A view is no matter of contents: an in-place update of the one changes the other.
  if (drawn == DrawnRecipes::kLeftOut && !std::holds_alternative<ViewRecipe>(recipe)) return;
  text += ' ';
  text += to_string(recipe);
}

// The line as it is hashed: the section's word, then what remains of the text form without names.
std::string hashed_line(const Graph& graph, Section section, std::size_t index, DrawnRecipes drawn) {
  std::string text;
  switch (section) {
    case Section::kInput:
      text = "input ";
      append_tensor(text, graph.inputs[index].type, graph.inputs[index].recipe, drawn);
      break;
    case Section::kWeight:
      text = "weight ";
      append_tensor(text, graph.weights[index].type, graph.weights[index].recipe, drawn);
      if (drawn == DrawnRecipes::kIncluded && graph.weights[index].is_buffer) text += " buffer";
      break;
    case Section::kConstant:
      text = "constant ";
      append_tensor(text, graph.constants[index].type, graph.constants[index].recipe, DrawnRecipes::kIncluded);
      break;
    case Section::kCall:
      text = "call " + to_text(graph, graph.calls[index]);
      break;
    case Section::kOutput:
      text = "output " + to_text(graph.output);
      break;
  }
  text += '\n';
  return text;
}

// The line as a person finds it.
std::string shown_line(const Graph& graph, Section section, std::size_t index) {
  constexpr std::size_t kWidth = 200;
  const auto tensor = [](const TensorType& type, const Recipe& recipe) {
    return " (" + to_string(type) + " " + excerpt(to_string(recipe)) + ")";
  };
  switch (section) {
    case Section::kInput:
      return "input " + graph.inputs[index].name + tensor(graph.inputs[index].type, graph.inputs[index].recipe);
    case Section::kWeight:
      return "weight " + graph.weights[index].name + tensor(graph.weights[index].type, graph.weights[index].recipe);
    case Section::kConstant:
      return "constant %" + std::to_string(graph.first_constant() + index) +
             tensor(graph.constants[index].type, graph.constants[index].recipe);
    case Section::kCall:
      return "call " + std::to_string(index) + ": " + excerpt(to_text(graph, graph.calls[index]), kWidth);
    case Section::kOutput:
      return "output: " + excerpt(to_text(graph.output), kWidth);
  }
  return {};
}

// 16 bits of the line's 64-bit FNV-1a hash (Fowler, Noll, Vo), all of its bits folded in.
std::string fingerprint(std::string_view line) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  const std::uint64_t folded = hash ^ (hash >> 16U) ^ (hash >> 32U) ^ (hash >> 48U);
  std::string digits;
  for (unsigned shift = 16; shift > 0; shift -= 4) digits += "0123456789abcdef"[(folded >> (shift - 4)) & 0xFU];
  return digits;
}

// Number of leading fingerprints that two texts share.
std::size_t common_fingerprints(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size()) / kDigits;
  std::size_t common = 0;
  while (common < limit && a.substr(common * kDigits, kDigits) == b.substr(common * kDigits, kDigits)) ++common;
  return common;
}

std::string lines(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " line" : " lines");
}

}  // namespace

std::string identity(const Graph& graph) {
  Sha256 hash;
  hash.update("graphnet identity 1\n");
  for_each_line(graph, [&](Section section, std::size_t index) {
    hash.update(hashed_line(graph, section, index, DrawnRecipes::kLeftOut));
  });
  return hash.finish();
}

std::string fingerprints(const Graph& graph) {
  std::string digits;
  for_each_line(graph, [&](Section section, std::size_t index) {
    digits += fingerprint(hashed_line(graph, section, index, DrawnRecipes::kIncluded));
  });
  return digits;
}

std::string first_difference(const Graph& graph, std::string_view recorded) {
  const std::string present = fingerprints(graph);
  if (present == recorded) return {};
  const std::size_t first = common_fingerprints(present, recorded);
  const std::size_t present_lines = present.size() / kDigits;
  const std::size_t recorded_lines = recorded.size() / kDigits;

  std::string line = "the end of the graph";
  std::size_t number = 0;
  for_each_line(graph, [&](Section section, std::size_t index) {
    if (number++ == first) line = shown_line(graph, section, index);
  });

  if (present_lines == recorded_lines) return line + " was changed";
  // Where the rest agrees again, lines were only put in or taken out, and the present line tells the place.
  const std::size_t longer = std::max(present_lines, recorded_lines);
  const std::size_t difference = longer - std::min(present_lines, recorded_lines);
  if (present_lines > recorded_lines) {
    const bool rest_agrees = std::string_view(present).substr((first + difference) * kDigits) ==
                             recorded.substr(first * kDigits, (recorded_lines - first) * kDigits);
    return line + (rest_agrees ? " was added" : " was changed") +
           (rest_agrees && difference == 1 ? "" : ": the graph has " + lines(difference) + " more than were recorded");
  }
  const bool rest_agrees =
      recorded.substr((first + difference) * kDigits) == std::string_view(present).substr(first * kDigits);
  return line + (rest_agrees
                     ? " follows " + lines(difference) + (difference == 1 ? " that was removed" : " that were removed")
                     : " was changed: the graph has " + lines(difference) + " fewer than were recorded");
}

}  // namespace graphnet
