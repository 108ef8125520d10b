#include "graphnet/frontend/roles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graphnet/graph/schema.h"

namespace graphnet {
namespace {

constexpr std::size_t kNoWeight = std::numeric_limits<std::size_t>::max();

// Operators whose result holds the elements of their first argument, in another arrangement or dtype.
const std::set<std::string_view> kRearranging = {"aten::t",
                                                 "aten::transpose",
                                                 "aten::permute",
                                                 "aten::view",
                                                 "aten::reshape",
                                                 "aten::expand",
                                                 "aten::expand_as",
                                                 "aten::contiguous",
                                                 "aten::to",
                                                 "aten::_to_copy",
                                                 "aten::slice",
                                                 "aten::select",
                                                 "aten::unsqueeze",
                                                 "aten::squeeze",
                                                 "aten::chunk",
                                                 "aten::split",
                                                 "aten::unbind",
                                                 "aten::clone",
                                                 "aten::detach",
                                                 "aten::flatten",
                                                 "aten::unflatten",
                                                 "aten::alias",
                                                 "aten::type_as",
                                                 "aten::float",
                                                 "aten::half",
                                                 "aten::movedim",
                                                 "aten::swapaxes",
                                                 "aten::numpy_T",
                                                 "aten::view_as",
                                                 "aten::repeat",
                                                 "aten::narrow",
                                                 "aten::split_with_sizes",
                                                 "aten::tensor_split",
                                                 "aten::view_as_complex",
                                                 "aten::view_as_real",
                                                 "aten::roll",
                                                 "aten::flip",
                                                 "aten::broadcast_to",
                                                 "aten::mT",
                                                 "aten::as_strided",
                                                 "aten::lift_fresh"};

const std::set<std::string_view> kConvolutions = {
    "aten::conv1d",       "aten::conv2d",           "aten::conv3d",           "aten::convolution",
    "aten::_convolution", "aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d"};

const std::set<std::string_view> kMatrixProducts = {"aten::mm",      "aten::matmul", "aten::bmm",      "aten::addmm",
                                                    "aten::baddbmm", "aten::einsum", "aten::mv",       "aten::dot",
                                                    "aten::addmv",   "aten::addbmm", "aten::tensordot"};

const std::set<std::string_view> kNormalizations = {
    "aten::batch_norm",        "aten::layer_norm",        "aten::group_norm",
    "aten::instance_norm",     "aten::rms_norm",          "aten::native_batch_norm",
    "aten::native_layer_norm", "aten::native_group_norm", "aten::_native_batch_norm_legit_no_training"};

const std::set<std::string_view> kRecurrent = {"aten::lstm",          "aten::gru",          "aten::rnn_tanh",
                                               "aten::rnn_relu",      "aten::lstm_cell",    "aten::gru_cell",
                                               "aten::rnn_tanh_cell", "aten::rnn_relu_cell"};

const std::set<std::string_view> kRectifiers = {
    "aten::relu",        "aten::relu_", "aten::relu6", "aten::relu6_",    "aten::hardtanh",   "aten::hardtanh_",
    "aten::silu",        "aten::silu_", "aten::gelu",  "aten::hardswish", "aten::hardswish_", "aten::leaky_relu",
    "aten::leaky_relu_", "aten::elu",   "aten::elu_",  "aten::prelu",     "aten::mish",       "aten::clamp_min",
    "aten::threshold",   "aten::celu",  "aten::selu",  "aten::glu"};

const std::set<std::string_view> kPassingOn = {"aten::batch_norm", "aten::group_norm", "aten::instance_norm",
                                               "aten::add",        "aten::add_",       "aten::dropout",
                                               "aten::max_pool2d"};

std::int64_t product(const std::vector<std::int64_t>& sizes, std::size_t first) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < sizes.size(); ++i) result *= std::max<std::int64_t>(sizes[i], 1);
  return std::max<std::int64_t>(result, 1);
}

