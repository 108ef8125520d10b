#include "graphnet/sample/dataset.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListLimit = std::size_t{16} << 20;  // of a list of paths
constexpr std::size_t kPathShown = 300;                    // bytes of a path in a message

[[noreturn]] void fail(const fs::path& path, std::string_view why, ErrorKind kind = ErrorKind::kUsage) {
  const std::string shown = path.empty() ? "the path \"\"" : excerpt(path.string(), kPathShown);
  throw Error(kind, shown + ": " + std::string(why));
}

// What cannot be looked at is taken as not there; reading it will give the reason.
bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_sample(const fs::path& folder) {
  return is_file(folder / kGraphFile) || is_file(folder / kMetadataFile);
}

void require_existing(const fs::path& path) {
  std::error_code failure;
  if (fs::exists(path, failure)) return;
  fail(path, failure ? failure.message() : "no such file or folder");
}

// Names travel to the worker and into reports as JSON, which is UTF-8.
void require_utf8(const fs::path& path) {
  if (!is_utf8(path.string())) fail(path, "its name is not UTF-8 (the \\xNN bytes), which graphnet needs: rename it");
}

std::string first_bytes(const fs::path& file) {
  std::string bytes(512, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

// Control characters and bytes that are not UTF-8 do not occur in text.
bool is_text(std::string_view line) {
  return is_utf8(line) && std::ranges::none_of(line, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte == 0x7FU || (byte < 0x20U && c != '\t' && c != '\r');
         });
}

// A file that is known not to be a list of paths, by its first bytes and its name, is refused with the way to use it.
void refuse_other_files(const fs::path& file) {
  const std::string name = excerpt(file.string(), kPathShown);
  if (!is_file(file)) return;  // a pipe would be waited for
  if (first_bytes(file).starts_with("PK\x03\x04")) {
    fail(file, "this is a TorchScript file (or another archive), not a sample: graphnet extract " + name);
  }
  if (file.filename() == kGraphFile || file.filename() == kMetadataFile) {
    fail(file, "this is a part of a sample: give its folder");
  }
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
    require_existing(path);
    if (is_folder(path)) {
      std::set<fs::path> visited;
      walk(path, visited);
    } else {
      add_list(path);
    }
    if (seen_samples_.size() + repeated_ == before) {
      fail(path, "holds no sample (a folder with " + std::string(kGraphFile) + ")");
    }
  }

 private:
  void walk(const fs::path& folder, std::set<fs::path>& visited) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    if (failure) fail(folder, failure.message(), ErrorKind::kInput);
    if (!visited.insert(real).second) return;
    if (is_sample(folder)) {
      require_utf8(folder);
      if (seen_samples_.insert(real).second) {
        found_.push_back(folder);
      } else {
        ++repeated_;
      }
      return;
    }
    for (const fs::path& child : folders_in(folder)) walk(child, visited);
  }

  // Sorted; without those whose name begins with a dot.
  static std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> children;
    std::error_code failure;
    fs::directory_iterator entry(folder, failure);
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
      const bool is_hidden = entry->path().filename().string().starts_with('.');
      if (!is_hidden && is_folder(entry->path())) children.push_back(entry->path());
    }
    if (failure) fail(folder, failure.message(), ErrorKind::kInput);
    std::ranges::sort(children);
    return children;
  }

  void add_list(const fs::path& file) {
    refuse_other_files(file);
    if (is_in_list_) fail(file, "a list of paths names folders, not further files");
    const std::string text = read_file(file, kListLimit);
    is_in_list_ = true;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      add_line(file, ++number, std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    is_in_list_ = false;
  }

  void add_line(const fs::path& file, std::size_t number, std::string_view line) {
    const fs::path place = file.string() + ":" + std::to_string(number);
    if (!is_text(line)) {
      fail(place, "\"" + excerpt(line) + "\" is no path; a list is a text file (UTF-8) with one path a line");
    }
    line = trim(line);
    if (line.empty() || line.front() == '#') return;
    try {
      add(file.parent_path() / line);
    } catch (const Error& error) {
      throw error.with_context(excerpt(place.string(), kPathShown));
    }
  }

  std::vector<fs::path> found_;
  std::set<fs::path> seen_samples_;
  std::size_t repeated_ = 0;
  bool is_in_list_ = false;
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

void require_sample_folder(const fs::path& path) {
  require_existing(path);
  require_utf8(path);
  if (is_sample(path)) return;
  if (!is_folder(path)) {
    refuse_other_files(path);
    fail(path, "is a file; a sample is a folder with " + std::string(kGraphFile));
  }
  const std::vector<fs::path> samples = find_samples({path});
  fail(path, "is no sample but a folder of " + std::to_string(samples.size()) + ", such as " +
                 excerpt(samples.front().string(), kPathShown));
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
