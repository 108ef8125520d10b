// graphnet report: finished runs as one page, or as a file for another program.

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "graphnet/report/run_report.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "command.h"
#include "runs.h"
#include "score_options.h"

namespace graphnet::cli {
namespace {

struct ReportCommand {
  CommonOptions common;
  std::vector<std::string> runs;
  std::string output;
  std::string format = "html";
  ScoreReportCommandOptions score;
};

std::string text_of(const nlohmann::ordered_json& value) {
  return value.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string rendered(const RunReport& report, const std::string& format) {
  if (format == "md") return to_markdown(report);
  if (format == "csv") return to_csv(report);
  if (format == "json") return text_of(to_json(report));
  if (format == "junit") return to_junit(report);
  if (format == "google-benchmark") return text_of(to_google_benchmark(report));
  return to_html(report);
}

int report(ReportCommand& command) {
  const ScoreReportOptions& options = checked(command.score);
  if (command.common.json) command.format = "json";
  std::vector<ReportedRun> runs;
  for (ReadRun& run : read_runs(command.runs)) {
    runs.push_back({std::move(run.label), std::move(run.contents.info), std::move(run.contents.results)});
  }
  const std::string text = rendered(make_run_report(std::move(runs), options), command.format);
  if (command.output.empty() || command.output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file(command.output, text);
    spdlog::info("{} written", command.output);
  }
  return 0;
}

}  // namespace

void add_report(CLI::App& program, Action& action) {
  auto options = std::make_shared<ReportCommand>();
  CLI::App* command = add_command(program, "report", "Finished runs as one page with charts and tables",
                                  "  graphnet report runs/2027-01-12T09-30-02 -o report.html\n"
                                  "  graphnet report runs/epyc runs/h200 -o both.html\n"
                                  "  graphnet report runs/nightly --format junit -o results.xml\n"
                                  "  graphnet report runs/nightly --format md",
                                  options->common);
  command->add_option("RUN", options->runs, "Folders that graphnet bench wrote")->required();
  command->add_option("-o,--output", options->output, "File to write (default, and \"-\": stdout)");
  auto* format = command
                     ->add_option("--format", options->format,
                                  "html (one page that needs nothing else), md, csv, json, junit, google-benchmark")
                     ->check(CLI::IsMember({"html", "md", "csv", "json", "junit", "google-benchmark"}))
                     ->capture_default_str();
  format->excludes(command->get_option("--json"));
  add_score_report_options(*command, options->score);
  run_when_chosen(command, action, options->common, [options] { return report(*options); });
}

}  // namespace graphnet::cli
