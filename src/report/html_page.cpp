// The report page: its order, its words, and the charts in their places.

#include <algorithm>
#include <set>

#include "graphnet/report/number.h"

#include "chart.h"
#include "page_assets.h"
#include "page_parts.h"
#include "score_words.h"

namespace graphnet {
namespace {

constexpr std::size_t kColors = 8;            // classes c0..c7 of the style sheet
constexpr std::size_t kMostFullUnits = 2000;  // above, blocks of samples leave words out and lists of failures are cut
constexpr std::size_t kMostFailures = 200;    // of a kind
constexpr std::size_t kMostBriefFailures = 20;

std::vector<Series> series_of(const RunReport& report) {
  const bool with_run = has_several_runs(report.scores);
  std::vector<Series> all;
  for (const CompilerReport& scores : report.scores.compilers) {
    all.push_back(
        {&scores, results_of(report, scores), name_of(scores, with_run), "c" + std::to_string(all.size() % kColors)});
  }
  return all;
}

// In order of first appearance.
std::vector<std::string> samples_of(const RunReport& report) {
  std::set<std::string_view> seen;
  std::vector<std::string> samples;
  for (const ReportedRun& run : report.runs) {
    for (const UnitResult& result : run.results) {
      if (seen.insert(result.outcome.sample).second) samples.push_back(result.outcome.sample);
    }
  }
  return samples;
}

std::string figure(const std::string& chart, const std::string& caption = {}) {
  if (chart.empty()) return "";
  return "<figure>" + chart + (caption.empty() ? "" : "<figcaption>" + caption + "</figcaption>") + "</figure>\n";
}

std::string charts(const std::string& figures) {
  return figures.empty() ? "" : "<div class=charts>\n" + figures + "</div>\n";
}

std::string section(const std::string& id, const std::string& title, const std::string& contents) {
  return "<h2 id=" + id + ">" + title + "</h2>\n" + contents;
}

const char* const kExplanation =
    "<details><summary>How to read the scores</summary>\n"
    "<p>The speedup s of a sample is eager time / compiled time, measured in pairs. At tolerance level t an output is "
    "correct where it is within 10<sup>t</sup>, and a relative tolerance that depends on its dtype, of the reference. "
    "S(t) is the geometric mean of s over all samples, where a sample that is wrong at t or failed counts as b. ES(t) "
    "forgives errors step by step: wrong results from t = 1 on, failures at run time from t = 2 on, failures to "
    "compile "
    "from t = 3 on.</p>\n"
    "<p>Bands and intervals of 95 % over samples say how far a score depends on which models are in the dataset "
    "(bootstrap, clustered by source model). Those over trials say how far it depends on the noise of the timings of "
    "these very samples, each within one process: another process can differ by more.</p></details>\n";

std::string header(const RunReport& report, std::size_t samples) {
  std::string text = "<h1>graphnet report</h1>\n";
  for (const ReportedRun& run : report.runs) {
    text += "<p class=sub>" + escape_html(run.run);
    if (const std::string line = environment_line(run.info); !line.empty()) text += " · " + escape_html(line);
    const auto started = run.info.find("started");
    if (started != run.info.end() && started->is_string()) text += " · " + escape_html(started->get<std::string>());
    text += "</p>\n";
  }
  text += "<p class=sub>" + std::to_string(samples) + (samples == 1 ? " sample, " : " samples, ") +
          std::to_string(report.scores.compilers.size()) +
          (report.scores.compilers.size() == 1 ? " compiler" : " compilers") + "</p>\n";
  return text +
         "<nav><a href=#scores>Scores</a><a href=#speedups>Speedups</a><a href=#times>Times</a>"
         "<a href=#compile>Compile time</a><a href=#failures>Failures</a><a href=#samples>Samples</a>"
         "<a href=#environment>Environment</a></nav>\n";
}

std::string score_section(const RunReport& report, const std::vector<Series>& series) {
  std::string text = summary_table(report, series);
  text +=
      charts(figure(speedup_score_chart(series), "A larger t is a looser tolerance. Bands: 95 % over samples.") +
             figure(error_aware_score_chart(series), "The same up to t = 0; beyond, errors are forgiven by class.") +
             figure(category_chart(series)));
  text += kExplanation;
  text += "<h3>Correct and faster than p, and how timing ended</h3>\n" + fast_table(series);
  text += "<h3>By task category</h3>\n" + slice_table(series, &CompilerReport::by_category, "category");
  text += "<h3>By dtype</h3>\n" + slice_table(series, &CompilerReport::by_dtype, "dtype");
  return section("scores", "Scores", text);
}

std::string speedup_section(const std::vector<Series>& series, const BlockNames& blocks) {
  const Range range = speedup_range(series);
  std::string figures;
  for (const Series& each : series) figures += figure(speedup_chart(each, range, blocks));
  if (figures.empty()) return section("speedups", "Speedups", "<p>No sample was correct.</p>\n");
  return section(
      "speedups", "Speedups",
      "<p class=note>One dot a sample, or the shape of their density where a category has many; the upright "
      "line is the median. Hollow dots were measured while other programs held the processors, and do not move "
      "it.</p>\n" +
          charts(figures));
}

std::string time_section(const std::vector<Series>& series, const BlockNames& blocks) {
  const Range range = time_range(series);
  std::string figures;
  for (const Series& each : series) figures += figure(time_chart(each, range, blocks));
  if (figures.empty()) return section("times", "Times", "<p>Nothing was timed.</p>\n");
  return section("times", "Times",
                 "<p class=note>Below the line the compiled graph is faster. Hollow dots are wrong at t = 0, or were "
                 "measured while other programs held the processors.</p>\n" +
                     charts(figures));
}

std::string compile_section(const std::vector<Series>& series) {
  const std::string chart = break_even_chart(series);
  std::string text = break_even_table(series);
  if (text.empty()) return section("compile", "Compile time", "<p>Nothing was compiled.</p>\n");
  return section("compile", "Compile time",
                 "<p class=note>Compiling pays off after compile time / (eager time - compiled time) calls. Correct "
                 "samples only; those that did not become faster never win it back.</p>\n" +
                     text + charts(figure(chart)));
}

}  // namespace

std::string to_html(const RunReport& report) {
  const std::vector<Series> series = series_of(report);
  const std::vector<std::string> samples = samples_of(report);
  const BlockNames blocks(samples);
  std::size_t units = 0;
  for (const Series& each : series) units += each.results.size();
  const bool brief = units > kMostFullUnits;

  std::string page =
      "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"><title>graphnet report</title>\n<style>\n";
  page += kPageStyle;
  page += "</style></head><body><main>\n";
  page += header(report, samples.size());
  page += score_section(report, series);
  page += speedup_section(series, blocks);
  page += time_section(series, blocks);
  page += compile_section(series);
  page += section("failures", "Failures", failure_lists(series, blocks, brief ? kMostBriefFailures : kMostFailures));
  page +=
      section("samples", "Samples",
              "<p class=note>Speedups at t = 0; a star marks a contended timing. A sample's name shows what is known "
              "of it.</p>\n" +
                  sample_table(series, samples, blocks, brief));
  page += section("environment", "Environment", environment_tables(report));
  page += "</main>\n<script>\n";
  page += kPageScript;
  return page + "</script></body></html>\n";
}

}  // namespace graphnet
