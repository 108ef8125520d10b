#include "svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

using testing::HasSubstr;

TEST(EscapeHtml, LeavesNothingThatHtmlGivesAMeaningTo) {
  EXPECT_EQ(escape_html("<script>alert(\"x\" & 'y')</script>"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
}

TEST(EscapeHtml, ReplacesControlCharactersAndBytesThatAreNoText) {
  EXPECT_EQ(escape_html("a\x1b[1m\nb"), "a [1m b");
  EXPECT_EQ(escape_html("caf\xE9"), "caf?");
  EXPECT_EQ(escape_html("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(Coordinate, HasOneDecimalAtMost) {
  EXPECT_EQ(coordinate(12.0), "12");
  EXPECT_EQ(coordinate(12.34), "12.3");
  EXPECT_EQ(coordinate(-0.01), "0");
}

TEST(Svg, EscapesLabelsAndTips) {
  Svg svg(10, 20, "a <b>");
  svg.dot({1, 2}, 3, "c0", "s1", "\"><script>");
  svg.text({0, 0}, "</svg>");
  const std::string text = std::move(svg).finish();
  EXPECT_THAT(text, HasSubstr("viewBox=\"0 0 10 20\""));
  EXPECT_THAT(text, HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(text, HasSubstr("<title>&quot;&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(text, HasSubstr("&lt;/svg&gt;</text>"));
}

TEST(LinePath, GoesThroughAllPoints) {
  EXPECT_EQ(line_path({{0, 0.25}, {1.5, 2}}), "M0 0.3L1.5 2");
}

}  // namespace
}  // namespace graphnet
