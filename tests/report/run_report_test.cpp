#include "graphnet/report/run_report.h"

#include <cctype>
#include <cmath>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

UnitResult correct(const std::string& sample, double speedup, const std::string& compiler = "inductor") {
  UnitResult result;
  result.outcome.sample = sample;
  result.outcome.compiler = compiler;
  result.outcome.group = "model of " + sample;
  result.outcome.status = OutcomeStatus::kCorrect;
  result.outcome.strictest_level = -6;
  result.outcome.speedup = speedup;
  result.path = "samples/" + sample;
  result.identity = "0123456789abcdef";
  result.category = "computer vision";
  result.dtypes = {"float32"};
  result.verdict = "converged";
  result.reference_seconds = 0.010;
  result.candidate_seconds = 0.010 / speedup;
  result.low = speedup * 0.99;
  result.high = speedup * 1.01;
  result.compile_seconds = 12.5;
  result.seconds = 20;
  result.reproduce = "graphnet bench samples/" + sample + " --compiler " + compiler;
  return result;
}

UnitResult failed(const std::string& sample, const std::string& message) {
  UnitResult result = correct(sample, 1.0);
  result.outcome.status = OutcomeStatus::kFailed;
  result.outcome.strictest_level.reset();
  result.outcome.speedup.reset();
  result.outcome.stage = Stage::kCompile;
  result.outcome.cause = Cause::kException;
  result.outcome.message = message;
  result.reference_seconds = result.candidate_seconds = result.low = result.high = std::nullopt;
  result.verdict.clear();
  return result;
}

UnitResult excluded(const std::string& sample) {
  UnitResult result = failed(sample, "needs 20 GiB");
  result.outcome.status = OutcomeStatus::kExcluded;
  result.outcome.stage = Stage::kLoad;
  result.outcome.cause = Cause::kInsufficientMemory;
  return result;
}

const json kInfo = {{"started", "2027-01-12T09:30:02Z"},
                    {"threads", 2},
                    {"machine", {{"processor", "AMD EPYC"}, {"device", "cpu"}, {"framework", "torch 2.13.0+cpu"}}}};

RunReport report_of(std::vector<UnitResult> results) {
  std::vector<ReportedRun> runs;
  runs.push_back({"runs/a", kInfo, std::move(results)});
  return make_run_report(std::move(runs), {});
}

RunReport small_report() {
  return report_of({correct("vision/a", 2.0), correct("vision/b", 0.8), failed("vision/c", "no lowering\nof aten::x"),
                    excluded("vision/d")});
}

// A run as large as a page has to bear.
RunReport large_report(int samples, int compilers) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> log_speedup(0.1, 0.3);
  std::vector<UnitResult> results;
  for (int i = 0; i < samples; ++i) {
    const std::string name = "computer-vision/torchvision-model-" + std::to_string(i) + "-subgraph";
    for (int j = 0; j < compilers; ++j) {
      results.push_back(i % 15 == j ? failed(name, "InductorError: LoweringException: AssertionError in aten.bmm")
                                    : correct(name, std::exp(log_speedup(engine))));
      results.back().outcome.compiler = "compiler" + std::to_string(j);
      results.back().category = i % 2 == 0 ? "computer vision" : "natural language processing";
    }
  }
  return report_of(std::move(results));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

// The names that follow any of these texts on the page.
std::set<std::string> names_after(const std::string& page, const std::vector<std::string>& starts) {
  std::set<std::string> names;
  for (const std::string& start : starts) {
    for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
      std::string name;
      for (std::size_t i = at + start.size(); i < page.size() && std::isalnum(page[i]) != 0; ++i) name += page[i];
      if (!name.empty()) names.insert(name);
    }
  }
  return names;
}

TEST(HtmlReport, HasEveryChartTableAndSample) {
  const std::string page = to_html(small_report());
  EXPECT_EQ(count(page, "<svg "), 5U) << "S, ES, speedups, times, break-even; one category needs no chart of its own";
  for (const char* id : {"scores", "speedups", "times", "compile", "failures", "samples", "environment"}) {
    EXPECT_THAT(page, HasSubstr("<h2 id=" + std::string(id) + ">"));
  }
  for (const char* sample : {"vision/a", "vision/b", "vision/c", "vision/d"}) EXPECT_THAT(page, HasSubstr(sample));
  EXPECT_THAT(page, HasSubstr("graphnet bench samples/vision/c --compiler inductor"));
  EXPECT_THAT(page, HasSubstr("1 failed at compile, exception"));
  EXPECT_THAT(page, HasSubstr("no lowering\nof aten::x"));
  EXPECT_THAT(page, HasSubstr("AMD EPYC, 2 threads, cpu, torch 2.13.0+cpu"));
}

