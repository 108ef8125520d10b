#include "graphnet/sample/input_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kMaximumRank = 64;
constexpr std::int64_t kMaximumBytes = std::int64_t{1} << 47U;  // what a process can address on x86-64

// What people write instead of a dtype's name, or instead of a plain kind.
struct Alias {
  std::string_view alias;
  std::string_view name;
};
constexpr std::array kAliases = {
    Alias{"int", "int64"},        Alias{"long", "int64"},        Alias{"short", "int16"},  Alias{"float", "float32"},
    Alias{"double", "float64"},   Alias{"half", "float16"},      Alias{"fp16", "float16"}, Alias{"fp32", "float32"},
    Alias{"bf16", "bfloat16"},    Alias{"boolean", "bool"},      Alias{"byte", "uint8"},   Alias{"i64", "int64"},
    Alias{"cfloat", "complex64"}, Alias{"complex", "complex64"},
};

class SpecParser {
 public:
  explicit SpecParser(std::string_view whole) : whole_(whole) {}

  NamedInput parse() {
    std::string_view text = whole_;
    NamedInput input;
    if (const std::size_t equals = text.find('=');
        equals != std::string_view::npos && is_name(text.substr(0, equals))) {
      input.name = text.substr(0, equals);
      text.remove_prefix(equals + 1);
    }
    if (text.empty()) fail("it is empty", "1x3x224x224");
    if (std::optional<Argument> plain = parse_plain(text)) {
      input.value.node = std::move(*plain);
    } else {
      input.value.node = parse_tensor(text);
    }
    return input;
  }

