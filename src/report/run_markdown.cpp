// Runs as Markdown, short enough for a comment on a pull request.

#include <map>

#include "graphnet/report/number.h"
#include "graphnet/report/run_report.h"
#include "graphnet/report/terminal.h"

#include "score_words.h"

namespace graphnet {
namespace {

constexpr std::size_t kMostFailures = 50;

// On one line and without what Markdown or HTML would take for markup.
std::string escape(const std::string& text) {
  std::string result;
  for (const char byte : one_line(text)) {
    if (std::string_view("\\`*_{}[]<>#|~&!").find(byte) != std::string_view::npos) result += '\\';
    result += byte;
  }
  return result;
}

// Between backticks; those inside would end it.
std::string code(const std::string& text) {
  std::string result = one_line(text);
  for (char& byte : result) {
    if (byte == '`') byte = '\'';
  }
  return "`" + result + "`";
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string score_table(const RunReport& report, bool with_run) {
  std::string text = row({"compiler", "N", "excluded", "contended", "correct(0)", "geomean", "S(-5)", "S(0)",
                          "95 % over samples", "95 % over trials", "ES(1)", "ES(2)", "ES(3)"}) +
                     "|---" + "|--:|--:|--:|--:|--:|--:|--:|:--|:--|--:|--:|--:|\n";
  for (const CompilerReport& compiler : report.scores.compilers) {
    const Score& score = compiler.at(kSummaryLevel);
    const auto interval = compiler.interval_at(kSummaryLevel);
    text += row({escape(name_of(compiler, with_run)), std::to_string(score.samples),
                 std::to_string(score.excluded + score.unavailable), std::to_string(compiler.contended.size()),
                 score.samples == 0 ? "-" : percent(score.aggregates.lambda),
                 score.timed == 0 ? "-" : score_text(score.aggregates.alpha), score_text(compiler.at(-5).speedup_score),
                 score_text(score.speedup_score), interval ? interval_text(interval->speedup_score) : "too few models",
                 interval_text(compiler.trial_interval), score_text(compiler.at(1).error_aware_score),
                 score_text(compiler.at(2).error_aware_score), score_text(compiler.at(3).error_aware_score)});
  }
  return text;
}

std::string slice_table(const RunReport& report, bool with_run) {
  std::string text =
      row({"category", "compiler", "N", "correct(0)", "S(0)", "95 % over samples"}) + "|---|---|--:|--:|--:|:--|\n";
  for (const CompilerReport& compiler : report.scores.compilers) {
    for (const Slice& slice : compiler.by_category) {
      text += row({escape(slice.name), escape(name_of(compiler, with_run)), std::to_string(slice.score.samples),
                   slice.score.samples == 0 ? "-" : percent(slice.score.aggregates.lambda),
                   score_text(slice.score.speedup_score),
                   slice.interval ? interval_text(slice.interval->speedup_score) : "too few models"});
    }
  }
  return text;
}

std::string failures(const RunReport& report) {
  std::string text;
  std::size_t count = 0;
  for (const ReportedRun& run : report.runs) {
    for (const UnitResult& result : run.results) {
      if (is_correct(result.outcome, kSummaryLevel)) continue;
      if (++count > kMostFailures) continue;
      text += "- **" + escape(result.outcome.sample) + "** with " + escape(result.outcome.compiler) + ": " +
              escape(ending_text(result.outcome));
      const std::string& message = result.outcome.message;
      if (!message.empty()) text += ": " + escape(cut_to_width(one_line(message), 200));
      if (!result.reproduce.empty()) text += "  \n  again: " + code(result.reproduce);
      text += "\n";
    }
  }
  if (count > kMostFailures) text += "- and " + std::to_string(count - kMostFailures) + " more\n";
  return text.empty() ? "" : "\n### Not correct\n\n" + text;
}

}  // namespace

std::string to_markdown(const RunReport& report) {
  const bool with_run = has_several_runs(report.scores);
  const ScoreOptions& options = report.scores.options.score;
  std::string text = "## graphnet report\n\n";
  for (const ReportedRun& run : report.runs) {
    text += "- " + code(run.run) + ": " + escape(environment_line(run.info)) + "\n";
  }
  text += "\n" + score_table(report, with_run);
  text += "\nb = " + significant(options.failure_base, 3) + ", p = " + significant(options.slowdown_penalty, 3) +
          ", interpretation: " + std::string(interpretation_name(options.interpretation)) + "\n";
  text += "\n### By task category\n\n" + slice_table(report, with_run);
  return text + failures(report);
}

}  // namespace graphnet
