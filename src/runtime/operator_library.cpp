#include "graphnet/runtime/operator_library.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/version.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// Symbols that a library which registers operators refers to: torch::Library of C++ and its form in the stable ABI.
constexpr std::string_view kRegistrationSymbols[] = {"_ZN5torch7Library", "torch_library_init", "_ZN3c1010Dispatcher"};

constexpr std::size_t kLargestLibrary = std::size_t{4} << 30;

bool registers_operators(const fs::path& file) {
  const std::string bytes = read_file(file, kLargestLibrary);
  return std::any_of(std::begin(kRegistrationSymbols), std::end(kRegistrationSymbols),
                     [&](std::string_view symbol) { return bytes.find(symbol) != std::string::npos; });
}

// The Python that LibTorch belongs to: the environment around site-packages, or GRAPHNET_PYTHON.
std::string python_program() {
  if (const char* given = std::getenv("GRAPHNET_PYTHON"); given != nullptr && *given != '\0') return given;
  const fs::path beside = torch_site_packages() / "../../../bin/python3";
  std::error_code code;
  return fs::exists(beside, code) ? beside.lexically_normal().string() : "python3";
}

// The lines that the Python prints for a piece of code; none where it cannot be run. Isolated (-I): neither the working
// directory nor PYTHONPATH may lend it a package of the name.
std::vector<std::string> python_lines(std::string_view code) {
  const std::string command = shell_quoted(python_program()) + " -I -c " + shell_quoted(code) + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<std::string> lines;
  if (!pipe) return lines;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe.get()) != nullptr) {
    std::string line(buffer.data());
    if (line.ends_with('\n')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string loader_reason() {
  const char* reason = dlerror();
  return reason != nullptr ? reason : "unknown reason";
}

bool load(const fs::path& file, std::string& reason) {
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  reason = loader_reason();
  return false;
}

// Makes the symbols of Python available to an extension that needs them. Returns what went wrong, or nothing.
std::string load_python() {
  const std::vector<std::string> lines = python_lines(
      "import sysconfig as s; print(s.get_config_var('LIBDIR')); print(s.get_config_var('INSTSONAME')); "
      "print(s.get_config_var('VERSION'))");
  if (lines.size() != 3) return "no Python was found to take libpython from (set GRAPHNET_PYTHON)";
  const std::string shared = "libpython" + lines[2] + ".so.1.0";
  std::string reason;
  for (const fs::path& file : {fs::path(lines[0]) / lines[1], fs::path(lines[0]) / shared, fs::path(shared)}) {
    if (file.string().find(".so") != std::string::npos && load(file, reason)) return {};
  }
  return "it needs " + shared + ", which could not be loaded: " + reason;
}

bool needs_python(std::string_view reason) {
  return reason.find("undefined symbol: Py") != std::string_view::npos ||
         reason.find("undefined symbol: _Py") != std::string_view::npos ||
         reason.find("libtorch_python.so") != std::string_view::npos;
}

void load_or_throw(const fs::path& file) {
  std::string reason;
  if (load(file, reason)) return;
  std::string python_problem;
  if (needs_python(reason)) {
    python_problem = load_python();
    if (python_problem.empty()) {
      std::string ignored;
      if (reason.find("libtorch_python.so") != std::string::npos) {
        load(torch_site_packages() / "torch/lib/libtorch_python.so", ignored);
      }
      if (load(file, reason)) return;
    }
  }
  std::string message = "--op-library: " + file.string() + " cannot be loaded: " + reason;
  if (!python_problem.empty()) message += "; " + python_problem;
  if (reason.find("cuda") != std::string::npos && reason.find("cannot open shared object") != std::string::npos) {
    message += " (the library was built for CUDA, this worker runs torch " TORCH_VERSION "; install its CPU build)";
  }
  if (python_problem.empty() && reason.find("undefined symbol") != std::string::npos) {
    message += " (this worker runs torch " TORCH_VERSION "; the library was built for another version?)";
  }
  throw Error(ErrorKind::kEnvironment, message);
}

// No dots: to find a package within a package, Python would run the outer one.
bool is_package_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
}

fs::path package_folder(const std::string& package) {
  std::string module = package;
  std::replace(module.begin(), module.end(), '-', '_');
  std::error_code code;
  const fs::path beside = torch_site_packages() / module;
  if (fs::is_directory(beside, code)) return beside;
  const std::vector<std::string> lines =
      python_lines("import importlib.util as u; s = u.find_spec('" + module +
                   "'); print(s.submodule_search_locations[0] if s and s.submodule_search_locations else '')");
  if (!lines.empty() && !lines[0].empty()) return lines[0];
  throw Error(ErrorKind::kEnvironment, "--op-library: no file and no Python package '" + package + "' beside " +
                                           torch_site_packages().string() +
                                           ". Give the path of a shared object, or install the package there.");
}

bool is_shared_object(const fs::path& file) {
  return file.filename().string().find(".so") != std::string::npos;
}

// Nothing is unloaded, and loading again registers nothing.
LoadedLibrary load_once(const std::string& name, const fs::path& path) {
  static std::map<fs::path, LoadedLibrary> loaded;
  const fs::path file = fs::weakly_canonical(path);
  if (const auto known = loaded.find(file); known != loaded.end()) return known->second;
  LoadedLibrary library{name, path, {}, {}};
  const std::vector<std::string> before = registered_operators();
  load_or_throw(path);
  const std::vector<std::string> after = registered_operators();
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(library.operators));
  library.sha256 = sha256_of_file(path);
  return loaded.emplace(file, std::move(library)).first->second;
}

}  // namespace