// One pass over a graph that follows weights through views and casts to the arguments that read them.
class WeightTracer {
 public:
  explicit WeightTracer(const Graph& graph) : graph_(graph), weight_of_(value_count(graph), kNoWeight) {
    types_.resize(weight_of_.size());
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) types_[i] = graph.inputs[i].type;
    for (std::size_t i = 0; i < graph.weights.size(); ++i) {
      weight_of_[graph.first_weight() + i] = i;
      types_[graph.first_weight() + i] = graph.weights[i].type;
    }
    for (std::size_t i = 0; i < graph.constants.size(); ++i)
      types_[graph.first_constant() + i] = graph.constants[i].type;
    for (const Operator& op : graph.operators) schemas_.push_back(parse_schema(op.schema));
  }

  // Calls read(call index, schema argument, value, weight) for every argument that reads a weight.
  template <class Reader>
  void trace(Reader&& read) {
    for (std::size_t index = 0; index < graph_.calls.size(); ++index) {
      const Call& call = graph_.calls[index];
      const Schema& schema = schemas_[call.operator_index];
      std::size_t moved = kNoWeight;
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        for_each_value(call.arguments[i], [&](ValueId id) {
          const std::size_t weight = weight_of_[id];
          if (weight == kNoWeight) return;
          if (i == 0 && kRearranging.contains(schema.name)) {
            moved = weight;
          } else {
            read(index, schema.arguments[std::min(i, schema.arguments.size() - 1)], id, weight);
          }
        });
      }
      for_each_result(call, [&](const TensorResult& result) {
        types_[result.id] = result.type;
        if (moved != kNoWeight) weight_of_[result.id] = moved;
      });
    }
  }

  const Schema& schema_of(std::size_t call) const { return schemas_[graph_.calls[call].operator_index]; }
  const TensorType& type(ValueId id) const { return types_[id]; }
  std::size_t weight_of(const Argument& argument) const {
    const auto* reference = argument.get_if<ValueReference>();
    return reference != nullptr ? weight_of_[reference->id] : kNoWeight;
  }

  // The argument of that name, or none.
  const Argument* argument(std::size_t call, std::string_view name) const {
    const Schema& schema = schema_of(call);
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].name == name) return &graph_.calls[call].arguments[i];
    }
    return nullptr;
  }

 private:
  const Graph& graph_;
  std::vector<std::size_t> weight_of_;
  std::vector<TensorType> types_;
  std::vector<Schema> schemas_;
};

std::int64_t convolution_fan_in(const WeightTracer& tracer, std::size_t call, const TensorType& weight) {
  const std::string& name = tracer.schema_of(call).name;
  bool transposed = name.starts_with("aten::conv_transpose");
  if (const Argument* flag = tracer.argument(call, "transposed"))
    transposed = flag->get_if<bool>() && *flag->get_if<bool>();
  if (!transposed) return product(weight.shape, 1);
  // Each output element sums over the inputs whose kernels reach it: one in `stride` along each dimension.
  std::int64_t steps = 1;
  if (const Argument* stride = tracer.argument(call, "stride")) {
    if (const auto* list = stride->get_if<ArgumentList>()) {
      for (const Argument& step : *list) {
        if (const auto* value = step.get_if<std::int64_t>()) steps *= std::max<std::int64_t>(*value, 1);
      }
    }
  }
  std::int64_t groups = 1;
  if (const Argument* argument = tracer.argument(call, "groups")) {
    if (const auto* value = argument->get_if<std::int64_t>()) groups = std::max<std::int64_t>(*value, 1);
  }
  const std::int64_t kernel = product(weight.shape, 2);
  const std::int64_t inputs = weight.shape.empty() ? 1 : weight.shape[0];
  return std::max<std::int64_t>(inputs / groups * kernel / steps, 1);
}

// Terms in each sum of a matrix product, by the operand's place.
std::int64_t product_fan_in(const SchemaArgument& argument, const TensorType& type) {
  const std::vector<std::int64_t>& shape = type.shape;
  if (shape.empty()) return 1;
  const bool left = argument.name == "self" || argument.name == "mat1" || argument.name == "batch1";
  if (left || shape.size() == 1) return std::max<std::int64_t>(shape.back(), 1);
  return std::max<std::int64_t>(shape[shape.size() - 2], 1);
}

std::size_t wide_dimensions(const TensorType& type) {
  return static_cast<std::size_t>(
      std::count_if(type.shape.begin(), type.shape.end(), [](auto size) { return size > 1; }));
}

