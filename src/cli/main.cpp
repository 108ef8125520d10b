// graphnet: parses the command line, runs one command, and turns whatever went wrong into one message and an exit code.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "graphnet/support/error.h"
#include "graphnet/support/version.h"

#include "command.h"

namespace graphnet::cli {
namespace {

constexpr const char* kDescription =
    "Benchmarks tensor compilers on real computation graphs.\n\n"
    "Exit codes: 0 done; 1 done, but samples failed or an input cannot be used; 2 wrong usage; 3 the environment is "
    "not\n"
    "usable (a compiler, device or library is missing); 4 interrupted, nothing recorded is lost; 70 internal error.";

int report(const char* message, ErrorKind kind) {
  std::fprintf(stderr, "graphnet: error: %s\n", message);
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

int run(int argument_count, char** arguments) {
  CLI::App program(kDescription, "graphnet");
  program.require_subcommand(1);
  program.fallthrough(false);
  program.set_version_flag("--version", "graphnet " + std::string(version()));
  program.set_config("--config", "", "Read options from this TOML file; flags and GRAPHNET_* variables win over it")
      ->envname("GRAPHNET_CONFIG");
  program.allow_config_extras(CLI::config_extras_mode::error);

  Action action;
  add_extract(program, action);
  add_validate(program, action);
  add_bench(program, action);
  add_score(program, action);
  add_show(program, action);

  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : exit_code(ErrorKind::kUsage);
  }
  return action();
}

}  // namespace
}  // namespace graphnet::cli

int main(int argument_count, char** arguments) {
  using graphnet::ErrorKind;
  try {
    int code = graphnet::cli::run(argument_count, arguments);
    graphnet::cli::check_output();
    return code;
  } catch (const graphnet::Error& error) {
    return graphnet::cli::report(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return graphnet::cli::report("out of memory", ErrorKind::kEnvironment);
  } catch (const std::exception& error) {
    return graphnet::cli::report(error.what(), ErrorKind::kInternal);
  }
}
