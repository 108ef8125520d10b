#include "graphnet/runtime/recorder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <ATen/core/List.h>
#include <ATen/core/enum_tag.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include "graphnet/graph/system_operators.h"
#include "graphnet/runtime/convert.h"

#include "recording.h"
#include "unrecorded.h"

namespace graphnet {
namespace {

thread_local RecordingState* current = nullptr;

// Sees every call of this thread while a recording includes the key. Calls within the operator's kernel are not seen.
void on_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const Unrecorded within_the_kernel;
  if (current == nullptr) {
    // LibTorch hands dispatch keys on to the threads that it starts; what runs there would be missing in the graph.
    throw Error(ErrorKind::kUnsupported, "operator " + c10::toString(op.operator_name()) +
                                             " ran on another thread (fork) while the model was recorded");
  }
  current->call(op, *stack);
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_operator>());
}

class CurrentGuard {
 public:
  explicit CurrentGuard(RecordingState& state) {
    if (current != nullptr) throw Error(ErrorKind::kInternal, "a recording began within another one");
    current = &state;
  }
  ~CurrentGuard() { current = nullptr; }
  CurrentGuard(const CurrentGuard&) = delete;
  CurrentGuard& operator=(const CurrentGuard&) = delete;
};

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Operators whose result holds whatever the memory held.
bool leaves_memory_unfilled(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "aten::empty",     "aten::empty_like",        "aten::empty_strided",
      "aten::new_empty", "aten::new_empty_strided", "aten::empty_permuted"};
  return contains(kNames, name);
}

// Operators that turn the contents of a tensor into a plain value.
bool reads_contents(const c10::OperatorHandle& op) {
  static constexpr std::array<std::string_view, 5> kNames = {"aten::item", "aten::_local_scalar_dense",
                                                             "aten::is_nonzero", "aten::equal", "aten::allclose"};
  return op.hasTag(at::Tag::data_dependent_output) || contains(kNames, op.schema().name());
}

bool is_false_or_zero(const Argument& argument) {
  if (const auto* flag = argument.get_if<bool>()) return !*flag;
  const auto* probability = argument.get_if<double>();
  return probability != nullptr && *probability == 0;
}

// Dropout draws nothing outside training, or with probability 0.
bool draws_random_numbers(const c10::OperatorHandle& op, const std::vector<Argument>& arguments) {
  static constexpr std::array<std::string_view, 5> kSwitches = {"train", "training", "p", "dropout", "dropout_p"};
  const std::vector<c10::Argument>& declared = op.schema().arguments();
  bool takes_generator = false;
  bool switched_off = false;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    takes_generator |= declared[i].real_type()->str() == "Generator?";
    switched_off |= contains(kSwitches, declared[i].name()) && is_false_or_zero(arguments[i]);
  }
  return (takes_generator || op.hasTag(at::Tag::nondeterministic_seeded)) && !switched_off;
}

bool has_data_dependent_shape(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  static constexpr std::array<std::string_view, 3> kComposites = {"aten::argwhere", "aten::nonzero_numpy",
                                                                  "torchvision::nms"};
  const c10::FunctionSchema& schema = op.schema();
  if (contains(kComposites, schema.name())) return true;
  if (schema.name() == "aten::where") return schema.arguments().size() == 1;
  if (!op.hasTag(at::Tag::dynamic_output_shape)) return false;
  if (schema.name() != "aten::index") return true;
  // Indexing selects by value only where an index is a mask.
  for (const c10::IValue& index : stack.back().toListRef()) {
    if (!index.isTensor() || !index.toTensor().defined()) continue;
    const at::ScalarType type = index.toTensor().scalar_type();
    if (type == at::kBool || type == at::kByte) return true;
  }
  return false;
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

}  // namespace

RecordingState::RecordingState(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights,
                               c10::Device device, const std::function<std::string()>& place)
    : inputs_(inputs), weights_(weights), place_(place), values_(inputs, weights), encoder_(values_, device) {}

void RecordingState::call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  try {
    record_call(op, stack);
  } catch (const Error& error) {
    if (!failure_) failure_ = error.with_context(c10::toString(op.operator_name()));
    throw *failure_;
  }
}

