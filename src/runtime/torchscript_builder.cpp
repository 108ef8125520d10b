#include "torchscript_builder.h"

#include <string>
#include <utility>
#include <vector>

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/jit/frontend/schema_matching.h>
#include <torch/csrc/jit/ir/ir.h>

#include "graphnet/graph/schema.h"
#include "graphnet/graph/tensor_type.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/support/error.h"

#include "operator_binding.h"

namespace graphnet {
namespace {

namespace jit = torch::jit;

class Builder {
 public:
  explicit Builder(const CandidateSource& source)
      : source_(source), module_("graphnet_sample"), target_(std::make_shared<jit::Graph>()) {
    for (const Operator& recorded : source.graph.operators) operators_.push_back(bind_operator(recorded));
  }

  jit::Module build() {
    const Graph& graph = source_.graph;
    values_.resize(value_count(graph));
    self_ = target_->addInput("self");
    // Freezing wants to know that the module is not being trained.
    module_.register_attribute("training", c10::BoolType::get(), false);
    for (ValueId id = 0; id < graph.inputs.size(); ++id) values_[id] = target_->addInput(c10::str("x", id));
    add_buffers();
    self_->setType(module_.type());
    load_buffers();
    copy_written();
    cut_views();
    for (std::size_t i = 0; i < graph.calls.size(); ++i) {
      try {
        add_call(graph.calls[i]);
      } catch (const Error& error) {
        throw error.with_context(place(i));
      } catch (const std::exception& error) {
        throw Error(ErrorKind::kUnsupported, place(i) + ": " + error.what());
      }
    }
    std::vector<jit::Value*> outputs;
    for (const ValueId id : output_values(graph)) outputs.push_back(values_[id]);
    target_->registerOutput(target_->insertNode(target_->createTuple(outputs))->output());
    jit::Function* forward = module_._ivalue()->compilation_unit()->create_function(
        c10::QualifiedName(*module_.type()->name(), "forward"), target_);
    module_.type()->addMethod(forward);
    return module_;
  }

 private:
  std::string place(std::size_t call) const {
    return "call " + std::to_string(call) + " " + source_.graph.operator_of(source_.graph.calls[call]).full_name();
  }

  static std::string buffer_name(ValueId id) { return c10::str("w", id); }

  const ViewRecipe* view_of(ValueId id) const {
    const Graph& graph = source_.graph;
    if (id < graph.first_weight() || id >= graph.first_constant()) return nullptr;
    return std::get_if<ViewRecipe>(&graph.weights[id - graph.first_weight()].recipe);
  }

  void add_buffers() {
    const Graph& graph = source_.graph;
    for (std::size_t i = 0; i < graph.weights.size(); ++i) {
      const ValueId id = graph.first_weight() + static_cast<ValueId>(i);
      if (view_of(id) == nullptr) module_.register_buffer(buffer_name(id), source_.weights[i]);
    }
    for (std::size_t i = 0; i < graph.constants.size(); ++i) {
      module_.register_buffer(buffer_name(graph.first_constant() + static_cast<ValueId>(i)), source_.constants[i]);
    }
  }

  void load_buffers() {
    for (ValueId id = source_.graph.first_weight(); id < source_.graph.first_result(); ++id) {
      if (view_of(id) == nullptr) values_[id] = target_->insertGetAttr(self_, buffer_name(id));
    }
  }

  // Every run starts from the same state: what calls write to is copied first.
  void copy_written() {
    const Aliases aliases = find_aliases(source_.graph);
    for (ValueId id = 0; id < source_.graph.first_result(); ++id) {
      if (aliases.written[id] && view_of(id) == nullptr) values_[id] = target_->insert(c10::aten::clone, {values_[id]});
    }
  }

  // Tied weights, cut out of the weight whose storage they share.
  void cut_views() {
    const Graph& graph = source_.graph;
    for (std::size_t i = 0; i < graph.weights.size(); ++i) {
      const ValueId id = graph.first_weight() + static_cast<ValueId>(i);
      const ViewRecipe* view = view_of(id);
      if (view == nullptr) continue;
      const TensorType& type = graph.weights[i].type;
      values_[id] = target_->insert(
          c10::aten::as_strided, {values_[view->base], type.shape,
                                  type.strides.empty() ? contiguous_strides(type.shape) : type.strides, view->offset});
    }
  }

