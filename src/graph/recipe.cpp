#include "graphnet/graph/recipe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

void append_number(std::string& text, const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) {
    append_integer(text, *integer);
  } else {
    append_double(text, std::get<double>(number));
  }
}

// Writes "name(" at once, then the parameters with commas, and ")" at the end.
class RecipeWriter {
 public:
  explicit RecipeWriter(std::string_view name) : text_(name) { text_ += '('; }

  RecipeWriter& parameter(double value) {
    return separate([&] { append_double(text_, value); });
  }
  RecipeWriter& parameter(std::int64_t value) {
    return separate([&] { append_integer(text_, value); });
  }
  RecipeWriter& parameter(std::string_view value) {
    return separate([&] { text_ += value; });
  }
  RecipeWriter& parameter(const Number& value) {
    return separate([&] { append_number(text_, value); });
  }
  RecipeWriter& parameter(const ValuesRecipe::Run& run) {
    return separate([&] {
      if (run.count != 1) {
        append_integer(text_, run.count);
        text_ += '*';
      }
      append_number(text_, run.value);
    });
  }
  std::string finish() { return text_ + ')'; }

 private:
  template <class Append>
  RecipeWriter& separate(Append&& append) {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    append();
    return *this;
  }

  std::string text_;
  bool is_first_ = true;
};

std::string write(const NormalRecipe& recipe) {
  RecipeWriter writer("normal");
  writer.parameter(recipe.mean).parameter(recipe.deviation);
  const bool is_clamped = recipe.low != -HUGE_VAL || recipe.high != HUGE_VAL;
  if (is_clamped) writer.parameter(recipe.low).parameter(recipe.high);
  return writer.finish();
}

std::string write(const UniformRecipe& recipe) {
  return RecipeWriter("uniform").parameter(recipe.low).parameter(recipe.high).finish();
}

std::string write(const RangeRecipe& recipe) {
  return RecipeWriter("range").parameter(recipe.low).parameter(recipe.high).finish();
}

std::string write(const BernoulliRecipe& recipe) {
  return RecipeWriter("bernoulli").parameter(recipe.probability).finish();
}

std::string write(const ConstantRecipe& recipe) {
  return RecipeWriter("constant").parameter(recipe.value).finish();
}

std::string write(const ArangeRecipe& recipe) {
  return RecipeWriter("arange").parameter(recipe.start).parameter(recipe.step).finish();
}

std::string write(const ValuesRecipe& recipe) {
  RecipeWriter writer("values");
  for (const ValuesRecipe::Run& run : recipe.runs) writer.parameter(run);
  return writer.finish();
}

std::string write(const StoredRecipe& recipe) {
  return RecipeWriter("stored").parameter(std::string_view(recipe.sha256)).finish();
}

std::string write(const ViewRecipe& recipe) {
  std::string base = "%";
  append_integer(base, recipe.base);
  return RecipeWriter("view").parameter(std::string_view(base)).parameter(recipe.offset).finish();
}

// Takes the parameters of "name(a,b,c)" one after another; every complaint quotes the whole recipe.
class RecipeReader {
 public:
  explicit RecipeReader(std::string_view text) : whole_(text) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || text.back() != ')') fail("a recipe such as normal(0.0,1.0)");
    name_ = text.substr(0, open);
    rest_ = text.substr(open + 1, text.size() - open - 2);
    is_done_ = rest_.empty();
  }

  std::string_view name() const { return name_; }
  bool is_done() const { return is_done_; }

  std::string_view parameter(std::string_view what) {
    if (is_done_) fail(what);
    const std::size_t comma = rest_.find(',');
    const std::string_view parameter = rest_.substr(0, comma);
    is_done_ = comma == std::string_view::npos;
    rest_.remove_prefix(is_done_ ? rest_.size() : comma + 1);
    return parameter;
  }

  double real(std::string_view what) {
    const std::optional<double> value = parse_double(parameter(what));
    if (!value) fail(what);
    return *value;
  }

  double finite(std::string_view what) {
    const double value = real(what);
    if (!std::isfinite(value)) fail(what);
    return value;
  }

  std::int64_t integer(std::string_view what) {
    const std::optional<std::int64_t> value = parse_integer(parameter(what));
    if (!value) fail(what);
    return *value;
  }

  Number number(std::string_view what) { return number_of(parameter(what), what); }

  Number number_of(std::string_view text, std::string_view what) const {
    if (const std::optional<std::int64_t> integer = parse_integer(text)) return *integer;
    // Digits alone are an integer, so an integer beyond 64 bits must not pass for a double.
    const bool is_real = text.find_first_of(".einf") != std::string_view::npos;
    const std::optional<double> real = is_real ? parse_double(text) : std::nullopt;
    if (!real) fail(what);
    return *real;
  }

  void require(bool condition, std::string_view what) const {
    if (!condition) fail(what);
  }

  void finish() const {
    if (!is_done_) fail("no further parameters");
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(ErrorKind::kInput, "expected " + std::string(expected) + ", found \"" + excerpt(whole_) + "\"");
  }

 private:
  std::string_view whole_;
  std::string_view name_;
  std::string_view rest_;
  bool is_done_ = false;
};

NormalRecipe read_normal(RecipeReader& reader) {
  NormalRecipe recipe;
  recipe.mean = reader.finite("normal(mean,deviation) with a finite mean");
  recipe.deviation = reader.finite("normal(mean,deviation) with a finite deviation");
  reader.require(recipe.deviation >= 0, "a deviation of at least 0");
  if (!reader.is_done()) {
    recipe.low = reader.real("normal(mean,deviation,low,high)");
    recipe.high = reader.real("normal(mean,deviation,low,high)");
    reader.require(recipe.low <= recipe.high, "normal(mean,deviation,low,high) with low <= high");
  }
  return recipe;
}

