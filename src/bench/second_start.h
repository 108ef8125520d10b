// Processes that do not start, which says nothing about the unit that they were started for.
#pragma once

#include <functional>

#include "graphnet/bench/worker_client.h"

namespace graphnet {

// Whether a process could not be run, or did not greet: it never saw the request.
bool did_not_greet(const Reply& reply);

// Likewise of a worker, which names its first stage before it looks at the sample.
bool did_not_begin(const Reply& reply);

// The request's reply; where the process did not start, that to a second one a moment later, since memory or processes
// may have been lacking.
Reply with_second_start(const std::function<Reply()>& request, bool (*did_not_start)(const Reply& reply));

}  // namespace graphnet
