// graphnet report, and its page in a real browser where one is installed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "run_folder.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json timed(const std::string& sample, double speedup, const std::string& compiler) {
  json line = correct(sample, speedup, -6);
  line["compiler"] = compiler;
  line["identity"] = "graph of " + sample;
  line["compile_seconds"] = 9.5;
  line["measurements"] = timing({speedup, speedup * 1.01, speedup * 0.99});
  return line;
}

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<json> lines;
    for (int i = 0; i < 12; ++i) {
      const std::string sample = (i % 2 == 0 ? "vision/model" : "audio/model") + std::to_string(i);
      lines.push_back(timed(sample, 0.7 + 0.1 * i, "inductor"));
      lines.push_back(timed(sample, 1.6 - 0.05 * i, "torchscript"));
      lines[lines.size() - 1]["category"] = lines[lines.size() - 2]["category"] =
          i % 2 == 0 ? "computer vision" : "audio";
    }
    lines.push_back(ended("audio/<b>broken</b>", "failed", "compile", "time-out"));
    write_run(path("run"), lines, {{"processor", "AMD EPYC"}, {"threads", 2}});
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(ReportCommand, WritesAPage) {
  const Finished finished = graphnet({"report", path("run"), "-o", path("page.html")});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(finished.output, "");
  EXPECT_THAT(read_file(path("page.html")), testing::StartsWith("<!DOCTYPE html>"));
}

TEST_F(ReportCommand, WritesEveryFormat) {
  const auto output = [&](const std::string& format) {
    const Finished finished = graphnet({"report", path("run"), "--format", format});
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.output;
  };
  EXPECT_THAT(output("md"), HasSubstr("## graphnet report"));
  EXPECT_THAT(output("csv"), testing::StartsWith("run,sample,compiler,"));
  EXPECT_EQ(json::parse(output("json"))["runs"][0]["units"].size(), 25U);
  EXPECT_THAT(output("junit"), HasSubstr("failures=\"1\""));
  EXPECT_EQ(json::parse(output("google-benchmark"))["benchmarks"].size(), 48U);
  EXPECT_EQ(graphnet({"report", path("run"), "--format", "pdf"}).exit_code, 2);
}

TEST_F(ReportCommand, TakesTheCommonJsonFlag) {
  EXPECT_EQ(json::parse(graphnet({"report", path("run"), "--json"}).output)["runs"].size(), 1U);
  EXPECT_EQ(graphnet({"report", path("run"), "--json", "--format", "md"}).exit_code, 2);
}

TEST_F(ReportCommand, RefusesWhatIsNoRun) {
  EXPECT_EQ(graphnet({"report", path("absent")}).exit_code, 2);
  EXPECT_THAT(graphnet({"report", path("absent")}).errors, HasSubstr("no run of graphnet"));
}

// The page in headless Chromium.
class ReportPage : public ReportCommand {
 protected:
  void SetUp() override {
    ReportCommand::SetUp();
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      if (run_program({"sh", "-c", "command -v " + std::string(name)}).exit_code == 0) browser_ = name;
    }
    if (browser_.empty()) GTEST_SKIP() << "no Chromium is installed";
    ASSERT_EQ(graphnet({"report", path("run"), "-o", path("page.html")}).exit_code, 0);
  }

  // What a script that runs at the page's end makes of it: `expression` is JavaScript for a value.
  json evaluate(const std::string& expression, int width) {
    std::string page = read_file(path("page.html"));
    page += "<pre id=probe></pre><script>document.getElementById('probe').textContent = 'PROBE' + JSON.stringify(" +
            expression + R"js().replace(/[<>&]/g, (c) => '\\u00' + c.charCodeAt(0).toString(16)) + 'END'</script>)js";
    write_file(path("probe.html"), page);
    const Finished finished =
        run_program({browser_, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + path("profile"),
                     "--window-size=" + std::to_string(width) + ",900", "--dump-dom", "file://" + path("probe.html")});
    const std::size_t begin = finished.output.find(">PROBE");
    const std::size_t end = finished.output.find("END</pre>", begin);
    if (begin == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "the page did not load: " << finished.errors;
      return nullptr;
    }
    return json::parse(finished.output.substr(begin + 6, end - begin - 6));
  }

  std::string browser_;
};

TEST_F(ReportPage, FitsATelephoneAndAWideScreen) {
  for (const int width : {500, 1280}) {  // headless Chromium makes no window narrower than 500
    EXPECT_EQ(evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth", width), 0)
        << width;
  }
  const std::string narrow =
      "(() => { const main = document.querySelector('main'); main.style.width = '360px';"
      "  const edge = main.getBoundingClientRect().right + 1;"
      "  return [...main.querySelectorAll(':scope > *, svg, p, li, summary')].filter((e) =>"
      "    !e.closest('.wide') && e.getBoundingClientRect().right > edge).map((e) => e.outerHTML.slice(0, 80)); })()";
  EXPECT_EQ(evaluate(narrow, 500), json::array());
}

TEST_F(ReportPage, KeepsLabelsOfChartsInsideAndApart) {
  const std::string outside =
      "[...document.querySelectorAll('svg text')].filter((text) => {"
      "  const a = text.getBoundingClientRect(), b = text.closest('svg').getBoundingClientRect();"
      "  return a.left < b.left - 2 || a.right > b.right + 12 || a.top < b.top - 2 || a.bottom > b.bottom + 2;"
      "}).map((text) => text.textContent)";
  EXPECT_EQ(evaluate(outside, 1280), json::array());
  const std::string overlapping =
      "[...document.querySelectorAll('svg')].flatMap((svg) => { const t = [...svg.querySelectorAll('text')];"
      "  const box = (e) => e.getBoundingClientRect();"
      "  return t.flatMap((e, i) => t.slice(i + 1).filter((f) => { const a = box(e), b = box(f);"
      "    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3; })"
      "    .map((f) => e.textContent + ' / ' + f.textContent)); })";
  EXPECT_EQ(evaluate(overlapping, 1280), json::array());
}

TEST_F(ReportPage, SortsAndSearchesTheSamples) {
  const std::string first = "document.querySelector('#table tbody:not([hidden]) th').textContent";
  EXPECT_EQ(evaluate("(document.querySelectorAll('#table thead th')[3].click(), " + first + ")", 1280),
            "audio/model11");
  const std::string search =
      "(() => { const s = document.getElementById('search'); s.value = 'compile <b>'; s.dispatchEvent(new "
      "Event('input')); return [...document.querySelectorAll('#table tbody:not([hidden]) th')].map((e) => "
      "e.textContent); })()";
  EXPECT_EQ(evaluate(search, 1280), json::array({"audio/<b>broken</b>"}));
}

TEST_F(ReportPage, ShowsTheBlockOfTheSampleThatIsChosen) {
  const std::string shown =
      "[...document.querySelectorAll('#table .d')].filter((e) => getComputedStyle(e).display != 'none').length";
  EXPECT_EQ(evaluate(shown, 1280), 0);
  EXPECT_EQ(evaluate("(location.hash = 's3', " + shown + ")", 1280), 1);
}

TEST_F(ReportPage, RunsNoScriptButItsOwn) {
  EXPECT_EQ(evaluate("document.querySelectorAll('b').length - document.querySelectorAll('td b').length", 1280), 0);
  EXPECT_EQ(evaluate("document.scripts.length", 1280), 2) << "the page's and the test's";
}

}  // namespace
}  // namespace graphnet::test