UniformRecipe read_uniform(RecipeReader& reader) {
  UniformRecipe recipe;
  recipe.low = reader.finite("uniform(low,high) with finite numbers");
  recipe.high = reader.finite("uniform(low,high) with finite numbers");
  reader.require(recipe.low < recipe.high, "uniform(low,high) with low < high");
  return recipe;
}

RangeRecipe read_range(RecipeReader& reader) {
  RangeRecipe recipe;
  recipe.low = reader.integer("range(low,high) with integers");
  recipe.high = reader.integer("range(low,high) with integers");
  reader.require(recipe.low < recipe.high, "range(low,high) with low < high");
  return recipe;
}

BernoulliRecipe read_bernoulli(RecipeReader& reader) {
  const BernoulliRecipe recipe{reader.finite("bernoulli(p)")};
  reader.require(recipe.probability >= 0 && recipe.probability <= 1, "bernoulli(p) with 0 <= p <= 1");
  return recipe;
}

ArangeRecipe read_arange(RecipeReader& reader) {
  ArangeRecipe recipe;
  recipe.start = reader.number("arange(start,step)");
  recipe.step = reader.number("arange(start,step)");
  reader.require(recipe.start.index() == recipe.step.index(), "arange(start,step) with two integers or two reals");
  return recipe;
}

ValuesRecipe read_values(RecipeReader& reader, std::int64_t max_elements) {
  static constexpr std::string_view kForm = "values(...) of numbers and COUNT*NUMBER";
  ValuesRecipe recipe;
  std::int64_t elements = 0;
  while (!reader.is_done()) {
    std::string_view text = reader.parameter(kForm);
    ValuesRecipe::Run run;
    if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
      const std::optional<std::int64_t> count = parse_integer(text.substr(0, star));
      if (!count || *count < 1) reader.fail("a COUNT of at least 1 in values(COUNT*NUMBER)");
      run.count = *count;
      text.remove_prefix(star + 1);
    }
    if (run.count > max_elements - elements) {
      reader.fail("at most " + std::to_string(max_elements) + " elements");
    }
    elements += run.count;
    run.value = reader.number_of(text, kForm);
    recipe.runs.push_back(run);
  }
  return recipe;
}

StoredRecipe read_stored(RecipeReader& reader) {
  static constexpr std::string_view kForm = "stored(SHA256) with 64 lower-case hexadecimal digits";
  const std::string_view digest = reader.parameter(kForm);
  reader.require(digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string_view::npos, kForm);
  return StoredRecipe{std::string(digest)};
}

ViewRecipe read_view(RecipeReader& reader) {
  static constexpr std::string_view kForm = "view(%BASE,OFFSET)";
  const std::string_view base = reader.parameter(kForm);
  const std::optional<std::int64_t> id = base.starts_with('%') ? parse_integer(base.substr(1)) : std::nullopt;
  reader.require(id && *id >= 0 && *id <= std::numeric_limits<std::uint32_t>::max(), kForm);
  const std::int64_t offset = reader.integer(kForm);
  reader.require(offset >= 0, "view(%BASE,OFFSET) with an offset of at least 0");
  return ViewRecipe{static_cast<std::uint32_t>(*id), offset};
}

Recipe read(RecipeReader& reader, std::int64_t max_elements) {
  if (reader.name() == "normal") return read_normal(reader);
  if (reader.name() == "uniform") return read_uniform(reader);
  if (reader.name() == "range") return read_range(reader);
  if (reader.name() == "bernoulli") return read_bernoulli(reader);
  if (reader.name() == "constant") return ConstantRecipe{reader.number("constant(NUMBER)")};
  if (reader.name() == "arange") return read_arange(reader);
  if (reader.name() == "values") return read_values(reader, max_elements);
  if (reader.name() == "stored") return read_stored(reader);
  if (reader.name() == "view") return read_view(reader);
  reader.fail("normal, uniform, range, bernoulli, constant, arange, values, stored or view");
}

}  // namespace

bool same_number(const Number& a, const Number& b) {
  if (a.index() != b.index()) return false;
  const auto* real = std::get_if<double>(&a);
  if (real == nullptr) return a == b;
  const double other = std::get<double>(b);
  if (std::isnan(*real) || std::isnan(other)) return std::isnan(*real) && std::isnan(other);
  return std::bit_cast<std::uint64_t>(*real) == std::bit_cast<std::uint64_t>(other);
}

void append_value(ValuesRecipe& recipe, const Number& value, std::int64_t count) {
  if (!recipe.runs.empty() && same_number(recipe.runs.back().value, value)) {
    recipe.runs.back().count += count;
  } else {
    recipe.runs.push_back({count, value});
  }
}

bool is_exact(const Recipe& recipe) {
  return std::holds_alternative<ConstantRecipe>(recipe) || std::holds_alternative<ArangeRecipe>(recipe) ||
         std::holds_alternative<ValuesRecipe>(recipe) || std::holds_alternative<StoredRecipe>(recipe);
}

std::string to_string(const Recipe& recipe) {
  return std::visit([](const auto& alternative) { return write(alternative); }, recipe);
}

Recipe parse_recipe(std::string_view text, std::int64_t max_elements) {
  RecipeReader reader(text);
  Recipe recipe = read(reader, max_elements);
  reader.finish();
  return recipe;
}

}  // namespace graphnet
