#include "second_start.h"

#include <chrono>
#include <thread>

namespace graphnet {
namespace {

constexpr std::chrono::seconds kMoment{1};

}  // namespace

bool did_not_greet(const Reply& reply) {
  return reply.failure && !reply.failure->interrupted && reply.failure->stage == "start";
}

bool did_not_begin(const Reply& reply) {
  if (did_not_greet(reply)) return true;
  return reply.failure && !reply.failure->interrupted && !reply.failure->answered && reply.failure->stage.empty();
}

Reply with_second_start(const std::function<Reply()>& request, bool (*did_not_start)(const Reply& reply)) {
  Reply reply = request();
  if (!did_not_start(reply)) return reply;
  std::this_thread::sleep_for(kMoment);
  return request();
}

}  // namespace graphnet
