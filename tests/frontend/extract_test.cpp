#include "graphnet/frontend/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/frontend/validate.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::kTwoLayers;
using ::graphnet::testing::ModelFolder;
using ::graphnet::testing::register_two_layers;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> operators_called(const Sample& sample) {
  std::vector<std::string> names;
  for (const Call& call : sample.graph.calls) names.push_back(sample.graph.operator_of(call).full_name());
  return names;
}

ExtractOptions options_for(const ModelFolder& folder, const std::vector<std::string>& inputs) {
  ExtractOptions options;
  options.model = folder.model();
  options.output = folder.path() / "samples";
  options.inputs = inputs;
  return options;
}

// The message of the error that an extraction ends in.
std::string refusal(const ModelFolder& folder, const std::vector<std::string>& inputs) {
  try {
    folder.extract(inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "extracted";
}

std::string failed_checks(const std::filesystem::path& sample) {
  ValidateOptions options;
  options.sample = sample;
  std::string failed;
  for (const Check& check : validate(options).checks) {
    if (!check.passed) failed += check.name + ": " + check.message + "\n";
  }
  return failed;
}

TEST(Extract, TwoLayersBecomeThreeCallsThatValidate) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  const ExtractResult result = folder.extract({"2x8"});
  EXPECT_THAT(operators_called(result.sample), ElementsAre("aten::linear", "aten::relu", "aten::linear"));
  EXPECT_EQ(result.sample.metadata.parameter_count, 16 * 8 + 16 + 4 * 16);
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, TheDescriptionInTheArchiveGivesNameAndInputs) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers,
              R"({"name":"two layers","category":"audio","inputs":{"x":"3x8"},"source":{"package":"none"}})");
  const ExtractResult result = folder.extract({});
  EXPECT_EQ(result.sample.directory.filename(), "two-layers");
  EXPECT_EQ(result.sample.metadata.category, "audio");
  EXPECT_EQ(result.sample.metadata.source.package, "none");
  EXPECT_THAT(result.sample.graph.inputs.at(0).type.shape, ElementsAre(3, 8));
}

TEST(Extract, WithoutInputsTheErrorShowsSignatureAndExample) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  EXPECT_THAT(refusal(folder, {}), HasSubstr("forward(Tensor x) -> Tensor"));
  EXPECT_THAT(refusal(folder, {}), HasSubstr("--input x=1x8"));
}

TEST(Extract, LoopsAndBranchesComeOutFlat) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x, steps: int, double: bool):
    for i in range(steps):
        x = torch.tanh(x)
    if double:
        x = x * 2
    return x
)");
  const ExtractResult result = folder.extract({"4x4", "3:int", "true:bool"});
  EXPECT_THAT(operators_called(result.sample),
              ElementsAre("aten::tanh", "aten::tanh", "aten::tanh", "aten::mul.Scalar"));
}

TEST(Extract, AConditionOnValuesIsRefusedWithItsLine) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    if bool(x.sum() > 0):
        return x * 2
    return torch.tanh(x)
)");
  ExtractOptions options = options_for(folder, {"3"});
  for (options.seed = 0; options.seed < 12; ++options.seed) {
    try {
      extract(options);
      ADD_FAILURE() << "extracted with seed " << options.seed;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("control flow depends on the values"));
      EXPECT_THAT(error.what(), HasSubstr("if bool("));
    }
  }
}

TEST(Extract, AConditionThatOnlyLargeInputsMeetIsRefused) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    if bool(x.abs().max() > 9):
        return x * 2
    return torch.tanh(x)
)");
  EXPECT_THAT(refusal(folder, {"8"}), HasSubstr("than the model on the recorded inputs times 10"));
}

// Only what the recipe may draw counts against a model that says so itself.
TEST(Extract, AModelThatRefusesInputsBeyondItsRangeIsExtracted) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    assert bool(x.abs().max() <= 9), "out of range"
    return torch.tanh(x)
)");
  EXPECT_EQ(failed_checks(folder.extract({"8"}).sample.directory), "");
}

