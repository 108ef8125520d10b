// Failures and samples on a report page.

#include <algorithm>
#include <map>

#include "graphnet/report/bench_table.h"
#include "graphnet/report/number.h"
#include "graphnet/report/terminal.h"
#include "graphnet/support/text.h"

#include "page_parts.h"

namespace graphnet {
namespace {

constexpr std::size_t kLongestMessage = 1200;  // bytes
constexpr std::size_t kLongestBriefMessage = 100;

std::string cut_message(const std::string& message, bool brief) {
  const std::size_t limit = brief ? kLongestBriefMessage : kLongestMessage;
  if (message.size() <= limit) return message;
  std::string start = message.substr(0, limit);
  while (!start.empty() && !is_utf8(start)) start.pop_back();  // not in the middle of a character
  return start + " ...";
}

// Line ends survive as such; everything else is escaped as usual.
std::string escape_lines(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) result += '\n';
    result += escape_html(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::string link_to(const std::string& sample, const BlockNames& blocks) {
  return "<a href=#" + blocks.of(sample) + ">" + escape_html(sample) + "</a>";
}

struct Failure {
  const Series* series;
  const UnitResult* result;
};

std::string failure_item(const Failure& failure, const BlockNames& blocks) {
  const UnitResult& result = *failure.result;
  std::string text = "<li>" + link_to(result.outcome.sample, blocks) + " <span class=\"key " + failure.series->color +
                     "\">" + escape_html(failure.series->label) + "</span>";
  if (!result.outcome.message.empty()) {
    text += "<p>" + escape_lines(cut_message(result.outcome.message, false)) + "</p>";
  }
  if (!result.reproduce.empty()) text += "<p class=soft>Again: <code>" + escape_html(result.reproduce) + "</code></p>";
  if (!result.log.empty()) text += "<p class=soft>Log: <code>" + escape_html(result.log) + "</code></p>";
  return text + "\n";
}

std::string kind_list(const std::string& kind, const std::vector<Failure>& failures, const BlockNames& blocks,
                      std::size_t most) {
  std::string text = "<details class=kind open><summary>" + std::to_string(failures.size()) + " " + escape_html(kind) +
                     "</summary><ul class=f>\n";
  for (std::size_t i = 0; i < std::min(failures.size(), most); ++i) text += failure_item(failures[i], blocks);
  if (failures.size() > most) {
    text += "<li class=soft>and " + std::to_string(failures.size() - most) + " more: see the sample table\n";
  }
  return text + "</ul></details>\n";
}

// What a cell of the sample table says in a word, and the class that colours it.
std::string speedup_cell(const UnitResult* result) {
  if (result == nullptr) return "<td>";
  const Outcome& outcome = result->outcome;
  if (is_correct(outcome, kSummaryLevel)) {
    const std::string text = speedup_text(*outcome.speedup);
    if (result->verdict == kContendedVerdict) return "<td class=warn>" + text + "*";
    return "<td>" + text;
  }
  switch (outcome.status) {
    case OutcomeStatus::kCorrect:
    case OutcomeStatus::kAccuracy:
      return "<td class=bad>wrong";
    case OutcomeStatus::kFailed:
      return "<td class=bad>" + std::string(stage_name(*outcome.stage));
    case OutcomeStatus::kExcluded:
      return "<td class=soft>excluded";
    case OutcomeStatus::kUnavailable:
      return "<td class=soft>absent";
  }
  return "<td>";
}

// "25.13 -> 21.92 ms, [1.138, 1.155] within one process, correct to 1e-6, compiled in 14.5 s, converged", as far as it
// is known.
std::string unit_text(const UnitResult& result, bool brief) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (result.reference_seconds && result.candidate_seconds) {
    add((brief ? "" : "eager ") + milliseconds(*result.reference_seconds) + (brief ? "→" : " ms, compiled ") +
        milliseconds(*result.candidate_seconds) + " ms");
  }
  if (result.low && result.high && result.outcome.speedup) {
    const double half_width = (*result.high - *result.low) / 2 / *result.outcome.speedup;
    add(brief ? "±" + percent(half_width)
              : "speedup " + speedup_text(*result.outcome.speedup) + " [" + speedup_text(*result.low) + ", " +
                    speedup_text(*result.high) + "] within one process");
  }
  if (result.outcome.strictest_level) add((brief ? "" : "correct to ") + level_text(*result.outcome.strictest_level));
  if (result.compile_seconds) add((brief ? "" : "compiled in ") + duration_text(*result.compile_seconds));
  if (!result.verdict.empty() && !(brief && result.verdict == "converged")) add(result.verdict);
  if (result.outcome.status != OutcomeStatus::kCorrect) add(ending_text(result.outcome));
  return text;
}

std::string unit_item(const Series& series, const UnitResult& result, bool brief) {
  std::string text = brief ? "<li>" + escape_html(series.label) + " "
                           : "<li><span class=\"key " + series.color + "\">" + escape_html(series.label) + "</span> ";
  text += escape_html(unit_text(result, brief));
  const std::string& message = result.outcome.message;
  if (!message.empty() && result.outcome.status != OutcomeStatus::kCorrect) {
    text += ": <span class=i>" + escape_html(cut_message(message, brief)) + "</span>";
  }
  if (!brief && !result.degenerate.empty()) {
    text += ". <span class=warn>Degenerate reference: " + escape_html(result.degenerate) + "</span>";
  }
  if (!brief && !result.reproduce.empty()) text += "<br><code>" + escape_html(result.reproduce) + "</code>";
  return text;
}

using UnitRow = std::vector<const UnitResult*>;  // one for each series; null where it has none

std::string block_of(const std::string& sample, const UnitRow& row, const std::vector<Series>& series,
                     const BlockNames& blocks, bool brief) {
  const UnitResult& known = **std::ranges::find_if(row, [](const UnitResult* each) { return each != nullptr; });
  std::string text = "<tbody id=" + blocks.of(sample) + "><tr><th>" + link_to(sample, blocks) + "<td class=l>" +
                     escape_html(known.category) + "<td class=l>" + escape_html(dtype_class(known));
  for (const UnitResult* result : row) text += speedup_cell(result);
  text += "<tr class=d><td colspan=" + std::to_string(3 + series.size()) + ">";
  if (!brief) {
    text += "<p class=note>" + escape_html(known.path) + "<br>" + escape_html(category_of(known)) + ", " +
            escape_html(dtype_class(known)) + "; ";
    if (!known.outcome.group.empty()) text += "source model " + escape_html(known.outcome.group) + "; ";
    text += "graph <code>" + escape_html(known.identity.substr(0, 12)) + "</code></p>";
  }
  text += "<ul>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != nullptr) text += unit_item(series[i], *row[i], brief);
  }
  return text + "</ul>\n";
}

}  // namespace

