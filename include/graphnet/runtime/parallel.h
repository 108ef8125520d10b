// Splits a loop among threads of its own. LibTorch's at::parallel_for runs on one thread in a program that is not
// compiled against LibTorch's OpenMP library. The threads work in the state of the calling one (InferenceMode, excluded
// dispatch keys); an exception is rethrown on the calling thread, the first one in the loop's order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include <ATen/ThreadLocalState.h>

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

// Calls work(index) for each index below count, on up to `threads` threads that take the next index as they get free:
// for work of very different sizes. All are called, whichever throws.
template <class Work>
void for_each_index(std::size_t count, std::int64_t threads, Work&& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  const std::size_t others = std::min(count, static_cast<std::size_t>(std::max<std::int64_t>(threads, 1)));
  if (others > 1) {
    const at::ThreadLocalState state;
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < others; ++i) {
      helpers.emplace_back([&] {
        const at::ThreadLocalStateGuard same_state(state);
        run();
      });
    }
    run();
  } else {
    run();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Calls work(part) for each part, each on a thread of its own, and returns the results in order.
template <class Work>
auto for_each_part(const std::vector<Part>& parts, Work&& work) {
  std::vector<decltype(work(parts.front()))> results(parts.size());
  for_each_index(parts.size(), static_cast<std::int64_t>(parts.size()),
                 [&](std::size_t i) { results[i] = work(parts[i]); });
  return results;
}

}  // namespace graphnet