TEST(Extract, AModelThatUsesFilesIsRefusedBeforeItRuns) {
  const ModelFolder folder;
  const std::string file = (folder.path() / "written").string();
  folder.save("def forward(self, x):\n    return x + torch.from_file(\"" + file + "\", True, 8)");
  EXPECT_THAT(refusal(folder, {"8"}), HasSubstr("operator aten::from_file: it uses files: no graph may hold it. In "
                                                "TorchScript: code/"));
  folder.save("def forward(self, x):\n    torch.save(x, \"" + file + "\")\n    return x * 2");
  EXPECT_THAT(refusal(folder, {"8"}), HasSubstr("operator aten::save: it uses files"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Extract, NamesOfAllLanguagesNameTheirFolders) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  options.name = "模型 é\u202e";
  EXPECT_EQ(extract(options).sample.directory.filename(), "模型-é-");
}

TEST(Extract, ASampleOfAnotherNameIsNotReplaced) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  options.name = "a b";
  extract(options);
  options.name = "a+b";
  try {
    extract(options);
    FAIL() << "the sample \"a b\" was overwritten";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds the sample \"a b\": not overwriting it with \"a+b\""));
  }
}

TEST(Extract, WhatTheReaderWouldRefuseIsNotWritten) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return torch.stack([x] * 70000).mean(0)");
  EXPECT_THAT(refusal(folder, {"3"}), HasSubstr("call 0 aten::stack: more than 65536 arguments"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "samples" / "model"));
}

TEST(Extract, WeightsWhosePathsReadTheSameHaveNamesOfTheirOwn) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x * self.table[\"" + std::string(70, 'k') + "1\"] + self.table[\"" +
                  std::string(70, 'k') + "2\"]",
              [](torch::jit::Module& module) {
                c10::Dict<std::string, at::Tensor> table;
                for (const char* end : {"1", "2"}) table.insert(std::string(70, 'k') + end, torch::randn({3}));
                module.register_attribute("table",
                                          c10::DictType::create(c10::StringType::get(), c10::TensorType::get()), table);
              });
  EXPECT_EQ(failed_checks(folder.extract({"3"}).sample.directory), "");
}

TEST(Extract, ListsTuplesAndDictsAreArgumentsAndOutputs) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, pair: Tuple[Tensor, Tensor], many: List[Tensor], named: Dict[str, Tensor], scale: Optional[Tensor]):
    total = pair[0] + pair[1]
    for item in many:
        total = total + item
    total = total + named["bias"]
    if scale is not None:
        total = total * scale
    return {"total": total, "first": many[0] * 2}
)");
  const TemporaryFolder inputs("graphnet-inputs");
  write_file(inputs.path() / "inputs.json",
             R"({"pair":{"tuple":["2x3","2x3"]},"many":["2x3","2x3"],"named":{"dict":{"bias":"3"}},"scale":null})");
  ExtractOptions options;
  options.model = folder.model();
  options.output = folder.path() / "samples";
  options.inputs_file = inputs.path() / "inputs.json";
  const ExtractResult result = extract(options);
  EXPECT_EQ(result.sample.graph.inputs.size(), 5u);
  EXPECT_EQ(result.sample.graph.inputs[2].name, "many.0");
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, InputsThatDoNotFitAreRefusedByArgument) {
  const ModelFolder folder;
  folder.save("def forward(self, x, flag: bool):\n    return x");
  EXPECT_THAT(refusal(folder, {"3"}), HasSubstr("argument 'flag' (bool) was not given"));
  EXPECT_THAT(refusal(folder, {"3", "4"}), HasSubstr("argument 'flag' takes bool, but was given a tensor float32[4]"));
  EXPECT_THAT(refusal(folder, {"y=3", "flag=true:bool"}), HasSubstr("no argument 'y', only x, flag"));
  EXPECT_THAT(refusal(folder, {"3", "true:bool", "3"}), HasSubstr("takes 2 arguments, but 3"));
}

