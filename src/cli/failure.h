// What a worker's failure means for the exit code of a command that asked for one model or sample.
#pragma once

#include "graphnet/bench/worker_client.h"
#include "graphnet/support/error.h"

namespace graphnet::cli {

// A worker that entered a stage is able to work: where it does not end then, that is the input's fault, not the
// environment's.
inline ErrorKind kind_of(const Failure& failure) {
  const bool endless = failure.cause == Cause::kTimeOut && !failure.stage.empty();
  return endless ? ErrorKind::kUnsupported : failure.kind;
}

}  // namespace graphnet::cli
