#include "graphnet/report/comparison_report.h"

#include <algorithm>
#include <cmath>

#include "graphnet/report/json_value.h"
#include "graphnet/report/number.h"
#include "graphnet/report/table.h"

namespace graphnet {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostRows = 40;  // of samples in a table; JSON has them all

// A ratio as the change it is: "+2.3 %".
std::string change_text(double ratio) {
  const double change = 100 * (ratio - 1);
  return (change < 0 ? "" : "+") + fixed(change, std::abs(change) < 9.995 ? 2 : 1) + " %";
}

// Of seconds, where they are known.
std::string seconds_change_text(const std::optional<double>& ratio) {
  return ratio ? change_text(*ratio) : "-";
}

std::string p_text(double p) {
  return p < 1e-4 ? "< 0.0001" : significant(p, 2);
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string end_text(const Outcome& outcome) {
  if (outcome.status == OutcomeStatus::kCorrect) {
    return "correct to 1e" + std::to_string(outcome.strictest_level.value());
  }
  std::string text(outcome_status_name(outcome.status));
  if (outcome.stage) text += " at " + std::string(stage_name(*outcome.stage));
  if (outcome.cause) text += ", " + std::string(cause_name(*outcome.cause));
  return text;
}

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return Tone::kGood;
    case Verdict::kWorse:
      return Tone::kBad;
    case Verdict::kSame:
      return Tone::kStrong;
    case Verdict::kUnclear:
      return Tone::kWarning;
  }
  return Tone::kPlain;
}

std::string more_line(std::size_t count) {
  return count > kMostRows ? "... and " + std::to_string(count - kMostRows) + " more (--json has them all)\n" : "";
}

std::string flips_text(const CompilerComparison& each, const TextStyle& style) {
  const auto& flips = each.comparison.flips;
  if (flips.empty()) return "no sample ended differently\n";
  Table table;
  for (const char* title : {"outcome", "sample", "A", "B"}) {
    table.columns.push_back({.title = title, .alignment = Alignment::kLeft});
  }
  for (std::size_t i = 0; i < std::min(flips.size(), kMostRows); ++i) {
    const Flip& flip = flips[i];
    const Cell what = flip.broke   ? Cell("broke", Tone::kBad)
                      : flip.lost  ? Cell("lost", Tone::kWarning)
                      : flip.fixed ? Cell("fixed", Tone::kGood)
                                   : Cell("differs", Tone::kWarning);
    const Outcome& a = each.a[flip.pair.a].outcome;
    const Outcome& b = each.b[flip.pair.b].outcome;
    table.rows.push_back({what, a.sample, end_text(a), end_text(b)});
  }
  return to_text(table, style) + more_line(flips.size());
}

std::string changes_text(const CompilerComparison& each, const ComparisonOptions& options, const TextStyle& style) {
  const auto& changes = each.comparison.changes;
  const auto count = static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(), [](const Change& change) { return change.significant; }));
  if (count == 0) {
    return "no sample changed by more than " + percent(options.margin) + " beyond chance (" +
           percent(options.process_deviation) + " from process to process; Benjamini-Hochberg, " +
           percent(options.false_discovery) + ")\n";
  }
  Table table;
  table.columns = {{.title = "changed"},   {.title = "sample", .alignment = Alignment::kLeft},
                   {.title = "speedup A"}, {.title = "speedup B"},
                   {.title = "reference"}, {.title = "candidate"},
                   {.title = "q"}};
  for (std::size_t i = 0; i < std::min(count, kMostRows); ++i) {  // significant ones come first
    const Change& change = changes[i];
    const Outcome& a = each.a[change.pair.a].outcome;
    const Outcome& b = each.b[change.pair.b].outcome;
    table.rows.push_back({Cell(change_text(change.ratio), change.ratio > 1 ? Tone::kGood : Tone::kBad), a.sample,
                          speedup_text(*a.speedup), speedup_text(*b.speedup),
                          seconds_change_text(change.reference_ratio), seconds_change_text(change.candidate_ratio),
                          p_text(*change.q_value)});
  }
  return to_text(table, style) + more_line(count);
}

std::string pairing_text(const RunComparison& comparison) {
  const Pairing& pairing = comparison.pairing;
  std::string text = counted(pairing.pairs.size(), "sample") + " paired";
  if (pairing.by_name > 0) text += " (" + std::to_string(pairing.by_name) + " by name alone)";
  text += ", " + std::to_string(pairing.only_a.size()) + " only in A, " + std::to_string(pairing.only_b.size()) +
          " only in B";
  if (pairing.changed_graphs > 0) {
    text += " (of these, " + counted(pairing.changed_graphs, "name") + " in both whose graphs differ)";
  }
  if (comparison.contended > 0) {
    text += "; " + std::to_string(comparison.contended) + " contended, not compared (--include-contended)";
  }
  return text + "\n";
}

std::string speed_text(const RunComparison& comparison, const ComparisonOptions& options) {
  if (!comparison.ratio) return "no sample was timed on both sides";
  std::string text = "speedup B / A " + fixed(*comparison.ratio, 4) + " (" + change_text(*comparison.ratio) + ")";
  const std::string models = counted(comparison.models, "source model");
  if (!comparison.interval) return text + " over " + models + ": too few for an interval, which takes 6";
  text += ", " + fixed(100 * comparison.interval->confidence, 1) + " % [" + fixed(comparison.interval->low, 4) + ", " +
          fixed(comparison.interval->high, 4) + "], p " + (comparison.test.p_value < 1e-4 ? "" : "= ") +
          p_text(comparison.test.p_value) + " over " + models;
  if (comparison.speed == Verdict::kUnclear) {
    text += ": the smallest change that this data could have shown is " + change_text(*comparison.detectable);
  } else if (comparison.speed == Verdict::kSame) {
    text += ": within " + percent(options.margin);
  }
  return text;
}

bool is_beyond(const std::optional<double>& ratio, double margin) {
  return ratio && std::abs(std::log(*ratio)) > std::log1p(margin);
}

// Which side a change of the speedup comes from.
std::string sides_text(const RunComparison& comparison, const ComparisonOptions& options) {
  if (!comparison.reference_ratio || !comparison.candidate_ratio) return "";
  const bool reference = is_beyond(comparison.reference_ratio, options.margin);
  const bool candidate = is_beyond(comparison.candidate_ratio, options.margin);
  const std::string moved = reference && candidate ? "both moved"
                            : reference            ? "the reference moved"
                            : candidate            ? "the candidate moved"
                                                   : "neither moved";
  return "; seconds B / A: candidate " + change_text(*comparison.candidate_ratio) + ", reference " +
         change_text(*comparison.reference_ratio) + ": " + moved;
}

std::string reference_warning(const RunComparison& comparison, const ComparisonOptions& options,
                              const TextStyle& style) {
  if (!is_beyond(comparison.reference_ratio, options.margin)) return "";
  return paint("the reference itself changed by " + change_text(*comparison.reference_ratio), Tone::kWarning, style) +
         " (seconds, B / A): not all of a change of the speedup is the compiler's\n";
}

std::string verdict_text(const CompilerComparison& each, const ComparisonOptions& options, const TextStyle& style) {
  const RunComparison& comparison = each.comparison;
  std::string text = paint(verdict_name(comparison.verdict), tone_of(comparison.verdict), style) + ": ";
  text += speed_text(comparison, options) + sides_text(comparison, options) + "; " + std::to_string(comparison.broke) +
          " broke, " + std::to_string(comparison.fixed) + " fixed";
  if (comparison.lost > 0) {
    text += ", " + std::to_string(comparison.lost) + " lost (correct in A, without a result in B)";
  }
  text += "; S(" + std::to_string(options.level) + ") " + fixed(comparison.score_a.speedup_score, 3) + " -> " +
          fixed(comparison.score_b.speedup_score, 3) + "\n";
  return text;
}

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json names_of(const std::vector<UnitResult>& results, const std::vector<std::size_t>& positions) {
  ordered_json names = ordered_json::array();
  for (const std::size_t position : positions) names.push_back(results[position].outcome.sample);
  return names;
}

ordered_json comparison_json(const CompilerComparison& each) {
  const RunComparison& comparison = each.comparison;
  const Pairing& pairing = comparison.pairing;
  ordered_json flips = ordered_json::array();
  for (const Flip& flip : comparison.flips) {
    const Outcome& a = each.a[flip.pair.a].outcome;
    flips.push_back({{"sample", a.sample},
                     {"a", end_text(a)},
                     {"b", end_text(each.b[flip.pair.b].outcome)},
                     {"broke", flip.broke},
                     {"fixed", flip.fixed},
                     {"lost", flip.lost}});
  }
  ordered_json changes = ordered_json::array();
  for (const Change& change : comparison.changes) {
    const Outcome& a = each.a[change.pair.a].outcome;
    changes.push_back({{"sample", a.sample},
                       {"ratio", change.ratio},
                       {"reference_ratio", nullable(change.reference_ratio)},
                       {"candidate_ratio", nullable(change.candidate_ratio)},
                       {"speedup_a", *a.speedup},
                       {"speedup_b", *each.b[change.pair.b].outcome.speedup},
                       {"p_value", nullable(change.p_value)},
                       {"q_value", nullable(change.q_value)},
                       {"significant", change.significant}});
  }
  const auto& interval = comparison.interval;
  ordered_json result;
  result["compiler_a"] = each.compiler_a;
  result["compiler_b"] = each.compiler_b;
  result["verdict"] = verdict_name(comparison.verdict);
  result["speed"] = verdict_name(comparison.speed);
  result["paired"] = pairing.pairs.size();
  result["paired_by_name"] = pairing.by_name;
  result["only_a"] = names_of(each.a, pairing.only_a);
  result["only_b"] = names_of(each.b, pairing.only_b);
  result["changed_graphs"] = pairing.changed_graphs;
  result["contended"] = comparison.contended;
  result["broke"] = comparison.broke;
  result["fixed"] = comparison.fixed;
  result["lost"] = comparison.lost;
  result["flips"] = std::move(flips);
  result["ratio"] = nullable(comparison.ratio);
  result["reference_ratio"] = nullable(comparison.reference_ratio);
  result["candidate_ratio"] = nullable(comparison.candidate_ratio);
  result["interval"] = interval ? ordered_json::array({interval->low, interval->high}) : ordered_json();
  result["confidence"] = interval ? ordered_json(interval->confidence) : ordered_json();
  result["p_value"] = comparison.ratio ? ordered_json(comparison.test.p_value) : ordered_json();
  result["models"] = comparison.models;
  result["detectable"] = nullable(comparison.detectable);
  result["score_a"] = number(comparison.score_a.speedup_score);
  result["score_b"] = number(comparison.score_b.speedup_score);
  result["changes"] = std::move(changes);
  return result;
}

}  // namespace

std::string to_text(const ComparisonReport& report, const TextStyle& style) {
  std::string text = "A: " + one_line(report.run_a) + "\nB: " + one_line(report.run_b) + "\n";
  if (!report.machines.empty()) {
    text += paint("different machines", Tone::kWarning, style) + ": " + one_line(report.machines) + "\n";
  }
  for (const CompilerComparison& each : report.compilers) {
    const bool same = each.compiler_a == each.compiler_b;
    const std::string title = same ? each.compiler_a : each.compiler_a + " against " + each.compiler_b;
    text += "\n" + paint(one_line(title), Tone::kStrong, style) + ": " + pairing_text(each.comparison);
    text += flips_text(each, style) + changes_text(each, report.options, style) +
            reference_warning(each.comparison, report.options, style) + verdict_text(each, report.options, style);
  }
  for (const std::string& compiler : report.only_a) text += "\n" + one_line(compiler) + " is only in A\n";
  for (const std::string& compiler : report.only_b) text += "\n" + one_line(compiler) + " is only in B\n";
  return text;
}

ordered_json to_json(const ComparisonReport& report) {
  ordered_json result;
  result["run_a"] = report.run_a;
  result["run_b"] = report.run_b;
  result["machines"] = report.machines;
  result["margin"] = report.options.margin;
  result["confidence"] = report.options.confidence;
  result["false_discovery"] = report.options.false_discovery;
  result["process_deviation"] = report.options.process_deviation;
  result["level"] = report.options.level;
  result["only_a"] = report.only_a;
  result["only_b"] = report.only_b;
  result["comparisons"] = ordered_json::array();
  for (const CompilerComparison& each : report.compilers) result["comparisons"].push_back(comparison_json(each));
  return result;
}

}  // namespace graphnet
