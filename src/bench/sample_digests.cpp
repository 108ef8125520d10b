#include "graphnet/bench/sample_digests.h"

#include <algorithm>
#include <iterator>

#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"

namespace graphnet {
namespace {

std::string digest_of(const std::filesystem::path& sample) {
  try {
    return sha256(sha256(read_file(sample / kGraphFile)) + sha256(read_file(sample / kMetadataFile))).substr(0, 16);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::vector<std::string> sample_digests(const std::vector<std::filesystem::path>& samples) {
  std::vector<std::string> digests;
  digests.reserve(samples.size());
  std::ranges::transform(samples, std::back_inserter(digests), digest_of);
  return digests;
}

}  // namespace graphnet
