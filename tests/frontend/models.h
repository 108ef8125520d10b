// TorchScript files made without Python, and folders to extract them to.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <torch/script.h>

#include "graphnet/frontend/extract.h"
#include "graphnet/support/files.h"

namespace graphnet::testing {

// A folder for one test, and the model file in it.
class ModelFolder {
 public:
  ModelFolder() : folder_("graphnet-frontend-test") {}

  std::filesystem::path path() const { return folder_.path(); }
  std::filesystem::path model() const { return path() / "model.pt"; }

  // Saves a module made of its code; `fill` registers parameters and buffers first.
  void save(const std::string& code, const std::function<void(torch::jit::Module&)>& fill = {},
            const std::string& description = "") const {
    torch::jit::Module module("Model");
    if (fill) fill(module);
    module.define(code + "\n");
    torch::jit::ExtraFilesMap extra;
    if (!description.empty()) extra["graphnet.json"] = description;
    module.save(model().string(), extra);
  }

  ExtractResult extract(const std::vector<std::string>& inputs) const {
    ExtractOptions options;
    options.model = model();
    options.output = path() / "samples";
    options.inputs = inputs;
    return graphnet::extract(options);
  }

 private:
  TemporaryFolder folder_;
};

// linear -> relu -> linear with weights of a fixed seed, as parameters w1, b1, w2.
inline void register_two_layers(torch::jit::Module& module) {
  torch::manual_seed(7);
  module.register_parameter("w1", torch::randn({16, 8}) / 3, false);
  module.register_parameter("b1", torch::randn({16}) / 10, false);
  module.register_parameter("w2", torch::randn({4, 16}) / 4, false);
}
inline constexpr const char* kTwoLayers = R"(
def forward(self, x):
    h = torch.relu(torch.linear(x, self.w1, self.b1))
    return torch.linear(h, self.w2)
)";

}  // namespace graphnet::testing
