// Candidates that are wrong, each in a way of its own, and what the method "bench" says about them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "graphnet/graph/text.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "bench_unit.h"

namespace graphnet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

// Runs the reference and then does something to its outputs, or instead of it.
class FaultyCandidate : public Candidate {
 public:
  using Fault = std::function<Tensors(Candidate& eager, std::span<const at::Tensor> inputs)>;

  FaultyCandidate(std::unique_ptr<Candidate> eager, Fault fault) : eager_(std::move(eager)), fault_(std::move(fault)) {}

  Tensors run(std::span<const at::Tensor> inputs) override { return fault_(*eager_, inputs); }

 private:
  std::unique_ptr<Candidate> eager_;
  Fault fault_;
};

constexpr const char* kAddConstant = "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";

// An input x float32[4,8] and a weight w float32[4,8], and one call of an operator on x.
std::string graph_text(const std::string& schema, const std::string& call) {
  return R"json({"graphnet":1,
    "inputs":[{"value":"%0","name":"x","type":"float32[4,8]","recipe":"normal(0.0,1.0)"}],
    "weights":[],"constants":[],"operators":[")json" +
         schema + R"json("],"calls":[)json" + call + R"json(],"output":"%1"})json";
}

class FaultyCandidates : public ::testing::Test {
 protected:
  FaultyCandidates() {
    write_graph(graph_text(kAddConstant, R"(["aten::add.Scalar",["%0",1.5,1],["%1 float32[4,8]"]])"));
  }

  void write_graph(const std::string& text) {
    Sample sample;
    sample.graph = read_graph(text, "test");
    sample.metadata.name = "small";
    sample.metadata.category = "other";
    describe(sample.metadata, sample.graph);
    write_sample(sample, path());
  }

  std::filesystem::path path() const { return folder_.path() / "small"; }

  json bench(FaultyCandidate::Fault fault) {
    const auto make = [&](const CandidateSource& source, const CompileRequest&) {
      weights_ = source.weights;
      return std::make_unique<FaultyCandidate>(make_eager_candidate(source), fault);
    };
    const CandidateFactories compilers = {{"faulty", make}};
    const json params = {{"sample", path().string()},
                         {"compiler", "faulty"},
                         {"device", "cpu"},
                         {"timing", {{"maximum_seconds", 0}, {"warm_up_seconds", 0}, {"minimum_trials", 1}}}};
    ProgressEvents events;
    events.on_stage = [this](const std::string& stage) { stages_.push_back(stage); };
    return bench_unit(params, events, compilers);
  }

  // What is wrong with the outputs, where no tolerance excuses it.
  std::string problem(FaultyCandidate::Fault fault) {
    const json correctness = bench(std::move(fault)).at("correctness");
    EXPECT_TRUE(correctness.at("strictest_level").is_null());
    EXPECT_FALSE(correctness.at("equal").get<bool>());
    return correctness.at("problem").get<std::string>();
  }

  TemporaryFolder folder_{"graphnet-faulty-candidates-"};
  std::vector<std::string> stages_;
  Tensors weights_;  // that the candidate shares with the reference
};

TEST_F(FaultyCandidates, TheRightOutputsAreEqual) {
  const json result = bench([](Candidate& eager, auto inputs) { return eager.run(inputs); });
  EXPECT_EQ(result.at("correctness").at("problem"), "");
  EXPECT_TRUE(result.at("correctness").at("equal").get<bool>());
}

TEST_F(FaultyCandidates, WrongOutputsAreNamedWithTheirPlace) {
  EXPECT_THAT(problem([](Candidate& eager, auto inputs) {
                Tensors outputs = eager.run(inputs);
                outputs[0][2][3] = 1e9;
                return outputs;
              }),
              HasSubstr("1e+09 instead of"));
}

TEST_F(FaultyCandidates, AWrongShapeIsNamed) {
  EXPECT_EQ(problem([](Candidate& eager, auto inputs) { return Tensors{eager.run(inputs)[0].t()}; }),
            "output 0: shape [8,4] instead of [4,8]");
}

TEST_F(FaultyCandidates, AWrongDtypeIsNamed) {
  EXPECT_EQ(problem([](Candidate& eager, auto inputs) { return Tensors{eager.run(inputs)[0].to(at::kDouble)}; }),
            "output 0: dtype float64 instead of float32");
}

TEST_F(FaultyCandidates, AWrongNumberOfOutputsIsNamed) {
  EXPECT_EQ(problem([](Candidate&, auto) { return Tensors(); }), "0 outputs instead of 1");
}

TEST_F(FaultyCandidates, AMissingTensorIsNamed) {
  EXPECT_EQ(problem([](Candidate&, auto) { return Tensors(1); }), "output 0: there is no tensor");
}

TEST_F(FaultyCandidates, NotANumberIsNamed) {
  EXPECT_THAT(problem([](Candidate& eager, auto inputs) {
                Tensors outputs = eager.run(inputs);
                outputs[0][0][1] = std::numeric_limits<double>::quiet_NaN();
                return outputs;
              }),
              HasSubstr("NaN where the reference has none, at [0,1]"));
}

