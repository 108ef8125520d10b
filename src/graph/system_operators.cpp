#include "graphnet/graph/system_operators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace graphnet {
namespace {

constexpr std::string_view kFiles = "uses files";

struct Use {
  std::string_view what;
  std::string_view use;
};

constexpr std::array kNamespaces = {
    Use{"c10d", "talks to other processes"},
    Use{"c10d_functional", "talks to other processes"},
    Use{"_c10d_functional", "talks to other processes"},
    Use{"_c10d_functional_autograd", "talks to other processes"},
    Use{"_dtensor", "talks to other processes"},
    Use{"symm_mem", "talks to other processes"},
    Use{"rpc", "talks to other processes"},
    Use{"profiler", "calls the profiler"},
    Use{"video_reader", kFiles},
    Use{"torchcodec_ns", kFiles},
};

// Those that the word "file" does not give away.
constexpr std::array kNames = {
    Use{"aten::save", kFiles},
    Use{"aten::load", kFiles},
    Use{"debugprims::load_tensor", kFiles},
    Use{"prim::rpc_async", "talks to other processes"},
    Use{"prim::rpc_sync", "talks to other processes"},
    Use{"prim::rpc_remote", "talks to other processes"},
};

template <std::size_t size>
std::string_view use_of(const std::array<Use, size>& uses, std::string_view what) {
  const auto found = std::find_if(uses.begin(), uses.end(), [what](const Use& use) { return use.what == what; });
  return found == uses.end() ? std::string_view() : found->use;
}

// Whether one of the words that '_' separates is "file" or "files".
bool has_word_file(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    const std::string_view word = name.substr(0, end);
    if (word == "file" || word == "files") return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

}  // namespace

std::string_view system_use(std::string_view name) {
  const std::size_t colons = name.find("::");
  if (colons == std::string_view::npos) return {};
  if (const std::string_view use = use_of(kNamespaces, name.substr(0, colons)); !use.empty()) return use;
  if (const std::string_view use = use_of(kNames, name); !use.empty()) return use;
  return has_word_file(name.substr(colons + 2)) ? kFiles : std::string_view();
}

}  // namespace graphnet
