// graphnet show: one sample for a person, as numbers, or as a drawing. Reads text only, so it answers at once.

#include <cstdio>
#include <memory>
#include <unistd.h>

#include "graphnet/graph/print.h"
#include "graphnet/report/sample_report.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/sample/sample.h"

#include "command.h"

namespace graphnet::cli {
namespace {

struct ShowCommand {
  CommonOptions common;
  std::string sample;
  bool dot = false;
};

int show(const ShowCommand& command) {
  require_sample_folder(command.sample);
  const Sample sample = read_sample(command.sample);
  if (command.common.json) {
    print_json(sample_json(sample));
  } else if (command.dot) {
    std::fputs(print_dot(sample.graph).c_str(), stdout);
  } else {
    std::fputs(head_text(sample, style_of(STDOUT_FILENO)).c_str(), stdout);
    if (!command.common.quiet) std::printf("\n%s", print(sample.graph).c_str());
  }
  return 0;
}

}  // namespace

void add_show(CLI::App& program, Action& action) {
  auto options = std::make_shared<ShowCommand>();
  CLI::App* command = add_command(program, "show", "Print a sample's graph, one line an operator call",
                                  "  graphnet show samples/vision/resnet18 | head -20\n"
                                  "  graphnet show samples/vision/resnet18 --json\n"
                                  "  graphnet show samples/vision/resnet18 --dot | dot -Tsvg > resnet18.svg",
                                  options->common);
  command->add_option("SAMPLE", options->sample, "Folder of the sample")->required();
  auto* dot = command->add_flag("--dot", options->dot, "Print the graph as Graphviz text, and nothing else");
  dot->excludes(command->get_option("--json"));
  run_when_chosen(command, action, options->common, [options] { return show(*options); });
}

}  // namespace graphnet::cli