TEST(HtmlReport, NeedsNothingButItself) {
  const std::string page = to_html(small_report());
  for (const char* part : {"http://", "https://", "src=", "@import", "url(", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(HtmlReport, HasABlockForEveryLink) {
  const std::string page = to_html(small_report());
  const std::set<std::string> ids = names_after(page, {"id=", "id=\""});
  const std::set<std::string> links = names_after(page, {"href=#", "href=\"#"});
  EXPECT_THAT(ids, testing::IsSupersetOf(links));
  EXPECT_GE(links.size(), 7U + 4U) << "the sections and the samples";
}

TEST(HtmlReport, EscapesWhateverComesFromTheRun) {
  const std::string hostile = "</title><script>alert('\"&\x01')</script><img src=x onerror=alert(1)>";
  UnitResult result = failed(hostile, hostile);
  result.category = result.path = result.log = result.reproduce = result.identity = hostile;
  result.dtypes = {"float32" + hostile};
  result.outcome.compiler = result.outcome.group = hostile;
  UnitResult timed = correct("b" + hostile, 2.0, hostile);
  timed.degenerate = timed.verdict = timed.category = hostile;
  std::vector<ReportedRun> runs;
  runs.push_back({hostile, {{hostile, hostile}, {"machine", {{"processor", hostile}}}}, {result, timed}});
  const std::string page = to_html(make_run_report(std::move(runs), {}));
  EXPECT_EQ(count(page, "<script"), 1U) << "the page's own";
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;&quot;&amp; &#39;)&lt;/script&gt;"));
}

TEST(HtmlReport, IsSmallForThousandsOfSamplesAndSeveralCompilers) {
  const std::string page = to_html(large_report(3000, 5));
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_EQ(count(page, "<tbody id=s"), 3000U);
}

TEST(HtmlReport, DrawsShapesInPlaceOfThousandsOfDots) {
  const std::string page = to_html(large_report(1000, 1));
  EXPECT_EQ(count(page, "class=\"shape c0\""), 2U) << "one a category";
  EXPECT_EQ(count(page, "<circle"), 0U);
}

TEST(HtmlReport, ShowsARunInWhichNothingWasCorrect) {
  const std::string page = to_html(report_of({failed("a", "broken"), excluded("b")}));
  EXPECT_THAT(page, HasSubstr("No sample was correct."));
  EXPECT_THAT(page, HasSubstr("Nothing was timed."));
}

TEST(HtmlReport, NamesRunsWhereThereAreSeveral) {
  std::vector<ReportedRun> runs;
  runs.push_back({"runs/epyc", kInfo, {correct("a", 2.0)}});
  runs.push_back({"runs/xeon", kInfo, {correct("a", 1.5)}});
  const std::string page = to_html(make_run_report(std::move(runs), {}));
  EXPECT_THAT(page, HasSubstr("runs/epyc inductor"));
  EXPECT_THAT(page, HasSubstr("runs/xeon inductor"));
  EXPECT_EQ(count(page, "<tbody id=s"), 1U) << "one block for the sample that both have";
}

TEST(Markdown, HasScoresAndFailures) {
  const std::string text = to_markdown(small_report());
  EXPECT_THAT(text, HasSubstr("| inductor | 3 | 1 | 0 | 66.7 % | 1.265 |"));
  EXPECT_THAT(text, HasSubstr("- **vision/c** with inductor: failed at compile, exception: no lowering of aten::x"));
  EXPECT_THAT(text, HasSubstr("again: `graphnet bench samples/vision/c --compiler inductor`"));
}

TEST(Markdown, EscapesMarkup) {
  EXPECT_THAT(to_markdown(report_of({failed("a|b<i>*", "`x`")})), HasSubstr("**a\\|b\\<i\\>\\***"));
}

TEST(ReportCsv, HasOneLineAUnit) {
  const std::string text = to_csv(small_report());
  EXPECT_EQ(count(text, "\nruns/a,"), 4U);
  EXPECT_THAT(text, testing::StartsWith("run,sample,compiler,status,strictest_level,speedup,low,high,"));
  EXPECT_THAT(text, HasSubstr("runs/a,vision/a,inductor,correct,-6,2.0,1.98,2.02,0.01,0.005,0,converged,"));
}

TEST(ReportJson, HasScoresAndEveryUnit) {
  const nlohmann::ordered_json report = to_json(small_report());
  EXPECT_EQ(report["scores"]["scores"][0]["samples"], 3);
  EXPECT_EQ(report["runs"][0]["units"].size(), 4U);
  EXPECT_EQ(report["runs"][0]["units"][2]["cause"], "exception");
  EXPECT_EQ(report["runs"][0]["info"]["threads"], 2);
}

TEST(Junit, CountsFailuresAndSkippedUnits) {
  const std::string text = to_junit(small_report());
  EXPECT_THAT(text, HasSubstr("name=\"runs/a inductor\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("<failure message=\"failed at compile, exception\">no lowering of aten::x\n"
                              "again: graphnet bench samples/vision/c --compiler inductor</failure>"));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"excluded at load, insufficient memory\">"));
}

TEST(Junit, SkipsAContendedUnitAndSaysWhy) {
  UnitResult contended = correct("a", 33.0);
  contended.verdict = kContendedVerdict;
  const std::string text = to_junit(report_of({contended, correct("b", 1.0)}));
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"contended: correct, but timed while other programs held the "));
}

