// Errors of the method "bench", whose cause is known better than "exception".
#pragma once

#include <exception>
#include <string>

#include "graphnet/runtime/exception_text.h"
#include "graphnet/score/outcome.h"
#include "graphnet/support/error.h"

namespace graphnet {

// The protocol's error carries cause_name(cause()).
class BenchError : public Error {
 public:
  BenchError(ErrorKind kind, Cause cause, const std::string& message) : Error(kind, message), cause_(cause) {}

  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// Runs a part that the compiler answers for: whatever it throws means that it does not support the sample, if memory
// was not lacking.
template <class Action>
auto as_candidate(Action&& action) {
  try {
    return action();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    if (lacks_memory(exception)) throw;
    throw Error(ErrorKind::kUnsupported, exception_text(exception));
  }
}

}  // namespace graphnet
