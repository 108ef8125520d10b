// SHA-256 of bytes, incrementally or at once, as 64 lower-case hexadecimal digits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace graphnet {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  void update(std::span<const std::byte> bytes);

  // The digest of all bytes so far. The object must not be used afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view bytes);

// Throws Error(kInput) where the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace graphnet