void RecordingState::record_call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  if (const std::string_view use = system_use(schema.name()); !use.empty()) {
    throw Error(ErrorKind::kUnsupported, "it " + std::string(use) + ": no graph may hold it");
  }
  std::vector<Argument> arguments = encode_arguments(op, stack);
  const bool random = draws_random_numbers(op, arguments);
  notes_.random |= random;
  notes_.data_dependent_shapes |= has_data_dependent_shape(op, stack);

  op.callBoxed(&stack);

  RecordedCall recorded{op, std::move(arguments), define_results(op, stack), place_ ? place_() : std::string()};
  bool depends_on_input = random;
  for (const Argument& argument : recorded.arguments) {
    for_each_value(argument, [&](ValueId id) { depends_on_input |= values_.storage_of(id).depends_on_input; });
  }
  bool writes = false;
  for (std::size_t i = 0; i < recorded.arguments.size(); ++i) {
    if (!is_written(schema.arguments()[i])) continue;
    writes = true;
    for_each_value(recorded.arguments[i], [&](ValueId id) {
      values_.storage_of(id).written = true;
      values_.storage_of(id).depends_on_input |= depends_on_input;
    });
  }
  bool has_result = false;
  const auto note_result = [&](const TensorResult& result) {
    has_result = true;
    values_.storage_of(result.id).depends_on_input |= depends_on_input;
  };
  for (const Result& result : recorded.results) {
    if (const auto* tensor = std::get_if<TensorResult>(&result)) note_result(*tensor);
    if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
      std::for_each(list->begin(), list->end(), note_result);
    }
  }
  if (writes || has_result) {
    calls_.push_back(std::move(recorded));
  } else if (depends_on_input && reads_contents(op)) {
    for (const Argument& argument : recorded.arguments) {
      for_each_value(argument, [&](ValueId id) {
        if (!values_.storage_of(id).depends_on_input) return;
        readings_.push_back({c10::toString(op.operator_name()), id, calls_.size()});
      });
    }
  }
}

std::vector<Argument> RecordingState::encode_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const std::vector<c10::Argument>& declared = op.schema().arguments();
  std::vector<Argument> arguments;
  arguments.reserve(declared.size());
  for (std::size_t i = 0; i < declared.size(); ++i) {
    c10::IValue& value = torch::jit::peek(stack, i, declared.size());
    try {
      arguments.push_back(encoder_.argument(value, *declared[i].real_type()));
      use_dense_weights(value);
    } catch (const Error& error) {
      throw error.with_context("argument " + declared[i].name());
    }
  }
  return arguments;
}

void RecordingState::use_dense_weights(c10::IValue& argument) {
  const auto stand_in = [this](const c10::IValue& value) -> at::Tensor {
    if (!value.isTensor() || !value.toTensor().defined() || !is_broadcast(value.toTensor())) return {};
    return values_.dense_stand_in(values_.use(value.toTensor()), value.toTensor());
  };
  if (const at::Tensor dense = stand_in(argument); dense.defined()) argument = dense;
  if (!argument.isList()) return;
  std::vector<std::pair<std::size_t, at::Tensor>> replaced;
  const at::ArrayRef<c10::IValue> elements = argument.toListRef();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (const at::Tensor dense = stand_in(elements[i]); dense.defined()) replaced.emplace_back(i, dense);
  }
  if (replaced.empty()) return;
  c10::List<c10::IValue> list = argument.toList().copy();
  for (const auto& [position, dense] : replaced) list.set(position, dense);
  argument = std::move(list);
}

std::vector<Result> RecordingState::define_results(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const std::size_t count = op.schema().returns().size();
  const bool unfilled = leaves_memory_unfilled(op.schema().name());
  const auto define = [&](const at::Tensor& tensor) -> TensorResult {
    TensorType type = type_of(tensor);
    const std::size_t known = values_.values().size();
    const ValueId id = values_.define(tensor);
    if (unfilled && id == known) values_.mark_unfilled(tensor, calls_.size());
    return {id, std::move(type)};
  };
  std::vector<Result> results;
  for (std::size_t i = 0; i < count; ++i) {
    const c10::IValue& value = torch::jit::peek(stack, i, count);
    try {
      if (value.isTensor() && value.toTensor().defined()) {
        results.emplace_back(define(value.toTensor()));
      } else if (value.isTensorList()) {
        std::vector<TensorResult> list;
        for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(define(tensor));
        results.emplace_back(std::move(list));
      } else {
        results.emplace_back(std::monostate{});
      }
    } catch (const Error& error) {
      throw error.with_context("result " + std::to_string(i));
    }
  }
  return results;
}

void record_as(const at::Tensor& copy, const at::Tensor& original) {
  if (current != nullptr) current->record_as(copy, original);
}

Recording record(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights, c10::Device device,
                 const std::function<c10::IValue()>& call, const std::function<std::string()>& place) {
  const c10::InferenceMode without_gradients;
  RecordingState state(inputs, weights, device, place);
  c10::IValue output;
  try {
    const CurrentGuard is_current(state);
    const c10::impl::IncludeDispatchKeyGuard recording(kRecordingKey);
    output = call();
  } catch (...) {
    if (state.failure()) throw *state.failure();
    throw;
  }
  if (state.failure()) throw *state.failure();
  return state.finish(output);
}

}  // namespace graphnet