std::string failure_lists(const std::vector<Series>& series, const BlockNames& blocks, std::size_t most) {
  // Failures of compilers before what says nothing about them.
  std::map<std::pair<int, std::string>, std::vector<Failure>> kinds;
  for (const Series& each : series) {
    for (const UnitResult* result : each.results) {
      if (is_correct(result->outcome, kSummaryLevel)) continue;
      const int order = is_scored(result->outcome) ? 0 : 1;
      kinds[{order, ending_text(result->outcome)}].push_back({&each, result});
    }
  }
  if (kinds.empty()) return "<p>Every unit was correct.</p>\n";
  std::string text;
  for (const auto& [kind, failures] : kinds) text += kind_list(kind.second, failures, blocks, most);
  return text;
}

std::string sample_table(const std::vector<Series>& series, const std::vector<std::string>& samples,
                         const BlockNames& blocks, bool brief) {
  std::map<std::string_view, UnitRow> rows;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (const UnitResult* result : series[i].results) {
      const auto [place, is_new] = rows.try_emplace(result->outcome.sample, series.size(), nullptr);
      place->second[i] = result;
    }
  }
  std::string text =
      "<input id=search type=search placeholder=\"Search samples, categories, outcomes\" aria-label=\"Search samples\">"
      "<div class=wide><table id=table><thead><tr><th scope=col>sample<th class=l scope=col>category<th class=l "
      "scope=col>dtype";
  for (const Series& each : series) {
    text += "<th scope=col><span class=\"key " + each.color + "\">" + escape_html(each.label) + "</span>";
  }
  text += "</thead>\n";
  for (const std::string& sample : samples) text += block_of(sample, rows.at(sample), series, blocks, brief);
  return text + "</table></div>\n";
}

}  // namespace graphnet