  void add_call(const Call& call) {
    const BoundOperator& bound = operators_[call.operator_index];
    const c10::FunctionSchema& schema = bound.op.schema();
    std::vector<jit::NamedValue> arguments;
    bool has_bool_number = false;
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
      if (!bound.arguments[i]) continue;
      const c10::Argument& declared = schema.arguments()[i];
      const Argument& argument = call.arguments[*bound.arguments[i]];
      arguments.emplace_back(declared.name(), value_of(argument, *declared.type()));
      has_bool_number |=
          argument.get_if<bool>() != nullptr && without_optional(*declared.type()).kind() == c10::TypeKind::NumberType;
    }
    const jit::MatchedSchema matched = jit::matchSchema(schema, jit::SourceRange(), *target_, {}, arguments);
    jit::Node* node =
        target_->insertNode(target_->create(c10::Symbol::fromQualString(schema.name()), matched.inputs, 0));
    for (const c10::TypePtr& type : matched.return_types) node->addOutput()->setType(type);
    // TorchScript picks the overload by the types of the arguments.
    const std::string& overload = node->schema().overload_name();
    if (overload != schema.overload_name()) {
      throw Error(ErrorKind::kUnsupported, "TorchScript takes it for overload \"" + overload + "\"");
    }
    define_results(call, *node);
    if (has_bool_number) restore_bools(call);
  }

  void define_results(const Call& call, jit::Node& node) {
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      if (const auto* tensor = std::get_if<TensorResult>(&call.results[i])) values_[tensor->id] = node.output(i);
      if (const auto* list = std::get_if<std::vector<TensorResult>>(&call.results[i])) {
        jit::Node* unpacked = target_->insertNode(target_->createListUnpack(node.output(i), list->size()));
        for (std::size_t k = 0; k < list->size(); ++k) values_[(*list)[k].id] = unpacked->output(k);
      }
    }
  }

  // TorchScript has no bools among its numbers: it takes true for 1, of which operators make integers.
  void restore_bools(const Call& call) {
    for_each_result(call, [&](const TensorResult& result) {
      if (result.type.dtype != Dtype::kBool) return;
      jit::Value*& value = values_[result.id];
      value = target_->insert(c10::aten::to, {value, static_cast<std::int64_t>(at::kBool), false, false});
    });
  }

  static const c10::Type& without_optional(const c10::Type& type) {
    const auto* optional = type.castRaw<c10::OptionalType>();
    return optional == nullptr ? type : *optional->getElementType();
  }

  jit::Value* value_of(const Argument& argument, const c10::Type& type) {
    if (const auto* reference = argument.get_if<ValueReference>()) return values_[reference->id];
    bool has_values = false;
    for_each_value(argument, [&](ValueId) { has_values = true; });
    const c10::Type& plain = without_optional(type);
    if (!has_values) {
      if (argument.get_if<None>() != nullptr) return target_->insertConstant(c10::IValue());
      return target_->insertConstant(literal(argument, type, source_.device));
    }
    const auto* list_type = plain.castRaw<c10::ListType>();
    if (list_type == nullptr)
      throw Error(ErrorKind::kUnsupported, "tensors where the operator takes " + type.repr_str());
    const c10::TypePtr& element_type = list_type->getElementType();
    std::vector<jit::Value*> elements;
    for (const Argument& element : *argument.get_if<ArgumentList>()) {
      elements.push_back(value_of(element, *element_type));
    }
    return target_->insertNode(target_->createList(element_type, elements))->output();
  }

  const CandidateSource& source_;
  jit::Module module_;
  std::shared_ptr<jit::Graph> target_;
  jit::Value* self_ = nullptr;
  std::vector<jit::Value*> values_;  // by value
  std::vector<BoundOperator> operators_;
};

}  // namespace

torch::jit::Module build_torchscript(const CandidateSource& source) {
  return Builder(source).build();
}

}  // namespace graphnet