TEST(HtmlReport, SaysNeverWhereMostSamplesDoNotWinTheirCompileTimeBack) {
  // One of three is faster: half of them never are.
  const std::string page = to_html(report_of({correct("a", 2.0), correct("b", 0.8), correct("c", 0.9)}));
  EXPECT_THAT(page, HasSubstr("<td>3<td>12.5 s<td>never<td>never<td>2"));
  // Two of three: half have after 12.5 s / 5 ms = 2,500 calls, nine in ten never.
  const std::string other = to_html(report_of({correct("a", 2.0), correct("b", 2.0), correct("c", 0.9)}));
  EXPECT_THAT(other, HasSubstr("<td>3<td>12.5 s<td>2.5k<td>never<td>1"));
}

TEST(RunReport, BearsInformationOfAnyShape) {
  for (const json& info : {json{{"machine", "a text"}, {"started", 3}}, json{{"machine", {{"processor", {1, 2}}}}},
                           json{{"machine", nullptr}, {"threads", "two"}}, json::object()}) {
    std::vector<ReportedRun> runs;
    runs.push_back({"runs/a", info, {correct("a", 2.0)}});
    const RunReport report = make_run_report(std::move(runs), {});
    EXPECT_THAT(to_html(report), HasSubstr("</html>")) << info;
    EXPECT_THAT(to_markdown(report), HasSubstr("inductor")) << info;
    EXPECT_EQ(to_google_benchmark(report)["benchmarks"].size(), 2U) << info;
  }
}

TEST(GoogleBenchmark, HasBothSidesInMilliseconds) {
  const nlohmann::ordered_json report = to_google_benchmark(small_report());
  ASSERT_EQ(report["benchmarks"].size(), 4U) << "correct units only";
  EXPECT_EQ(report["benchmarks"][1]["name"], "vision/a/inductor");
  EXPECT_DOUBLE_EQ(report["benchmarks"][0]["real_time"], 10.0);
  EXPECT_DOUBLE_EQ(report["benchmarks"][1]["real_time"], 5.0);
  EXPECT_EQ(report["benchmarks"][0]["cpu_time"], 0.0) << "it is not measured";
  EXPECT_EQ(report["benchmarks"][0]["threads"], 2);
}

TEST(GoogleBenchmark, CountsTheCallsOfAllTrialsAsIterations) {
  UnitResult unit = correct("a", 2.0);
  unit.log_ratios.assign(20, 0.7);
  unit.reference_batch = 3;
  unit.candidate_batch = 6;
  const nlohmann::ordered_json report = to_google_benchmark(report_of({unit}));
  EXPECT_EQ(report["benchmarks"][0]["iterations"], 60);
  EXPECT_EQ(report["benchmarks"][1]["iterations"], 120);
}

TEST(GoogleBenchmark, LeavesContendedUnitsOut) {
  UnitResult contended = correct("a", 33.0);
  contended.verdict = kContendedVerdict;
  EXPECT_EQ(to_google_benchmark(report_of({contended, correct("b", 1.0)}))["benchmarks"].size(), 2U);
}

}  // namespace
}  // namespace graphnet
