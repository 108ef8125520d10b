#include "graphnet/frontend/arguments.h"

#include <algorithm>
#include <set>
#include <span>
#include <sstream>

#include <ATen/core/jit_type.h>

#include "graphnet/graph/tensor_type.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

std::string describe(const InputNode& node) {
  struct Visitor {
    std::string operator()(const TensorSpec& spec) const { return "a tensor " + to_string(spec.type); }
    std::string operator()(const Argument& argument) const {
      if (argument.get_if<None>()) return "none";
      if (const auto* value = argument.get_if<bool>()) return *value ? "the bool true" : "the bool false";
      if (const auto* value = argument.get_if<std::int64_t>()) return "the int " + std::to_string(*value);
      if (const auto* value = argument.get_if<double>()) return "the float " + double_text(*value);
      if (const auto* value = argument.get_if<std::string>()) return "the string \"" + excerpt(*value) + "\"";
      return "plain data";
    }
    std::string operator()(const InputNode::List&) const { return "a list"; }
    std::string operator()(const InputNode::Tuple&) const { return "a tuple"; }
    std::string operator()(const InputNode::Dict&) const { return "a dict"; }
  };
  return std::visit(Visitor{}, node.node);
}

// Makes values of the schema's types from input nodes, taking tensors from a list in order. With no list, checks types
// and collects the specs instead.
class ValueBuilder {
 public:
  explicit ValueBuilder(const std::vector<at::Tensor>* tensors) : tensors_(tensors) {}

  c10::IValue build(const InputNode& node, const c10::TypePtr& type) {
    if (const auto optional = type->cast<c10::OptionalType>()) {
      const auto* argument = std::get_if<Argument>(&node.node);
      if (argument != nullptr && argument->get_if<None>() != nullptr) return {};
      return build(node, optional->getElementType());
    }
    if (const auto union_type = type->cast<c10::UnionType>()) return build_first_of(node, union_type->containedTypes());
    if (const auto* spec = std::get_if<TensorSpec>(&node.node)) return build_tensor(*spec, type);
    if (const auto* argument = std::get_if<Argument>(&node.node)) return build_plain(*argument, type, node);
    if (const auto* list = std::get_if<InputNode::List>(&node.node)) return build_list(list->items, type, node);
    if (const auto* tuple = std::get_if<InputNode::Tuple>(&node.node)) return build_tuple(tuple->items, type, node);
    return build_dict(std::get<InputNode::Dict>(node.node), type, node);
  }

  const std::vector<const TensorSpec*>& specs() const { return specs_; }

 private:
  [[noreturn]] static void mismatch(const InputNode& node, const c10::TypePtr& type) {
    throw Error(ErrorKind::kUsage, "takes " + type->annotation_str() + ", but was given " + describe(node));
  }

  c10::IValue build_first_of(const InputNode& node, c10::ArrayRef<c10::TypePtr> types) {
    for (const c10::TypePtr& type : types) {
      const std::size_t next = next_;
      const std::size_t specs = specs_.size();
      try {
        return build(node, type);
      } catch (const Error&) {
        next_ = next;
        specs_.resize(specs);
      }
    }
    throw Error(ErrorKind::kUsage, "was given " + describe(node) + ", which fits none of its types");
  }

  c10::IValue build_tensor(const TensorSpec& spec, const c10::TypePtr& type) {
    if (type->kind() != c10::TypeKind::TensorType && type->kind() != c10::TypeKind::AnyType) {
      mismatch(InputNode{spec}, type);
    }
    specs_.push_back(&spec);
    if (tensors_ == nullptr) return at::Tensor();
    return tensors_->at(next_++);
  }

  static c10::IValue build_plain(const Argument& argument, const c10::TypePtr& type, const InputNode& node) {
    const bool any = type->kind() == c10::TypeKind::AnyType;
    const bool number = type->kind() == c10::TypeKind::NumberType;
    if (argument.get_if<None>() != nullptr && (any || type->kind() == c10::TypeKind::NoneType)) return {};
    if (const auto* value = argument.get_if<bool>();
        value != nullptr && (any || type->kind() == c10::TypeKind::BoolType)) {
      return *value;
    }
    if (const auto* value = argument.get_if<std::int64_t>()) {
      if (any || number || type->kind() == c10::TypeKind::IntType) return *value;
      if (type->kind() == c10::TypeKind::FloatType) return static_cast<double>(*value);
    }
    if (const auto* value = argument.get_if<double>();
        value != nullptr && (any || number || type->kind() == c10::TypeKind::FloatType)) {
      return *value;
    }
    if (const auto* value = argument.get_if<std::string>();
        value != nullptr && (any || type->kind() == c10::TypeKind::StringType)) {
      return *value;
    }
    if (const auto* value = argument.get_if<std::string>();
        value != nullptr && type->kind() == c10::TypeKind::DeviceObjType) {
      return c10::Device(*value);
    }
    if (type->kind() == c10::TypeKind::TensorType) {
      throw Error(ErrorKind::kUsage, "takes a Tensor, but was given " + describe(node) +
                                         "; a tensor without dimensions is written scalar:int64@constant(3)");
    }
    mismatch(node, type);
  }

  c10::IValue build_list(const std::vector<InputNode>& items, const c10::TypePtr& type, const InputNode& node) {
    if (type->cast<c10::TupleType>()) return build_tuple(items, type, node);
    const auto list_type = type->cast<c10::ListType>();
    if (!list_type) mismatch(node, type);
    c10::impl::GenericList list(list_type->getElementType());
    for (const InputNode& item : items) list.push_back(build(item, list_type->getElementType()));
    return list;
  }

