#include "graphnet/support/error.h"

#include <array>
#include <utility>

namespace graphnet {
namespace {

struct KindRow {
  ErrorKind kind;
  std::string_view name;
  int exit_code;
};

constexpr std::array<KindRow, 6> kKinds = {{
    {ErrorKind::kUsage, "usage", 2},
    {ErrorKind::kInput, "input", 1},
    {ErrorKind::kUnsupported, "unsupported", 1},
    {ErrorKind::kEnvironment, "environment", 3},
    {ErrorKind::kInterrupted, "interrupted", 4},
    {ErrorKind::kInternal, "internal", 70},
}};

const KindRow& row(ErrorKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row;
  }
  return kKinds.back();
}

}  // namespace

Error Error::with_context(std::string_view context) const {
  return Error(kind_, std::string(context) + ": " + what());
}

int exit_code(ErrorKind kind) {
  return row(kind).exit_code;
}

std::string_view error_kind_name(ErrorKind kind) {
  return row(kind).name;
}

ErrorKind parse_error_kind(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return ErrorKind::kInternal;
}

}  // namespace graphnet
