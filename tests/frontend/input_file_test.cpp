#include "graphnet/frontend/input_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"

#include "models.h"

namespace graphnet {
namespace {

using ::testing::HasSubstr;

class InputFile : public ::testing::Test {
 protected:
  std::vector<NamedInput> read_saved(const c10::IValue& value) {
    const std::vector<char> bytes = torch::jit::pickle_save(value);
    std::ofstream(folder_.path() / "inputs.pt", std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
    return read_input_file(folder_.path() / "inputs.pt");
  }

  TemporaryFolder folder_{"graphnet-input-test"};
};

TEST_F(InputFile, ADictOfTensorsGivesNamedRecipes) {
  c10::impl::GenericDict dict(c10::StringType::get(), c10::TensorType::get());
  dict.insert("ids", torch::randint(5, 900, {64, 512}, torch::kLong));
  dict.insert("x", torch::randn({100, 100}));
  const std::vector<NamedInput> inputs = read_saved(dict);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].name, "ids");
  EXPECT_TRUE(std::holds_alternative<RangeRecipe>(std::get<TensorSpec>(inputs[0].value.node).recipe));
  EXPECT_TRUE(std::holds_alternative<NormalRecipe>(std::get<TensorSpec>(inputs[1].value.node).recipe));
}

TEST_F(InputFile, ATupleGivesArgumentsByPosition) {
  const std::vector<NamedInput> inputs = read_saved(c10::ivalue::Tuple::create({torch::ones({2, 2}), 3, true}));
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].name, "");
  EXPECT_EQ(std::get<TensorSpec>(inputs[0].value.node).recipe, Recipe(ConstantRecipe{1.0}));
  EXPECT_EQ(std::get<Argument>(inputs[1].value.node), (Argument{std::int64_t{3}}));
  EXPECT_EQ(std::get<Argument>(inputs[2].value.node), Argument{true});
}

TEST_F(InputFile, SafetensorsGiveNamedArguments) {
  const TensorType type = make_tensor_type(Dtype::kInt64, {2}, {});
  const std::int64_t values[] = {7, 9};
  SafetensorsWriter writer(folder_.path() / "inputs.safetensors", {{"ids", type}});
  writer.append(std::as_bytes(std::span(values)));
  writer.finish();
  const std::vector<NamedInput> inputs = read_input_file(folder_.path() / "inputs.safetensors");
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].name, "ids");
  EXPECT_TRUE(is_exact(std::get<TensorSpec>(inputs[0].value.node).recipe));
}

TEST_F(InputFile, AFileOfAnotherKindIsRefused) {
  std::ofstream(folder_.path() / "inputs.txt") << "1x3x224x224";
  try {
    read_input_file(folder_.path() / "inputs.txt");
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("neither JSON, safetensors nor a file of torch.save"));
  }
}

}  // namespace
}  // namespace graphnet
