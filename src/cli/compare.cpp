// graphnet compare: two runs side by side, with the uncertainty; for CI too.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

#include "graphnet/report/comparison_report.h"
#include "graphnet/report/run_report.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "command.h"
#include "runs.h"
#include "score_options.h"

namespace graphnet::cli {
namespace {

struct CompareCommand {
  CommonOptions common;
  std::string run_a;
  std::string run_b;
  std::string compiler_a;
  std::string compiler_b;
  bool across_machines = false;
  std::string fail_on;
  ComparisonOptions comparison;
  ScoreOptions score;
};

using ByCompiler = std::vector<CompilerResults>;

std::string different_machines(const ReadRun& a, const ReadRun& b, bool allowed) {
  const std::string of_a = machine_text(a.contents.info);
  const std::string of_b = machine_text(b.contents.info);
  if (of_a == of_b) return "";
  const std::string both = of_a + " | " + of_b;
  if (!allowed) {
    throw Error(ErrorKind::kUsage, "the runs are of different machines (" + both +
                                       "), where a change can be the machine's: give --across-machines to compare them "
                                       "all the same");
  }
  return both;
}

void keep_only(ByCompiler& parts, const std::string& compiler, const std::string& run) {
  if (compiler.empty()) return;
  const auto found = std::ranges::find(parts, compiler, &CompilerResults::compiler);
  if (found == parts.end()) {
    throw Error(ErrorKind::kUsage, run + " has no results of compiler " + compiler + ", but of " +
                                       joined(parts, ", ", &CompilerResults::compiler));
  }
  parts = ByCompiler{std::move(*found)};
}

// Pairs compilers of one name; where each side has one compiler only, those two.
void pair_compilers(ByCompiler a, ByCompiler b, ComparisonReport& report) {
  const auto add = [&](CompilerResults& of_a, CompilerResults& of_b) {
    RunComparison comparison = compare(of_a.results, of_b.results, report.options, report.score);
    report.compilers.push_back(
        {of_a.compiler, of_b.compiler, std::move(of_a.results), std::move(of_b.results), std::move(comparison)});
  };
  if (a.size() == 1 && b.size() == 1) return add(a[0], b[0]);
  for (CompilerResults& of_a : a) {
    const auto of_b = std::ranges::find(b, of_a.compiler, &CompilerResults::compiler);
    if (of_b == b.end()) {
      report.only_a.push_back(of_a.compiler);
    } else {
      add(of_a, *of_b);
    }
  }
  for (const CompilerResults& of_b : b) {
    if (std::ranges::find(a, of_b.compiler, &CompilerResults::compiler) == a.end()) {
      report.only_b.push_back(of_b.compiler);
    }
  }
  if (report.compilers.empty()) {
    throw Error(ErrorKind::kUsage,
                "the runs have no compiler in common: choose one of each with --compiler-a and --compiler-b");
  }
}

// What --fail-on worse fails on. A gate that passes where nothing was measured is none: hence the lost ones.
bool is_worse(const CompilerComparison& each) {
  const RunComparison& comparison = each.comparison;
  return comparison.verdict == Verdict::kWorse || comparison.speed == Verdict::kWorse || comparison.broke > 0 ||
         comparison.lost > 0;
}

int compare_runs(const CompareCommand& command) {
  check_options(command.comparison);
  check_options(command.score);
  ReadRun a = read_one_run(command.run_a);
  ReadRun b = read_one_run(command.run_b);
  ComparisonReport report;
  report.run_a = a.label;
  report.run_b = b.label;
  report.machines = different_machines(a, b, command.across_machines);
  report.options = command.comparison;
  report.score = command.score;
  ByCompiler of_a = by_compiler(std::move(a.contents.results));
  ByCompiler of_b = by_compiler(std::move(b.contents.results));
  keep_only(of_a, command.compiler_a, a.label);
  keep_only(of_b, command.compiler_b, b.label);
  pair_compilers(std::move(of_a), std::move(of_b), report);

  if (command.common.json) {
    print_json(to_json(report));
  } else if (!command.common.quiet) {
    std::fputs(to_text(report, style_of(STDOUT_FILENO)).c_str(), stdout);
  }
  const bool worse = !report.only_a.empty() || std::ranges::any_of(report.compilers, is_worse);
  return command.fail_on == "worse" && worse ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& program, Action& action) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command =
      add_command(program, "compare", "Compare two runs: which is better, and how sure that is",
                  "  graphnet compare runs/before runs/after\n"
                  "  graphnet compare runs/main runs/branch --fail-on worse --margin 0.02\n"
                  "  graphnet compare runs/all runs/all --compiler-a torchscript --compiler-b inductor\n"
                  "  graphnet compare runs/epyc runs/xeon --across-machines",
                  options->common);
  command->add_option("RUN_A", options->run_a, "Folder of the run to compare with")->required();
  command->add_option("RUN_B", options->run_b, "Folder of the run that may be better or worse")->required();
  command->add_option("--compiler-a", options->compiler_a, "Only this compiler of RUN_A");
  command->add_option("--compiler-b", options->compiler_b, "Only this compiler of RUN_B");
  command->add_option("--margin", options->comparison.margin, "Changes below this share are no changes")
      ->capture_default_str();
  command
      ->add_option("--false-discovery", options->comparison.false_discovery,
                   "Share of false ones allowed among the samples called changed")
      ->capture_default_str();
  command
      ->add_option(
          "--process-deviation", options->comparison.process_deviation,
          "How much a sample's speedup differs from process to process, which its trials cannot tell: a standard "
          "deviation, as a share")
      ->capture_default_str();
  command->add_option("--level", options->comparison.level, "Tolerance level at which correctness is compared")
      ->check(CLI::Range(kStrictestScoreLevel, kLoosestScoreLevel))
      ->capture_default_str();
  command->add_flag("--include-contended", options->comparison.include_contended,
                    "Compare speedups too that were measured while other programs held the processors");
  command->add_flag("--across-machines", options->across_machines, "Compare runs of different machines");
  command
      ->add_option("--fail-on", options->fail_on,
                   "worse: exit 1 where B is slower, where a sample that is correct in A is not, or has no result, in "
                   "B, or where B has no results of a compiler of A")
      ->check(CLI::IsMember({"worse"}));
  add_score_options(*command, options->score);
  run_when_chosen(command, action, options->common, [options] { return compare_runs(*options); });
}

}  // namespace graphnet::cli
