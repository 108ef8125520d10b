// Finding samples: a PATH on the command line is a sample, a folder searched to any depth, or a text file of paths.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graphnet {

// The sample folders that the paths name, each once, in the order given and sorted by name within a folder. A text file
// has one path a line (relative to the file's folder; blank lines and lines that begin with # are skipped). Throws
// Error(kUsage) for a path that does not exist or holds no sample, for a file that is no list, with file:line for what
// a list names, and for samples whose path is not UTF-8; Error(kInput) for a folder that cannot be read. Symbolic links
// to folders are followed once.
std::vector<std::filesystem::path> find_samples(const std::vector<std::filesystem::path>& paths);

// Throws Error(kUsage) where the path is not the folder of one sample, saying what it is instead.
void require_sample_folder(const std::filesystem::path& path);

// A short name of each sample within the set: the path below the folder they have in common ("vision/resnet18").
std::vector<std::string> display_names(const std::vector<std::filesystem::path>& samples);

}  // namespace graphnet
