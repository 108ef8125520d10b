#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <ATen/core/jit_type.h>
#include <c10/util/StringUtil.h>

#include "graphnet/graph/schema.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/support/error.h"

#include "operator_binding.h"
#include "replayer_program.h"

namespace graphnet {
namespace {

at::Layout to_layout(Layout layout) {
  switch (layout) {
    case Layout::kStrided:
      return at::Layout::Strided;
    case Layout::kSparse:
      return at::Layout::Sparse;
    case Layout::kSparseCsr:
      return at::Layout::SparseCsr;
    case Layout::kMkldnn:
      return at::Layout::Mkldnn;
    case Layout::kJagged:
      return at::Layout::Jagged;
  }
  throw Error(ErrorKind::kInternal, "unknown layout");
}

at::MemoryFormat to_memory_format(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::kContiguous:
      return at::MemoryFormat::Contiguous;
    case MemoryFormat::kPreserve:
      return at::MemoryFormat::Preserve;
    case MemoryFormat::kChannelsLast:
      return at::MemoryFormat::ChannelsLast;
    case MemoryFormat::kChannelsLast3d:
      return at::MemoryFormat::ChannelsLast3d;
  }
  throw Error(ErrorKind::kInternal, "unknown memory format");
}

const c10::Type& without_optional(const c10::Type& type) {
  const auto* optional = type.castRaw<c10::OptionalType>();
  return optional == nullptr ? type : *optional->getElementType();
}

bool refers_to_value(const Argument& argument) {
  bool found = false;
  for_each_value(argument, [&](ValueId) { found = true; });
  return found;
}

[[noreturn]] void refuse_type(const std::string& what, const c10::Type& type) {
  throw Error(ErrorKind::kUnsupported,
              what + " does not fit the type " + type.repr_str() + " of this LibTorch's operator");
}

// The number of c10 has the kinds int, float and complex, while operators take a bool for one as well.
bool fits(const c10::IValue& value, const c10::Type& type) {
  return value.isTensor() || value.type()->isSubtypeOf(type) ||
         (value.isBool() && without_optional(type).kind() == c10::TypeKind::NumberType);
}

const c10::TypePtr& element_type_of(const c10::Type& type) {
  const auto* list = without_optional(type).castRaw<c10::ListType>();
  if (list == nullptr) refuse_type("a list", type);
  return list->getElementType();
}

}  // namespace

c10::IValue literal(const Argument& argument, const c10::Type& type, c10::Device device) {
  const auto convert = [&]() -> c10::IValue {
    if (argument.get_if<None>() != nullptr) {
      if (type.kind() == c10::TypeKind::TensorType) return at::Tensor();
      return {};
    }
    if (const auto* value = argument.get_if<bool>()) return *value;
    if (const auto* value = argument.get_if<std::int64_t>()) return *value;
    if (const auto* value = argument.get_if<double>()) return *value;
    if (const auto* value = argument.get_if<std::complex<double>>()) {
      return c10::complex<double>(value->real(), value->imag());
    }
    if (const auto* value = argument.get_if<std::string>()) return *value;
    if (const auto* value = argument.get_if<Dtype>()) return static_cast<std::int64_t>(to_scalar_type(*value));
    if (const auto* value = argument.get_if<Layout>()) return static_cast<std::int64_t>(to_layout(*value));
    if (const auto* value = argument.get_if<MemoryFormat>()) {
      return static_cast<std::int64_t>(to_memory_format(*value));
    }
    if (const auto* value = argument.get_if<DeviceRole>())
      return *value == DeviceRole::kCpu ? c10::Device(c10::kCPU) : device;
    if (const auto* value = argument.get_if<ArgumentList>()) {
      const c10::TypePtr& element_type = element_type_of(type);
      c10::impl::GenericList list(element_type);
      for (const Argument& element : *value) list.push_back(literal(element, *element_type, device));
      return list;
    }
    throw Error(ErrorKind::kInternal, "a value where a literal was expected");
  };
  c10::IValue value = convert();
  if (!fits(value, type)) refuse_type("a " + value.type()->repr_str(), type);
  return value;
}

