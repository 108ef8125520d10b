// Texts that go with a unit's record: the name of its log, the command line that runs it again, and what its processes
// said last.
#pragma once

#include <filesystem>
#include <string>

#include "graphnet/bench/run.h"

namespace graphnet {

// A file name for the unit's log: what can stand in a file name, and a hash that keeps units apart whose names differ
// only in what cannot.
std::string log_name(const std::string& sample, const std::string& compiler);

// The command line that runs just this unit again, with every option that is not the default.
std::string reproduce_line(const BenchOptions& options, const std::filesystem::path& sample,
                           const std::string& compiler);

// The last lines of a log, to explain a process that ended without a word. Empty where there are none.
std::string log_tail(const std::filesystem::path& log);

}  // namespace graphnet