TEST(Extract, ParametersWithoutValuesAreDrawnByTheirRole) {
  const ModelFolder folder;
  folder.save(kTwoLayers, [](torch::jit::Module& module) {
    module.register_parameter("w1", torch::full({1}, 0.1).expand({64, 256}), false);
    module.register_parameter("b1", torch::zeros({1}).expand({64}), false);
    module.register_parameter("w2", torch::full({1}, 0.1).expand({4, 64}), false);
  });
  const ExtractResult result = folder.extract({"32x256"});
  const auto& recipe = std::get<NormalRecipe>(result.sample.graph.weights.at(0).recipe);
  EXPECT_NEAR(recipe.deviation, std::sqrt(2.0 / 256), 1e-3);
  EXPECT_EQ(result.sample.graph.weights[0].type.strides, std::vector<std::int64_t>());
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, AWeightOfAnAbsurdSizeCostsATileOrIsRefused) {
  const ModelFolder folder;
  const char* const code = "def forward(self, x):\n    return torch.matmul(x, self.w[:8, :16])";
  const auto save = [&](std::int64_t rows, std::int64_t columns) {
    folder.save(code, [&](torch::jit::Module& module) {
      module.register_parameter("w", torch::full({1}, 0.1).expand({rows, columns}), false);
    });
  };
  save(1 << 20, 1 << 20);
  EXPECT_EQ(folder.extract({"4x8"}).sample.metadata.parameter_count, std::int64_t{1} << 40);
  save(std::int64_t{1} << 31, 1 << 20);
  EXPECT_THAT(refusal(folder, {"4x8"}), HasSubstr("weight w has 2,251,799,813,685,248 elements"));
}

TEST(Extract, AFadingModelIsCalibrated) {
  const ModelFolder folder;
  folder.save(kTwoLayers, [](torch::jit::Module& module) {
    torch::manual_seed(3);
    module.register_parameter("w1", torch::randn({64, 64}) * 1e-4, false);
    module.register_parameter("b1", torch::randn({64}) * 1e-4, false);
    module.register_parameter("w2", torch::randn({64, 64}) * 1e-4, false);
  });
  const ExtractResult result = folder.extract({"8x64"});
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_GT(std::get<NormalRecipe>(result.sample.graph.weights.at(0).recipe).deviation, 1e-2);
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

// Rescaling changes how many elements are picked, and with it the graph.
TEST(Extract, AModelWhoseShapesFollowFromValuesIsCalibratedToo) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    h = torch.linear(x, self.w)
    picked = h[torch.abs(h) > 3.0]
    total = torch.zeros([1])
    for i in range(picked.size(0)):
        total = total + picked[i]
    return h, total
)",
              [](torch::jit::Module& module) {
                module.register_parameter("w", torch::full({1}, 0.1).expand({1, 8}), false);
              });
  const ExtractResult result = folder.extract({"64x8@arange(1,1)"});
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, WeightsCanBeKept) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options;
  options.model = folder.model();
  options.output = folder.path() / "samples";
  options.inputs = {"2x8"};
  options.with_weights = true;
  const ExtractResult result = extract(options);
  EXPECT_TRUE(std::filesystem::exists(result.sample.directory / kWeightsFile));
  EXPECT_TRUE(std::holds_alternative<StoredRecipe>(result.sample.graph.weights.at(0).recipe));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, AllWeightsThatAreExactLeaveNoFileOfStoredOnes) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x * self.scale",
              [](torch::jit::Module& module) { module.register_parameter("scale", torch::ones({4}), false); });
  ExtractOptions options = options_for(folder, {"8x4"});
  options.with_weights = true;
  const ExtractResult result = extract(options);
  EXPECT_FALSE(std::filesystem::exists(result.sample.directory / kWeightsFile));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, NothingIsLeftBesideTheSample) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  options.with_weights = true;
  extract(options);
  const std::filesystem::directory_iterator entries(options.output);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(Extract, ASecondModelOfTheSameNameIsRefused) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  options.taken = {{extract(options).sample.directory, "first.pt"}};
  try {
    extract(options);
    FAIL() << "the first sample was overwritten";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("the name model is already used by first.pt in this command; use --name"));
  }
}

TEST(Extract, ASampleOfAnEarlierRunIsReplacedButNothingElse) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  const ExtractResult result = folder.extract({"2x8"});
  EXPECT_NO_THROW(folder.extract({"2x8"}));
  write_file(result.sample.directory / "notes.txt", "mine");
  EXPECT_THAT(refusal(folder, {"2x8"}), HasSubstr("is no sample, it holds \"notes.txt\""));
}

TEST(Extract, ANameThatIsAPathIsRefused) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  for (const std::string& name : {std::string("../up"), std::string("a\tb"), std::string(201, 'a')}) {
    options.name = name;
    EXPECT_THROW(extract(options), Error);
  }
}

