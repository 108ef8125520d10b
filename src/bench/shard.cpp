#include "graphnet/bench/shard.h"

#include <cstdint>

#include "graphnet/sample/metadata.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"
#include "graphnet/support/text.h"

namespace graphnet {

std::string Shard::to_string() const {
  return std::to_string(number) + "/" + std::to_string(count);
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  constexpr std::int64_t kMost = 1'000'000;
  const auto number = parse_integer(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *count > kMost || *number > *count) {
    throw Error(ErrorKind::kUsage, "--shard: \"" + excerpt(text) + "\" is no part of a whole; write I/N, such as 1/4");
  }
  return {static_cast<int>(*number), static_cast<int>(*count)};
}

bool is_in_shard(const std::filesystem::path& sample, const Shard& shard) {
  std::string name = sample.filename();
  try {
    const std::filesystem::path file = sample / kMetadataFile;
    name = read_metadata(read_file(file), file.string()).identity;
  } catch (const Error&) {  // the unit will say what is wrong with it
  }
  const std::uint64_t hash = std::stoull(sha256(name).substr(0, 15), nullptr, 16);
  return hash % static_cast<std::uint64_t>(shard.count) == static_cast<std::uint64_t>(shard.number - 1);
}

}  // namespace graphnet
