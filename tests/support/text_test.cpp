#include "graphnet/support/text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::Optional;

std::string json_string(std::string_view value) {
  std::string text;
  append_json_string(text, value);
  return text;
}

TEST(DoubleText, IsShortestAndAlwaysLooksLikeAReal) {
  EXPECT_EQ(double_text(3), "3.0");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(double_text(0.1), "0.1");
  EXPECT_EQ(double_text(1e-5), "1e-05");
  EXPECT_EQ(double_text(1e22), "1e+22");
  EXPECT_EQ(double_text(100'000), "1e+05");
  EXPECT_EQ(double_text(5e-324), "5e-324");
  EXPECT_EQ(double_text(1.0 / 3), "0.3333333333333333");
}

TEST(DoubleText, NamesWhatIsNotFinite) {
  EXPECT_EQ(double_text(HUGE_VAL), "inf");
  EXPECT_EQ(double_text(-HUGE_VAL), "-inf");
  EXPECT_EQ(double_text(std::nan("")), "nan");
  EXPECT_EQ(double_text(-std::nan("")), "nan");
}

TEST(DoubleText, EveryDoubleReadsBackWithTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random();
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    const std::optional<double> again = parse_double(double_text(value));
    ASSERT_TRUE(again.has_value()) << double_text(value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*again), bits) << double_text(value);
  }
}

TEST(ParseDouble, TakesPlainDecimals) {
  EXPECT_THAT(parse_double("3"), Optional(3.0));
  EXPECT_THAT(parse_double("-0.50"), Optional(-0.5));
  EXPECT_THAT(parse_double("1E5"), Optional(1e5));
  EXPECT_THAT(parse_double("inf"), Optional(HUGE_VAL));
  EXPECT_TRUE(std::isnan(parse_double("nan").value()));
}

TEST(ParseDouble, RefusesEverythingElse) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "1.0f", "0x10", "infinity", "nan(1)", "INF", "-nan", "1e", "--1", "1e400", "1,5", "."}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
}

TEST(ParseInteger, ReadsExactlyWhatIsWritten) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min()}) {
    std::string text;
    append_integer(text, value);
    EXPECT_THAT(parse_integer(text), Optional(value));
  }
  for (const char* text : {"", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1.0", "1e3", "9223372036854775808", "0x1"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(JsonString, EscapesOnlyWhatMustBeEscaped) {
  EXPECT_EQ(json_string("plain / 'text'"), "\"plain / 'text'\"");
  EXPECT_EQ(json_string("\"\\"), R"("\"\\")");
  EXPECT_EQ(json_string("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json_string(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(json_string("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
}

TEST(JsonString, RefusesBytesThatAreNotUtf8) {
  EXPECT_THROW(json_string("a\xFF"), Error);
  EXPECT_THROW(json_string("\xC3"), Error);
}

TEST(Utf8, FollowsTheStandardsTableOfWellFormedBytes) {
  for (const char* text : {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << excerpt(text);
  }
  for (const char* text : {"\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(text)) << excerpt(text);
  }
}

TEST(Excerpt, IsPrintableAndShort) {
  EXPECT_EQ(excerpt("plain"), "plain");
  EXPECT_EQ(excerpt("a\nb\x7F\xFF"), "a\\x0ab\\x7f\\xff");
  EXPECT_EQ(excerpt("abcdef", 3), "abc...");
  EXPECT_EQ(excerpt("ab\xE2\x82\xAC"
                    "c",
                    3),
            "ab\xE2\x82\xAC...");  // no character is cut in half
}

TEST(Excerpt, ShowsWhatATerminalWouldObeyOrHide) {
  EXPECT_EQ(excerpt("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(excerpt("\xC2\x9B"
                    "2J"),
            "\\xc2\\x9b2J");                              // CSI as one character
  EXPECT_EQ(excerpt("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(excerpt("\xE2\x81\xA6"), "\\xe2\\x81\\xa6");  // left-to-right isolate
  EXPECT_EQ(excerpt("\xC2\xA0\xF0\x9F\x98\x80"), "\xC2\xA0\xF0\x9F\x98\x80");
}

TEST(Printable, KeepsLinesAndEscapesTheRest) {
  EXPECT_EQ(printable("a\n\tb\r\x1b[31m\xFF"), "a\n\tb\\x0d\\x1b[31m\\xff");
}

TEST(Printable, SaysHowMuchWasLeftOut) {
  EXPECT_EQ(printable("abcdef", 4), "abcd... (2 bytes more)");
  EXPECT_LT(printable(std::string(1'000'000, '\x01')).size(), 100'000U);
}

TEST(GroupThousands, PutsACommaEveryThreeDigits) {
  EXPECT_EQ(group_thousands(0), "0");
  EXPECT_EQ(group_thousands(999), "999");
  EXPECT_EQ(group_thousands(1000), "1,000");
  EXPECT_EQ(group_thousands(-1234567), "-1,234,567");
  EXPECT_EQ(group_thousands(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(CauseFirst, PutsWhatEndsATracebackIntoTheFirstLine) {
  const std::string text =
      "The following operation failed in the TorchScript interpreter.\n"
      "Traceback of TorchScript (most recent call last):\n  File \"a.py\", line 3\n    return x\n           ~ <--- "
      "HERE\n"
      "RuntimeError: sizes differ\nmore of it\n";
  EXPECT_EQ(cause_first(text), "RuntimeError: sizes differ\n" + text);
}

TEST(CauseFirst, TakesTheLastOfSeveralTracebacks) {
  const std::string text =
      "SubprocException: in a subprocess:\n\nTraceback (most recent call last):\n  File a\nKeyError: 'x'\n\n"
      "During handling of that:\n\nTraceback (most recent call last):\n  File b\nValueError: no such\n";
  EXPECT_EQ(cause_first(text), "ValueError: no such\n" + text);
}

TEST(CauseFirst, LeavesOtherTextAsItIs) {
  for (const char* text : {"", "one line", "two\nlines", "cut (most recent call last):\n  File a\n"}) {
    EXPECT_EQ(cause_first(text), text);
  }
}

TEST(ShellQuoted, LeavesPlainWordsAsTheyAre) {
  EXPECT_EQ(shell_quoted("inductor:max_autotune=true"), "inductor:max_autotune=true");
}

TEST(ShellQuoted, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_quoted("my samples/$a"), "'my samples/$a'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace graphnet
