// A worker that does nothing and says so at once: what remains of a bench unit's time is the supervisor's.

#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

int main() {
  using nlohmann::json;
  const json machine = {{"processor", "none"}, {"capability", "none"}, {"device", "cpu"},
                        {"framework", "none"}, {"threads", 1},         {"available_memory", 1'000'000'000}};
  const json measured = {{"correctness", {{"strictest_level", -6}, {"problem", ""}, {"outputs", json::array()}}},
                         {"timing",
                          {{"trials", json::array({json::array({0.002, 0.001, true})})},
                           {"verdict", "converged"},
                           {"speedup", 2.0},
                           {"low", 1.9},
                           {"high", 2.1},
                           {"confidence", 0.95},
                           {"reference_seconds", 0.002},
                           {"candidate_seconds", 0.001}}},
                         {"seconds", {{"load", 0.0}, {"time", 0.0}}},
                         {"peak_memory_bytes", 0}};
  std::cout << json{{"event", "hello"}, {"protocol", 1}} << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line);
    const json& result = request.at("method") == "describe" ? machine : measured;
    std::cout << json{{"id", request.at("id")}, {"result", result}} << std::endl;
  }
}
