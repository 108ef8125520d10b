#include "graphnet/bench/compiler.h"

#include <algorithm>
#include <array>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

struct Known {
  std::string_view name;
  CompilerKind kind;
  // The options it has, separated by spaces, each true or false; "*" where the compiler itself refuses wrong ones.
  std::string_view options;
  std::string_view numeric_option = "";  // one more, which is a number and not below 0
};

constexpr std::array<Known, 3> kCompilers = {{
    {"eager", CompilerKind::kInProcess, "", "slowdown"},
    {"inductor", CompilerKind::kAheadOfTime, "*"},
    {"torchscript", CompilerKind::kInProcess, "optimize"},
}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

const Known& find_compiler(std::string_view name) {
  for (const Known& known : kCompilers) {
    if (known.name == name) return known;
  }
  throw Error(ErrorKind::kUsage, "--compiler: no compiler is called \"" + std::string(name) + "\"; there are " +
                                     joined(kCompilers, ", ", &Known::name));
}

// "true" is a boolean, "3" and "0.5" numbers, anything else text.
nlohmann::json option_value(std::string_view text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_boolean() || value.is_number() ? value : nlohmann::json(std::string(text));
}

void check_option(const Known& compiler, std::string_view option, const nlohmann::json& value) {
  if (compiler.options == "*") return;
  const std::string prefix = "--compiler: " + std::string(compiler.name);
  if (!option.empty() && option == compiler.numeric_option) {
    if (value.is_number() && value.get<double>() >= 0) return;
    throw Error(ErrorKind::kUsage, prefix + ": option " + std::string(option) + " is a number, at least 0, not " +
                                       (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  const std::vector<std::string_view> names = split(compiler.options, ' ');
  if (option.empty() || std::find(names.begin(), names.end(), option) == names.end()) {
    const std::string known = std::string(compiler.options) + std::string(compiler.numeric_option);
    throw Error(ErrorKind::kUsage,
                prefix + " has no option \"" + std::string(option) + "\"; it has these options: " + known);
  }
  if (!value.is_boolean()) {
    throw Error(ErrorKind::kUsage, prefix + ": option " + std::string(option) + " is true or false, not " +
                                       (value.is_string() ? value.get<std::string>() : value.dump()));
  }
}

}  // namespace

Compiler parse_compiler(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  const Known& known = find_compiler(parts.front());
  Compiler compiler{std::string(known.name), known.kind, nlohmann::json::object(), std::string(text)};
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    std::size_t equals = part->find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ErrorKind::kUsage,
                  "--compiler " + std::string(text) + ": \"" + std::string(*part) +
                      "\" is no option; write NAME:OPTION=VALUE, such as inductor:max_autotune=true");
    }
    const nlohmann::json value = option_value(part->substr(equals + 1));
    check_option(known, part->substr(0, equals), value);
    compiler.options[std::string(part->substr(0, equals))] = value;
  }
  return compiler;
}

std::vector<Compiler> parse_compilers(const std::vector<std::string>& texts) {
  std::vector<Compiler> compilers;
  for (const std::string& text : texts) {
    for (std::string_view part : split(text, ',')) {
      Compiler compiler = parse_compiler(part);
      bool repeated = std::any_of(compilers.begin(), compilers.end(),
                                  [&](const Compiler& other) { return other.label == compiler.label; });
      if (repeated) throw Error(ErrorKind::kUsage, "--compiler: " + compiler.label + " is given twice");
      compilers.push_back(std::move(compiler));
    }
  }
  return compilers;
}

}  // namespace graphnet
