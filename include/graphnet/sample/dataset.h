// Finding samples: a PATH on the command line is a sample, a folder searched to any depth, or a text file of paths.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graphnet {

// The sample folders that the paths name, each once, in the order given and sorted by name within a folder. A text file
// has one path a line (relative to the file's folder; blank lines and lines that begin with # are skipped). Throws
// Error(kUsage) for a path that does not exist or holds no sample. Symbolic links to folders are followed once.
std::vector<std::filesystem::path> find_samples(const std::vector<std::filesystem::path>& paths);

// A short name of each sample within the set: the path below the folder they have in common ("vision/resnet18").
std::vector<std::string> display_names(const std::vector<std::filesystem::path>& samples);

}  // namespace graphnet
