#include "graphnet/frontend/torchscript.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <torch/csrc/jit/passes/inline_fork_wait.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/script.h>

#include "graphnet/runtime/exception_text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "input_help.h"
#include "module_state.h"

namespace graphnet {
namespace {

namespace jit = torch::jit;
using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

// Tensors in the code with more elements than this are weights of the graph, not constants that it spells out.
constexpr std::int64_t kLargestCodeConstant = 1024;

// Finds the tensors that a module's attributes hold, each once.
class TensorFinder {
 public:
  void visit_object(const ObjectPtr& object, const std::string& prefix) {
    if (!visited_.insert(object.get()).second) return;
    const c10::ClassTypePtr type = object->type();
    for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
      const bool is_parameter = type->is_module() && type->is_parameter(slot);
      visit_value(object->getSlot(slot), prefix + type->getAttributeName(slot), !is_parameter);
    }
  }

  void visit_value(const c10::IValue& value, const std::string& name, bool is_buffer) {
    if (value.isTensor()) {
      add(value.toTensor(), name, is_buffer);
    } else if (value.isObject()) {
      visit_object(value.toObject(), name + ".");
    } else if (value.isTensorList() || value.isList()) {
      const std::vector<c10::IValue> items = value.toListRef().vec();
      for (std::size_t i = 0; i < items.size(); ++i) visit_value(items[i], name + "." + std::to_string(i), is_buffer);
    } else if (value.isTuple()) {
      std::size_t i = 0;
      for (const c10::IValue& item : value.toTupleRef().elements())
        visit_value(item, name + "." + std::to_string(i++), is_buffer);
    } else if (value.isGenericDict()) {
      for (const auto& entry : value.toGenericDict()) {
        std::ostringstream key;
        key << entry.key();
        visit_value(entry.value(), name + "." + excerpt(key.str()), is_buffer);
      }
    }
  }

  void add(const at::Tensor& tensor, const std::string& name, bool is_buffer) {
    if (!tensor.defined()) return;
    if (tensor.requires_grad() && tensor.is_leaf()) tensor.set_requires_grad(false);
    if (tensor.layout() == c10::kStrided && tensor.has_storage()) {
      const Key key{tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(),
                    tensor.strides().vec(), tensor.scalar_type()};
      const auto [known, inserted] = indices_.emplace(key, tensors_.size());
      if (!inserted) {
        holders_[known->second].push_back(tensor);
        return;
      }
    }
    tensors_.push_back({name, tensor, is_buffer});
    holders_.push_back({tensor});
  }

  // The tensors, and for each the handles under which the model holds it.
  std::vector<KnownTensor> take_tensors() { return std::move(tensors_); }
  std::vector<std::vector<at::Tensor>> take_holders() { return std::move(holders_); }

 private:
  using Key = std::tuple<const c10::StorageImpl*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>,
                         at::ScalarType>;
  std::set<const c10::ivalue::Object*> visited_;
  std::map<Key, std::size_t> indices_;
  std::vector<KnownTensor> tensors_;
  std::vector<std::vector<at::Tensor>> holders_;
};

// Calls visit(Node*) for every node of a function, of its blocks and of the functions it calls.
class CodeWalker {
 public:
  explicit CodeWalker(std::function<void(jit::Node*)> visit) : visit_(std::move(visit)) {}

  void walk_module(const jit::Module& module) {
    for (const jit::Module& part : module.modules()) {
      for (const jit::Method& method : part.get_methods()) walk_function(method.function());
    }
  }

 private:
  void walk_function(jit::Function& function) {
    if (!function.isGraphFunction() || !visited_.insert(&function).second) return;
    walk_block(jit::toGraphFunction(function).graph()->block());
  }

  void walk_block(jit::Block* block) {
    for (jit::Node* node : block->nodes()) {
      visit_(node);
      if (node->kind() == c10::prim::CallFunction) {
        const auto type = node->input(0)->type()->cast<c10::FunctionType>();
        if (type) walk_function(*type->function());
      }
      for (jit::Block* inner : node->blocks()) walk_block(inner);
      if (node->kind() == c10::prim::fork && node->hasAttribute(c10::attr::Subgraph)) {
        walk_block(node->g(c10::attr::Subgraph)->block());
      }
    }
  }

