// Splitting one set of samples among several machines.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

struct Shard {
  int number = 1;  // from 1
  int count = 1;

  std::string to_string() const;  // "2/4"
};

// Throws Error(kUsage) for a text that is not I/N with 1 <= I <= N.
Shard parse_shard(std::string_view text);

// Whether a sample belongs to the shard: by the hash of its graph, so that equal graphs go together and every machine
// splits alike, wherever its samples lie. A sample that cannot be read goes by its folder's name.
bool is_in_shard(const std::filesystem::path& sample, const Shard& shard);

}  // namespace graphnet
