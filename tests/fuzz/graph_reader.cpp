// Any bytes as graph.json: an Error, or a graph that every other function takes and that is written and read unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "graphnet/graph/identity.h"
#include "graphnet/graph/memory.h"
#include "graphnet/graph/print.h"
#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  Graph graph;
  try {
    graph = read_graph({reinterpret_cast<const char*>(data), size}, "graph.json");
  } catch (const Error& error) {
    FUZZ_REQUIRE(error.kind() == ErrorKind::kInput);
    FUZZ_REQUIRE(std::string_view(error.what()).starts_with("graph.json:"));
    return 0;
  }
  check(graph);
  const std::string text = write_graph(graph);
  const Graph again = read_graph(text, "again");
  FUZZ_REQUIRE(again == graph);
  FUZZ_REQUIRE(write_graph(again) == text);
  FUZZ_REQUIRE(identity(again) == identity(graph));
  FUZZ_REQUIRE(first_difference(again, fingerprints(graph)).empty());
  FUZZ_REQUIRE(last_uses(graph).size() == value_count(graph));
  try {
    FUZZ_REQUIRE(memory_need(graph).total() >= 0);
  } catch (const Error& error) {  // sizes whose sum leaves 64 bits
    FUZZ_REQUIRE(error.kind() == ErrorKind::kInput);
  }
  FUZZ_REQUIRE(!print(graph).empty());
  FUZZ_REQUIRE(!print_dot(graph).empty());
  return 0;
}