TEST_F(FaultyCandidates, ReturningTheInputIsNamed) {
  EXPECT_EQ(problem([](Candidate&, auto inputs) { return Tensors{inputs[0]}; }), "output 0: it returned its input x");
}

TEST_F(FaultyCandidates, TheResultOfAnEarlierCallIsNamed) {
  Tensors cached;
  EXPECT_EQ(problem([&](Candidate& eager, auto inputs) {
              if (cached.empty()) cached = eager.run(inputs);
              return cached;
            }),
            "output 0: it returned the result of an earlier call");
}

constexpr const char* kSharedChanged = "it changed the weights or inputs that it shares with the reference";

// Right at its first call; from then on both sides agree on zeros.
TEST_F(FaultyCandidates, WritingToTheWeightsIsNamed) {
  write_graph(R"json({"graphnet":1,
    "inputs":[{"value":"%0","name":"x","type":"float32[4,8]","recipe":"normal(0.0,1.0)"}],
    "weights":[{"value":"%1","name":"w","type":"float32[4,8]","recipe":"normal(0.0,1.0)"}],
    "constants":[],"operators":["aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"],
    "calls":[["aten::mul.Tensor",["%0","%1"],["%2 float32[4,8]"]]],"output":"%2"})json");
  EXPECT_EQ(problem([&](Candidate& eager, auto inputs) {
              Tensors outputs = eager.run(inputs);
              weights_[0].zero_();
              return outputs;
            }),
            kSharedChanged);
}

void write_relu(at::Tensor tensor) {
  tensor.relu_();
}

// The operator gives the same on its own result, so that the reference agrees.
TEST_F(FaultyCandidates, WritingToTheInputsIsNamed) {
  write_graph(graph_text("aten::relu(Tensor self) -> Tensor", R"(["aten::relu",["%0"],["%1 float32[4,8]"]])"));
  EXPECT_EQ(problem([](Candidate& eager, auto inputs) {
              Tensors outputs = eager.run(inputs);
              write_relu(inputs[0]);
              return outputs;
            }),
            kSharedChanged);
}

TEST_F(FaultyCandidates, WritingToTheInputsOnlyWhileItIsTimedIsNamed) {
  write_graph(graph_text("aten::relu(Tensor self) -> Tensor", R"(["aten::relu",["%0"],["%1 float32[4,8]"]])"));
  int calls = 0;
  EXPECT_EQ(problem([&](Candidate& eager, auto inputs) {
              Tensors outputs = eager.run(inputs);
              if (++calls == 3) write_relu(inputs[0]);
              return outputs;
            }),
            kSharedChanged);
}

// Right on the inputs it is checked on; while it is timed, it knows its inputs by their addresses.
TEST_F(FaultyCandidates, ResultsThatAreCachedWhileItIsTimedAreWrong) {
  std::map<const void*, Tensors> cached;
  int calls = 0;
  const json result = bench([&](Candidate& eager, auto inputs) {
    if (++calls <= 2) return eager.run(inputs);
    Tensors& outputs = cached[inputs[0].const_data_ptr()];
    if (outputs.empty()) outputs = eager.run(inputs);
    return outputs;
  });
  EXPECT_FALSE(result.at("correctness").at("equal").get<bool>());
  const json& level = result.at("correctness").at("strictest_level");
  EXPECT_TRUE(level.is_null() || level.get<int>() > -2) << level;
}

// Returns at once and has a thread fill the output in a moment later.
TEST_F(FaultyCandidates, WorkThatGoesOnAfterTheCallIsNamed) {
  std::vector<std::jthread> threads;
  EXPECT_EQ(problem([&](Candidate& eager, auto inputs) {
              const at::Tensor right = eager.run(inputs)[0];
              const at::Tensor output = at::zeros_like(right);
              threads.emplace_back([output, right] {
                const c10::InferenceMode without_gradients;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                at::Tensor(output).copy_(right);
              });
              return Tensors{output};
            }),
            "output 0: its outputs were still being computed after the call returned");
}

// Memory whose contents are computed when it is first read: the fault that reading it raises does the work.
class LazyMemory {
 public:
  LazyMemory() {
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t* info, void*) { compute(info->si_addr); };
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &before_);
  }
  ~LazyMemory() { ::sigaction(SIGSEGV, &before_, nullptr); }

  static at::Tensor tensor(const at::Tensor& right) {
    void* page = ::mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages_[page] = right;
    return at::from_blob(
        page, right.sizes(), [](void* memory) { ::munmap(memory, kPage); }, right.options());
  }

 private:
  static constexpr std::size_t kPage = 4096;

  static void compute(void* address) {
    const auto page = pages_.find(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(kPage - 1)));
    if (page == pages_.end()) std::abort();
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < end) {
    }
    ::mprotect(page->first, kPage, PROT_READ | PROT_WRITE);
    std::memcpy(page->first, page->second.const_data_ptr(), page->second.nbytes());
  }

  static inline std::map<void*, at::Tensor> pages_;
  struct sigaction before_ = {};
};

