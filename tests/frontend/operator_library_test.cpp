#include "graphnet/runtime/operator_library.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/frontend/validate.h"
#include "graphnet/support/error.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::ModelFolder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A method may only name operators that are registered, so the model is saved in a process that has them.
void save_model_that_needs_the_library(const ModelFolder& folder) {
  torch::jit::Module module("Model");
  const auto graph = std::make_shared<torch::jit::Graph>();
  torch::jit::Value* self = graph->addInput("self")->setType(module.type());
  static_cast<void>(self);
  torch::jit::Value* x = graph->addInput("x");
  torch::jit::Node* call = graph->insertNode(graph->create(c10::Symbol::fromQualString("graphnet_test::twice"), {x}));
  graph->registerOutput(call->output());
  torch::jit::Function* function = module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), graph);
  module.type()->addMethod(function);
  module.save(folder.model().string());
}

std::string failure(const std::string& file_or_package) {
  try {
    load_operator_library(file_or_package);
  } catch (const Error& error) {
    return error.what();
  }
  return "loaded";
}

// One test, because a library cannot be unloaded: what is missing before is there afterwards.
TEST(OperatorLibrary, AModelThatNeedsOneIsRefusedWithoutAndExtractedWithIt) {
  const std::string file = GRAPHNET_TEST_OPERATORS;
  const ModelFolder folder;
  // The saving process is a child, which has the library.
  ASSERT_EXIT(
      {
        load_operator_library(file);
        save_model_that_needs_the_library(folder);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  try {
    folder.extract({"3"});
    FAIL() << "extracted without the library";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("needs the operator graphnet_test::twice"));
    EXPECT_THAT(error.what(), HasSubstr("--op-library"));
  }

  EXPECT_THAT(load_operator_library(file).operators, Contains("graphnet_test::twice"));
  EXPECT_THAT(load_operator_library(file).operators, Contains("graphnet_test::twice")) << "loaded for a second time";

  ExtractOptions options;
  options.model = folder.model();
  options.output = folder.path() / "samples";
  options.inputs = {"3"};
  options.operator_libraries = {file};
  const ExtractResult result = extract(options);
  ASSERT_EQ(result.sample.metadata.libraries.size(), 1u);
  EXPECT_THAT(result.sample.metadata.libraries[0].operators, ElementsAre("graphnet_test::twice"));
  EXPECT_EQ(result.sample.metadata.libraries[0].sha256.size(), 64u);

  ValidateOptions validation;
  validation.sample = result.sample.directory;
  EXPECT_TRUE(validate(validation).passed);
}

TEST(OperatorLibrary, AMissingFileAndAMissingPackageAreNamed) {
  EXPECT_THAT(failure("/nonexistent/library.so"), HasSubstr("no such file: /nonexistent/library.so"));
  EXPECT_THAT(failure("no_such_package_at_all"), HasSubstr("no Python package 'no_such_package_at_all'"));
}

// A sample comes from anyone: the name it gives must not pick a file of the folder that validate runs in.
TEST(OperatorLibrary, TheNameThatASampleGivesIsNeverAFile) {
  const TemporaryFolder folder("graphnet-library-test");
  std::filesystem::copy_file(GRAPHNET_TEST_OPERATORS, folder.path() / "innocent");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  Metadata metadata;
  metadata.libraries.push_back({"innocent", "", {"no_such_namespace::no_such_operator"}});
  std::string message = "loaded";
  try {
    load_libraries_of(metadata);
  } catch (const Error& error) {
    message = error.what();
  }
  std::filesystem::current_path(before);
  EXPECT_THAT(message, HasSubstr("no Python package 'innocent'"));
}

TEST(OperatorLibrary, NorAPackageOfTheWorkingDirectory) {
  const TemporaryFolder folder("graphnet-library-test");
  std::filesystem::create_directory(folder.path() / "innocent_package");
  std::ofstream(folder.path() / "innocent_package" / "__init__.py");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string message = failure("innocent_package");
  std::filesystem::current_path(before);
  EXPECT_THAT(message, HasSubstr("no Python package 'innocent_package'"));
}

TEST(OperatorLibrary, APackageWithinAPackageIsNoName) {
  EXPECT_THAT(failure("os.path"), HasSubstr("no such file: os.path"));
  EXPECT_THROW(load_operator_package(".."), Error);
}

TEST(OperatorLibrary, AFileThatIsNoLibraryIsRefusedWithTheLoadersReason) {
  const TemporaryFolder folder("graphnet-library-test");
  std::ofstream(folder.path() / "fake.so") << "no library";
  EXPECT_THAT(failure((folder.path() / "fake.so").string()), HasSubstr("cannot be loaded"));
}

TEST(OperatorLibrary, LibTorchLiesInItsPackage) {
  EXPECT_TRUE(std::filesystem::exists(torch_site_packages() / "torch" / "lib" / "libtorch_cpu.so"));
}

}  // namespace
}  // namespace graphnet
