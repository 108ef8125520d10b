#include "graphnet/bench/journal.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "graphnet/report/json_value.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Whether the folder has nothing in it but what a run leaves that was killed before its run.json was there.
bool is_free(const std::filesystem::path& folder, std::error_code& failure) {
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename();
    const bool is_half_written = name.starts_with(std::string(kRunFile) + ".new-");
    std::error_code no_size;  // a device's
    const bool has_size = std::filesystem::file_size(entry->path(), no_size) > 0 && !no_size;
    if (!is_half_written && (name != kResultsFile || has_size)) return false;
  }
  return true;
}

[[noreturn]] void throw_write_error(const std::filesystem::path& path, int reason) {
  const ErrorKind kind = write_error_kind(reason);
  throw Error(kind, "cannot write " + path.string() + ": " + std::strerror(reason) +
                        (kind == ErrorKind::kInterrupted ? " (what was recorded is safe)" : ""));
}

}  // namespace

ordered_json to_json(const UnitRecord& record) {
  const Outcome& outcome = record.outcome;
  ordered_json line;
  line["sample"] = outcome.sample;
  line["compiler"] = outcome.compiler;
  line["status"] = outcome_status_name(outcome.status);
  line["strictest_level"] = nullable(outcome.strictest_level);
  line["speedup"] = nullable(outcome.speedup);
  line["verdict"] = record.verdict;
  line["degenerate"] = record.degenerate;
  line["stage"] = nullable_name(outcome.stage, stage_name);
  line["cause"] = nullable_name(outcome.cause, cause_name);
  line["message"] = outcome.message;
  line["compile_seconds"] = record.compile_seconds;
  line["compile_cached"] = record.compile_cached;
  line["seconds"] = record.seconds;
  line["path"] = record.path;
  line["identity"] = record.identity;
  line["group"] = outcome.group;
  line["category"] = record.category;
  line["dtypes"] = record.dtypes;
  line["log"] = record.log;
  line["reproduce"] = record.reproduce;
  line["measurements"] = record.measurements;
  return line;
}

void check_run_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure)) return;
  if (!std::filesystem::is_directory(folder, failure)) {
    throw Error(ErrorKind::kUsage, folder.string() + " is no folder: give another one with -o");
  }
  if (std::filesystem::exists(folder / kRunFile, failure)) {
    throw Error(ErrorKind::kUsage, folder.string() + " already holds a run: give another folder with -o");
  }
  const bool free = is_free(folder, failure);
  if (failure) throw Error(ErrorKind::kEnvironment, "cannot read " + folder.string() + ": " + failure.message());
  if (!free) {
    throw Error(ErrorKind::kUsage,
                folder.string() + " holds other files, among which a run would be lost: give a new folder with -o");
  }
}

Journal::Journal(std::filesystem::path folder, const ordered_json& run) : folder_(std::move(folder)) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) throw Error(ErrorKind::kEnvironment, "cannot make " + folder_.string() + ": " + failure.message());
  open_results(O_CREAT);
  check_run_folder(folder_);  // again: now that nobody else can begin a run there
  write_file(folder_ / kRunFile, run.dump(2) + "\n");
  // The results' name must survive a power loss as well as their lines; write_file has flushed the folder.
}

Journal::Journal(std::filesystem::path folder) : folder_(std::move(folder)) {
  open_results(0);
  const std::string text = read_file(folder_ / kResultsFile, std::numeric_limits<std::size_t>::max() / 2);
  const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is no line
  if (whole == text.size()) return;
  if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) throw_write_error(folder_ / kResultsFile, errno);
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Journal::Journal(Journal&& other) noexcept
    : folder_(std::move(other.folder_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void Journal::open_results(int flags) {
  const std::filesystem::path results = folder_ / kResultsFile;
  descriptor_ = ::open(results.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  if (descriptor_ < 0) throw_write_error(results, errno);
  // A graphnet that was killed just now may leave a process behind, for a moment, that was about to become a worker and
  // holds what it inherited.
  constexpr std::chrono::seconds kLongestMoment{3};
  const auto deadline = std::chrono::steady_clock::now() + kLongestMoment;
  do {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (std::chrono::steady_clock::now() < deadline);
  ::close(std::exchange(descriptor_, -1));
  throw Error(ErrorKind::kUsage, folder_.string() + ": another graphnet is at work on this run");
}

void Journal::append(const UnitRecord& record) {
  // Messages may quote bytes of a crashing program that are no UTF-8.
  const std::string line = to_json(record).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  const auto fail = [&](int reason) {
    if (before >= 0) [[maybe_unused]]
      const int cut = ::ftruncate(descriptor_, before);
    throw_write_error(folder_ / kResultsFile, reason);
  };
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(descriptor_) != 0) fail(errno);
}

json read_run_information(const std::filesystem::path& file) {
  json info = json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  auto refuse = [&file](const std::string& reason) { throw Error(ErrorKind::kInput, file.string() + ": " + reason); };
  if (!info.is_object()) refuse("no JSON object: not a run of graphnet");
  const auto version = info.find("graphnet");
  if (version == info.end() || !version->is_number_integer() || *version < 1) {
    refuse("no format version \"graphnet\": not a run of graphnet");
  }
  if (*version > kRunFormatVersion) {
    refuse("written by a newer graphnet, in format version " + version->dump() + "; this one reads version " +
           std::to_string(kRunFormatVersion));
  }
  for (const char* key : {"samples", "compilers"}) {
    const auto list = info.find(key);
    if (list == info.end() || !list->is_array()) refuse("no list \"" + std::string(key) + "\": the file is damaged");
  }
  return info;
}

}  // namespace graphnet
