#include "graphnet/sample/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include "graphnet/support/error.h"

#include "elements.h"
#include "multiversion.h"
#include "philox.h"

namespace graphnet {
namespace {

constexpr std::size_t kChunk = 1024;  // numbers made at a time; the buffers stay in the first-level cache

// A normal deviate is the sum of the four 16-bit parts of a word, less its mean, in units of its standard deviation.
constexpr double kSumMean = 2 * 65535.0;
constexpr double kSumDeviation = 37837.22723720648;  // sqrt(4 * (2^32 - 1) / 12)

GRAPHNET_MULTIVERSION
void to_normal(const std::uint64_t* __restrict words, std::size_t count, const NormalRecipe& recipe,
               double* __restrict values) {
  const double mean = recipe.mean;
  const double scale = recipe.deviation / kSumDeviation;
  const double low = recipe.low;
  const double high = recipe.high;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = words[i];
    const auto sum =
        static_cast<std::int32_t>((word & 0xFFFF) + ((word >> 16) & 0xFFFF) + ((word >> 32) & 0xFFFF) + (word >> 48));
    const double value = mean + scale * (static_cast<double>(sum) - kSumMean);
    const double raised = value < low ? low : value;
    values[i] = raised > high ? high : raised;
  }
}

// The integer behind the word's leading bits; 24 of them convert by a 32-bit instruction, which every processor has.
template <int kBits>
using Leading = std::conditional_t<kBits <= 31, std::int32_t, std::int64_t>;

// The numbers of the dtype that the recipe may give: rounding could otherwise reach its high end, or pass its low one.
struct Ends {
  double lowest = 0;
  double highest = 0;
};

template <int kBits>
[[gnu::always_inline]] inline void to_uniform(const std::uint64_t* __restrict words, std::size_t count,
                                              const UniformRecipe& recipe, Ends ends, double* __restrict values) {
  const double low = recipe.low;
  const double unit = std::ldexp(recipe.high - recipe.low, -kBits);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = low + unit * static_cast<double>(static_cast<Leading<kBits>>(words[i] >> (64 - kBits)));
    const double raised = value < ends.lowest ? ends.lowest : value;
    values[i] = raised > ends.highest ? ends.highest : raised;
  }
}

GRAPHNET_MULTIVERSION
void to_uniform_24(const std::uint64_t* words, std::size_t count, const UniformRecipe& recipe, Ends ends,
                   double* values) {
  to_uniform<24>(words, count, recipe, ends, values);
}

GRAPHNET_MULTIVERSION
void to_uniform_53(const std::uint64_t* words, std::size_t count, const UniformRecipe& recipe, Ends ends,
                   double* values) {
  to_uniform<53>(words, count, recipe, ends, values);
}

// Bias of any one integer: below span / 2^64.
void to_range(const std::uint64_t* words, std::size_t count, const RangeRecipe& recipe, std::int64_t* values) {
  const auto low = static_cast<std::uint64_t>(recipe.low);
  const std::uint64_t span = static_cast<std::uint64_t>(recipe.high) - low;
  for (std::size_t i = 0; i < count; ++i) {
    __extension__ using Wide = unsigned __int128;
    const auto offset = static_cast<std::uint64_t>((static_cast<Wide>(words[i]) * span) >> 64);
    values[i] = static_cast<std::int64_t>(low + offset);
  }
}

// Numbers [first, first + count) of the tensor, into a buffer of either kind; an element of a complex dtype is two.
class Numbers {
 public:
  Numbers(Dtype dtype, Stream stream) : dtype_(dtype), stream_(stream) {}

  void start_at(std::uint64_t first) { first_ = first; }

  void make(const NormalRecipe& recipe, std::size_t count, double* values) {
    to_normal(words(count), count, recipe, values);
  }

  void make(const UniformRecipe& recipe, std::size_t count, double* values) {
    const Ends ends{smallest_from(recipe.low, dtype_), largest_below(recipe.high, dtype_)};
    const auto convert = real_dtype(dtype_) == Dtype::kFloat64 ? to_uniform_53 : to_uniform_24;
    convert(words(count), count, recipe, ends, values);
  }

  void make(const RangeRecipe& recipe, std::size_t count, std::int64_t* values) {
    to_range(words(count), count, recipe, values);
  }

  template <class Value>
  void make(const BernoulliRecipe& recipe, std::size_t count, Value* values) {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(recipe.probability, 53));
    const std::uint64_t* source = words(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Value>((source[i] >> 11) < threshold);
  }

  template <class Value>
  void make(const ConstantRecipe& recipe, std::size_t count, Value* values) {
    const std::size_t parts = parts_of(dtype_);
    std::fill_n(values, count, Value{0});
    for (std::size_t i = 0; i < count; i += parts) values[i] = std::get<Value>(recipe.value);
  }

  template <class Value>
  void make(const ArangeRecipe& recipe, std::size_t count, Value* values) {
    const std::size_t parts = parts_of(dtype_);
    const auto start = std::get<Value>(recipe.start);
    const auto step = std::get<Value>(recipe.step);
    std::fill_n(values, count, Value{0});
    for (std::size_t i = 0; i < count; i += parts) {
      values[i] = start + static_cast<Value>((first_ + i) / parts) * step;
    }
  }

