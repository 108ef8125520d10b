// What every command of graphnet shares: the options that all of them have, and how a command is added.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace graphnet::cli {

// Options that every command takes.
struct CommonOptions {
  bool json = false;     // machine-readable result on stdout, nothing else there
  bool quiet = false;    // warnings and errors only
  bool verbose = false;  // stages too
};

// What the user chose: runs a command whose options have been parsed; returns its exit code or throws Error.
struct Action {
  std::function<int()> run;
  bool json = false;  // the command prints its result as JSON
};

// Adds a command to the program: name, one-line description, examples for --help (one a line), and the common options.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& description,
                      const std::string& examples, CommonOptions& common);

// Checks of option values that CLI11's own let through: a number above 0 that is neither infinite nor NaN, and a whole
// number from 0 to 2^64-1 without a sign.
CLI::Validator positive_number();
CLI::Validator whole_number();

// Prints a command's one document on stdout. Bytes that are no UTF-8 (the last words of a crashed program) are
// replaced.
void print_json(const nlohmann::ordered_json& result);

// Whether stdout holds its one document already, so that an error that follows must not print another.
bool json_printed();

// Makes `run` the program's action where the user chose the command. The log is set up for the command's options first.
void run_when_chosen(CLI::App* command, Action& action, const CommonOptions& common, std::function<int()> run);

// Each of these adds one command. `action` receives what to run when the user chose it.
void add_extract(CLI::App& program, Action& action);
void add_validate(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);
void add_score(CLI::App& program, Action& action);
void add_compare(CLI::App& program, Action& action);
void add_report(CLI::App& program, Action& action);
void add_show(CLI::App& program, Action& action);

}  // namespace graphnet::cli
