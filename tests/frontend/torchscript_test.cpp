#include "graphnet/frontend/torchscript.h"

#include <caffe2/serialize/inline_container.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::ModelFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::filesystem::path& file) {
  try {
    const TorchScriptModel model(file, c10::kCPU);
  } catch (const Error& error) {
    return error.what();
  }
  return "loaded";
}

// Writes the archive anew with another text in its code.
void replace_in_code(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  const std::filesystem::path source = file.string() + ".old";
  std::filesystem::rename(file, source);
  caffe2::serialize::PyTorchStreamReader reader(source.string());
  caffe2::serialize::PyTorchStreamWriter writer(file.string());
  for (const std::string& name : reader.getAllRecords()) {
    const auto [data, size] = reader.getRecord(name);
    std::string text(static_cast<const char*>(data.get()), size);
    if (const auto found = text.find(from); found != std::string::npos) text.replace(found, from.size(), to);
    if (name != "version" && !name.starts_with(".data/")) writer.writeRecord(name, text.data(), text.size());
  }
  writer.writeEndOfFile();
}

at::Tensor run(TorchScriptModel& model, const at::Tensor& input) {
  return model.forward({input}).toTensor();
}

TEST(TorchScriptModel, AListThatForwardAppendsToIsTheSameAtEachCall) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    self.frames.append(x)
    return torch.sum(torch.stack(self.frames), [0])
)",
              [](torch::jit::Module& module) {
                module.register_attribute("frames", c10::ListType::ofTensors(), c10::List<at::Tensor>());
              });
  TorchScriptModel model(folder.model(), c10::kCPU);
  EXPECT_THAT(model.changed_attributes(), ElementsAre("frames"));
  EXPECT_TRUE(run(model, torch::ones({2})).equal(torch::ones({2})));
  EXPECT_TRUE(run(model, torch::zeros({2})).equal(torch::zeros({2})));
  EXPECT_THAT(folder.extract({"2"}).warnings,
              AllOf(Contains(HasSubstr("frames")), Not(Contains(HasSubstr("deterministic")))));
}

TEST(TorchScriptModel, AListInsideAListIsTheSameAtEachCall) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    self.counts[0].append(1)
    return x * len(self.counts[0])
)",
              [](torch::jit::Module& module) {
                c10::List<c10::List<std::int64_t>> counts({c10::List<std::int64_t>()});
                module.register_attribute("counts", c10::ListType::create(c10::ListType::ofInts()), counts);
              });
  TorchScriptModel model(folder.model(), c10::kCPU);
  EXPECT_THAT(model.changed_attributes(), ElementsAre("counts"));
  EXPECT_TRUE(run(model, torch::ones({2})).equal(torch::ones({2})));
  EXPECT_TRUE(run(model, torch::ones({2})).equal(torch::ones({2})));
}

TEST(TorchScriptModel, ADictThatForwardFillsIsTheSameAtEachCall) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    if "last" in self.cache:
        x = x + self.cache["last"]
    self.cache["last"] = x
    return x
)",
              [](torch::jit::Module& module) {
                module.register_attribute("cache",
                                          c10::DictType::create(c10::StringType::get(), c10::TensorType::get()),
                                          c10::Dict<std::string, at::Tensor>());
              });
  TorchScriptModel model(folder.model(), c10::kCPU);
  EXPECT_THAT(model.changed_attributes(), ElementsAre("cache"));
  run(model, torch::ones({2}));
  EXPECT_TRUE(run(model, torch::ones({2})).equal(torch::ones({2})));
}

TEST(TorchScriptModel, ListsThatForwardMakesItselfAreNoState) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    parts = [x]
    parts.append(x)
    return torch.cat(parts)
)");
  const TorchScriptModel model(folder.model(), c10::kCPU);
  EXPECT_THAT(model.changed_attributes(), ElementsAre());
}

TEST(TorchScriptModel, AnAcceleratorInTheCodeBecomesTheDeviceAskedFor) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    return x + torch.ones([3], device=torch.device("cuda:0"))
)");
  TorchScriptModel model(folder.model(), c10::kCPU);
  EXPECT_TRUE(run(model, torch::zeros({3})).equal(torch::ones({3})));
}

// The example that the help for a model with these parameters shows.
std::string example_for(const std::vector<std::pair<std::string, at::Tensor>>& parameters) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x", [&](torch::jit::Module& module) {
    for (const auto& [name, tensor] : parameters) module.register_parameter(name, tensor, false);
  });
  return TorchScriptModel(folder.model(), c10::kCPU).input_help();
}

TEST(TorchScriptModel, TheExampleFitsTheFirstLayer) {
  const at::Tensor tall = torch::ones({40, 8});
  EXPECT_THAT(example_for({{"weight_ih_l0", tall}}), HasSubstr("x=1x16x8 "));
  EXPECT_THAT(example_for({{"weight", tall}, {"bias", torch::ones({40})}}), HasSubstr("x=1x8 "));
  EXPECT_THAT(example_for({{"weight", tall}}), HasSubstr("x=1x16:int64@0..40 "));
}

TEST(TorchScriptModel, SortingAListOfTensorsIsALineThatDependsOnValues) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    parts = [x[0], x[1]]
    parts.sort()
    return parts[0]
)");
  EXPECT_THAT(TorchScriptModel(folder.model(), c10::kCPU).value_dependent_lines(3), ElementsAre(HasSubstr("sort(")));
}

TEST(TorchScriptModel, AModuleWithoutMethodsIsNamedAsThat) {
  const ModelFolder folder;
  torch::jit::Module module("Holder");
  module.register_buffer("table", torch::ones({2}));
  module.save(folder.model().string());
  EXPECT_THAT(refusal(folder.model()), HasSubstr("has no methods"));
}

TEST(TorchScriptModel, AnUnknownClassIsNamed) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x",
              [](torch::jit::Module& module) { module.register_buffer("packed", torch::ones({2})); });
  replace_in_code(folder.model(), "packed : Tensor", "packed : __torch__.torch.classes.xnnpack.LinearOpContext");
  EXPECT_THAT(refusal(folder.model()),
              AllOf(HasSubstr("uses the class __torch__.torch.classes.xnnpack.LinearOpContext,"),
                    HasSubstr("without optimize_for_mobile")));
}

TEST(TorchScriptModel, AnArchiveThatLacksItsOwnClassIsDamaged) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x",
              [](torch::jit::Module& module) { module.register_buffer("part", torch::ones({2})); });
  replace_in_code(folder.model(), "part : Tensor", "part : __torch__.lost.Part");
  try {
    const TorchScriptModel model(folder.model(), c10::kCPU);
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("damaged: it uses the class __torch__.lost.Part,"));
  }
}

}  // namespace
}  // namespace graphnet
