#include "command.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "progress.h"

namespace graphnet::cli {
namespace {

bool document_is_printed = false;  // stdout is one for the whole process, and so is what is known of it

}  // namespace

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& description,
                      const std::string& examples, CommonOptions& common) {
  CLI::App* command = program.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_flag("--json", common.json, "Print the result as JSON on stdout, and nothing else there")
      ->envname("GRAPHNET_JSON");
  command->add_flag("-q,--quiet", common.quiet, "Print warnings and errors only");
  command->add_flag("-v,--verbose", common.verbose, "Print every stage of the work, on lines of their own");
  command->set_version_flag("--version", program.version());
  return command;
}

CLI::Validator positive_number() {
  auto check = [](std::string& text) -> std::string {
    double value = 0;
    bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0;
    return good ? "" : "\"" + text + "\" is no number above 0";
  };
  return CLI::Validator(check, "NUMBER > 0");
}

CLI::Validator whole_number() {
  auto check = [](std::string& text) -> std::string {
    std::uint64_t value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool good = failure == std::errc() && end == text.data() + text.size();
    return good ? "" : "\"" + text + "\" is no whole number from 0 to 2^64-1";
  };
  return CLI::Validator(check, "WHOLE NUMBER");
}

void print_json(const nlohmann::ordered_json& result) {
  std::printf("%s\n", result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  document_is_printed = true;
}

bool json_printed() {
  return document_is_printed;
}

void run_when_chosen(CLI::App* command, Action& action, const CommonOptions& common, std::function<int()> run) {
  command->callback([&action, &common, run = std::move(run)] {
    action.json = common.json;
    action.run = [&common, run] {
      set_up_log(common);
      return run();
    };
  });
}

}  // namespace graphnet::cli