// The role of a weight that an argument reads.
WeightUse use_of(const WeightTracer& tracer, std::size_t call, const SchemaArgument& argument, ValueId id) {
  const std::string& name = tracer.schema_of(call).name;
  const TensorType& type = tracer.type(id);
  WeightUse use;
  if (kConvolutions.contains(name)) {
    if (argument.name == "weight") {
      use.role = Role::kProjection;
      use.fan_in = convolution_fan_in(tracer, call, type);
    } else if (argument.name == "bias") {
      use.role = Role::kBias;
    }
  } else if (name == "aten::linear") {
    use.role = argument.name == "bias" ? Role::kBias : Role::kProjection;
    if (!type.shape.empty()) use.fan_in = std::max<std::int64_t>(type.shape.back(), 1);
  } else if (kMatrixProducts.contains(name)) {
    const bool added = name.starts_with("aten::add") || name == "aten::baddbmm";
    if (added && argument.name == "self") {
      use.role = Role::kBias;
    } else {
      use.role = Role::kProjection;
      use.fan_in = name == "aten::einsum" ? std::max<std::int64_t>(type.shape.empty() ? 1 : type.shape.front(), 1)
                                          : product_fan_in(argument, type);
    }
  } else if (name == "aten::embedding" || name == "aten::embedding_bag" || name == "aten::_embedding_bag") {
    use.role = Role::kEmbedding;
    use.fan_in = type.shape.empty() ? 1 : std::max<std::int64_t>(type.shape.back(), 1);
  } else if (kNormalizations.contains(name)) {
    use.role = argument.name == "weight"         ? Role::kScale
               : argument.name == "bias"         ? Role::kShift
               : argument.name == "running_mean" ? Role::kRunningMean
               : argument.name == "running_var"  ? Role::kRunningVariance
                                                 : Role::kUnknown;
  } else if (kRecurrent.contains(name)) {
    use.role = type.shape.size() >= 2 ? Role::kRecurrent : Role::kBias;
    if (!type.shape.empty()) use.fan_in = std::max<std::int64_t>(type.shape.back(), 1);
  } else if (name == "aten::mul" || name == "aten::mul_" || name == "aten::div") {
    // A factor for each channel keeps the scale; a whole matrix of factors is a table, such as spectral weights.
    use.role = wide_dimensions(type) <= 1 ? Role::kScale : Role::kUnknown;
  } else if (name == "aten::prelu" || name == "aten::_weight_norm") {
    use.role = argument.name == "v" ? Role::kProjection : Role::kScale;
    if (argument.name == "v") use.fan_in = product(type.shape, 1);
  } else if (name == "aten::add" || name == "aten::add_" || name == "aten::sub") {
    use.role = wide_dimensions(type) <= 1 ? Role::kBias : Role::kTable;
  } else if (name == "aten::index" || name == "aten::index_select" || name == "aten::gather" || name == "aten::cat" ||
             name == "aten::_upsample_bicubic2d_aa" || name == "aten::upsample_bicubic2d") {
    use.role = Role::kTable;
  }
  return use;
}

// Whether a call's result reaches a rectifier within a few calls.
bool is_rectified(const Graph& graph, const std::vector<std::vector<std::size_t>>& readers, std::size_t call,
                  int depth) {
  bool found = false;
  for_each_result(graph.calls[call], [&](const TensorResult& result) {
    for (const std::size_t reader : readers[result.id]) {
      if (found || reader <= call) continue;
      const std::string& name = graph.operator_of(graph.calls[reader]).name;
      found = kRectifiers.contains(name) ||
              (depth > 0 && kPassingOn.contains(name) && is_rectified(graph, readers, reader, depth - 1));
    }
  });
  return found;
}

std::vector<std::vector<std::size_t>> readers_of(const Graph& graph) {
  std::vector<std::vector<std::size_t>> readers(value_count(graph));
  for (std::size_t call = 0; call < graph.calls.size(); ++call) {
    for (const Argument& argument : graph.calls[call].arguments) {
      for_each_value(argument, [&](ValueId id) { readers[id].push_back(call); });
    }
  }
  return readers;
}

}  // namespace

std::vector<WeightUse> weight_uses(const Graph& graph) {
  std::vector<WeightUse> uses(graph.weights.size());
  const auto readers = readers_of(graph);
  WeightTracer tracer(graph);
  tracer.trace([&](std::size_t call, const SchemaArgument& argument, ValueId id, std::size_t weight) {
    WeightUse use = use_of(tracer, call, argument, id);
    WeightUse& known = uses[weight];
    if (known.role == Role::kUnknown) {
      if (use.role == Role::kProjection) use.rectified = is_rectified(graph, readers, call, 3);
      known = use;
    } else if (known.role == Role::kEmbedding && use.role == Role::kProjection) {
      known.also_projection = true;
    } else if (known.role == Role::kProjection && use.role == Role::kEmbedding) {
      known = use;
      known.also_projection = true;
    }
  });
  return uses;
}

std::vector<ScaledCall> scaled_calls(const Graph& graph) {
  std::vector<ScaledCall> found;
  WeightTracer tracer(graph);
  tracer.trace([&](std::size_t call, const SchemaArgument& argument, ValueId id, std::size_t weight) {
    const std::string& name = tracer.schema_of(call).name;
    const bool linear = kConvolutions.contains(name) || kMatrixProducts.contains(name) || name == "aten::linear";
    if (!linear || use_of(tracer, call, argument, id).role != Role::kProjection) return;
    // Both operands are weights: the product is one as well, and its reader is what counts.
    if (!found.empty() && found.back().call == call) {
      found.pop_back();
      return;
    }
    ScaledCall scaled{call, weight, std::nullopt};
    const bool added = name.starts_with("aten::add") || name == "aten::baddbmm";
    if (const Argument* bias = tracer.argument(call, added ? "self" : "bias")) {
      if (const std::size_t index = tracer.weight_of(*bias); index != kNoWeight) scaled.bias = index;
    }
    found.push_back(scaled);
  });
  return found;
}

}  // namespace graphnet
