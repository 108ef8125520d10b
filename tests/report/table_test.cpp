#include "graphnet/report/table.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

Table names_and_counts() {
  return {{{.title = "name", .alignment = Alignment::kLeft}, {.title = "count"}}, {{"resnet18", "7"}, {"vit", "1204"}}};
}

TEST(Table, FitsColumnsToTheirCells) {
  EXPECT_EQ(to_text(names_and_counts()),
            "name      count\n"
            "resnet18      7\n"
            "vit        1204\n");
}

TEST(Table, AlignsByDisplayWidth) {
  const Table table{{{.title = "n", .alignment = Alignment::kLeft}, {.title = "c"}}, {{"模型", "1"}, {"abcd", "2"}}};
  EXPECT_EQ(to_text(table), "n     c\n模型  1\nabcd  2\n");
}

TEST(Table, CutsCellsThatAreWiderThanTheirColumnMayBe) {
  Table table = names_and_counts();
  table.columns[0].most_width = 5;
  EXPECT_EQ(to_text(table),
            "name   count\n"
            "resn…      7\n"
            "vit     1204\n");
}

TEST(Table, CutsLinesToTheTerminal) {
  EXPECT_EQ(to_text(names_and_counts(), {.color = false, .width = 12}),
            "name      c…\n"
            "resnet18\n"
            "vit        …\n");
}

TEST(Table, PutsAGroupsHeadingAboveItsColumns) {
  const Table table{{{.title = "t"}, {.title = "S", .group = "inductor"}, {.title = "ES", .group = "inductor"}},
                    {{"0", "1.02", "1.05"}}};
  EXPECT_EQ(to_text(table),
            "     inductor\n"
            "t     S    ES\n"
            "0  1.02  1.05\n");
}

TEST(Table, WidensAGroupForItsHeading) {
  const Table table{
      {{.title = "t"}, {.title = "S", .group = "a long heading"}, {.title = "ES", .group = "a long heading"}},
      {{"0", "1.02", "1.05"}}};
  EXPECT_EQ(to_text(table),
            "   a long heading\n"
            "t       S      ES\n"
            "0    1.02    1.05\n");
}

TEST(Table, KeepsItsShapeWhateverACellHolds) {
  const Table table{{{.title = "a", .alignment = Alignment::kLeft}, {.title = "b"}}, {{"x\ny", "1"}}};
  EXPECT_EQ(to_text(table), "a    b\nx y  1\n");
}

TEST(Table, ColorsCellsWithoutShiftingThem) {
  const Table table{{{.title = "a"}, {.title = "b"}}, {{"1", Cell("bad", Tone::kBad)}}};
  const std::string text = to_text(table, {.color = true, .width = 0});
  EXPECT_NE(text.find("1  \x1b[31mbad\x1b[0m\n"), std::string::npos) << text;
}

TEST(StreamedTable, KeepsTheWidthsItStartedWith) {
  const StreamedTable table({{.title = "name", .alignment = Alignment::kLeft, .least_width = 6}, {.title = "count"}},
                            {});
  EXPECT_EQ(table.header(), "name    count\n");
  EXPECT_EQ(table.row({"resnet18", "7"}), "resne…      7\n");
}

TEST(StreamedTable, LetsTheLastColumnRun) {
  const StreamedTable table({{.title = "n"}, {.title = "why", .alignment = Alignment::kLeft}}, {});
  EXPECT_EQ(table.row({"1", "unsupported aten::view_as_complex"}), "1  unsupported aten::view_as_complex\n");
}

}  // namespace
}  // namespace graphnet
