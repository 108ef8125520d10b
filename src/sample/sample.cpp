#include "graphnet/sample/sample.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <stdio.h>
#include <system_error>
#include <unistd.h>

#include "graphnet/graph/identity.h"
#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMetadataLimit = std::size_t{64} << 20;
constexpr std::array kSampleFiles = {kGraphFile, kMetadataFile, kWeightsFile};

[[noreturn]] void fail(const std::string& what, const fs::path& path, int code) {
  throw Error(write_error_kind(code), what + " " + path.string() + ": " + std::generic_category().message(code));
}

void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open", folder, errno);
  // Some file systems cannot flush a folder and say EINVAL; there is nothing more to do on them.
  const int code = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  if (code != 0) fail("cannot flush", folder, code);
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code != std::errc::cross_device_link) {
    if (code) fail("cannot move", from, code.value());
    return;
  }
  fs::copy_file(from, to, code);
  if (code) fail("cannot copy", from, code.value());
  const int descriptor = ::open(to.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::fsync(descriptor) != 0) fail("cannot flush", to, errno);
  ::close(descriptor);
  fs::remove(from);
}

// Puts `fresh` in the place of `directory`. Afterwards `fresh` is what was there, or does not exist.
void swap_in(const fs::path& fresh, const fs::path& directory) {
  if (::rename(fresh.c_str(), directory.c_str()) == 0) return;  // nothing there, or an empty folder
  if (errno != ENOTEMPTY && errno != EEXIST) fail("cannot write", directory, errno);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) == 0) return;
  // File systems without an exchange: for a moment there is no sample, but the old one is whole until the new one is
  // in.
  const fs::path old = fresh.string() + ".old";
  if (::rename(directory.c_str(), old.c_str()) != 0) fail("cannot move", directory, errno);
  if (::rename(fresh.c_str(), directory.c_str()) != 0) {
    const int code = errno;
    ::rename(old.c_str(), directory.c_str());
    fail("cannot write", directory, code);
  }
}

// The name that the sample in a folder has; nothing where it cannot be read.
std::optional<std::string> recorded_name(const fs::path& directory) {
  const fs::path file = directory / kMetadataFile;
  if (!fs::exists(file)) return std::nullopt;
  try {
    return read_metadata(read_file(file, kMetadataLimit), file.string()).name;
  } catch (const Error&) {
    return std::nullopt;  // damaged, or of a newer program
  }
}

// The limits of the text form bind the writer too: what it could not read again is no sample.
void require_readable(const Sample& sample, const std::string& graph, const std::string& metadata) {
  try {
    check(sample.graph);
    read_graph(graph, kGraphFile);
    read_metadata(metadata, kMetadataFile);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUnsupported,
                "the sample would not be readable, so it is not written: " + std::string(error.what()));
  }
}

}  // namespace

Sample read_sample_unverified(const fs::path& directory) {
  const fs::path graph_file = directory / kGraphFile;
  const fs::path metadata_file = directory / kMetadataFile;
  Sample sample;
  sample.directory = directory;
  sample.metadata = read_metadata(read_file(metadata_file, kMetadataLimit), metadata_file.string());
  sample.graph = read_graph(read_file(graph_file), graph_file.string());
  return sample;
}

Sample read_sample(const fs::path& directory) {
  Sample sample = read_sample_unverified(directory);
  verify_identity(sample);
  return sample;
}

void verify_identity(const Sample& sample) {
  const std::string graph_file = (sample.directory / kGraphFile).string();
  const std::string metadata_file = (sample.directory / kMetadataFile).string();
  Metadata expected;
  describe(expected, sample.graph);
  const Metadata& recorded = sample.metadata;
  if (expected.fingerprints != recorded.fingerprints) {
    throw Error(ErrorKind::kInput, graph_file + ": not the graph that was recorded: " +
                                       first_difference(sample.graph, recorded.fingerprints));
  }
  const auto require = [&](bool agrees, std::string_view key) {
    if (agrees) return;
    throw Error(ErrorKind::kInput, metadata_file + ": " + std::string(key) + ": not that of " + graph_file);
  };
  require(expected.identity == recorded.identity, "identity");
  require(expected.operators == recorded.operators, "operators");
  require(expected.dtypes == recorded.dtypes, "dtypes");
  require(expected.parameter_count == recorded.parameter_count, "parameter_count");
  require(expected.weight_bytes == recorded.weight_bytes, "weight_bytes");
}

void require_replaceable(const fs::path& directory, std::string_view name) {
  if (!fs::exists(fs::symlink_status(directory))) return;
  if (!fs::is_directory(directory)) {
    throw Error(ErrorKind::kInput, directory.string() + " exists and is no folder: choose another place");
  }
  bool is_empty = true;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    is_empty = false;
    const std::string file = entry.path().filename().string();
    if (std::ranges::find(kSampleFiles, file) != kSampleFiles.end() && entry.is_regular_file()) continue;
    throw Error(ErrorKind::kInput, directory.string() + " is no sample, it holds \"" + excerpt(file) +
                                       "\": not overwriting it, choose another folder");
  }
  if (is_empty) return;
  if (const std::optional<std::string> other = recorded_name(directory); other && *other != name) {
    throw Error(ErrorKind::kInput, directory.string() + " holds the sample \"" + excerpt(*other) +
                                       "\": not overwriting it with \"" + excerpt(name) +
                                       "\", choose another name (--name) or folder (-o)");
  }
  if (fs::exists(directory / kGraphFile) || fs::exists(directory / kMetadataFile)) return;
  throw Error(ErrorKind::kInput, directory.string() + " is no sample, it holds " + std::string(kWeightsFile) +
                                     " alone: not overwriting it, choose another folder");
}

void write_sample(const Sample& sample, const fs::path& directory, const fs::path& weights_file) {
  const std::string graph = write_graph(sample.graph);
  const std::string metadata = write_metadata(sample.metadata);
  require_readable(sample, graph, metadata);

  // "samples/a/" names the folder "samples/a", and a link the folder that it leads to.
  const fs::path target = fs::weakly_canonical(directory.has_filename() ? directory : directory.parent_path());
  const fs::path parent = target.parent_path();
  std::error_code code;
  fs::create_directories(parent, code);
  if (code) fail("cannot create", parent, code.value());
  require_replaceable(target, sample.metadata.name);

  const TemporaryFolder temporary("." + target.filename().string() + ".", parent);
  const fs::path fresh = temporary.path() / "sample";
  fs::create_directory(fresh, code);
  if (code) fail("cannot create", fresh, code.value());
  write_file(fresh / kGraphFile, graph);
  write_file(fresh / kMetadataFile, metadata);
  if (!weights_file.empty()) move_file(weights_file, fresh / kWeightsFile);
  flush_folder(fresh);
  swap_in(fresh, target);
  flush_folder(parent);
}

}  // namespace graphnet
