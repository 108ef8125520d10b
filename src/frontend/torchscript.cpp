#include "graphnet/frontend/torchscript.h"

#include <algorithm>
#include <utility>

#include <torch/csrc/jit/passes/inline_fork_wait.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/script.h>

#include "graphnet/runtime/exception_text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "input_help.h"
#include "module_code.h"
#include "module_state.h"
#include "module_tensors.h"

namespace graphnet {
namespace {

namespace jit = torch::jit;

// Tensors in the code with more elements than this are weights of the graph, not constants that it spells out.
constexpr std::int64_t kLargestCodeConstant = 1024;

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
      // Classes of the model itself come with its code; those that C++ registers are told apart by their place.
      if (name.starts_with("__torch__.") && !name.starts_with("__torch__.torch.classes.")) {
        throw Error(ErrorKind::kInput, path.string() + ": damaged: it uses the class " + excerpt(name, 160) +
                                           ", whose code is not in it. Fetch or write the file again.");
      }
      const bool mobile = name.find(".xnnpack.") != std::string::npos;
      throw Error(ErrorKind::kEnvironment,
                  path.string() + ": uses the class " + excerpt(name, 160) + ", which this LibTorch does not have. " +
                      (mobile ? "The model was packed for phones: save it without optimize_for_mobile."
                              : "Give the library that registers it with --op-library."));
    }
  }
  throw Error(ErrorKind::kInput, path.string() + ": LibTorch cannot load this TorchScript archive: " + text);
}

// torch::jit::load moves tensors to the device, but leaves the devices that the code names, such as the "cuda:0" in
// what was traced there. Where no accelerator is named, "cpu" is where the model was traced; beside one, the host is
// meant.
void move_code(const jit::Module& module, c10::Device device) {
  std::vector<jit::Node*> accelerators;
  std::vector<jit::Node*> hosts;
  for_each_node(module, [&](jit::Node* node) {
    if (node->kind() != c10::prim::Constant || node->output()->type()->kind() != c10::TypeKind::DeviceObjType) return;
    const c10::Device named(node->s(c10::attr::value));
    if (!named.is_meta()) (named.is_cpu() ? hosts : accelerators).push_back(node);
  });
  for (jit::Node* node : accelerators.empty() ? hosts : accelerators) node->s_(c10::attr::value, device.str());
}

jit::Module load_module(const std::filesystem::path& path, c10::Device device) {
  try {
    jit::Module module = jit::load(path.string(), device, /*load_debug_files=*/false);
    move_code(module, device);
    return module;
  } catch (const std::exception& exception) {
    if (lacks_memory(exception)) throw error_of(exception).with_context(path.string());
    throw_load_error(path, exception_text(exception));
  }
}

}  // namespace

struct TorchScriptModel::State {
  jit::Module module;
  c10::FunctionSchema schema;
  ModuleTensors finder;
  std::vector<KnownTensor> tensors;
  std::vector<std::vector<at::Tensor>> holders;  // for each tensor the handles under which the model has it
  std::vector<const jit::Node*> value_readers;   // nodes that turn a tensor's value into a number
  ModuleState attributes;

  explicit State(jit::Module loaded)
      : module(std::move(loaded)), schema(module.get_method("forward").function().getSchema()) {
    finder.add_object(module._ivalue(), "");
    scan_code();
    tensors = finder.take_tensors();
    holders = finder.take_holders();
  }

  void scan_code() {
    bool forks = false;
    for_each_node(module, [&](jit::Node* node) {
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
    const std::string names = joined(module.get_methods(), ", ", &jit::Method::name);
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

std::string TorchScriptModel::running_line() {
  const std::vector<jit::StackEntry> stack = jit::currentCallstack();
  return stack.empty() ? "" : line_at(stack.front().range);
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
