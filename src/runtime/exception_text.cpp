#include "graphnet/runtime/exception_text.h"

#include <algorithm>
#include <iterator>
#include <new>

#include <c10/util/Exception.h>

namespace graphnet {
namespace {

// How the C++ stack that LibTorch appends begins, in the versions seen.
constexpr std::string_view kBacktraceMarks[] = {"\nException raised from ", "\nC++ CapturedTraceback:", "\nframe #0:"};

// What LibTorch's allocators say. An exception that passed the TorchScript interpreter has only its text left.
constexpr std::string_view kLackOfMemory[] = {"can't allocate memory", "out of memory", "std::bad_alloc",
                                              "Cannot allocate memory"};

// " when N bytes were asked for", where the text tells: the CPU's "you tried to allocate N bytes. Error", CUDA's "Tried
// to allocate 2.00 GiB. GPU 0 has".
std::string asked_for(std::string_view text) {
  constexpr std::string_view kMark = "ried to allocate ";
  const std::size_t found = text.find(kMark);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = text.substr(found + kMark.size());
  return " when " + std::string(rest.substr(0, std::min(rest.find(". "), rest.find('\n')))) + " were asked for";
}

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

bool lacks_memory(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&exception) != nullptr) return true;
  const std::string_view text = exception.what();
  return std::any_of(std::begin(kLackOfMemory), std::end(kLackOfMemory),
                     [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

Error error_of(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  if (lacks_memory(exception)) {
    return Error(ErrorKind::kEnvironment, "out of memory" + asked_for(exception.what()));
  }
  const bool without_kernel = dynamic_cast<const c10::NotImplementedError*>(&exception) != nullptr;
  return Error(without_kernel ? ErrorKind::kUnsupported : ErrorKind::kInput, exception_text(exception));
}

}  // namespace graphnet