  std::function<void(jit::Node*)> visit_;
  std::set<jit::Function*> visited_;
};

// Whether the node turns a tensor's value into a number.
bool reads_value(const jit::Node* node) {
  static const std::set<c10::Symbol> kinds = {c10::Symbol::fromQualString("aten::item"),
                                              c10::Symbol::fromQualString("aten::Bool"),
                                              c10::Symbol::fromQualString("aten::Int"),
                                              c10::Symbol::fromQualString("aten::Float"),
                                              c10::Symbol::fromQualString("aten::tolist"),
                                              c10::Symbol::fromQualString("prim::tolist"),
                                              c10::Symbol::fromQualString("aten::IntImplicit"),
                                              c10::Symbol::fromQualString("aten::FloatImplicit"),
                                              c10::Symbol::fromQualString("aten::ScalarImplicit"),
                                              c10::Symbol::fromQualString("aten::is_nonzero"),
                                              c10::Symbol::fromQualString("aten::equal"),
                                              c10::Symbol::fromQualString("aten::allclose")};
  // On a list of tensors these compare its elements.
  static const std::set<c10::Symbol> list_kinds = {
      c10::Symbol::fromQualString("aten::sort"),         c10::Symbol::fromQualString("aten::sorted"),
      c10::Symbol::fromQualString("aten::count"),        c10::Symbol::fromQualString("aten::index"),
      c10::Symbol::fromQualString("aten::remove"),       c10::Symbol::fromQualString("aten::eq"),
      c10::Symbol::fromQualString("aten::__contains__"), c10::Symbol::fromQualString("aten::ne")};
  if (node->inputs().empty()) return false;
  const c10::Type& type = *node->input(0)->type();
  return type.isSubtypeOf(*c10::ListType::ofTensors())
             ? list_kinds.contains(node->kind())
             : kinds.contains(node->kind()) && type.isSubtypeOf(*c10::TensorType::get());
}

// "code/__torch__/model.py:12: if bool(torch.gt(x, 0)):", without what is not known.
std::string line_of(const jit::Node* node) {
  const jit::SourceRange& range = node->sourceRange();
  const auto place = range.file_line_col();
  if (!place || !range.source()) return std::string(node->kind().toQualString());
  const auto& [file, line, column] = *place;
  static_cast<void>(column);
  std::string text(range.text().str());
  const std::size_t source_line = range.source()->lineno_for_offset(range.start());
  text = range.source()->get_line(source_line).str();
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  const std::size_t begin = text.find_first_not_of(" \t");
  return file + ":" + std::to_string(line) + ": " + excerpt(begin == std::string::npos ? "" : text.substr(begin), 120);
}

// Throws the error for an archive that torch::jit::load refused.
[[noreturn]] void throw_load_error(const std::filesystem::path& path, const std::string& text) {
  constexpr std::string_view kUnknownOperator = "Unknown builtin op: ";
  if (const std::size_t found = text.find(kUnknownOperator); found != std::string::npos) {
    std::string name = text.substr(found + kUnknownOperator.size());
    name.resize(std::min(name.find_first_of(" \n"), name.size()));
    while (name.ends_with('.')) name.pop_back();
    const std::string library = name.substr(0, name.find("::"));
    throw Error(ErrorKind::kEnvironment,
                path.string() + ": needs the operator " + name +
                    ", which this LibTorch does not have. Give its library with --op-library: a "
                    "shared object or a Python package, such as --op-library " +
                    library + ".");
  }
  for (const std::string_view mark : {"Unknown type name '", "Class not found: ", "Unknown type: "}) {
    if (const std::size_t found = text.find(mark); found != std::string::npos) {
      std::string name = text.substr(found + mark.size());
      name.resize(std::min(name.find_first_of("' \n"), name.size()));
      const bool mobile = name.find(".xnnpack.") != std::string::npos;
      throw Error(ErrorKind::kEnvironment,
                  path.string() + ": uses the class " + excerpt(name, 160) + ", which this LibTorch does not have. " +
                      (mobile ? "The model was packed for phones: save it without optimize_for_mobile."
                              : "Give the library that registers it with --op-library."));
    }
  }
  throw Error(ErrorKind::kInput, path.string() + ": LibTorch cannot load this TorchScript archive: " + text);
}

// torch::jit::load moves tensors to the device, but leaves the accelerators that the code names, such as the
// "cuda:0" in what was traced there.
void move_code(const jit::Module& module, c10::Device device) {
  CodeWalker walker([&](jit::Node* node) {
    if (node->kind() != c10::prim::Constant || node->output()->type()->kind() != c10::TypeKind::DeviceObjType) return;
    const c10::Device named(node->s(c10::attr::value));
    if (!named.is_cpu() && !named.is_meta()) node->s_(c10::attr::value, device.str());
  });
  walker.walk_module(module);
}

jit::Module load_module(const std::filesystem::path& path, c10::Device device) {
  try {
    jit::Module module = jit::load(path.string(), device, /*load_debug_files=*/false);
    move_code(module, device);
    return module;
  } catch (const std::exception& exception) {
    throw_load_error(path, exception_text(exception));
  }
}

}  // namespace

