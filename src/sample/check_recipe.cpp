#include <cmath>
#include <optional>
#include <string>

#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"

#include "elements.h"

namespace graphnet {
namespace {

bool holds_integers(Dtype dtype) {
  return is_integer(dtype) || dtype == Dtype::kBool;
}

bool holds_reals(Dtype dtype) {
  return is_floating(dtype) || is_complex(dtype);
}

class Checker {
 public:
  Checker(const Recipe& recipe, const TensorType& type) : recipe_(recipe), type_(type), dtype_(type.dtype) {}

  void check() const {
    if (!holds_integers(dtype_) && !holds_reals(dtype_)) fail("quantized tensors cannot be drawn");
    std::visit([this](const auto& recipe) { check(recipe); }, recipe_);
  }

 private:
  void check(const NormalRecipe&) const { require_reals(); }

  void check(const UniformRecipe& recipe) const {
    require_reals();
    if (!std::isfinite(recipe.high - recipe.low)) fail("high - low overflows");
    if (largest_below(recipe.high, dtype_) < smallest_from(recipe.low, dtype_)) {
      fail("no number of this dtype lies between them");
    }
  }

  void check(const RangeRecipe& recipe) const {
    if (!is_integer(dtype_)) fail("a range is for integer dtypes");
    require_integer(recipe.low);
    require_integer(recipe.high - 1);
  }

  void check(const BernoulliRecipe&) const {}

  void check(const ConstantRecipe& recipe) const { require_number(recipe.value); }

  void check(const ArangeRecipe& recipe) const {
    require_number(recipe.start);
    if (recipe.start.index() != recipe.step.index()) fail("start and step must be of the same kind");
    if (!std::holds_alternative<std::int64_t>(recipe.start)) return;
    const std::int64_t last = element_count(type_) - 1;
    std::int64_t value = 0;
    if (last < 0) return;
    if (__builtin_mul_overflow(last, std::get<std::int64_t>(recipe.step), &value) ||
        __builtin_add_overflow(value, std::get<std::int64_t>(recipe.start), &value)) {
      fail("its last element does not fit the dtype");
    }
    require_integer(value);
  }

  void check(const ValuesRecipe& recipe) const {
    std::int64_t found = 0;
    for (const ValuesRecipe::Run& run : recipe.runs) {
      require_number(run.value);
      if (run.count < 1 || __builtin_add_overflow(found, run.count, &found)) fail("a run has no valid count");
    }
    std::int64_t expected = 0;
    if (__builtin_mul_overflow(element_count(type_), static_cast<std::int64_t>(parts_of(dtype_)), &expected)) {
      fail("the tensor is too large");
    }
    if (found != expected) {
      fail("it has " + std::to_string(found) + " numbers, the tensor needs " + std::to_string(expected));
    }
  }

  void check(const StoredRecipe&) const {}
  void check(const ViewRecipe&) const {}

  void require_reals() const {
    if (!holds_reals(dtype_)) fail("it is for floating and complex dtypes");
  }

  void require_integer(std::int64_t value) const {
    const IntegerLimits limits = integer_limits(dtype_);
    if (value < limits.lowest || value > limits.highest) fail(std::to_string(value) + " does not fit the dtype");
  }

  void require_number(const Number& number) const {
    if (const auto* integer = std::get_if<std::int64_t>(&number)) {
      if (!holds_integers(dtype_)) fail("numbers of this dtype need a point or an exponent");
      require_integer(*integer);
    } else if (!holds_reals(dtype_)) {
      fail("numbers of this dtype must be integers");
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::string text = to_string(recipe_);
    if (text.size() > 60) text = text.substr(0, 60) + "...";
    throw Error(ErrorKind::kInput, text + " does not make a tensor " + to_string(type_) + ": " + why);
  }

  const Recipe& recipe_;
  const TensorType& type_;
  Dtype dtype_;
};

}  // namespace

void check_recipe(const Recipe& recipe, const TensorType& type) {
  Checker(recipe, type).check();
}

}  // namespace graphnet