 private:
  // Each number takes one word, the one at its own place in the stream.
  const std::uint64_t* words(std::size_t count) {
    const std::size_t skipped = first_ % 2;
    philox_words(stream_, first_ / 2, (skipped + count + 1) / 2, words_);
    return words_ + skipped;
  }

  Dtype dtype_;
  Stream stream_;
  std::uint64_t first_ = 0;
  std::uint64_t words_[kChunk + 2];
};

void store(const double* values, std::size_t count, Dtype dtype, std::byte* destination) {
  store_reals(values, count, dtype, destination);
}

void store(const std::int64_t* values, std::size_t count, Dtype dtype, std::byte* destination) {
  store_integers(values, count, dtype, destination);
}

// Numbers, not elements: `first` counts the parts of complex elements one by one.
template <class Value, class SomeRecipe>
void fill_numbers(std::span<std::byte> destination, Dtype dtype, const SomeRecipe& recipe, Stream stream,
                  std::uint64_t first) {
  const std::size_t size = dtype_size(real_dtype(dtype));
  const std::size_t count = destination.size() / size;
  Numbers numbers(dtype, stream);
  Value values[kChunk];
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(kChunk, count - done);
    numbers.start_at(first + done);
    numbers.make(recipe, now, values);
    store(values, now, dtype, destination.data() + done * size);
    done += now;
  }
}

template <class Value>
void fill_runs(std::span<std::byte> destination, Dtype dtype, const ValuesRecipe& recipe, std::uint64_t first) {
  const std::size_t size = dtype_size(real_dtype(dtype));
  const std::uint64_t end = first + destination.size() / size;
  Value values[kChunk];
  std::size_t collected = 0;
  std::byte* target = destination.data();
  const auto flush = [&] {
    store(values, collected, dtype, target);
    target += collected * size;
    collected = 0;
  };
  std::uint64_t run_begin = 0;
  for (const ValuesRecipe::Run& run : recipe.runs) {
    const std::uint64_t run_end = run_begin + static_cast<std::uint64_t>(run.count);
    for (std::uint64_t i = std::max(run_begin, first); i < std::min(run_end, end);) {
      const std::size_t now = std::min<std::uint64_t>(kChunk - collected, std::min(run_end, end) - i);
      std::fill_n(values + collected, now, std::get<Value>(run.value));
      collected += now;
      i += now;
      if (collected == kChunk) flush();
    }
    run_begin = run_end;
  }
  flush();
}

template <class Value>
class Filler {
 public:
  Filler(std::span<std::byte> destination, Dtype dtype, Stream stream, std::uint64_t first)
      : destination_(destination), dtype_(dtype), stream_(stream), first_(first) {}

  void operator()(const ValuesRecipe& recipe) const { fill_runs<Value>(destination_, dtype_, recipe, first_); }
  void operator()(const StoredRecipe&) const { not_drawn(); }
  void operator()(const ViewRecipe&) const { not_drawn(); }

  template <class SomeRecipe>
  void operator()(const SomeRecipe& recipe) const {
    constexpr bool kIsForReals = std::is_same_v<SomeRecipe, NormalRecipe> || std::is_same_v<SomeRecipe, UniformRecipe>;
    constexpr bool kIsForIntegers = std::is_same_v<SomeRecipe, RangeRecipe>;
    if constexpr (!(kIsForReals && std::is_integral_v<Value>)&&!(kIsForIntegers && !std::is_integral_v<Value>)) {
      fill_numbers<Value>(destination_, dtype_, recipe, stream_, first_);
    }
  }

 private:
  [[noreturn]] void not_drawn() const {
    throw Error(ErrorKind::kInput, "stored weights and views are not drawn: read them from the sample");
  }

  std::span<std::byte> destination_;
  Dtype dtype_;
  Stream stream_;
  std::uint64_t first_;
};

}  // namespace

void fill(std::span<std::byte> destination, Dtype dtype, const Recipe& recipe, Stream stream, std::int64_t first) {
  const auto parts = static_cast<std::int64_t>(parts_of(dtype));
  const std::int64_t end = first + static_cast<std::int64_t>(destination.size() / dtype_size(dtype));
  if (const auto* values = std::get_if<ValuesRecipe>(&recipe)) {
    std::int64_t numbers = 0;
    for (const ValuesRecipe::Run& run : values->runs) numbers += run.count;
    check_recipe(recipe, {dtype, {std::max(numbers / parts, end)}, {}});
  } else {
    check_recipe(recipe, {dtype, {end}, {}});
  }
  const auto first_number = static_cast<std::uint64_t>(first * parts);
  if (is_floating(dtype) || is_complex(dtype)) {
    std::visit(Filler<double>(destination, dtype, stream, first_number), recipe);
  } else {
    std::visit(Filler<std::int64_t>(destination, dtype, stream, first_number), recipe);
  }
}

}  // namespace graphnet