TEST_F(FaultyCandidates, WorkThatIsDoneWhenTheOutputsAreReadIsNamed) {
  const LazyMemory memory;
  EXPECT_THAT(problem([](Candidate& eager, auto inputs) { return Tensors{LazyMemory::tensor(eager.run(inputs)[0])}; }),
              HasSubstr("its outputs were still being computed after the call returned: reading them"));
}

// An operator whose results differ from call to call, by a little or by much.
std::atomic<int> jitter_calls = 0;
at::Tensor jitter(const at::Tensor& x, double size) {
  return x + size * (++jitter_calls % 5);
}
// An operator of which one call takes a little more than a second.
int naps_in = 0;  // calls
at::Tensor nap(const at::Tensor& x) {
  if (--naps_in == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  return x + 1;
}
TORCH_LIBRARY(graphnet_worker_test, library) {
  library.def("nap(Tensor x) -> Tensor", &nap);
  library.def("jitter(Tensor x, float size) -> Tensor", &jitter);
}

std::string jitter_graph(const std::string& size) {
  return graph_text("graphnet_worker_test::jitter(Tensor x, float size) -> Tensor",
                    R"(["graphnet_worker_test::jitter",["%0",)" + size + R"(],["%1 float32[4,8]"]])");
}

TEST_F(FaultyCandidates, AReferenceThatVariesALittleIsNotHeldAgainstTheCandidate) {
  write_graph(jitter_graph("1e-6"));
  const json result = bench([](Candidate& eager, auto inputs) { return eager.run(inputs); });
  EXPECT_TRUE(result.at("reference").at("nondeterministic").get<bool>());
  EXPECT_LE(result.at("reference").at("spread_level").get<int>(), -4);
  EXPECT_EQ(result.at("correctness").at("strictest_level"), -10);
  EXPECT_LE(result.at("correctness").at("measured_level").get<int>(), -4);
}

TEST_F(FaultyCandidates, WhatExceedsTheSpreadOfTheReferenceIsHeldAgainstTheCandidate) {
  write_graph(jitter_graph("1e-6"));
  const json result = bench([](Candidate& eager, auto inputs) { return Tensors{eager.run(inputs)[0] + 0.01}; });
  EXPECT_EQ(result.at("correctness").at("strictest_level"), result.at("correctness").at("measured_level"));
  EXPECT_GE(result.at("correctness").at("strictest_level").get<int>(), -2);
}

constexpr int kReferenceRunsBeforeTiming = 2 + 2 + 3;  // itself twice, two checks, the sets that are timed
constexpr int kCandidateRunsBeforeTiming = 2;

TEST_F(FaultyCandidates, ALongTimingNamesTheReferenceWhileItIsAtWork) {
  write_graph(graph_text("graphnet_worker_test::nap(Tensor x) -> Tensor",
                         R"(["graphnet_worker_test::nap",["%0"],["%1 float32[4,8]"]])"));
  naps_in = kReferenceRunsBeforeTiming + 1;
  bench([](Candidate&, auto inputs) { return Tensors{inputs[0] + 1}; });
  const auto timing = std::ranges::find(stages_, "time");
  EXPECT_EQ(std::vector(timing, timing + 5),
            (std::vector<std::string>{"time", "reference", "time", "reference", "reference"}));
}

TEST_F(FaultyCandidates, ALongTimingNamesTheStageWhileTheCandidateIsAtWork) {
  int calls = 0;
  bench([&](Candidate& eager, auto inputs) {
    if (++calls == kCandidateRunsBeforeTiming + 1) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    return eager.run(inputs);
  });
  const auto timing = std::ranges::find(stages_, "time");
  EXPECT_EQ(std::vector(timing, timing + 5),
            (std::vector<std::string>{"time", "reference", "time", "time", "reference"}));
}

TEST_F(FaultyCandidates, AReferenceThatVariesMuchIsUnstable) {
  write_graph(jitter_graph("1.0"));
  EXPECT_THROW(bench([](Candidate& eager, auto inputs) { return eager.run(inputs); }), Error);
}

TEST_F(FaultyCandidates, ACandidateCloserToFloat64ThanTheReferenceIsSeen) {
  write_graph(graph_text("aten::tanh(Tensor self) -> Tensor", R"(["aten::tanh",["%0"],["%1 float32[4,8]"]])"));
  const json further = bench([](Candidate& eager, auto inputs) { return Tensors{eager.run(inputs)[0] * 1.001}; });
  EXPECT_EQ(further.at("float64").at("candidate"), "further");
  const json& error = further.at("float64").at("outputs").at(0);
  EXPECT_NEAR(error.at("candidate").at("relative").get<double>(), 0.001, 1e-5);
  EXPECT_LT(error.at("reference").at("relative").get<double>(), 1e-6);
  const json alike = bench([](Candidate& eager, auto inputs) { return eager.run(inputs); });
  EXPECT_EQ(alike.at("float64").at("candidate"), "alike");
}

}  // namespace
}  // namespace graphnet
