#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "graphnet/sample/infer_recipe.h"
#include "graphnet/support/text.h"

#include "elements.h"
#include "shortest.h"

namespace graphnet {
namespace {

constexpr std::size_t kChunk = 1024;
constexpr int kMaximumDigits = 15;  // decimal digits that every double keeps apart

bool same(std::int64_t a, std::int64_t b) {
  return a == b;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

// The numbers of a tensor, those of complex elements one by one, converted a chunk at a time.
template <class Value>
class Numbers {
 public:
  Numbers(std::span<const std::byte> bytes, Dtype dtype)
      : bytes_(bytes), dtype_(dtype), size_(dtype_size(real_dtype(dtype))), count_(bytes.size() / size_) {}

  std::size_t count() const { return count_; }

  Value operator[](std::size_t i) const {
    Value value;
    load(i, 1, &value);
    return value;
  }

  // True where predicate(i, value) holds for every number; stops at the first for which it does not.
  template <class Predicate>
  bool all(Predicate predicate) const {
    Value values[kChunk];
    for (std::size_t begin = 0; begin < count_; begin += kChunk) {
      const std::size_t now = std::min(kChunk, count_ - begin);
      load(begin, now, values);
      for (std::size_t i = 0; i < now; ++i) {
        if (!predicate(begin + i, values[i])) return false;
      }
    }
    return true;
  }

 private:
  void load(std::size_t first, std::size_t count, double* values) const {
    load_reals(bytes_.data() + first * size_, count, dtype_, values);
  }

  void load(std::size_t first, std::size_t count, std::int64_t* values) const {
    load_integers(bytes_.data() + first * size_, count, dtype_, values);
    if (dtype_ != Dtype::kBool) return;
    for (std::size_t i = 0; i < count; ++i) values[i] = values[i] != 0 ? 1 : 0;
  }

  std::span<const std::byte> bytes_;
  Dtype dtype_;
  std::size_t size_;
  std::size_t count_;
};

std::int64_t shortest(std::int64_t value, Dtype) {
  return value;
}

double shortest(double value, Dtype dtype) {
  return shortest_decimal(value, dtype);
}

template <class Value>
class Inference {
 public:
  Inference(std::span<const std::byte> bytes, Dtype dtype, std::size_t limit)
      : numbers_(bytes, dtype), dtype_(dtype), parts_(parts_of(dtype)), limit_(limit) {}

  std::optional<Recipe> infer() const {
    if (numbers_.count() == 0) return within_limit(ValuesRecipe{});
    if (const std::optional<Recipe> constant = as_constant()) return within_limit(*constant);
    const std::optional<Recipe> arange = as_arange();
    // Values are shorter than an arange only when there are few of them.
    const std::optional<Recipe> values = arange && numbers_.count() > 16 ? std::nullopt : as_values();
    if (!arange) return values;
    if (!values || to_string(*arange).size() <= to_string(*values).size()) return within_limit(*arange);
    return values;
  }

 private:
  std::optional<Recipe> within_limit(const Recipe& recipe) const {
    if (to_string(recipe).size() > limit_) return std::nullopt;
    return recipe;
  }

  bool is_imaginary(std::size_t i) const { return i % parts_ != 0; }

  std::optional<Recipe> as_constant() const {
    const Value first = numbers_[0];
    const auto agrees = [&](std::size_t i, Value value) { return same(value, is_imaginary(i) ? Value{0} : first); };
    if (!numbers_.all(agrees)) return std::nullopt;
    return ConstantRecipe{shortest(first, dtype_)};
  }

  std::optional<Recipe> as_arange() const {
    if (numbers_.count() < 3 * parts_) return std::nullopt;  // two numbers are always at even distances
    const Value start = numbers_[0];
    const Value next = numbers_[parts_];
    Value step{};
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      if (__builtin_sub_overflow(next, start, &step)) return std::nullopt;
    } else {
      step = next - start;
      if (!std::isfinite(step)) return std::nullopt;
      // Elements are rounded. Over the whole tensor that matters least, and the step that was meant is a short decimal.
      const Value last = numbers_[numbers_.count() - parts_];
      const Value mean_step = (last - start) / static_cast<double>(numbers_.count() / parts_ - 1);
      const Value short_start = shortest(start, dtype_);
      for (int digits = 1; digits <= kMaximumDigits; ++digits) {
        const Value short_step = round_to_digits(mean_step, digits);
        if (is_arange(short_start, short_step)) return ArangeRecipe{short_start, short_step};
      }
    }
    if (is_arange(start, step)) return ArangeRecipe{start, step};
    return std::nullopt;
  }

  bool is_arange(std::int64_t start, std::int64_t step) const {
    return numbers_.all([&](std::size_t i, std::int64_t value) {
      std::int64_t expected = 0;
      return !__builtin_mul_overflow(static_cast<std::int64_t>(i), step, &expected) &&
             !__builtin_add_overflow(expected, start, &expected) && value == expected;
    });
  }

  bool is_arange(double start, double step) const {
    return numbers_.all([&](std::size_t i, double value) {
      if (is_imaginary(i)) return same(value, 0.0);
      return same(value, round_to(start + static_cast<double>(i / parts_) * step, dtype_));
    });
  }

  // Counts the text's length while it collects the runs. A run takes at least two characters, so contents that are too
  // varied are turned down before any number is converted to text.
  std::optional<Recipe> as_values() const {
    std::vector<std::pair<std::int64_t, Value>> runs;
    const bool is_short = numbers_.all([&](std::size_t, Value value) {
      if (!runs.empty() && same(runs.back().second, value)) {
        ++runs.back().first;
      } else {
        runs.emplace_back(1, value);
      }
      return runs.size() <= limit_ / 2;
    });
    if (!is_short) return std::nullopt;
    ValuesRecipe recipe;
    std::size_t length = to_string(recipe).size() - 1;  // each run is followed by a comma, the last one by none
    std::string text;
    for (const auto& [count, value] : runs) {
      text.clear();
      const Value short_value = shortest(value, dtype_);
      if (count != 1) append_integer(text, count);
      append(text, short_value);
      length += text.size() + (count != 1 ? 2 : 1);
      if (length > limit_) return std::nullopt;
      append_value(recipe, short_value, count);
    }
    return recipe;
  }

  static void append(std::string& text, std::int64_t value) { append_integer(text, value); }
  static void append(std::string& text, double value) { append_double(text, value); }

  Numbers<Value> numbers_;
  Dtype dtype_;
  std::size_t parts_;
  std::size_t limit_;
};

bool has_large_integers(std::span<const std::byte> bytes) {
  return !Numbers<std::int64_t>(bytes, Dtype::kUint64).all([](std::size_t, std::int64_t value) { return value >= 0; });
}

}  // namespace

std::optional<Recipe> infer_exact(std::span<const std::byte> bytes, Dtype dtype, std::size_t limit) {
  if (is_floating(dtype) || is_complex(dtype)) return Inference<double>(bytes, dtype, limit).infer();
  if (!is_integer(dtype) && dtype != Dtype::kBool) return std::nullopt;
  if (dtype == Dtype::kUint64 && has_large_integers(bytes)) return std::nullopt;
  return Inference<std::int64_t>(bytes, dtype, limit).infer();
}

}  // namespace graphnet