 private:
  static bool is_name(std::string_view text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; };
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_allowed);
  }

  static bool is_shape(std::string_view text) {
    return text == "scalar" || (!text.empty() && text.find_first_not_of("0123456789x") == std::string_view::npos);
  }

  // A plain argument, or nothing where the text is that of a tensor.
  std::optional<Argument> parse_plain(std::string_view text) const {
    if (text == "none") return Argument{None{}};
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view value = text.substr(0, colon);
    const std::string_view kind = text.substr(colon + 1);
    if (kind == "str") {
      if (!is_utf8(value)) fail("the string is not UTF-8", "abc:str");
      return Argument{std::string(value)};
    }
    if (kind == "int") {
      if (const std::optional<std::int64_t> integer = parse_integer(value)) return Argument{*integer};
      if (is_shape(value)) {
        fail("int is a plain integer", std::string(value) + ":int64\" for a tensor of integers, or \"16000:int");
      }
      fail("\"" + excerpt(value) + "\" is no integer of 64 bits", "16000:int");
    }
    if (kind == "float") {
      if (const std::optional<double> real = parse_double(value)) return Argument{*real};
      if (is_shape(value)) {
        fail("float is a plain number", std::string(value) + ":float32\" for a tensor, or \"0.5:float");
      }
      fail("\"" + excerpt(value) + "\" is no number", "0.5:float");
    }
    if (kind == "bool" && (value == "true" || value == "false")) return Argument{value == "true"};
    if (kind == "bool" && !is_shape(value)) {
      fail("\"" + excerpt(value) + "\" is neither true, false nor a shape", "true:bool\" or \"1x128:bool");
    }
    return std::nullopt;
  }

  TensorSpec parse_tensor(std::string_view text) const {
    const std::size_t at = text.find('@');
    const std::string_view typed = text.substr(0, at);
    const std::size_t colon = typed.find(':');
    TensorSpec spec;
    spec.type.shape = parse_shape(typed.substr(0, colon));
    if (colon != std::string_view::npos) spec.type.dtype = parse_dtype_part(typed.substr(colon + 1));
    check_size(spec.type, typed.substr(0, colon));
    spec.rule_given = at != std::string_view::npos;
    spec.recipe = spec.rule_given ? parse_rule(text.substr(at + 1), spec.type) : default_recipe(spec.type.dtype);
    return spec;
  }

  std::vector<std::int64_t> parse_shape(std::string_view text) const {
    std::vector<std::int64_t> shape;
    if (text == "scalar") return shape;
    if (text.empty()) fail("the shape is missing", "1x3x224x224\", or \"scalar\" for a tensor without dimensions");
    if (text.find_first_not_of("0123456789x-+") != std::string_view::npos) {
      fail("the shape \"" + excerpt(text) + "\" is not sizes with x between them",
           "1x3x224x224\"; plain arguments name their kind: \"16000:int\", \"0.5:float\", \"true:bool\", \"abc:str\", "
           "\"none");
    }
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('x', begin), text.size());
      if (shape.size() == kMaximumRank) fail("the shape has more than 64 dimensions", "1x3x224x224");
      shape.push_back(parse_size(text.substr(begin, end - begin), shape.size() + 1, text));
      begin = end + 1;
    }
    return shape;
  }

  std::int64_t parse_size(std::string_view text, std::size_t number, std::string_view shape) const {
    const std::string place = "size " + std::to_string(number) + " of the shape \"" + excerpt(shape) + "\" ";
    if (text.empty()) fail(place + "is missing", "1x3x224x224");
    if (text.find_first_not_of("0123456789") != std::string_view::npos) {
      fail(place + "is \"" + excerpt(text) + "\"; a size is a whole number of at least 0, known beforehand",
           "1x3x224x224");
    }
    if (text.size() > 1 && text.front() == '0') fail(place + "begins with a 0", "1x3x224x224");
    const std::optional<std::int64_t> size = parse_integer(text);
    if (!size) fail(place + "is larger than 64 bits can hold", "1x3x224x224");
    return *size;
  }

  // A tensor without elements is fine, but its strides are made from the other sizes. A tensor that no process could
  // hold is refused here, not by an allocation that fails much later.
  void check_size(const TensorType& type, std::string_view shape) const {
    auto bytes = static_cast<std::int64_t>(dtype_size(type.dtype));
    for (const std::int64_t size : type.shape) {
      const bool overflows = __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
      if (overflows || bytes > kMaximumBytes) {
        fail("a tensor of the shape " + excerpt(shape) + " does not fit in any memory (2^47 bytes)", "1x3x224x224");
      }
    }
  }

  Dtype parse_dtype_part(std::string_view text) const {
    const std::optional<Dtype> dtype = parse_dtype(text);
    if (dtype && (is_floating(*dtype) || is_complex(*dtype) || is_integer(*dtype) || *dtype == Dtype::kBool)) {
      return *dtype;
    }
    for (const Alias& known : kAliases) {
      if (known.alias != text) continue;
      fail("the dtype \"" + std::string(text) + "\" is called " + std::string(known.name),
           "1x128:" + std::string(known.name));
    }
    fail("unknown dtype \"" + excerpt(text) + "\"",
         "1x128:int64\" (float32 float16 bfloat16 float64 int64 int32 int16 int8 uint8 bool complex64 complex128)", "");
  }

  static Recipe default_recipe(Dtype dtype) {
    if (dtype == Dtype::kBool) return BernoulliRecipe{};
    if (is_integer(dtype)) return RangeRecipe{};
    return NormalRecipe{};
  }

  Recipe parse_rule(std::string_view text, const TensorType& type) const {
    Recipe recipe = read_rule(text, type);
    try {
      check_recipe(recipe, type);
    } catch (const Error& error) {
      fail_with_rules(error.what(), type.dtype);
    }
    return recipe;
  }

  Recipe read_rule(std::string_view text, const TensorType& type) const {
    const bool is_real = is_floating(type.dtype) || is_complex(type.dtype);
    const auto number = [&](std::int64_t value) {
      return is_real ? Number{static_cast<double>(value)} : Number{value};
    };
    if (text == "normal") return NormalRecipe{};
    if (text == "ones") return ConstantRecipe{number(1)};
    if (text == "zeros") return ConstantRecipe{number(0)};
    if (text == "arange") return ArangeRecipe{number(0), number(1)};
    if (text.find('(') == std::string_view::npos && text.find("..") != std::string_view::npos) {
      return read_range(text, type.dtype);
    }
    if (is_real && text.starts_with("arange(") && text.ends_with(')')) return read_real_arange(text, type.dtype);
    try {
      Recipe recipe = parse_recipe(text);
      if (!std::holds_alternative<StoredRecipe>(recipe) && !std::holds_alternative<ViewRecipe>(recipe)) {
        return suit_numbers(std::move(recipe), is_real);
      }
    } catch (const Error& error) {
      fail_rule(text, error.what(), type.dtype);
    }
    fail_rule(text, "an input can neither be stored nor be a view", type.dtype);
  }

  Recipe read_range(std::string_view text, Dtype dtype) const {
    const std::size_t dots = text.find("..");
    const std::string_view low_text = text.substr(0, dots);
    const std::string_view high_text = text.substr(dots + 2);
    if (is_floating(dtype) || is_complex(dtype)) {
      const std::optional<double> low = parse_double(low_text);
      const std::optional<double> high = parse_double(high_text);
      if (!low || !high || !(*low < *high)) fail_rule(text, "LO..HI needs two numbers, LO below HI", dtype);
      if (!std::isfinite(*low) || !std::isfinite(*high)) fail_rule(text, "LO..HI needs finite numbers", dtype);
      return UniformRecipe{*low, *high};
    }
    const std::optional<std::int64_t> low = parse_integer(low_text);
    const std::optional<std::int64_t> high = parse_integer(high_text);
    if (!low || !high || *low >= *high) fail_rule(text, "LO..HI needs two integers, LO below HI", dtype);
    return RangeRecipe{*low, *high};
  }

  // Start and step in any mix of 1 and 1.0.
  Recipe read_real_arange(std::string_view text, Dtype dtype) const {
    const std::size_t open = text.find('(') + 1;
    const std::string_view parameters = text.substr(open, text.size() - open - 1);
    const std::size_t comma = std::min(parameters.find(','), parameters.size());
    const std::optional<double> start = parse_double(parameters.substr(0, comma));
    const std::optional<double> step = parse_double(parameters.substr(std::min(comma + 1, parameters.size())));
    if (!start || !step) fail_rule(text, "arange(START,STEP) needs two numbers", dtype);
    return ArangeRecipe{*start, *step};
  }

  // Exact recipes keep integers and reals apart; on the command line constant(1) is fine for any dtype.
  static Number suit_number(const Number& number, bool is_real) {
    const auto* integer = std::get_if<std::int64_t>(&number);
    return is_real && integer != nullptr ? Number{static_cast<double>(*integer)} : number;
  }

  static Recipe suit_numbers(Recipe recipe, bool is_real) {
    if (auto* constant = std::get_if<ConstantRecipe>(&recipe)) constant->value = suit_number(constant->value, is_real);
    if (auto* arange = std::get_if<ArangeRecipe>(&recipe)) {
      arange->start = suit_number(arange->start, is_real);
      arange->step = suit_number(arange->step, is_real);
    }
    if (auto* values = std::get_if<ValuesRecipe>(&recipe)) {
      ValuesRecipe suited;
      for (const ValuesRecipe::Run& run : values->runs)
        append_value(suited, suit_number(run.value, is_real), run.count);
      return suited;
    }
    return recipe;
  }

  [[noreturn]] void fail_rule(std::string_view rule, std::string_view why, Dtype dtype) const {
    fail_with_rules("the rule \"" + excerpt(rule) + "\" does not work: " + std::string(why), dtype);
  }

  // Shows the rules that tensors of this dtype can have.
  [[noreturn]] void fail_with_rules(const std::string& why, Dtype dtype) const {
    const bool is_real = is_floating(dtype) || is_complex(dtype);
    std::string example;
    if (is_real) {
      example = "1x128@normal(0,1)\" (or uniform(LO,HI), LO..HI, ones, zeros, constant(C), arange, values(V,...))";
    } else if (dtype == Dtype::kBool) {
      example = "1x128:bool@bernoulli(0.5)\" (or ones, zeros, values(0,1,...))";
    } else {
      example = "1x128:" + std::string(dtype_name(dtype)) +
                "@0..100\" (or ones, zeros, constant(C), arange, bernoulli(P), values(V,...))";
    }
    fail(why, example, "");
  }

  [[noreturn]] void fail(const std::string& why, const std::string& example, std::string_view end = "\"") const {
    throw Error(ErrorKind::kUsage, "input \"" + excerpt(whole_, 120) + "\": " + why +
                                       "; right would be, for example, \"" + example + std::string(end));
  }

  std::string_view whole_;
};

}  // namespace

NamedInput parse_input_spec(std::string_view text) {
  return SpecParser(text).parse();
}

}  // namespace graphnet
