#include "graphnet/sample/dataset.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListLimit = std::size_t{64} << 20;

bool is_sample(const fs::path& folder) {
  return fs::is_regular_file(folder / kGraphFile) || fs::is_regular_file(folder / kMetadataFile);
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

class Finder {
 public:
  std::vector<fs::path> take() { return std::move(found_); }

  void add(const fs::path& path) {
    const std::size_t before = seen_samples_.size() + repeated_;
    if (!fs::exists(path)) {
      throw Error(ErrorKind::kUsage, path.string() + ": no such file or folder");
    }
    if (fs::is_directory(path)) {
      std::set<fs::path> visited;
      walk(path, visited);
    } else {
      add_list(path);
    }
    if (seen_samples_.size() + repeated_ == before) {
      throw Error(ErrorKind::kUsage,
                  path.string() + ": holds no sample (a folder with " + std::string(kGraphFile) + ")");
    }
  }

 private:
  void walk(const fs::path& folder, std::set<fs::path>& visited) {
    const fs::path real = fs::canonical(folder);
    if (!visited.insert(real).second) return;
    if (is_sample(folder)) {
      if (seen_samples_.insert(real).second) {
        found_.push_back(folder);
      } else {
        ++repeated_;
      }
      return;
    }
    std::vector<fs::path> children;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const bool is_hidden = entry.path().filename().string().starts_with('.');
      if (!is_hidden && entry.is_directory()) children.push_back(entry.path());
    }
    std::ranges::sort(children);
    for (const fs::path& child : children) walk(child, visited);
  }

  void add_list(const fs::path& file) {
    if (list_depth_ > 0) {
      throw Error(ErrorKind::kUsage, file.string() + ": a list of paths names folders, not further files");
    }
    const std::string text = read_file(file, kListLimit);
    ++list_depth_;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = trim(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
      if (!line.empty() && line.front() != '#') add(file.parent_path() / line);
    }
    --list_depth_;
  }

  std::vector<fs::path> found_;
  std::set<fs::path> seen_samples_;
  std::size_t repeated_ = 0;
  int list_depth_ = 0;
};

// The components of the absolute, normalized path.
std::vector<std::string> components(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::absolute(path).lexically_normal()) {
    if (!part.empty()) parts.push_back(part.string());
  }
  return parts;
}

}  // namespace

std::vector<fs::path> find_samples(const std::vector<fs::path>& paths) {
  Finder finder;
  for (const fs::path& path : paths) finder.add(path);
  return finder.take();
}

std::vector<std::string> display_names(const std::vector<fs::path>& samples) {
  std::vector<std::vector<std::string>> split;
  for (const fs::path& sample : samples) split.push_back(components(sample));
  if (split.empty()) return {};
  // The last component always stays in the name.
  std::size_t common = split.front().size() - 1;
  for (const std::vector<std::string>& parts : split) {
    const auto limit = std::min(common, parts.size() - 1);
    common = 0;
    while (common < limit && parts[common] == split.front()[common]) ++common;
  }
  std::vector<std::string> names;
  for (const std::vector<std::string>& parts : split) {
    std::string name = parts[common];
    for (std::size_t i = common + 1; i < parts.size(); ++i) name += "/" + parts[i];
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace graphnet
