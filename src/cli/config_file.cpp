#include "config_file.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "graphnet/support/suggest.h"
#include "graphnet/support/text.h"

namespace graphnet::cli {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 20U;

std::string read(std::istream& input) {
  std::string text(kLimit + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

bool is_text(std::string_view text) {
  return is_utf8(text) && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
         });
}

// CLI11 marks the begin and the end of a section by items of their own.
bool is_section(const CLI::ConfigItem& item) {
  return item.name == "++" || item.name == "--";
}

bool is_set(const std::string& variable) {
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

// The part of the program, or of one command, that an item belongs to.
class Section {
 public:
  Section(const CLI::App& program, const CLI::ConfigItem& item, std::string file)
      : program_(program), item_(item), file_(std::move(file)) {}

  const CLI::Option& option() const {
    const CLI::App& app = command();
    const CLI::Option* option = app.get_option_no_throw("--" + item_.name);
    if (option == nullptr) option = app.get_option_no_throw(item_.name);
    if (option != nullptr && option->get_configurable()) return *option;
    std::vector<std::string> names;
    for (const CLI::Option* each : app.get_options()) {
      for (const std::string& name : each->get_lnames()) names.push_back(name);
    }
    const bool is_whole = &app == &program_;
    fail("\"" + excerpt(item_.name) + "\" is no option of " + app.get_name() +
         (is_whole ? "; options of a command stand below its name, such as [bench]" : did_you_mean(item_.name, names)));
  }

  const CLI::App& command() const {
    if (item_.parents.empty()) return program_;
    std::vector<std::string> names;
    for (const CLI::App* each : program_.get_subcommands([](const CLI::App*) { return true; })) {
      if (each->get_name() == item_.parents.front() && item_.parents.size() == 1) return *each;
      names.push_back(each->get_name());
    }
    fail("[" + excerpt(item_.parents.front()) + "] is no command" + did_you_mean(item_.parents.front(), names));
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw CLI::FileError(file_ + ": " + why); }

  const CLI::App& program_;
  const CLI::ConfigItem& item_;
  std::string file_;
};

}  // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  const std::string file = excerpt(program_.get_config_ptr()->as<std::string>(), 300);
  const std::string text = read(input);
  if (text.size() > kLimit) throw CLI::FileError(file + ": is larger than 1 MiB, too large for options");
  if (!is_text(text)) throw CLI::FileError(file + ": is no text in UTF-8, but a TOML file is");
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> found = CLI::ConfigTOML::from_config(stream);
  std::erase_if(found, [&](const CLI::ConfigItem& item) {
    const Section section(program_, item, file);
    if (!is_section(item)) return is_set(section.option().get_envname());
    static_cast<void>(section.command());
    return false;
  });
  return found;
}

}  // namespace graphnet::cli
