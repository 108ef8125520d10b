#include "graphnet/runtime/operator_schemas.h"

#include <algorithm>
#include <cstddef>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/StringUtil.h>

#include "graphnet/graph/schema.h"

namespace graphnet {
namespace {

bool same_use(const SchemaArgument& recorded, const SchemaArgument& registered) {
  return recorded.type == registered.type && recorded.alias == registered.alias &&
         recorded.is_written == registered.is_written;
}

bool same_use(const Schema& recorded, const Schema& registered) {
  const bool arguments_agree = std::ranges::all_of(recorded.arguments, [&](const SchemaArgument& argument) {
    const auto found = std::ranges::find(registered.arguments, argument.name, &SchemaArgument::name);
    return found != registered.arguments.end() && same_use(argument, *found);
  });
  return arguments_agree && std::ranges::equal(recorded.returns, registered.returns,
                                               [](const auto& a, const auto& b) { return same_use(a, b); });
}

}  // namespace

std::string schema_difference(const Graph& graph, SchemaAgreement agreement) {
  for (const Operator& op : graph.operators) {
    const auto registered = c10::Dispatcher::singleton().findSchema({op.name, op.overload});
    if (!registered) continue;
    const std::string text = c10::str(registered->schema());
    if (text == op.schema) continue;
    if (agreement == SchemaAgreement::kSameUse && same_use(parse_schema(op.schema), parse_schema(text))) continue;
    return "operator " + op.full_name() + " was recorded as " + op.schema + ", which this LibTorch has as " + text;
  }
  return "";
}

}  // namespace graphnet
