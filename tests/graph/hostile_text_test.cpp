// Damaged files: whatever happens to the bytes, reading ends in a graph or an Error.
#include <random>

#include <gtest/gtest.h>

#include "graphnet/graph/text.h"

#include "example_graph.h"
#include "random_graph.h"

namespace graphnet {
namespace {

using fixtures::kExample;

// Reads; what was read must be writable and readable again, with the same bytes. Returns whether it was a graph.
bool survives(const std::string& text) {
  Graph graph;
  try {
    graph = read_graph(text, "graph.json");
  } catch (const Error&) {
    return false;
  }
  const std::string written = write_graph(graph);
  EXPECT_EQ(write_graph(read_graph(written, "again")), written);
  EXPECT_NO_THROW(check(graph));
  return true;
}

TEST(HostileText, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size + 1 < kExample.size(); ++size) {  // the last byte is only a newline
    EXPECT_FALSE(survives(std::string(kExample.substr(0, size)))) << size;
  }
}

TEST(HostileText, EveryFlippedBitIsAnErrorOrAnotherGraph) {
  int graphs = 0;
  for (std::size_t at = 0; at < kExample.size(); ++at) {
    for (const unsigned bit : {0U, 2U, 4U, 5U, 7U}) {
      std::string text(kExample);
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << bit));
      graphs += survives(text) ? 1 : 0;
    }
  }
  EXPECT_GT(graphs, 100);  // names and numbers may change into others
}

TEST(HostileText, RandomMutationsAreErrorsOrGraphs) {
  static constexpr std::string_view kPieces[] = {"[",      "]",  "{",  "}",  ",",  ":", "\"", "\\",   "null", "-", "1",
                                                 "\"%1\"", "[[", "]]", "\n", "e9", ".", "%",  "true", "\xFF", "(", ")"};
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    std::string text = i % 2 == 0 ? std::string(kExample) : write_graph(fixtures::random_graph(random() % 50, 10));
    for (std::size_t change = 0, changes = 1 + random() % 3; change < changes; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 20);
          break;
        case 1:
          text.insert(at, kPieces[random() % std::size(kPieces)]);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 100));
          break;
        default:
          text[at] = static_cast<char>(random());
      }
      if (text.empty()) text = " ";
    }
    survives(text);
  }
}

}  // namespace
}  // namespace graphnet
