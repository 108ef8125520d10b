// Models whose outputs say nothing about what computed them: refused with the call that is to blame, or written on
// demand as samples that do not validate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/frontend/extract.h"
#include "graphnet/frontend/validate.h"
#include "graphnet/support/error.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::ModelFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DegenerateModel : public ::testing::Test {
 protected:
  // The error that the extraction of a model with this code ends in.
  std::string refusal(const std::string& code, const std::string& input,
                      const std::function<void(torch::jit::Module&)>& fill = {}) {
    folder_.save(code, fill);
    try {
      folder_.extract({input});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_FALSE(std::filesystem::exists(folder_.path() / "samples"));
      return error.what();
    }
    return "extracted";
  }

  ModelFolder folder_;
};

TEST_F(DegenerateModel, IsRefusedByReasonCallAndLine) {
  const std::string message = refusal(R"(
def forward(self, x):
    h = torch.relu(x)
    h = torch.softmax(h.sum(1, True), 1)
    return h * 2
)",
                                      "4x8");
  EXPECT_THAT(message, HasSubstr("the outputs are degenerate: all outputs are constant"));
  EXPECT_THAT(message, HasSubstr("from call 2 aten::softmax.int on: its result float32[4,1] is 1.0 everywhere"));
  EXPECT_THAT(message, HasSubstr("code/__torch__.py:7: h0 = torch.softmax("));
  EXPECT_THAT(message, HasSubstr("--allow-degenerate writes it all the same"));
}

TEST_F(DegenerateModel, IsWrittenOnDemandAndDoesNotValidate) {
  folder_.save("def forward(self, x):\n    return torch.zeros_like(x) + self.table",
               [](torch::jit::Module& module) { module.register_buffer("table", torch::arange(6.0)); });
  ExtractOptions options;
  options.model = folder_.model();
  options.output = folder_.path() / "samples";
  options.inputs = {"6"};
  options.allow_degenerate = true;
  const ExtractResult result = extract(options);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("they do not depend on the inputs")));
  ValidateOptions validation;
  validation.sample = result.sample.directory;
  EXPECT_FALSE(validate(validation).passed);
}

TEST_F(DegenerateModel, WithoutTensorsAmongItsOutputsIsRefused) {
  EXPECT_THAT(refusal("def forward(self, x):\n    return 3", "4"), HasSubstr("there is no tensor among them"));
  EXPECT_THAT(refusal("def forward(self, x):\n    return None", "4"), HasSubstr("there is no tensor among them"));
}

TEST_F(DegenerateModel, WhoseOutputsAreEmptyIsRefused) {
  EXPECT_THAT(refusal("def forward(self, x):\n    return x[:0] * 2", "4"), HasSubstr("none of them has any elements"));
}

TEST_F(DegenerateModel, ThatOnlyHandsItsInputBackIsRefused) {
  EXPECT_THAT(refusal("def forward(self, x):\n    return x", "8"),
              HasSubstr("every output is an input or a weight unchanged."));
}

TEST_F(DegenerateModel, WhoseValuesStopBeingFiniteNamesTheFirstCall) {
  EXPECT_THAT(refusal("def forward(self, x):\n    return torch.tanh(torch.sqrt(x - 1)) + 1", "64"),
              HasSubstr("output 0 is not finite (from call 1 aten::sqrt on: its result float32[64] is not finite"));
}

TEST_F(DegenerateModel, OfNoSaneScaleNamesTheCallThatLosesIt) {
  EXPECT_THAT(
      refusal("def forward(self, x):\n    return torch.neg(torch.tanh(x) * 1e-9)", "64"),
      AllOf(HasSubstr("no floating output has a standard deviation"), HasSubstr("from call 1 aten::mul.Scalar")));
}

TEST_F(DegenerateModel, ThatIsTheSameForAllInputsNamesTheCallThatForgetsThem) {
  const auto add_table = [](torch::jit::Module& module) { module.register_buffer("table", torch::arange(6.0)); };
  EXPECT_THAT(refusal("def forward(self, x):\n    return torch.relu(torch.zeros_like(x)) + self.table", "6", add_table),
              HasSubstr("from call 0 aten::zeros_like on: its result float32[6] is the same for other inputs"));
  EXPECT_THAT(refusal("def forward(self, x):\n    return torch.zeros([6]) + self.table", "6", add_table),
              HasSubstr("they do not depend on the inputs (no input has a part in them)"));
}

// What was written through a view is not what the call that made the tensor gave.
TEST_F(DegenerateModel, TellsNothingOfTensorsThatWereWrittenThroughViews) {
  EXPECT_THAT(refusal(R"(
def forward(self, x):
    table = torch.zeros_like(x)
    table[0].copy_(x[0])
    return table > 1e9
)",
                      "4x8"),
              AllOf(HasSubstr("aten::gt.Scalar on"), Not(HasSubstr("zeros_like on"))));
}

}  // namespace
}  // namespace graphnet
