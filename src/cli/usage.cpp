#include "usage.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "graphnet/support/suggest.h"
#include "graphnet/support/text.h"

namespace graphnet::cli {
namespace {

const CLI::App& chosen_command(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  return chosen.empty() ? program : *chosen.back();
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// How the command is called: "graphnet" or "graphnet bench".
std::string call_of(const CLI::App& program, const CLI::App& app) {
  return &app == &program ? program.get_name() : program.get_name() + " " + app.get_name();
}

std::string in_quotes(std::string_view word) {
  return "\"" + excerpt(word) + "\"";
}

bool has_option(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw(name) != nullptr;
}

// `app` is where the option stood: the program, before any command, or a command.
std::string unknown_option(const CLI::App& program, const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const CLI::App& command = chosen_command(program);
  if (&app != &command && has_option(command, name)) {
    return name + " goes after the command: " + call_of(program, command) + " " + name;
  }
  const bool is_of_a_command =
      std::ranges::any_of(commands_of(program), [&](const CLI::App* each) { return has_option(*each, name); });
  if (&command == &program && is_of_a_command) return name + " goes after a command, and none is given";
  if (&app != &program && has_option(program, name)) {
    return name + " goes before the command: " + program.get_name() + " " + name + " ... " + app.get_name();
  }
  return "unknown option " + in_quotes(name) + did_you_mean(name, option_names(app));
}

// What is wrong where words are left over that nothing takes; nothing where there are none.
std::optional<std::string> leftover_words(const CLI::App& program, const CLI::App& app) {
  std::vector<std::string> words = program.remaining(true);
  std::erase(words, "--");
  if (words.empty()) return std::nullopt;
  const std::string& word = words.front();
  // A word before the command is the program's, and CLI11 lists those first.
  const std::vector<std::string> own = program.remaining(false);
  const bool is_of_program = std::ranges::find(own, word) != own.end();
  if (word.starts_with('-') && word.size() > 1) return unknown_option(program, is_of_program ? program : app, word);
  if (is_of_program) return "unknown command " + in_quotes(word) + did_you_mean(word, command_names(program));
  return "unexpected argument " + in_quotes(word);
}

// The first of the examples that a command's help ends with.
std::string example_of(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const std::size_t begin = footer.find("  ");
  if (begin == std::string::npos) return {};
  return footer.substr(begin + 2, footer.find('\n', begin) - begin - 2);
}

// The variable that gave the option its value: " (from GRAPHNET_SEED)".
std::string variable_behind(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : commands_of(program)) {
    const CLI::Option* option = command->get_option_no_throw(name);
    if (option == nullptr || option->get_envname().empty()) continue;
    const char* value = std::getenv(option->get_envname().c_str());
    if (value != nullptr && option->count() == 1 && option->results().front() == value) {
      return " (from " + option->get_envname() + ")";
    }
  }
  return {};
}

bool is(const CLI::ParseError& refusal, std::string_view kind) {
  return refusal.get_name() == kind;
}

// CLI11's own words, made plain.
std::string refusal_text(const CLI::App& program, const CLI::App& app, const CLI::ParseError& refusal) {
  const std::string text = refusal.what();
  const std::string name = text.substr(0, text.find(':'));
  if (is(refusal, "RequiredError")) {
    if (&app == &program) return "no command is given; it is one of " + joined(command_names(program));
    const std::string example = example_of(app);
    return text + (example.empty() ? "" : ", as in: " + example);
  }
  if (is(refusal, "ArgumentMismatch")) {
    if (text.find("At Most") != std::string::npos) return name + " is given more than once";
    if (text.ends_with("missing")) return name + " needs a value";
  }
  if (is(refusal, "ConversionError")) {
    constexpr std::string_view kBefore = "Could not convert: ";
    if (const std::size_t equals = text.find(" = "); text.starts_with(kBefore) && equals != std::string::npos) {
      const std::string option = text.substr(kBefore.size(), equals - kBefore.size());
      return option + ": " + in_quotes(text.substr(equals + 3)) + " is no value for it" +
             variable_behind(program, option);
    }
  }
  if (is(refusal, "ExcludesError")) {
    constexpr std::string_view kBetween = " excludes ";
    if (const std::size_t at = text.find(kBetween); at != std::string::npos) {
      return text.substr(0, at) + " and " + text.substr(at + kBetween.size()) + " exclude each other";
    }
  }
  if (is(refusal, "FileError") && text.ends_with("(missing?)")) {
    return "the configuration file " + excerpt(program.get_config_ptr()->as<std::string>(), 300) +
           " (of --config or GRAPHNET_CONFIG) cannot be read";
  }
  return text + variable_behind(program, name);
}

}  // namespace

std::vector<std::string> arguments_of(int count, char** words) {
  std::vector<std::string> arguments(words + std::min(count, 1), words + count);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
  }
  const char* config = std::getenv("GRAPHNET_CONFIG");
  const bool is_given = std::ranges::any_of(
      arguments, [](const std::string& word) { return word == "--config" || word.starts_with("--config="); });
  if (config != nullptr && *config != '\0' && !is_given) {
    arguments.insert(arguments.begin(), std::string("--config=") + config);
  }
  return arguments;
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    if (word == "--json" || word == "--json=true") return true;
    if (word == "--") break;
  }
  const char* variable = std::getenv("GRAPHNET_JSON");
  if (variable == nullptr) return false;
  try {
    return CLI::detail::to_flag_value(variable) > 0;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool asks_for_help_of_nothing(const CLI::App& program) {
  const std::vector<std::string> words = program.remaining(false);
  const bool has_word = std::ranges::any_of(words, [](const std::string& word) { return !word.starts_with('-'); });
  return program.get_subcommands().empty() && has_word;
}

Error usage_error(const CLI::App& program, const CLI::ParseError& refusal) {
  const CLI::App& app = chosen_command(program);
  const std::optional<std::string> leftover = leftover_words(program, app);
  const std::string message = leftover ? *leftover : refusal_text(program, app, refusal);
  return Error(ErrorKind::kUsage, message + " (see " + call_of(program, app) + " --help)");
}

void require_usable_values(const CLI::App& program) {
  for (const CLI::App* app : {&program, &chosen_command(program)}) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& value : option->results()) {
        if (value.empty()) throw Error(ErrorKind::kUsage, option->get_name() + " needs a value, and \"\" is none");
        if (is_utf8(value)) continue;
        throw Error(ErrorKind::kUsage, option->get_name() + ": " + excerpt(value, 300) +
                                           " is not UTF-8 (the \\xNN bytes), which graphnet needs: rename it");
      }
    }
  }
}

}  // namespace graphnet::cli
