#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

#include "safetensors_dtype.h"

namespace graphnet {
namespace {

// The type as the format can name it: complex numbers without a name become a last dimension of two parts.
TensorType written_type(const SafetensorsWriter::Item& item) {
  TensorType type = item.type;
  if (!safetensors_name(type.dtype) && is_complex(type.dtype)) {
    type.dtype = real_dtype(type.dtype);
    type.shape.push_back(2);
  }
  if (!safetensors_name(type.dtype)) {
    throw Error(ErrorKind::kUnsupported,
                item.name + ": safetensors files have no " + std::string(dtype_name(type.dtype)));
  }
  if (!type.strides.empty()) {
    throw Error(ErrorKind::kInternal, item.name + ": only contiguous tensors are written, not " + to_string(type));
  }
  return type;
}

// Names the dtypes of tensors that are written as their parts; empty where there are none.
std::string metadata_of(const std::vector<SafetensorsWriter::Item>& items) {
  std::string metadata;
  for (const SafetensorsWriter::Item& item : items) {
    if (safetensors_name(item.type.dtype)) continue;
    metadata += metadata.empty() ? "\"__metadata__\":{" : ",";
    append_json_string(metadata, item.name);
    metadata += ":\"" + std::string(dtype_name(item.type.dtype)) + "\"";
  }
  return metadata.empty() ? metadata : metadata + "}";
}

void append_entry(std::string& header, const std::string& name, const TensorType& type, std::uint64_t begin,
                  std::uint64_t end) {
  append_json_string(header, name);
  header += ":{\"dtype\":\"" + std::string(*safetensors_name(type.dtype)) + "\",\"shape\":[";
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (i != 0) header += ',';
    append_integer(header, type.shape[i]);
  }
  header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

}  // namespace

struct SafetensorsWriter::State {
  struct Part {
    std::uint64_t offset = 0;  // in the file
    std::uint64_t size = 0;
  };

  explicit State(const std::filesystem::path& file) : path(file) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) fail("cannot create", errno);
  }
  ~State() {
    if (descriptor < 0) return;
    ::close(descriptor);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void fail(const std::string& what, int code) const {
    throw Error(write_error_kind(code), what + " " + path.string() + ": " + std::generic_category().message(code));
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write", errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
  }

  std::filesystem::path path;
  int descriptor = -1;
  std::vector<Part> parts;  // in the order of the items
  std::size_t appended = 0;
};

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, const std::vector<Item>& items) {
  std::vector<TensorType> types;
  for (const Item& item : items) types.push_back(written_type(item));
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return dtype_size(types[i].dtype); });

  state_ = std::make_unique<State>(path);
  state_->parts.resize(items.size());
  std::string header = "{" + metadata_of(items);
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    State::Part& part = state_->parts[i];
    part = {end, static_cast<std::uint64_t>(storage_bytes(types[i]))};
    end += part.size;
    if (header.size() > 1) header += ',';
    append_entry(header, items[i].name, types[i], part.offset, end);
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kSafetensorsHeaderLimit) {
    throw Error(ErrorKind::kUnsupported, path.string() + ": too many tensors for one safetensors file");
  }
  for (State::Part& part : state_->parts) part.offset += 8 + header.size();
  std::byte length[8];
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(header.size() >> (8 * i));
  state_->write_at(0, length);
  state_->write_at(8, std::as_bytes(std::span(header)));
}

SafetensorsWriter::~SafetensorsWriter() = default;

void SafetensorsWriter::append(std::span<const std::byte> bytes) {
  if (state_->appended == state_->parts.size()) {
    throw Error(ErrorKind::kInternal, state_->path.string() + ": all tensors have been written");
  }
  const State::Part& part = state_->parts[state_->appended];
  if (bytes.size() != part.size) {
    throw Error(ErrorKind::kInternal, state_->path.string() + ": tensor " + std::to_string(state_->appended) + " has " +
                                          std::to_string(bytes.size()) + " bytes instead of " +
                                          std::to_string(part.size));
  }
  state_->write_at(part.offset, bytes);
  ++state_->appended;
}

void SafetensorsWriter::finish() {
  if (state_->appended != state_->parts.size()) {
    throw Error(ErrorKind::kInternal, state_->path.string() + ": not all tensors have been written");
  }
  if (::fsync(state_->descriptor) != 0) state_->fail("cannot flush", errno);
  if (::close(std::exchange(state_->descriptor, -1)) != 0) state_->fail("cannot close", errno);
}

}  // namespace graphnet