namespace {

ArgumentMap match_arguments(const Schema& recorded, const c10::FunctionSchema& current) {
  ArgumentMap map;
  std::size_t matched = 0;
  for (const c10::Argument& argument : current.arguments()) {
    const auto same_name = [&](const SchemaArgument& candidate) { return candidate.name == argument.name(); };
    const auto found = std::find_if(recorded.arguments.begin(), recorded.arguments.end(), same_name);
    if (found != recorded.arguments.end()) {
      map.emplace_back(static_cast<std::size_t>(found - recorded.arguments.begin()));
      ++matched;
    } else if (argument.default_value()) {
      map.emplace_back(std::nullopt);
    } else {
      throw Error(ErrorKind::kUnsupported,
                  "argument " + argument.name() +
                      " of this LibTorch's operator has no default and is not in the recorded schema");
    }
  }
  if (matched != recorded.arguments.size()) {
    for (const SchemaArgument& argument : recorded.arguments) {
      if (!current.argumentIndexWithName(argument.name)) {
        throw Error(ErrorKind::kUnsupported, "this LibTorch's operator has no argument " + argument.name);
      }
    }
  }
  return map;
}

}  // namespace

BoundOperator bind_operator(const Operator& recorded) {
  auto op = c10::Dispatcher::singleton().findSchema({recorded.name, recorded.overload});
  if (!op) {
    const std::string library = recorded.name.substr(0, recorded.name.find("::"));
    throw Error(ErrorKind::kEnvironment, "operator " + recorded.full_name() +
                                             " is not registered; load the library that defines the operators of " +
                                             library);
  }
  const c10::FunctionSchema& current = op->schema();
  if (c10::str(current) == recorded.schema) {
    ArgumentMap same;
    for (std::size_t i = 0; i < current.arguments().size(); ++i) same.emplace_back(i);
    return {*op, std::move(same), current.arguments().size()};
  }
  try {
    const Schema schema = parse_schema(recorded.schema);
    return {*op, match_arguments(schema, current), schema.arguments.size()};
  } catch (const Error& error) {
    throw error.with_context("operator " + recorded.full_name());
  }
}

namespace {

class Binder {
 public:
  Binder(ReplayProgram& program, const Graph& graph) : program_(program), graph_(graph), last_uses_(last_uses(graph)) {
    for (const Operator& op : graph.operators) operators_.push_back(bind_operator(op));
  }

  void bind() {
    program_.slots.resize(value_count(graph_));
    program_.is_written = find_aliases(graph_).written;
    for (const std::int64_t use : last_uses_) program_.is_used.push_back(use >= 0);
    for (std::size_t i = 0; i < graph_.calls.size(); ++i) {
      try {
        bind_call(graph_.calls[i], static_cast<std::int64_t>(i));
      } catch (const Error& error) {
        throw error.with_context("call " + std::to_string(i) + " " + graph_.operator_of(graph_.calls[i]).full_name());
      }
    }
    program_.outputs = output_values(graph_);
    for (const ValueId id : program_.outputs) {
      if (!program_.stays(id)) program_.transient.push_back(id);
    }
  }

 private:
  void bind_call(const Call& call, std::int64_t index) {
    const BoundOperator& bound = operators_[call.operator_index];
    if (call.arguments.size() != bound.recorded_arguments) {
      throw Error(ErrorKind::kInput, std::to_string(call.arguments.size()) + " arguments where the schema has " +
                                         std::to_string(bound.recorded_arguments));
    }
    const std::vector<c10::Argument>& declared = bound.op.schema().arguments();
    const std::size_t first_operand = program_.operands.size();
    const std::size_t first_list = program_.lists.size();
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const std::optional<std::size_t> recorded = bound.arguments[i];
      if (!recorded) {
        program_.operands.push_back(literal_operand(*declared[i].default_value()));
        continue;
      }
      try {
        program_.operands.push_back(operand(call.arguments[*recorded], *declared[i].type()));
      } catch (const Error& error) {
        throw error.with_context("argument " + declared[i].name());
      }
    }
    move_last_uses(first_operand, first_list, index);
    bind_results(call, bound.op.schema(), index);
    program_.steps.push_back({bound.op, static_cast<std::uint32_t>(program_.operands.size()),
                              static_cast<std::uint32_t>(program_.targets.size()), program_.lists.size() > first_list});
  }

