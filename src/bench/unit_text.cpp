#include "unit_text.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "graphnet/support/sha256.h"
#include "graphnet/support/text.h"

namespace graphnet {

std::string log_name(const std::string& sample, const std::string& compiler) {
  constexpr std::size_t kLongest = 150;
  std::string unit = sample + "-" + compiler;
  std::string hash = sha256(unit).substr(0, 8);
  std::replace_if(
      unit.begin(), unit.end(),
      [](char c) { return !(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_'); },
      '-');
  return unit.substr(0, kLongest) + "-" + hash + ".log";
}

std::string reproduce_line(const BenchOptions& options, const std::filesystem::path& sample,
                           const std::string& compiler) {
  const BenchOptions defaults;
  std::string line = "graphnet bench " + shell_quoted(sample.string()) + " --compiler " + shell_quoted(compiler);
  auto add = [&line](const std::string& flag, const auto& value, const auto& standard) {
    if (value == standard) return;
    std::ostringstream text;
    text << value;
    line += " " + flag + " " + shell_quoted(text.str());
  };
  add("--device", options.device, defaults.device);
  for (const std::string& library : options.operator_libraries) add("--op-library", library, std::string());
  add("--seed", options.seed, defaults.seed);
  add("--threads", options.threads, defaults.threads);
  add("--timeout", options.stage_timeout, defaults.stage_timeout);
  add("--memory-limit", options.memory_limit, defaults.memory_limit);
  add("--timing-seconds", options.timing_seconds, defaults.timing_seconds);
  add("--target", options.target, defaults.target);
  add("--cache", options.cache, defaults.cache);
  add("--float64", options.float64, defaults.float64);
  if (options.memory) line += " --memory";
  return line;
}

std::string log_tail(const std::filesystem::path& log) {
  constexpr std::streamoff kBytes = 600;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return "";
  std::streamoff size = file.tellg();
  std::streamoff begin = std::max<std::streamoff>(0, size - kBytes);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  file.seekg(begin);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace graphnet
