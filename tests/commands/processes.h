// Which processes a test has left running.
#pragma once

#include <string>
#include <vector>

namespace graphnet::test {

// The numbers of the processes that run, zombies not counted, with this text in their environment: with the test's own
// folder in a variable, all that came of the test.
std::vector<std::string> processes_with(const std::string& text);

// Whether none are left within ten seconds. (What is killed with its parent takes a moment.)
bool none_left_with(const std::string& text);

}  // namespace graphnet::test
