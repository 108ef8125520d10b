#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "graphnet/runtime/candidate.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Names that scripts/backends/inductor.py gives: weight and constant %12 is "w12" in the package, except for small
// weights, which are arguments after the graph's inputs and whose ids stand in the package's metadata, "3,17".
constexpr const char* kWeightInputsKey = "graphnet_weight_inputs";
constexpr std::string_view kBufferPrefix = "w";

Error package_error(const std::string& message) {
  return Error(ErrorKind::kUnsupported, "the compiled package does not fit the graph: " + message);
}

ValueId parse_value_id(std::string_view text) {
  ValueId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw package_error("\"" + std::string(text) + "\" is no value");
  }
  return id;
}

const at::Tensor& tensor_of(const CandidateSource& source, ValueId id) {
  const Graph& graph = source.graph;
  if (id >= graph.first_weight() && id < graph.first_constant()) return source.weights[id - graph.first_weight()];
  if (id >= graph.first_constant() && id < graph.first_result()) return source.constants[id - graph.first_constant()];
  throw package_error("it asks for value %" + std::to_string(id) + ", which is no weight or constant");
}

class InductorCandidate : public Candidate {
 public:
  InductorCandidate(const std::filesystem::path& package, const CandidateSource& source)
      : loader_(package.string(), "model", kRunSingleThreaded, /*num_runners=*/1,
                source.device.is_cpu() ? c10::DeviceIndex{-1} : source.device.index()),
        input_count_(source.graph.inputs.size()) {
    std::unordered_map<std::string, at::Tensor> constants;
    for (const std::string& name : loader_.get_constant_fqns()) {
      if (!name.starts_with(kBufferPrefix)) throw package_error("it asks for a constant " + name);
      constants[name] = tensor_of(source, parse_value_id(std::string_view(name).substr(kBufferPrefix.size())));
    }
    if (!constants.empty()) {
      // The package keeps references to these tensors instead of copies.
      loader_.load_constants(constants, /*use_inactive=*/false, /*check_full_update=*/true, /*user_managed=*/true);
    }
    arguments_.resize(input_count_);
    const std::unordered_map<std::string, std::string> metadata = loader_.get_metadata();
    const auto weight_inputs = metadata.find(kWeightInputsKey);
    if (weight_inputs == metadata.end()) throw package_error("its metadata has no " + std::string(kWeightInputsKey));
    std::string_view ids = weight_inputs->second;
    while (!ids.empty()) {
      const std::size_t comma = std::min(ids.find(','), ids.size());
      arguments_.push_back(tensor_of(source, parse_value_id(ids.substr(0, comma))));
      ids.remove_prefix(std::min(comma + 1, ids.size()));
    }
  }

  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) override {
    const c10::InferenceMode without_gradients;
    std::copy_n(inputs.begin(), input_count_, arguments_.begin());
    return loader_.run(arguments_);
  }

 private:
  // One call at a time, so that the package need not lock its models. On the CPU either way takes the same time.
  static constexpr bool kRunSingleThreaded = true;

  torch::inductor::AOTIModelPackageLoader loader_;
  std::size_t input_count_;
  std::vector<at::Tensor> arguments_;  // inputs, then small weights
};

}  // namespace

std::unique_ptr<Candidate> load_inductor_package(const std::filesystem::path& package, const CandidateSource& source) {
  try {
    return std::make_unique<InductorCandidate>(package, source);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kUnsupported, "the compiled package cannot be loaded: " + std::string(error.what()));
  }
}

}  // namespace graphnet
