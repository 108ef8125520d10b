#include "command.h"

#include <utility>

#include "progress.h"

namespace graphnet::cli {

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& description,
                      const std::string& examples, CommonOptions& common) {
  CLI::App* command = program.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_flag("--json", common.json, "Print the result as JSON on stdout, and nothing else there")
      ->envname("GRAPHNET_JSON");
  command->add_flag("-q,--quiet", common.quiet, "Print warnings and errors only");
  command->add_flag("-v,--verbose", common.verbosity, "Print more about what is being done; twice for everything");
  command->set_version_flag("--version", program.version());
  return command;
}

void run_when_chosen(CLI::App* command, Action& action, const CommonOptions& common, Action run) {
  command->callback([&action, &common, run = std::move(run)] {
    action = [&common, run] {
      set_up_log(common);
      return run();
    };
  });
}

}  // namespace graphnet::cli
