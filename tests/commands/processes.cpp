#include "processes.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace graphnet::test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_zombie(const std::filesystem::path& process) {
  const std::string stat = text_of(process / "stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.at(name_end + 2) == 'Z';
}

}  // namespace

std::vector<std::string> processes_with(const std::string& text) {
  std::vector<std::string> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry("/proc", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string number = entry->path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(entry->path() / "environ").find(text) == std::string::npos || is_zombie(entry->path())) continue;
    found.push_back(number);
  }
  return found;
}

bool none_left_with(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!processes_with(text).empty()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace graphnet::test
