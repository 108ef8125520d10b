// Samples of two or three operators, for units that end in a second.
#pragma once

#include <filesystem>
#include <string>

#include "graphnet/graph/text.h"
#include "graphnet/sample/sample.h"

namespace graphnet::test {

// A sample of one input x and one weight w; its calls take %0 and %1 and end in the output.
inline void write_small_sample(const std::filesystem::path& folder, const std::string& input, const std::string& weight,
                               const std::string& operators, const std::string& calls, const std::string& output) {
  const std::string recipe = input.starts_with("int") ? "range(100,200)" : "normal(0.0,1.0)";
  Sample sample;
  sample.graph = read_graph(R"json({"graphnet":1,"inputs":[{"value":"%0","name":"x","type":")json" + input +
                                R"json(","recipe":")json" + recipe +
                                R"json("}],"weights":[{"value":"%1","name":"w","type":")json" + weight +
                                R"json(","recipe":"normal(0.0,1.0)"}],"constants":[],"operators":[)json" + operators +
                                R"json(],"calls":[)json" + calls + R"json(],"output":")json" + output + R"json("})json",
                            "test");
  sample.metadata.name = "small";
  sample.metadata.category = "other";
  describe(sample.metadata, sample.graph);
  write_sample(sample, folder);
}

inline constexpr const char* kMul = R"("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")";
inline constexpr const char* kRelu = R"("aten::relu(Tensor self) -> Tensor")";

// relu(x * w) on float32[256,256], 256 KiB a tensor.
inline void write_relu_sample(const std::filesystem::path& folder) {
  write_small_sample(folder, "float32[256,256]", "float32[256,256]", std::string(kMul) + "," + kRelu,
                     R"(["aten::mul.Tensor",["%0","%1"],["%2 float32[256,256]"]],)"
                     R"(["aten::relu",["%2"],["%3 float32[256,256]"]])",
                     "%3");
}

// The same, with a relu whose result is there only once the whole test device is done.
inline void write_elsewhere_sample(const std::filesystem::path& folder) {
  write_small_sample(folder, "float32[256,256]", "float32[256,256]",
                     std::string(kMul) + R"(,"graphnet_test_device::relu_elsewhere(Tensor self) -> Tensor")",
                     R"(["aten::mul.Tensor",["%0","%1"],["%2 float32[256,256]"]],)"
                     R"(["graphnet_test_device::relu_elsewhere",["%2"],["%3 float32[256,256]"]])",
                     "%3");
}

// relu(x w^T) with a weight of 1 MiB, which nearly all its memory is.
inline void write_linear_sample(const std::filesystem::path& folder) {
  write_small_sample(
      folder, "float32[4,512]", "float32[512,512]",
      std::string(R"("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",)") + kRelu,
      R"(["aten::linear",["%0","%1",null],["%2 float32[4,512]"]],)"
      R"(["aten::relu",["%2"],["%3 float32[4,512]"]])",
      "%3");
}

// Rows of a table of eight, by indices beyond its end: an error on the CPU, an asynchronous fault on a GPU.
inline void write_faulty_sample(const std::filesystem::path& folder) {
  write_small_sample(folder, "int64[16]", "float32[8,4]",
                     R"("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, )"
                     R"(bool scale_grad_by_freq=False, bool sparse=False) -> Tensor")",
                     R"(["aten::embedding",["%1","%0",-1,false,false],["%2 float32[16,4]"]])", "%2");
}

}  // namespace graphnet::test
