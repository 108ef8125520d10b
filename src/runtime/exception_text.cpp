#include "graphnet/runtime/exception_text.h"

#include <algorithm>

#include <c10/util/Exception.h>

namespace graphnet {
namespace {

// How the C++ stack that LibTorch appends begins, in the versions seen.
constexpr std::string_view kBacktraceMarks[] = {"\nException raised from ", "\nC++ CapturedTraceback:", "\nframe #0:"};

}  // namespace

std::string without_backtrace(std::string_view text, std::size_t limit) {
  for (const std::string_view mark : kBacktraceMarks) text = text.substr(0, text.find(mark));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (text.size() <= limit) return std::string(text);
  const std::size_t head = limit / 3;
  const std::size_t tail = limit - head;
  return std::string(text.substr(0, head)) + "\n...\n" + std::string(text.substr(text.size() - tail));
}

std::string exception_text(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const c10::Error*>(&exception)) {
    return without_backtrace(error->what_without_backtrace());
  }
  return without_backtrace(exception.what());
}

}  // namespace graphnet
