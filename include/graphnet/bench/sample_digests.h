// What is in samples' files, in few letters: how a run that goes on knows that a sample is still the one it was.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graphnet {

// One text a sample; empty for one that cannot be read.
std::vector<std::string> sample_digests(const std::vector<std::filesystem::path>& samples);

}  // namespace graphnet
