// Folders of runs written by hand, as graphnet bench writes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

namespace graphnet::test {

// A line of results.jsonl as graphnet bench writes it.
inline nlohmann::json unit(const std::string& sample, const std::string& status) {
  return {{"sample", sample},
          {"compiler", "inductor"},
          {"status", status},
          {"strictest_level", nullptr},
          {"speedup", nullptr},
          {"verdict", ""},
          {"stage", nullptr},
          {"cause", nullptr},
          {"message", ""},
          {"compile_seconds", 0.0},
          {"seconds", 1.0},
          {"path", "samples/" + sample},
          {"identity", ""},
          {"group", sample},
          {"category", "other"},
          {"dtypes", {"float32"}},
          {"log", ""},
          {"reproduce", ""},
          {"measurements", nlohmann::json::object()}};
}

inline nlohmann::json correct(const std::string& sample, double speedup, int level) {
  nlohmann::json line = unit(sample, "correct");
  line["speedup"] = speedup;
  line["strictest_level"] = level;
  line["verdict"] = "converged";
  return line;
}

inline nlohmann::json ended(const std::string& sample, const std::string& status, const std::string& stage,
                            const std::string& cause) {
  nlohmann::json line = unit(sample, status);
  line["stage"] = stage;
  line["cause"] = cause;
  line["message"] = "what happened to " + sample;
  return line;
}

// The measurements of a unit with one trial for each speedup, of a reference that takes a millisecond.
inline nlohmann::json timing(const std::vector<double>& speedups, const std::vector<int>& disturbed = {}) {
  nlohmann::json trials = nlohmann::json::array();
  for (const double speedup : speedups) trials.push_back({1e-3, 1e-3 / speedup, true});
  const double speedup = speedups.front();
  return {{"worker",
           {{"timing",
             {{"trials", trials},
              {"disturbed", disturbed},
              {"reference_seconds", 1e-3},
              {"candidate_seconds", 1e-3 / speedup},
              {"low", speedup * 0.99},
              {"high", speedup * 1.01}}}}}};
}

inline void write_run(const std::filesystem::path& folder, const std::vector<nlohmann::json>& lines,
                      const nlohmann::json& machine = nlohmann::json::object()) {
  std::filesystem::create_directories(folder);
  const nlohmann::json run = {{"graphnet", 1},
                              {"machine", machine},
                              {"samples", nlohmann::json::array()},
                              {"compilers", nlohmann::json::array()}};
  write_file(folder / "run.json", run.dump() + "\n");
  std::string text;
  for (const nlohmann::json& line : lines) text += line.dump() + "\n";
  write_file(folder / "results.jsonl", text);
}

}  // namespace graphnet::test
