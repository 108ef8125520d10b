#include "graphnet/report/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

constexpr TextStyle kColored{.color = true, .width = 0};

TEST(DisplayWidth, CountsCharactersAndNotBytes) {
  EXPECT_EQ(display_width("größe"), 5U);
}

TEST(DisplayWidth, GivesWideCharactersTwoColumns) {
  EXPECT_EQ(display_width("模型x"), 5U);
}

TEST(DisplayWidth, GivesCombiningMarksNone) {
  EXPECT_EQ(display_width("e\u0301"), 1U);
}

TEST(DisplayWidth, CountsEachByteThatIsNoUtf8) {
  EXPECT_EQ(display_width("a\xFF\xC3"), 3U);
}

TEST(CutToWidth, LeavesTextThatFitsAlone) {
  EXPECT_EQ(cut_to_width("resnet", 6), "resnet");
}

TEST(CutToWidth, EndsInAnEllipsisWhereSomethingIsLeftOut) {
  EXPECT_EQ(cut_to_width("resnet18", 6), "resne…");
}

TEST(CutToWidth, NeverSplitsAWideCharacter) {
  EXPECT_EQ(cut_to_width("模型模型", 4), "模…");
}

TEST(CutToWidth, IsEmptyForNoColumns) {
  EXPECT_EQ(cut_to_width("x", 0), "");
}

TEST(OneLine, TurnsControlCharactersIntoSpaces) {
  EXPECT_EQ(one_line("a\nb\x1b[2J"), "a b [2J");
}

TEST(OneLine, EscapesWhatElseATerminalWouldObey) {
  EXPECT_EQ(one_line("\xC2\x9B"
                     "2J\xE2\x80\xAE\xFF"),
            "\\xc2\\x9b2J\\xe2\\x80\\xae\\xff");
}

TEST(Paint, WritesEscapesOnlyWhereTheStyleHasColor) {
  EXPECT_EQ(paint("ok", Tone::kGood, kColored), "\x1b[32mok\x1b[0m");
  EXPECT_EQ(paint("ok", Tone::kGood, {}), "ok");
}

TEST(Paint, LeavesPlainTextAlone) {
  EXPECT_EQ(paint("ok", Tone::kPlain, kColored), "ok");
}

TEST(StyleOf, HasNoColorAndNoWidthForAFile) {
  const int descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const TextStyle style = style_of(descriptor);
  close(descriptor);
  EXPECT_FALSE(style.color);
  EXPECT_EQ(style.width, 0U);
}

// A pseudo terminal whose style is asked for with an environment of our own.
class OnATerminal : public testing::Test {
 protected:
  void SetUp() override {
    terminal_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal_ < 0) GTEST_SKIP() << "no pseudo terminals here";
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
  }
  void TearDown() override {
    if (terminal_ >= 0) close(terminal_);
    unsetenv("NO_COLOR");
  }

  int terminal_ = -1;
};

TEST_F(OnATerminal, ColorIsOn) {
  EXPECT_TRUE(style_of(terminal_).color);
}

TEST_F(OnATerminal, NoColorTurnsItOff) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(style_of(terminal_).color);
}

TEST_F(OnATerminal, AnEmptyNoColorDoesNot) {
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(style_of(terminal_).color);
}

TEST_F(OnATerminal, ADumbTerminalGetsNone) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(style_of(terminal_).color);
}

}  // namespace
}  // namespace graphnet