struct TorchScriptModel::State {
  jit::Module module;
  c10::FunctionSchema schema;
  TensorFinder finder;
  std::vector<KnownTensor> tensors;
  std::vector<std::vector<at::Tensor>> holders;  // for each tensor the handles under which the model has it
  std::vector<const jit::Node*> value_readers;   // nodes that turn a tensor's value into a number
  ModuleState attributes;

  explicit State(jit::Module loaded)
      : module(std::move(loaded)), schema(module.get_method("forward").function().getSchema()) {
    finder.visit_object(module._ivalue(), "");
    scan_code();
    tensors = finder.take_tensors();
    holders = finder.take_holders();
  }

  void scan_code() {
    bool forks = false;
    CodeWalker walker([&](jit::Node* node) {
      if (node->kind() == c10::prim::fork) forks = true;
      attributes.add_changes_of(*node);
      if (reads_value(node)) value_readers.push_back(node);
      if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value) &&
          node->kindOf(c10::attr::value) == jit::AttributeKind::t) {
        const at::Tensor& tensor = node->t(c10::attr::value);
        if (tensor.defined() && tensor.numel() > kLargestCodeConstant) {
          finder.add(tensor, "constant." + std::to_string(++constant_count_), /*is_buffer=*/true);
        }
      }
    });
    walker.walk_module(module);
    if (forks) inline_forks();
    attributes.remember(module._ivalue());
  }

  // fork() runs its function on another thread, where no recorder listens.
  void inline_forks() {
    const std::shared_ptr<jit::Graph> graph = jit::toGraphFunction(module.get_method("forward").function()).graph();
    jit::Inline(*graph);
    jit::InlineForkWait(graph);
  }

 private:
  int constant_count_ = 0;
};

TorchScriptModel::TorchScriptModel(const std::filesystem::path& path, c10::Device device) {
  jit::setGraphExecutorOptimize(false);
  const at::NoGradGuard no_grad;
  jit::Module module = load_module(path, device);
  if (!module.find_method("forward")) {
    std::string names;
    for (const jit::Method& method : module.get_methods()) names += (names.empty() ? "" : ", ") + method.name();
    throw Error(ErrorKind::kInput,
                path.string() +
                    (names.empty() ? ": the module has no methods, it only holds tensors and values. "
                                   : ": the module has no method forward, only: " + names + ". ") +
                    "Wrap it in a module that has one.");
  }
  module.eval();
  state_ = std::make_unique<State>(std::move(module));
}

TorchScriptModel::~TorchScriptModel() = default;
TorchScriptModel::TorchScriptModel(TorchScriptModel&&) noexcept = default;
TorchScriptModel& TorchScriptModel::operator=(TorchScriptModel&&) noexcept = default;

std::string TorchScriptModel::class_name() const {
  const auto name = state_->module.type()->name();
  return name ? name->name() : "";
}

const c10::FunctionSchema& TorchScriptModel::schema() const {
  return state_->schema;
}

std::string TorchScriptModel::input_help() const {
  return graphnet::input_help(state_->schema, state_->tensors);
}

const std::vector<KnownTensor>& TorchScriptModel::tensors() const {
  return state_->tensors;
}

void TorchScriptModel::replace(std::size_t index, const at::Tensor& tensor) {
  for (at::Tensor& holder : state_->holders.at(index)) holder.set_data(tensor);
}

c10::IValue TorchScriptModel::forward(std::vector<c10::IValue> arguments) {
  const c10::InferenceMode without_gradients;
  try {
    c10::IValue output = state_->module.forward(std::move(arguments));
    state_->attributes.restore();
    return output;
  } catch (const std::exception& exception) {
    state_->attributes.restore();
    throw error_of(exception).with_context("the model failed while running");
  }
}

std::vector<std::string> TorchScriptModel::changed_attributes() const {
  return state_->attributes.changed();
}

std::vector<std::string> TorchScriptModel::value_dependent_lines(std::size_t limit) const {
  std::vector<std::string> lines;
  for (const jit::Node* node : state_->value_readers) {
    if (lines.size() == limit) break;
    std::string line = line_of(node);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace graphnet
