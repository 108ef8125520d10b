#include "graphnet/graph/tensor_type.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kMaxDimensions = 64;

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw Error(ErrorKind::kInput, "the tensor's size exceeds 64 bits");
  return product;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw Error(ErrorKind::kInput, "the tensor's size exceeds 64 bits");
  return sum;
}

bool has_no_elements(const TensorType& type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

void append_list(std::string& text, const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ',';
    append_integer(text, numbers[i]);
  }
}

[[noreturn]] void fail(std::string_view text, const std::string& expected) {
  throw Error(ErrorKind::kInput, "expected " + expected + ", found \"" + excerpt(text) + "\"");
}

// Reads "1,2,3" or "": sizes or strides.
std::vector<std::int64_t> parse_list(std::string_view list, std::string_view whole) {
  std::vector<std::int64_t> numbers;
  if (list.empty()) return numbers;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::optional<std::int64_t> number = parse_integer(list.substr(0, comma));
    if (!number || *number < 0) fail(whole, "sizes and strides that are whole numbers of at least 0");
    if (numbers.size() == kMaxDimensions) fail(whole, "at most " + std::to_string(kMaxDimensions) + " dimensions");
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = checked_multiply(stride, std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

TensorType make_tensor_type(Dtype dtype, std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides) {
  TensorType type{dtype, std::move(shape), {}};
  if (strides != contiguous_strides(type.shape)) type.strides = strides;
  return type;
}

std::int64_t element_count(const TensorType& type) {
  if (has_no_elements(type)) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : type.shape) count = checked_multiply(count, size);
  return count;
}

std::int64_t storage_bytes(const TensorType& type) {
  if (has_no_elements(type)) return 0;
  const auto element_size = static_cast<std::int64_t>(dtype_size(type.dtype));
  if (type.strides.empty()) return checked_multiply(element_count(type), element_size);
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    elements = checked_add(elements, checked_multiply(type.shape[i] - 1, type.strides[i]));
  }
  return checked_multiply(elements, element_size);
}

std::string to_string(const TensorType& type) {
  std::string text;
  append_to(text, type);
  return text;
}

void append_to(std::string& text, const TensorType& type) {
  text += dtype_name(type.dtype);
  text += '[';
  append_list(text, type.shape);
  text += ']';
  if (type.strides.empty()) return;
  text += '{';
  append_list(text, type.strides);
  text += '}';
}

TensorType parse_tensor_type(std::string_view text) {
  static constexpr std::string_view kForm = "a tensor type such as float32[1,64] or float32[2,3]{1,2}";
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) fail(text, std::string(kForm));
  const std::optional<Dtype> dtype = parse_dtype(text.substr(0, open));
  if (!dtype) fail(text, "a dtype such as float32 or int64 before '['");

  TensorType type{*dtype, parse_list(text.substr(open + 1, close - open - 1), text), {}};
  // Also computed where the strides are given: it fails for sizes whose product leaves 64 bits.
  const std::vector<std::int64_t> contiguous = contiguous_strides(type.shape);
  if (const std::string_view rest = text.substr(close + 1); !rest.empty()) {
    if (rest.size() < 2 || rest.front() != '{' || rest.back() != '}') fail(text, std::string(kForm));
    type.strides = parse_list(rest.substr(1, rest.size() - 2), text);
    if (type.strides.size() != type.shape.size()) fail(text, "as many strides as sizes");
    if (type.strides == contiguous) fail(text, "no strides where the tensor is contiguous");
  }
  element_count(type);
  storage_bytes(type);
  return type;
}

}  // namespace graphnet