  c10::IValue build_tuple(const std::vector<InputNode>& items, const c10::TypePtr& type, const InputNode& node) {
    const auto tuple_type = type->cast<c10::TupleType>();
    if (!tuple_type) mismatch(node, type);
    if (tuple_type->elements().size() != items.size()) {
      throw Error(ErrorKind::kUsage, "takes a tuple of " + std::to_string(tuple_type->elements().size()) +
                                         " elements, but was given " + std::to_string(items.size()));
    }
    std::vector<c10::IValue> values;
    for (std::size_t i = 0; i < items.size(); ++i) values.push_back(build(items[i], tuple_type->elements()[i]));
    return c10::ivalue::Tuple::create(std::move(values));
  }

  c10::IValue build_dict(const InputNode::Dict& dict, const c10::TypePtr& type, const InputNode& node) {
    const auto dict_type = type->cast<c10::DictType>();
    if (!dict_type) mismatch(node, type);
    c10::impl::GenericDict result(dict_type->getKeyType(), dict_type->getValueType());
    for (const auto& [key, value] : dict.items) {
      result.insert(build_key(key, dict_type->getKeyType()), build(value, dict_type->getValueType()));
    }
    return result;
  }

  static c10::IValue build_key(const std::string& key, const c10::TypePtr& type) {
    if (type->kind() == c10::TypeKind::StringType) return key;
    const std::optional<std::int64_t> number = parse_integer(key);
    if (type->kind() != c10::TypeKind::IntType || !number) {
      throw Error(ErrorKind::kUsage, "takes a dict with keys of type " + type->annotation_str() +
                                         ", but was given the key \"" + excerpt(key) + "\"");
    }
    return *number;
  }

  const std::vector<at::Tensor>* tensors_;
  std::size_t next_ = 0;
  std::vector<const TensorSpec*> specs_;
};

std::string argument_names(std::span<const c10::Argument> arguments) {
  return arguments.empty() ? "none" : joined(arguments, ", ", &c10::Argument::name);
}

}  // namespace

std::span<const c10::Argument> arguments_of(const c10::FunctionSchema& schema) {
  return std::span<const c10::Argument>(schema.arguments()).subspan(1);
}

Arguments::Arguments(const c10::FunctionSchema& schema, const std::vector<NamedInput>& inputs,
                     const std::string& help) {
  const std::span<const c10::Argument> declared = arguments_of(schema);

  // Which input each declared argument takes.
  std::vector<const NamedInput*> matched(declared.size(), nullptr);
  std::size_t position = 0;
  for (const NamedInput& input : inputs) {
    std::size_t index = position;
    if (!input.name.empty()) {
      const auto found = std::find_if(declared.begin(), declared.end(),
                                      [&](const c10::Argument& argument) { return argument.name() == input.name; });
      if (found == declared.end()) {
        throw Error(ErrorKind::kUsage, "forward has no argument '" + excerpt(input.name) + "', only " +
                                           argument_names(declared) + ".\n" + help);
      }
      index = static_cast<std::size_t>(found - declared.begin());
    } else {
      ++position;
    }
    if (index >= declared.size()) {
      throw Error(ErrorKind::kUsage, "forward takes " + std::to_string(declared.size()) + " arguments, but " +
                                         std::to_string(inputs.size()) + " inputs were given.\n" + help);
    }
    if (matched[index] != nullptr) {
      throw Error(ErrorKind::kUsage, "argument '" + declared[index].name() + "' was given twice.\n" + help);
    }
    matched[index] = &input;
  }

  for (std::size_t i = 0; i < declared.size(); ++i) {
    const c10::Argument& argument = declared[i];
    if (matched[i] == nullptr) {
      const bool optional = argument.type()->kind() == c10::TypeKind::OptionalType;
      if (!argument.default_value() && !optional) {
        throw Error(ErrorKind::kUsage, "forward's argument '" + argument.name() + "' (" +
                                           argument.type()->annotation_str() + ") was not given.\n" + help);
      }
      slots_.push_back({argument.type(), std::nullopt, argument.default_value().value_or(c10::IValue())});
      continue;
    }
    given_.push_back({argument.name(), matched[i]->value});
    slots_.push_back({argument.type(), given_.size() - 1, {}});
    try {
      ValueBuilder(nullptr).build(given_.back().value, argument.type());
    } catch (const Error& error) {
      throw Error(error.kind(), "forward's argument '" + argument.name() + "' " + error.what() + ".\n" + help);
    }
  }
  std::set<std::string> names;
  for (const auto& [name, spec] : tensors_of(given_)) {
    if (!names.insert(name).second) {
      throw Error(ErrorKind::kUnsupported, "two of the inputs are called '" + excerpt(name) +
                                               "', as keys of dicts are joined with dots: rename a key");
    }
    tensors_.emplace_back(name, *spec);
  }
}

std::vector<c10::IValue> Arguments::values(const std::vector<at::Tensor>& tensors) const {
  ValueBuilder builder(&tensors);
  std::vector<c10::IValue> values;
  for (const Slot& slot : slots_) {
    values.push_back(slot.given ? builder.build(given_[*slot.given].value, slot.type) : slot.default_value.deepcopy());
  }
  return values;
}

std::string signature_text(const c10::FunctionSchema& schema) {
  std::string text = schema.name() + "(";
  bool first = true;
  for (const c10::Argument& argument : arguments_of(schema)) {
    if (!first) text += ", ";
    first = false;
    text += argument.type()->annotation_str() + " " + argument.name();
    if (argument.default_value()) {
      const c10::IValue& value = *argument.default_value();
      std::ostringstream stream;
      stream << value;
      text += "=" + (value.isNone() ? std::string("None") : excerpt(stream.str()));
    }
  }
  text += ")";
  if (!schema.returns().empty()) text += " -> " + schema.returns().front().type()->annotation_str();
  return text;
}

}  // namespace graphnet
