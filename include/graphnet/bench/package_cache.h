// Packages that compilers made, kept from run to run: compiling what was compiled before costs nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace graphnet {

class PackageCache {
 public:
  static constexpr std::uintmax_t kLargest = std::uintmax_t{10} << 30;  // bytes

  explicit PackageCache(std::filesystem::path folder, std::uintmax_t largest = kLargest);

  // $XDG_CACHE_HOME/graphnet/packages, else ~/.cache/graphnet/packages; empty where neither is known.
  static std::filesystem::path default_folder();

  // The name of what is compiled from these facts: everything that decides what a compiler makes.
  static std::string key(const nlohmann::json& facts);

  // Puts the package at `package` and returns what its compile reported, where it is there. Whatever is damaged is as
  // good as not there.
  std::optional<nlohmann::json> fetch(const std::string& key, const std::filesystem::path& package) const;

  // Keeps a package, whole or not at all, and removes those used longest ago until all are within the bound. A cache
  // that cannot be written is no reason to fail.
  void store(const std::string& key, const std::filesystem::path& package, const nlohmann::json& report) const;

 private:
  void make_room() const;

  std::filesystem::path folder_;
  std::uintmax_t largest_;
};

}  // namespace graphnet
