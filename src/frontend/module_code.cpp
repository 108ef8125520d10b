#include "module_code.h"

#include <cctype>
#include <set>
#include <utility>

#include <torch/script.h>

#include "graphnet/support/text.h"

namespace graphnet {

namespace jit = torch::jit;

namespace {

class CodeWalker {
 public:
  explicit CodeWalker(const std::function<void(jit::Node*)>& visit) : visit_(visit) {}

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

  const std::function<void(jit::Node*)>& visit_;
  std::set<jit::Function*> visited_;
};

}  // namespace

void for_each_node(const jit::Module& module, const std::function<void(jit::Node*)>& visit) {
  CodeWalker(visit).walk_module(module);
}

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

std::string line_at(const jit::SourceRange& range) {
  const auto place = range.file_line_col();
  if (!place || !range.source()) return "";
  const auto& [file, line, column] = *place;
  static_cast<void>(column);
  const std::size_t source_line = range.source()->lineno_for_offset(range.start());
  std::string text = range.source()->get_line(source_line).str();
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  const std::size_t begin = text.find_first_not_of(" \t");
  return file + ":" + std::to_string(line) + ": " + excerpt(begin == std::string::npos ? "" : text.substr(begin), 120);
}

std::string line_of(const jit::Node* node) {
  std::string line = line_at(node->sourceRange());
  return line.empty() ? std::string(node->kind().toQualString()) : line;
}

}  // namespace graphnet