  ReplayProgram::Operand operand(const Argument& argument, const c10::Type& type) {
    if (const auto* reference = argument.get_if<ValueReference>()) {
      if (without_optional(type).kind() != c10::TypeKind::TensorType) refuse_type("a tensor", type);
      return {ReplayProgram::Operand::Kind::kCopy, reference->id};
    }
    if (!refers_to_value(argument)) return literal_operand(literal(argument, type, program_.device));
    const c10::TypePtr& element_type = element_type_of(type);
    ReplayProgram::TensorList list{c10::impl::GenericList(element_type), {}};
    for (const Argument& element : *argument.get_if<ArgumentList>()) {
      const ReplayProgram::Operand bound = operand(element, *element_type);
      if (bound.kind == ReplayProgram::Operand::Kind::kList) refuse_type("a list of lists of tensors", type);
      list.elements.push_back(bound);
      list.list.push_back(c10::IValue());
    }
    program_.lists.push_back(std::move(list));
    return {ReplayProgram::Operand::Kind::kList, static_cast<std::uint32_t>(program_.lists.size() - 1)};
  }

  ReplayProgram::Operand literal_operand(c10::IValue value) {
    program_.slots.push_back(std::move(value));
    return {ReplayProgram::Operand::Kind::kCopy, static_cast<std::uint32_t>(program_.slots.size() - 1)};
  }

  // The last of this call's operands that names a value whose last use is this call moves it.
  void move_last_uses(std::size_t first_operand, std::size_t first_list, std::int64_t index) {
    const std::size_t values = last_uses_.size();
    std::vector<ValueId> moved;
    const auto visit = [&](ReplayProgram::Operand& operand) {
      if (operand.index >= values || program_.stays(operand.index) || last_uses_[operand.index] != index) return;
      if (std::find(moved.begin(), moved.end(), operand.index) != moved.end()) return;
      moved.push_back(operand.index);
      operand.kind = ReplayProgram::Operand::Kind::kMove;
    };
    std::size_t list = program_.lists.size();
    for (std::size_t i = program_.operands.size(); i-- > first_operand;) {
      ReplayProgram::Operand& operand = program_.operands[i];
      if (operand.kind != ReplayProgram::Operand::Kind::kList) {
        visit(operand);
        continue;
      }
      std::vector<ReplayProgram::Operand>& elements = program_.lists[--list].elements;
      std::for_each(elements.rbegin(), elements.rend(), visit);
    }
    if (list != first_list) throw Error(ErrorKind::kInternal, "lists and operands of a call do not match");
  }

  void bind_results(const Call& call, const c10::FunctionSchema& schema, std::int64_t index) {
    if (call.results.size() != schema.returns().size()) {
      throw Error(ErrorKind::kUnsupported, "this LibTorch's operator returns " +
                                               std::to_string(schema.returns().size()) + " results where " +
                                               std::to_string(call.results.size()) + " were recorded");
    }
    const auto slot = [&](const TensorResult& result) {
      const bool is_needed = last_uses_[result.id] > index && !program_.stays(result.id);
      return is_needed ? result.id : ReplayProgram::kDiscard;
    };
    for (const Result& result : call.results) {
      ReplayProgram::Target target;
      if (const auto* tensor = std::get_if<TensorResult>(&result)) target.index = slot(*tensor);
      if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
        target = {true, static_cast<std::uint32_t>(program_.list_targets.size())};
        std::vector<std::uint32_t>& slots = program_.list_targets.emplace_back();
        std::transform(list->begin(), list->end(), std::back_inserter(slots), slot);
      }
      program_.targets.push_back(target);
    }
  }

  ReplayProgram& program_;
  const Graph& graph_;
  std::vector<std::int64_t> last_uses_;
  std::vector<BoundOperator> operators_;
};

}  // namespace

void bind_program(ReplayProgram& program, const Graph& graph, c10::Device device) {
  program.device = device;
  program.graph = graph;
  Binder(program, program.graph).bind();
}

}  // namespace graphnet