TEST(Extract, WhatCouldNotBeReadAgainIsNotWritten) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers, R"({"task":"a\u001b[2Jb"})");
  EXPECT_THAT(refusal(folder, {"2x8"}), HasSubstr("graphnet.json: task: has control characters"));
  folder.save(kTwoLayers, register_two_layers);
  ExtractOptions options = options_for(folder, {"2x8"});
  options.category = "nonsense";
  EXPECT_THROW(extract(options), Error);
}

TEST(Extract, InputsLargerThanTheMemoryAreRefusedBeforeTheyAreMade) {
  const ModelFolder folder;
  folder.save(kTwoLayers, register_two_layers);
  const std::string message = refusal(folder, {"x=1000000x1000000x10"});
  EXPECT_THAT(message, HasSubstr("bytes of memory"));
  EXPECT_THAT(message, HasSubstr("are available; the largest input is x float32[1000000,1000000,10]"));
}

TEST(Extract, AResultLargerThanTheMemoryIsOneClearError) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return torch.ones([1000000, 1000000, 1000]) * x");
  try {
    folder.extract({"1"});
    FAIL() << "extracted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("out of memory when 4000000000000000 bytes were asked for"));
  }
}

TEST(Extract, ValuesReadWithFixedInputsAreReportedAsUnchecked) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    if bool(x.sum() > 0):
        return x * torch.arange(4)
    return torch.tanh(x)
)");
  EXPECT_THAT(folder.extract({"4@arange(1,2)"}).warnings, Contains(HasSubstr("checked only on the recorded inputs")));
}

TEST(Extract, ShapesThatFollowFromExactInputsAreFixedByThem) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x, edges):
    kept = edges[:, edges[0] != edges[1]]
    weight = torch.ones([kept.size(1), 1])
    return torch.zeros_like(x).index_add(0, kept[0], x[kept[1]] * weight)
)");
  EXPECT_THAT(refusal(folder, {"6x4", "2x40:int64@0..6"}), HasSubstr("inputs that are given exactly"));
  const ExtractResult result = folder.extract({"6x4", "edges=2x4:int64@values(0,1,2,3,1,1,3,0)"});
  EXPECT_TRUE(is_exact(result.sample.graph.inputs.at(1).recipe));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, IndicesOfAFileAreKeptWhereShapesFollowFromThem) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x, edges):
    kept = edges[:, edges[0] != edges[1]]
    weight = torch.ones([kept.size(1), 1])
    return torch.zeros_like(x).index_add(0, kept[0], x[kept[1]] * weight)
)");
  const at::Tensor edges = torch::randint(0, 300, {2, 8000}, torch::kLong);
  const auto tuple = c10::ivalue::Tuple::create({torch::randn({300, 4}), edges});
  const std::vector<char> bytes = torch::jit::pickle_save(tuple);
  ExtractOptions options = options_for(folder, {});
  options.inputs_file = folder.path() / "inputs.pt";
  write_file(options.inputs_file, {bytes.data(), bytes.size()});
  const ExtractResult result = extract(options);
  const Input& input = result.sample.graph.inputs.at(1);
  EXPECT_TRUE(torch::equal(make_tensor(input.type, input.recipe, 0, 1, c10::kCPU), edges));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, OutputsThatAreInputsAreNoted) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x, torch.tanh(x), x");
  const ExtractResult result = folder.extract({"8"});
  EXPECT_THAT(result.sample.metadata.unchanged_outputs, ElementsAre(0, 2));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, ABufferThatForwardWritesToIsReportedAndStartsTheSameEachRun) {
  const ModelFolder folder;
  folder.save(R"(
def forward(self, x):
    self.count += 1
    return x * self.count
)",
              [](torch::jit::Module& module) { module.register_buffer("count", torch::zeros({1})); });
  const ExtractResult result = folder.extract({"3"});
  EXPECT_THAT(result.warnings, Contains(HasSubstr("forward writes to count")));
  EXPECT_EQ(result.sample.graph.weights.at(0).recipe, Recipe(ConstantRecipe{0.0}));
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

TEST(Extract, RandomOperatorsAreKeptAndMarked) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x + torch.rand_like(x)");
  const ExtractResult result = folder.extract({"3"});
  EXPECT_TRUE(result.sample.metadata.random);
  EXPECT_FALSE(result.sample.metadata.digest);
  EXPECT_EQ(failed_checks(result.sample.directory), "");
}

}  // namespace
}  // namespace graphnet
