// How to make the elements of a tensor again: by drawing them from a distribution, or exactly. Weights and inputs are
// described by recipes instead of being stored. The text form is shared by graph.json and the command line's @RULE.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace graphnet {

// normal(mean,std) or, clamped, normal(mean,std,low,high). Complex tensors draw both parts. Floating and complex
// dtypes.
struct NormalRecipe {
  double mean = 0;
  double deviation = 1;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const NormalRecipe&) const = default;
};

// uniform(low,high): low <= x < high, floating and complex dtypes.
struct UniformRecipe {
  double low = 0;
  double high = 1;
  bool operator==(const UniformRecipe&) const = default;
};

// range(low,high): integers low <= x < high, any integer dtype.
struct RangeRecipe {
  std::int64_t low = 0;
  std::int64_t high = 2;
  bool operator==(const RangeRecipe&) const = default;
};

// bernoulli(p): true with probability p; bool (or 1/0 in any other dtype).
struct BernoulliRecipe {
  double probability = 0.5;
  bool operator==(const BernoulliRecipe&) const = default;
};

// A number in an exact recipe: an integer for integer and bool dtypes, else a double (NaN and infinities included).
using Number = std::variant<std::int64_t, double>;

// Equal kind and bits: 1 differs from 1.0 and 0.0 from -0.0; any NaN equals any other, as the text form has only one.
bool same_number(const Number& a, const Number& b);

// constant(c): every element is c.
struct ConstantRecipe {
  Number value;
  bool operator==(const ConstantRecipe& other) const { return same_number(value, other.value); }
};

// arange(start,step): element i in row-major order is start + i*step (exact: integers, or doubles rounded to the
// dtype).
struct ArangeRecipe {
  Number start;
  Number step;
  bool operator==(const ArangeRecipe& other) const {
    return same_number(start, other.start) && same_number(step, other.step);
  }
};

// values(1,2,5*0,...): every element in row-major order, runs as COUNT*VALUE. Complex elements are written as two
// consecutive numbers (real, imaginary). append_value() keeps the runs canonical: no two neighbours are equal.
struct ValuesRecipe {
  struct Run {
    std::int64_t count = 1;
    Number value;
    bool operator==(const Run& other) const { return count == other.count && same_number(value, other.value); }
  };
  std::vector<Run> runs;
  bool operator==(const ValuesRecipe&) const = default;
};

// stored(sha256): the bytes lie in the sample's weights.safetensors under the value's name in the text form ("%12"),
// and have this SHA-256 (64 lower-case hexadecimal digits).
struct StoredRecipe {
  std::string sha256;
  bool operator==(const StoredRecipe&) const = default;
};

// view(%3,offset): shares the storage of another weight, `offset` elements after that weight's first element: tied
// weights that are not the very same tensor. The base has a smaller id and is itself no view.
struct ViewRecipe {
  std::uint32_t base = 0;
  std::int64_t offset = 0;
  bool operator==(const ViewRecipe&) const = default;
};

void append_value(ValuesRecipe& recipe, const Number& value, std::int64_t count = 1);

using Recipe = std::variant<NormalRecipe, UniformRecipe, RangeRecipe, BernoulliRecipe, ConstantRecipe, ArangeRecipe,
                            ValuesRecipe, StoredRecipe, ViewRecipe>;

// True where the recipe fixes every element, whatever the seed.
bool is_exact(const Recipe& recipe);

// The canonical text: "normal(0.0,0.02)", "range(0,30522)", "values(3*0,1)". Doubles in shortest round-trip form with a
// decimal point or exponent; inf, -inf, nan.
std::string to_string(const Recipe& recipe);

// Reads the canonical text; reals may also be written as integers where the recipe has only reals, as in normal(0,1).
// Throws Error(kInput) naming what was expected: unknown names, parameters that make no distribution (a negative
// deviation, an empty range). Bounded: runs expand to at most `max_elements` elements in all (checked by counting,
// nothing is allocated for them).
Recipe parse_recipe(std::string_view text, std::int64_t max_elements = std::int64_t{1} << 40);

}  // namespace graphnet
