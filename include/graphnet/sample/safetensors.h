// Reading and writing .safetensors files: 8 bytes of little-endian header length, a JSON header of at most 100 MB, raw
// data in row-major order. Files are mapped, not copied; everything in the header is checked before it is used.
//
// The format has no name for complex32 and complex128. They are written as their parts, float16 and float64 with a last
// dimension of 2, which other programs read as such; the file's metadata holds "NAME": "complex128" for them, and this
// reader gives them back as complex tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graphnet/graph/tensor_type.h"

namespace graphnet {

class SafetensorsFile {
 public:
  // Maps the file and checks its header: known dtypes, sizes that match shapes, ranges within the file that neither
  // overlap nor leave gaps. Throws Error(kInput) naming file and entry. The file must not shrink while it is mapped.
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

  struct Entry {
    TensorType type;                   // always contiguous
    std::span<const std::byte> bytes;  // valid as long as the file is mapped; not aligned in files of other writers
  };

  const std::map<std::string, Entry>& entries() const;
  const std::map<std::string, std::string>& metadata() const;

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
};

// Writes tensors one after the other without holding them all: give the types first, then each tensor's bytes in the
// same order. In the file the tensors with the largest elements come first, so that all are aligned. Throws
// Error(kInterrupted) for a full disk, Error(kEnvironment) for other failures, Error(kUnsupported) for quantized
// dtypes. A file that was not finished is removed.
class SafetensorsWriter {
 public:
  struct Item {
    std::string name;
    TensorType type;  // contiguous
  };
  SafetensorsWriter(const std::filesystem::path& path, const std::vector<Item>& items);
  ~SafetensorsWriter();
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;

  void append(std::span<const std::byte> bytes);

  // All tensors must have been appended. Flushes to disk.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphnet
