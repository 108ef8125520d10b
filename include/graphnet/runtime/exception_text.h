// What exceptions that come out of LibTorch say: without C++ stack traces, cut to what a person can use, with a kind.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "graphnet/support/error.h"

namespace graphnet {

// The text without the C++ frames that LibTorch appends, without blank lines at its end, and within `limit` bytes: the
// head and the tail of a longer one, since TorchScript's traceback puts the cause last.
std::string without_backtrace(std::string_view text, std::size_t limit = 4000);

// The text of any exception. c10::Error is asked for its message without the backtrace.
std::string exception_text(const std::exception& exception);

// Whether an exception is a lack of memory, by its type or, where it passed other hands, by its text.
bool lacks_memory(const std::exception& exception);

// The Error that an exception amounts to: itself where it is one, kEnvironment where memory was lacking (the message
// then begins with "out of memory"), kUnsupported for an operator without a kernel for the device and dtype, else
// kInput with the exception's text.
Error error_of(const std::exception& exception);

}  // namespace graphnet
