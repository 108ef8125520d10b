// Short ways to draw tensors in tests.
#pragma once

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "graphnet/graph/recipe.h"
#include "graphnet/sample/generator.h"

namespace graphnet::fixtures {

inline constexpr Stream kStream{7, 3};

inline std::vector<std::byte> draw_bytes(std::string_view recipe, Dtype dtype, std::int64_t count,
                                         std::int64_t first = 0, Stream stream = kStream) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * dtype_size(dtype));
  fill(bytes, dtype, parse_recipe(recipe), stream, first);
  return bytes;
}

template <class Element>
std::vector<Element> draw(std::string_view recipe, Dtype dtype, std::int64_t count, std::int64_t first = 0,
                          Stream stream = kStream) {
  const std::vector<std::byte> bytes = draw_bytes(recipe, dtype, count, first, stream);
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

template <class Element>
std::span<const std::byte> bytes_of(const std::vector<Element>& elements) {
  return std::as_bytes(std::span(elements));
}

}  // namespace graphnet::fixtures
