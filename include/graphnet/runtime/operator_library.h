// Libraries of operators outside LibTorch: a shared object, or a Python package that has one (torchvision). Loading one
// registers its operators with the dispatcher; nothing of it can be unloaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graphnet/sample/metadata.h"

namespace graphnet {

struct LoadedLibrary {
  std::string name;                    // as given: the package's name, or the file's name without its folder
  std::filesystem::path file;          // what was loaded
  std::string sha256;                  // of that file
  std::vector<std::string> operators;  // full names that this library registered, sorted
};

// Loads a shared object (a path ending in .so, or with a slash) or the operator library of a Python package that is
// installed beside LibTorch. Libraries that are written as Python extensions get libpython loaded first. Throws
// Error(kEnvironment) where there is no such file or package, and with the loader's reason where it cannot be loaded.
LoadedLibrary load_operator_library(const std::string& file_or_package);

// The same for packages alone: whatever lies under that name in the working directory is left alone.
LoadedLibrary load_operator_package(const std::string& package);

// Loads the libraries that a sample names, where their operators are not registered yet. A sample names Python
// packages: a file of its choice is never loaded. Throws Error(kEnvironment) naming the operators that are missing
// otherwise, and how to give their library.
void load_libraries_of(const Metadata& metadata);

// The shared objects of a Python package that hold operators, the most likely first: those that refer to LibTorch's
// registration functions. Throws Error(kEnvironment) where the package is not installed or has none.
std::vector<std::filesystem::path> operator_libraries_of(const std::string& package);

// The folder that LibTorch's Python package lies in: .../site-packages.
std::filesystem::path torch_site_packages();

// Full names of all operators that the dispatcher knows, sorted.
std::vector<std::string> registered_operators();

}  // namespace graphnet
