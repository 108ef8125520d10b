// Wrong command lines: what they are told, in the one form that all errors of graphnet have.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "graphnet/support/error.h"

namespace graphnet::cli {

// The program's arguments. `graphnet help [COMMAND]` is `graphnet [COMMAND] --help`; GRAPHNET_CONFIG, where --config is
// not given, becomes --config: CLI11 looks for the file before it looks at variables.
std::vector<std::string> arguments_of(int count, char** words);

// Whether --json or GRAPHNET_JSON is there, however wrong the rest may be.
bool asks_for_json(const std::vector<std::string>& arguments);

// Whether a wish for help or version has a word beside it that is no command: then the wish is not what is wrong.
bool asks_for_help_of_nothing(const CLI::App& program);

// What the user is told of a command line that CLI11 refused: the word that is wrong, what was probably meant, and
// where the help is.
Error usage_error(const CLI::App& program, const CLI::ParseError& refusal);

// Throws Error(kUsage) naming the option whose value is empty, which CLI11 takes for 0 where a number is expected, or
// not UTF-8: paths travel to the worker and into reports as JSON, where such bytes would be replaced.
void require_usable_values(const CLI::App& program);

}  // namespace graphnet::cli
