#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "safetensors_dtype.h"
#include "strict_json.h"

namespace graphnet {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";
constexpr JsonLimits kHeaderLimits{.depth = 4, .nodes = 4'000'000};

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const std::string* name = nullptr;
};

class HeaderReader {
 public:
  HeaderReader(std::string_view file, std::span<const std::byte> data) : file_(file), data_(data) {}

  void read(const Json& header, std::map<std::string, SafetensorsFile::Entry>& entries,
            std::map<std::string, std::string>& metadata) {
    const auto* members = header.get_if<Json::Object>();
    if (members == nullptr) fail("the header is no JSON object");
    std::vector<Range> ranges;
    for (const auto& [name, json] : *members) {
      if (name == kMetadataKey) {
        read_metadata(json, metadata);
      } else {
        ranges.push_back(read_entry(name, json, entries));
      }
    }
    check_ranges(ranges);
    for (auto& [name, entry] : entries) {
      if (const auto dtype = metadata.find(name); dtype != metadata.end()) join_parts(entry.type, dtype->second);
    }
  }

 private:
  void read_metadata(const Json& json, std::map<std::string, std::string>& metadata) const {
    const auto* members = json.get_if<Json::Object>();
    if (members == nullptr) fail("__metadata__ is no object");
    for (const auto& [key, value] : *members) {
      const auto* text = value.get_if<std::string>();
      if (text == nullptr) fail("__metadata__ of \"" + excerpt(key) + "\" is no string");
      metadata.emplace(key, *text);
    }
  }

  // Undoes what the writer does to complex dtypes without a name. Metadata of other programs may be anything.
  static void join_parts(TensorType& type, const std::string& name) {
    const std::optional<Dtype> dtype = parse_dtype(name);
    const bool is_written_as_parts = dtype && is_complex(*dtype) && !safetensors_name(*dtype);
    if (!is_written_as_parts || type.dtype != real_dtype(*dtype) || type.shape.empty() || type.shape.back() != 2)
      return;
    type.dtype = *dtype;
    type.shape.pop_back();
  }

  Range read_entry(const std::string& name, const Json& json,
                   std::map<std::string, SafetensorsFile::Entry>& entries) const {
    ObjectReader reader(json, file_, excerpt(name));
    TensorType type;
    const std::string dtype = reader.string("dtype");
    const std::optional<Dtype> known = parse_safetensors_name(dtype);
    if (!known) fail_entry(name, "unknown dtype \"" + excerpt(dtype) + "\"");
    type.dtype = *known;
    for (const Json& size : reader.array("shape")) {
      const auto* value = size.get_if<std::int64_t>();
      if (value == nullptr || *value < 0) reader.fail(size, "shape", "sizes of at least 0");
      type.shape.push_back(*value);
    }
    const Json::Array& offsets = reader.array("data_offsets");
    reader.finish();
    if (offsets.size() != 2) fail_entry(name, "data_offsets are not two");
    const Range range{read_offset(name, offsets[0]), read_offset(name, offsets[1]), &name};
    if (range.begin > range.end || range.end > data_.size()) {
      fail_entry(name, "its bytes [" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
                           ") are not within the " + std::to_string(data_.size()) + " bytes of data");
    }
    const std::int64_t expected = bytes_of(name, type);
    if (range.end - range.begin != static_cast<std::uint64_t>(expected)) {
      fail_entry(name, to_string(type) + " takes " + std::to_string(expected) + " bytes, it has " +
                           std::to_string(range.end - range.begin));
    }
    entries.emplace(name, SafetensorsFile::Entry{type, data_.subspan(range.begin, range.end - range.begin)});
    return range;
  }

  std::uint64_t read_offset(const std::string& name, const Json& json) const {
    const auto* value = json.get_if<std::int64_t>();
    if (value == nullptr || *value < 0) fail_entry(name, "data_offsets are no integers of at least 0");
    return static_cast<std::uint64_t>(*value);
  }

  std::int64_t bytes_of(const std::string& name, const TensorType& type) const {
    try {
      return storage_bytes(type);
    } catch (const Error& error) {
      fail_entry(name, error.what());
    }
  }

  void check_ranges(std::vector<Range>& ranges) const {
    std::ranges::sort(
        ranges, [](const Range& a, const Range& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t end = 0;
    for (const Range& range : ranges) {
      if (range.begin < end) fail_entry(*range.name, "its bytes overlap those of another tensor");
      if (range.begin > end) fail_entry(*range.name, "there is a gap before its bytes");
      end = range.end;
    }
    if (end != data_.size()) fail(std::to_string(data_.size() - end) + " bytes at the end belong to no tensor");
  }

  [[noreturn]] void fail_entry(const std::string& name, const std::string& message) const {
    fail("tensor \"" + excerpt(name) + "\": " + message);
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::kInput, std::string(file_) + ": " + message);
  }

  std::string_view file_;
  std::span<const std::byte> data_;
};

}  // namespace

struct SafetensorsFile::Mapping {
  explicit Mapping(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, std::generic_category().message(errno));
    struct stat status = {};
    const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    if (is_file && status.st_size > 0) {
      size = static_cast<std::size_t>(status.st_size);
      address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int code = errno;
    ::close(descriptor);
    if (!is_file) fail(path, "no regular file");
    if (address == MAP_FAILED) fail(path, "cannot map the file: " + std::generic_category().message(code));
  }
  ~Mapping() {
    if (address != nullptr && address != MAP_FAILED) ::munmap(address, size);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[noreturn]] static void fail(const std::filesystem::path& path, const std::string& message) {
    throw Error(ErrorKind::kInput, path.string() + ": " + message);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address), size}; }

  void* address = nullptr;
  std::size_t size = 0;
  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : mapping_(std::make_unique<Mapping>(path)) {
  const std::span<const std::byte> bytes = mapping_->bytes();
  if (bytes.size() < kLengthBytes) Mapping::fail(path, "too short for a safetensors file");
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  if (length > kSafetensorsHeaderLimit) {
    Mapping::fail(path, "a header of " + std::to_string(length) + " bytes: more than the " +
                            std::to_string(kSafetensorsHeaderLimit) + " that the format allows");
  }
  if (length > bytes.size() - kLengthBytes) {
    Mapping::fail(path, "truncated: the header has " + std::to_string(length) + " bytes, the file only " +
                            std::to_string(bytes.size() - kLengthBytes) + " after the length");
  }
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  const std::string file = path.string();
  HeaderReader(file, bytes.subspan(kLengthBytes + length))
      .read(parse_json(header, file, kHeaderLimits), mapping_->entries, mapping_->metadata);
}

SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;

const std::map<std::string, SafetensorsFile::Entry>& SafetensorsFile::entries() const {
  return mapping_->entries;
}

const std::map<std::string, std::string>& SafetensorsFile::metadata() const {
  return mapping_->metadata;
}

}  // namespace graphnet
