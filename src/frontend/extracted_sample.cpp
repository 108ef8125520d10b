#include "extracted_sample.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
#include <utility>

#include "graphnet/sample/safetensors.h"
#include "graphnet/support/sha256.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

std::string_view bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

}  // namespace

std::string sample_folder_name(const std::string& name) {
  std::string folder;
  for (std::size_t at = 0; at < name.size();) {
    // A character with the bytes that continue it.
    std::size_t end = at + 1;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
    const std::string letter = name.substr(at, end - at);
    at = end;
    const bool is_plain = letter.size() > 1 ? is_utf8(letter) && excerpt(letter) == letter
                                            : std::isalnum(static_cast<unsigned char>(letter[0])) != 0 ||
                                                  letter == "_" || letter == "-" || letter == ".";
    folder += is_plain ? letter : "-";
  }
  while (folder.starts_with('.')) folder.erase(0, 1);
  return folder.empty() ? "sample" : folder;
}

std::vector<OperatorLibrary> used_libraries(const Graph& graph, const std::vector<LoadedLibrary>& loaded) {
  std::vector<OperatorLibrary> used;
  for (const LoadedLibrary& library : loaded) {
    OperatorLibrary entry{library.name, library.sha256, {}};
    for (const Operator& op : graph.operators) {
      if (std::binary_search(library.operators.begin(), library.operators.end(), op.full_name())) {
        entry.operators.push_back(op.full_name());
      }
    }
    if (!entry.operators.empty()) used.push_back(std::move(entry));
  }
  return used;
}

bool store_weights(Graph& graph, const std::vector<at::Tensor>& tensors, const std::filesystem::path& file) {
  std::vector<SafetensorsWriter::Item> items;
  std::vector<at::Tensor> dense;
  for (std::size_t i = 0; i < graph.weights.size(); ++i) {
    Weight& weight = graph.weights[i];
    if (!std::holds_alternative<StoredRecipe>(weight.recipe)) continue;
    const at::Tensor tensor = tensors[i].cpu().contiguous();
    weight.recipe = StoredRecipe{sha256(bytes_of(tensor))};
    items.push_back(
        {"%" + std::to_string(graph.first_weight() + i), make_tensor_type(weight.type.dtype, weight.type.shape, {})});
    dense.push_back(tensor);
  }
  if (items.empty()) return false;
  SafetensorsWriter writer(file, items);
  for (const at::Tensor& tensor : dense) writer.append(std::as_bytes(std::span(bytes_of(tensor))));
  writer.finish();
  return true;
}

}  // namespace graphnet
