#include "graphnet/bench/package_cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;  // of the facts and of an entry
constexpr const char* kPackage = "package.pt2";
constexpr const char* kReport = "compile.json";
constexpr std::string_view kUnfinished = "new-";

// A second name for the file where the file system allows it, so that it stays when the first is removed; else a copy.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code no_link;
  fs::remove(to, no_link);
  fs::create_hard_link(from, to, no_link);
  if (no_link) fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

// What a killed graphnet left half written.
void remove_where_abandoned(const fs::path& folder) {
  std::error_code ignored;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(folder, ignored);
  if (!ignored && age > std::chrono::hours(24)) fs::remove_all(folder, ignored);
}

struct Entry {
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
  fs::path folder;
};

std::vector<Entry> entries_in(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code failure;
  for (fs::directory_iterator place(folder, failure), end; !failure && place != end; place.increment(failure)) {
    std::error_code gone;
    if (place->path().filename().string().starts_with(kUnfinished)) {
      remove_where_abandoned(place->path());
      continue;
    }
    const fs::path report = place->path() / kReport;
    const Entry entry{fs::last_write_time(report, gone), fs::file_size(place->path() / kPackage, gone), place->path()};
    if (!gone) entries.push_back(entry);
  }
  return entries;
}

}  // namespace

PackageCache::PackageCache(fs::path folder, std::uintmax_t largest) : folder_(std::move(folder)), largest_(largest) {}

fs::path PackageCache::default_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  // What is not absolute is to be ignored, says the XDG specification.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "graphnet" / "packages";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "graphnet" / "packages";
  return {};
}

std::string PackageCache::key(const json& facts) {
  return sha256(json{{"format", kFormat}, {"facts", facts}}.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<json> PackageCache::fetch(const std::string& key, const fs::path& package) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path entry = folder_ / key;
  try {
    if (!fs::is_regular_file(entry / kReport)) return std::nullopt;
    json report = json::parse(read_file(entry / kReport));
    link_or_copy(entry / kPackage, package);
    if (fs::file_size(package) != report.at("package_bytes").get<std::uintmax_t>()) return std::nullopt;
    fs::last_write_time(entry / kReport, fs::file_time_type::clock::now());
    return report;
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  } catch (const json::exception&) {
  }
  return std::nullopt;
}

void PackageCache::store(const std::string& key, const fs::path& package, const json& report) const {
  if (folder_.empty()) return;
  try {
    fs::create_directories(folder_);
    const TemporaryFolder fresh(kUnfinished, folder_);
    json kept = report;
    kept["package_bytes"] = fs::file_size(package);
    link_or_copy(package, fresh.path() / kPackage);
    flush_to_disk(fresh.path() / kPackage);  // before the report, by which an entry is found
    write_file(fresh.path() / kReport, kept.dump(2) + "\n");
    std::error_code taken;
    fs::remove_all(folder_ / key, taken);  // made anew on purpose, or damaged
    fs::rename(fresh.path(), folder_ / key, taken);
    make_room();
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

void PackageCache::make_room() const {
  std::vector<Entry> entries = entries_in(folder_);
  std::uintmax_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& oldest : entries) {
    if (bytes <= largest_) return;
    std::error_code ignored;
    fs::remove_all(oldest.folder, ignored);
    bytes -= oldest.bytes;
  }
}

}  // namespace graphnet
