#include "extraction_notes.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphnet/runtime/aliases.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kNamed = 3;  // of a long list, how many are named

std::string first_of(const std::vector<std::string>& texts) {
  return joined(std::span(texts).first(std::min(texts.size(), kNamed))) + (texts.size() > kNamed ? ", ..." : "");
}

}  // namespace

Error control_flow_error(const std::filesystem::path& model_file, const TorchScriptModel& model,
                         const RecordingNotes& notes, const std::string& what) {
  std::string message = model_file.string() + ": " + what +
                        ": its control flow depends on the values of tensors, which a graph cannot express.";
  if (!notes.baked_values.empty()) message += " Values that were read: " + first_of(notes.baked_values) + ".";
  if (notes.data_dependent_shapes) {
    message +=
        " Shapes of results depend on values too: inputs that are given exactly (--inputs FILE, or a rule such as "
        "values(...)) fix them.";
  }
  const std::vector<std::string> lines = model.value_dependent_lines(kNamed);
  if (!lines.empty()) message += " In TorchScript: " + joined(lines, "; ");
  return Error(ErrorKind::kUnsupported, message);
}

std::vector<std::string> state_warnings(const TorchScriptModel& model, const Recording& recording, bool inputs_vary) {
  std::vector<std::string> warnings;
  const std::vector<std::string> changed = model.changed_attributes();
  if (!changed.empty()) {
    warnings.push_back("forward changes attributes (" + first_of(changed) +
                       "): their values before the call are part of the sample, the change is not");
  }
  const Graph& graph = recording.graph;
  const Aliases aliases = find_aliases(graph);
  std::vector<std::string> written;
  for (std::size_t i = 0; i < graph.weights.size(); ++i) {
    if (aliases.written[graph.first_weight() + i]) written.push_back(graph.weights[i].name);
  }
  if (!written.empty()) {
    warnings.push_back("forward writes to " + first_of(written) +
                       ": every run of the sample starts from the same contents");
  }
  const std::vector<std::string>& baked = recording.notes.baked_values;
  if (!baked.empty()) {
    warnings.push_back(std::to_string(baked.size()) + " values of tensors became fixed numbers (" + first_of(baked) +
                       (inputs_vary
                            ? "); the sample was checked on other inputs and agrees with the model"
                            : "); all inputs are fixed, so the sample was checked only on the recorded inputs"));
  }
  return warnings;
}

}  // namespace graphnet
