// Texts of exceptions that come out of LibTorch: without C++ stack traces, cut to what a person can use.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace graphnet {

// The text without the C++ frames that LibTorch appends, without blank lines at its end, and within `limit` bytes: the
// head and the tail of a longer one, since TorchScript's traceback puts the cause last.
std::string without_backtrace(std::string_view text, std::size_t limit = 4000);

// The text of any exception. c10::Error is asked for its message without the backtrace.
std::string exception_text(const std::exception& exception);

}  // namespace graphnet
