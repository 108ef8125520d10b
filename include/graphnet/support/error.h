// The one error type of graphnet: what went wrong, where, and what to do about it, with a kind that decides the exit
// code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace graphnet {

// What kind of trouble an Error reports. The command line maps it to an exit code (exit_code below).
enum class ErrorKind {
  kUsage,        // a wrong flag, argument or file name: exit 2
  kInput,        // a file that cannot be used: truncated, malformed, hostile: exit 1
  kUnsupported,  // valid input that graphnet cannot express, named by operator and argument: exit 1
  kEnvironment,  // a missing compiler, device, library or program: exit 3
  kInterrupted,  // stopped by the user or a full disk; can be resumed: exit 4
  kInternal,     // a broken invariant of graphnet itself: exit 70
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const { return kind_; }

  // The same error with its place or activity in front: "samples/a/graph.json:12: " + message.
  Error with_context(std::string_view context) const;

 private:
  ErrorKind kind_;
};

// The documented exit code of a command that ends in this kind of error.
int exit_code(ErrorKind kind);

// The kind's name in protocol messages ("usage", "input", ...), and back; an unknown name is kInternal.
std::string_view error_kind_name(ErrorKind kind);
ErrorKind parse_error_kind(std::string_view name);

}  // namespace graphnet
