// graphnet: parses the command line, runs one command, and turns whatever went wrong into one message and an exit code.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"
#include "graphnet/support/version.h"

#include "command.h"
#include "config_file.h"
#include "usage.h"

namespace graphnet::cli {
namespace {

constexpr const char* kDescription =
    "Benchmarks tensor compilers on real computation graphs.\n\n"
    "Exit codes: 0 done; 1 done, but samples failed or an input cannot be used; 2 wrong usage; 3 the environment is "
    "not\n"
    "usable (a compiler, device or library is missing); 4 interrupted, nothing recorded is lost; 70 internal error.";

// Where a caller has closed one of descriptors 0 to 2, the next file that is opened would take its number, and messages
// would be written into it.
void open_standard_streams() {
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

// For a person on stderr; with --json for a program too, unless the command had printed its own document before.
int report(const char* what, ErrorKind kind, bool json) {
  const std::string message = printable(what);
  std::fprintf(stderr, "graphnet: error: %s\n", message.c_str());
  if (json && !json_printed()) {
    print_json(
        {{"error",
          {{"kind", std::string(error_kind_name(kind))}, {"message", message}, {"exit_code", exit_code(kind)}}}});
  }
  return exit_code(kind);
}

// Output that was lost (a full disk) is an error; a reader that has seen enough, such as `head`, is none.
void check_output() {
  std::cout.flush();
  errno = 0;
  bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (!lost || errno == EPIPE) return;
  throw Error(ErrorKind::kInterrupted, std::string("the output could not be written: ") +
                                           (errno != 0 ? std::strerror(errno) : "an earlier write failed"));
}

// `json` becomes whether the command is to print JSON, as soon as that is known for sure.
int run(std::vector<std::string> arguments, bool& json) {
  CLI::App program(kDescription, "graphnet");
  program.require_subcommand(1);
  program.fallthrough(false);
  program.set_version_flag("--version", "graphnet " + std::string(version()));
  program.set_config("--config", "", "Read options from this TOML file; flags and GRAPHNET_* variables win over it")
      ->envname("GRAPHNET_CONFIG");
  program.config_formatter(std::make_shared<ConfigFile>(program));

  Action action;
  add_extract(program, action);
  add_validate(program, action);
  add_bench(program, action);
  add_score(program, action);
  add_compare(program, action);
  add_report(program, action);
  add_show(program, action);

  try {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    program.parse(std::move(arguments));
  } catch (const CLI::Success& wish) {  // --help, --version
    if (asks_for_help_of_nothing(program)) throw usage_error(program, wish);
    return program.exit(wish);
  } catch (const CLI::ParseError& refusal) {
    throw usage_error(program, refusal);
  }
  json = action.json;
  require_usable_values(program);
  return action.run();
}

}  // namespace
}  // namespace graphnet::cli

int main(int argument_count, char** words) {
  graphnet::cli::open_standard_streams();
  using graphnet::ErrorKind;
  using graphnet::cli::report;
  const std::vector<std::string> arguments = graphnet::cli::arguments_of(argument_count, words);
  bool json = graphnet::cli::asks_for_json(arguments);
  try {
    int code = graphnet::cli::run(arguments, json);
    graphnet::cli::check_output();
    return code;
  } catch (const graphnet::Error& error) {
    return report(error.what(), error.kind(), json);
  } catch (const std::bad_alloc&) {
    return report("out of memory", ErrorKind::kEnvironment, json);
  } catch (const std::exception& error) {
    return report(error.what(), ErrorKind::kInternal, json);
  }
}
