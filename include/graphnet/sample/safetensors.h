// Reading and writing .safetensors files: 8 bytes of little-endian header length, a JSON header, raw data. Files are mapped,
// not copied; everything in the header is checked before it is used.
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
  // Maps the file and checks its header: known dtypes, sizes that match shapes, ranges within the file that neither overlap
  // nor leave gaps. Throws Error(kInput) naming file and entry.
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

  struct Entry {
    TensorType type;  // always contiguous
    std::span<const std::byte> bytes;
  };

  const std::map<std::string, Entry>& entries() const;
  const std::map<std::string, std::string>& metadata() const;

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
};

// Writes tensors one after the other without holding them all: give the types first, then each tensor's bytes in the same
// order. finish() flushes to disk. Throws Error(kEnvironment) for a full disk.
class SafetensorsWriter {
 public:
  struct Item {
    std::string name;
    TensorType type;  // contiguous
  };
  SafetensorsWriter(const std::filesystem::path& path, const std::vector<Item>& items);
  ~SafetensorsWriter();
  void append(std::span<const std::byte> bytes);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphnet
