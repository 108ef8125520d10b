// Tables of scores on a report page, and the environment.

#include <algorithm>
#include <cmath>
#include <set>

#include "graphnet/report/number.h"

#include "page_parts.h"
#include "score_words.h"

namespace graphnet {
namespace {

std::string cell(const std::string& text) {
  return "<td>" + escape_html(text);
}

std::string row_head(const Series& series) {
  return "<tr><th scope=row><span class=\"key " + series.color + "\">" + escape_html(series.label) + "</span>";
}

std::string table_of(const std::string& head, const std::string& body) {
  return "<div class=wide><table><thead><tr>" + head + "<tbody>" + body + "</table></div>\n";
}

std::string heads(const std::vector<std::string>& titles) {
  std::string text;
  for (const std::string& title : titles) text += "<th scope=col>" + escape_html(title);
  return text;
}

std::string samples_interval(const std::optional<ScoreInterval>& interval) {
  return interval ? interval_text(interval->speedup_score) : "too few models";
}

void append_flat(const std::string& prefix, const nlohmann::json& value, std::string& rows) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) append_flat(prefix.empty() ? key : prefix + "." + key, inner, rows);
    return;
  }
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (value.is_array()) {
    constexpr std::size_t kLongest = 300;
    if (text.size() > kLongest) text = std::to_string(value.size()) + " entries";
  }
  rows += "<tr><th scope=row>" + escape_html(prefix) + "<td class=w>" + escape_html(text) + "\n";
}

// The number of calls by which that share of the samples has won its compile time back. `calls` are ascending, infinite
// where a sample never does.
std::string calls_text(const std::vector<double>& calls, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(calls.size())));
  const double needed = calls[std::max<std::size_t>(rank, 1) - 1];
  return std::isfinite(needed) ? tick_label(std::round(needed)) : "never";
}

}  // namespace

std::string summary_table(const RunReport& report, const std::vector<Series>& series) {
  const std::string level = "(" + std::to_string(kSummaryLevel) + ")";
  std::string body;
  for (const Series& each : series) {
    const CompilerReport& scores = *each.scores;
    const Score& score = scores.at(kSummaryLevel);
    body += row_head(each) + cell(std::to_string(score.samples)) +
            cell(std::to_string(score.excluded + score.unavailable)) +
            cell(std::to_string(scores.contended.size() + scores.noisy.size())) +
            cell(score.samples == 0 ? "-" : percent(score.aggregates.lambda)) +
            cell(score.timed == 0 ? "-" : score_text(score.aggregates.alpha)) +
            cell(score_text(scores.at(-5).speedup_score)) + "<td><b>" + score_text(score.speedup_score) + "</b>" +
            cell(samples_interval(scores.interval_at(kSummaryLevel))) + cell(interval_text(scores.trial_interval));
    for (const int t : {1, 2, 3}) body += cell(score_text(scores.at(t).error_aware_score));
    body += "\n";
  }
  const ScoreOptions& options = report.scores.options.score;
  std::string text = table_of(heads({"compiler", "N", "excluded", "contended", "correct" + level, "geomean", "S(-5)",
                                     "S" + level, "95 % over samples", "95 % over trials", "ES(1)", "ES(2)", "ES(3)"}),
                              body);
  text +=
      "<p class=note>b = " + significant(options.failure_base, 3) +
      ", p = " + significant(options.slowdown_penalty, 3) +
      ", interpretation: " + std::string(interpretation_name(options.interpretation)) +
      ". N counts scored samples; excluded are those whose reference failed or whose compiler is unavailable; "
      "contended are correct ones whose speedup is not trusted: they count as correct, and are left out of the geomean "
      "and of what the scores make of it.</p>\n";
  return text;
}

std::string fast_table(const std::vector<Series>& series) {
  std::set<std::string> verdicts;
  for (const Series& each : series) {
    for (const auto& [verdict, count] : each.scores->verdicts) verdicts.insert(verdict);
  }
  std::vector<std::string> titles{"compiler"};
  for (const double p : kFastThresholds) titles.push_back(p == 0 ? "correct" : "> " + tick_label(p) + "x");
  titles.insert(titles.end(), verdicts.begin(), verdicts.end());
  std::string body;
  for (const Series& each : series) {
    body += row_head(each);
    for (const double share : each.scores->fast_shares) body += cell(percent(share));
    for (const std::string& verdict : verdicts) {
      const auto found = each.scores->verdicts.find(verdict);
      body += cell(std::to_string(found == each.scores->verdicts.end() ? 0 : found->second));
    }
    body += "\n";
  }
  return table_of(heads(titles), body);
}

std::string slice_table(const std::vector<Series>& series, std::vector<Slice> CompilerReport::*slices,
                        const std::string& title) {
  std::set<std::string> names;
  for (const Series& each : series) {
    for (const Slice& slice : each.scores->*slices) names.insert(slice.name);
  }
  std::string body;
  for (const std::string& name : names) {
    std::string rows;
    std::size_t count = 0;
    for (const Series& each : series) {
      for (const Slice& slice : each.scores->*slices) {
        if (slice.name != name) continue;
        const Score& score = slice.score;
        rows += (count++ == 0 ? "" : "<tr>");
        rows += "<td class=l><span class=\"key " + each.color + "\">" + escape_html(each.label) + "</span>" +
                cell(std::to_string(score.samples)) +
                cell(score.samples == 0 ? "-" : percent(score.aggregates.lambda)) +
                cell(score.timed == 0 ? "-" : score_text(score.aggregates.alpha)) +
                cell(score_text(score.speedup_score)) + cell(samples_interval(slice.interval)) + "\n";
      }
    }
    body += "<tr><th scope=rowgroup rowspan=" + std::to_string(count) + ">" + escape_html(name) + rows;
  }
  return table_of(heads({title}) + "<th class=l scope=col>compiler" +
                      heads({"N", "correct(0)", "geomean", "S(0)", "95 % over samples"}),
                  body);
}

std::string break_even_table(const std::vector<Series>& series) {
  std::string body;
  for (const Series& each : series) {
    std::vector<double> calls;
    std::vector<double> compile_seconds;
    std::size_t never = 0;
    for (const UnitResult* result : each.results) {
      if (result->verdict == kContendedVerdict) continue;
      const auto needed = break_even_calls(*result);
      if (!needed) continue;
      compile_seconds.push_back(*result->compile_seconds);
      calls.push_back(*needed);
      if (!std::isfinite(*needed)) ++never;
    }
    if (calls.empty()) continue;
    std::ranges::sort(calls);
    body += row_head(each) + cell(std::to_string(calls.size())) + cell(duration_text(median(compile_seconds))) +
            cell(calls_text(calls, 0.5)) + cell(calls_text(calls, 0.9)) + cell(std::to_string(never)) + "\n";
  }
  if (body.empty()) return "";
  return table_of(heads({"compiler", "samples", "median compile time", "half won back within calls", "90 % within",
                         "never (not faster)"}),
                  body);
}

std::string environment_tables(const RunReport& report) {
  std::string text;
  for (const ReportedRun& run : report.runs) {
    std::string rows;
    for (const auto& [key, value] : run.info.items()) {
      if (key == "samples" && value.is_array()) {
        append_flat(key, std::to_string(value.size()), rows);
      } else {
        append_flat(key, value, rows);
      }
    }
    text += "<h3>" + escape_html(run.run) + "</h3>\n<div class=wide><table><tbody>" + rows + "</table></div>\n";
  }
  return text;
}

}  // namespace graphnet
