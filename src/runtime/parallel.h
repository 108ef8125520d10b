// Splits a loop over elements among threads of its own. LibTorch's at::parallel_for runs on one thread in a program
// that is not compiled against LibTorch's OpenMP library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace graphnet {

// One contiguous part of a range.
struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// At most `threads` parts of nearly equal size that cover [0, count), each of at least `smallest` elements where there
// is more than one.
inline std::vector<Part> split(std::int64_t count, std::int64_t threads, std::int64_t smallest) {
  const std::int64_t parts = std::clamp<std::int64_t>(count / smallest, 1, std::max<std::int64_t>(threads, 1));
  std::vector<Part> result;
  for (std::int64_t i = 0; i < parts; ++i) {
    // Differences instead of count * i / parts, which overflows.
    const std::int64_t base = count / parts;
    const std::int64_t rest = count % parts;
    const std::int64_t begin = i * base + std::min(i, rest);
    result.push_back({begin, begin + base + (i < rest ? 1 : 0)});
  }
  return result;
}

// Calls work(part) for each part, each on a thread of its own (the last on the calling one), and returns the results in
// order. `work` must not throw.
template <class Work>
auto for_each_part(const std::vector<Part>& parts, Work&& work) {
  std::vector<decltype(work(parts.front()))> results(parts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      threads.emplace_back([&results, &parts, &work, i] { results[i] = work(parts[i]); });
    }
    results.back() = work(parts.back());
  }
  return results;
}

}  // namespace graphnet