fs::path torch_site_packages() {
  // SITE_PACKAGES/torch/lib/libtorch_cpu.so, which this program is linked to.
  void* handle = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) {
    throw Error(ErrorKind::kInternal, "the path of libtorch_cpu.so is unknown: " + loader_reason());
  }
  std::error_code code;
  return fs::weakly_canonical(map->l_name, code).parent_path().parent_path().parent_path();
}

std::vector<std::string> registered_operators() {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    names.push_back(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<fs::path> operator_libraries_of(const std::string& package) {
  const fs::path folder = package_folder(package);
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, code), end;
       !code && entry != end; entry.increment(code)) {
    if (entry->is_regular_file(code) && is_shared_object(entry->path()) && registers_operators(entry->path())) {
      found.push_back(entry->path());
    }
  }
  if (found.empty()) {
    throw Error(ErrorKind::kEnvironment,
                "--op-library: the Python package '" + package + "' in " + folder.string() +
                    " has no shared object that registers operators. Operators that are written in "
                    "Python cannot be used without it.");
  }
  // The library that a package's own Python code loads is called _C by convention.
  const auto rank = [](const fs::path& file) { return file.filename().string().starts_with("_C") ? 0 : 1; };
  std::sort(found.begin(), found.end(), [&](const fs::path& left, const fs::path& right) {
    return std::pair(rank(left), left) < std::pair(rank(right), right);
  });
  return found;
}

LoadedLibrary load_operator_library(const std::string& file_or_package) {
  std::error_code code;
  if (fs::is_regular_file(file_or_package, code)) {
    const fs::path file = fs::absolute(file_or_package);
    return load_once(file.filename().string(), file);
  }
  if (is_package_name(file_or_package)) return load_operator_package(file_or_package);
  throw Error(ErrorKind::kEnvironment, "--op-library: no such file: " + file_or_package);
}

LoadedLibrary load_operator_package(const std::string& package) {
  if (!is_package_name(package)) {
    throw Error(ErrorKind::kEnvironment, "'" + package + "' is no name of a Python package");
  }
  return load_once(package, operator_libraries_of(package).front());
}

void load_libraries_of(const Metadata& metadata) {
  for (const OperatorLibrary& needed : metadata.libraries) {
    const std::vector<std::string> known = registered_operators();
    const auto missing =
        std::find_if_not(needed.operators.begin(), needed.operators.end(),
                         [&](const std::string& name) { return std::binary_search(known.begin(), known.end(), name); });
    if (missing == needed.operators.end()) continue;
    if (is_package_name(needed.name)) {
      load_operator_package(needed.name);
      continue;
    }
    throw Error(ErrorKind::kEnvironment, "operator " + *missing + " is not registered: it comes from " + needed.name +
                                             ", which --op-library must give");
  }
}

}  // namespace graphnet
