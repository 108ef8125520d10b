#include "graphnet/bench/journal.h"

#include <fstream>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

UnitRecord correct_record(const std::string& sample) {
  UnitRecord record;
  record.outcome.sample = sample;
  record.outcome.compiler = "inductor";
  record.outcome.group = "resnet18";
  record.outcome.status = OutcomeStatus::kCorrect;
  record.outcome.strictest_level = -5;
  record.outcome.speedup = 1.25;
  record.dtypes = {"float32"};
  record.verdict = "converged";
  record.compile_seconds = 12.5;
  record.measurements = {{"trials", {1.0, 2.0}}};
  return record;
}

UnitRecord failed_record() {
  UnitRecord record = correct_record("b");
  record.outcome.status = OutcomeStatus::kFailed;
  record.outcome.strictest_level.reset();
  record.outcome.speedup.reset();
  record.outcome.stage = Stage::kCompile;
  record.outcome.cause = Cause::kTimeOut;
  record.outcome.message = "no answer within 60 s";
  return record;
}

const nlohmann::ordered_json kRun = {
    {"graphnet", 1}, {"samples", nlohmann::json::array()}, {"compilers", nlohmann::json::array()}};

class JournalTest : public testing::Test {
 protected:
  void write_two_units() {
    Journal journal(run_, kRun);
    journal.append(correct_record("a"));
    journal.append(failed_record());
  }

  void append_text(const std::string& text) { std::ofstream(run_ / kResultsFile, std::ios::app) << text; }

  TemporaryFolder folder_{"graphnet-test-"};
  std::filesystem::path run_ = folder_.path() / "run";
};

TEST_F(JournalTest, ReadsBackWhatWasAppended) {
  write_two_units();
  RecordedRun run = read_run(run_);
  ASSERT_EQ(run.records.size(), 2u);
  EXPECT_EQ(run.records[0].outcome, correct_record("a").outcome);
  EXPECT_EQ(run.records[1].outcome, failed_record().outcome);
  EXPECT_EQ(to_json(run.records[0]), to_json(correct_record("a")));
  EXPECT_FALSE(run.torn);
}

TEST_F(JournalTest, LeavesOutATornLastLine) {
  write_two_units();
  append_text("{\"sample\":\"c\",\"comp");
  RecordedRun run = read_run(run_);
  EXPECT_EQ(run.records.size(), 2u);
  EXPECT_TRUE(run.torn);
}

TEST_F(JournalTest, NamesTheLineThatIsDamaged) {
  write_two_units();
  append_text("{\"sample\":\"c\"}\n");
  try {
    read_run(run_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find("results.jsonl:3"), std::string::npos) << error.what();
  }
}

std::string refusal(const std::filesystem::path& run) {
  try {
    read_run(run);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

TEST_F(JournalTest, RefusesARunOfANewerVersion) {
  write_two_units();
  write_file(run_ / kRunFile, R"({"graphnet": 2, "samples": [], "compilers": []})");
  EXPECT_NE(refusal(run_).find("run.json: written by a newer graphnet"), std::string::npos) << refusal(run_);
}

TEST_F(JournalTest, RefusesARunFileThatLacksWhatEveryRunHas) {
  write_two_units();
  for (const char* text : {"{}", "[]", "{\"graphnet\": 0}", "{\"graphnet\": \"1\"}", "{\"graphnet\": 1}",
                           "{\"graphnet\": 1, \"samples\": 3, \"compilers\": []}", "{\"graphnet\": 1,"}) {
    write_file(run_ / kRunFile, text);
    EXPECT_NE(refusal(run_).find("run.json: no "), std::string::npos) << text << ": " << refusal(run_);
  }
}

TEST_F(JournalTest, KeepsWhyAReferenceIsDegenerate) {
  UnitRecord record = correct_record("a");
  record.degenerate = "all outputs are constant";
  EXPECT_EQ(parse_unit_record(to_json(record)).degenerate, "all outputs are constant");
}

TEST_F(JournalTest, ReadsUnitsThatDoNotTellOfDegenerateReferences) {
  nlohmann::json line = to_json(correct_record("a"));
  line.erase("degenerate");
  EXPECT_EQ(parse_unit_record(line).degenerate, "");
}

TEST(RunFolder, MayBeNewOrEmpty) {
  TemporaryFolder folder("graphnet-test-");
  EXPECT_NO_THROW(check_run_folder(folder.path()));
  EXPECT_NO_THROW(check_run_folder(folder.path() / "new"));
}

TEST(RunFolder, MustNotHoldAnythingElse) {
  TemporaryFolder folder("graphnet-test-");
  write_file(folder.path() / "notes.txt", "mine");
  for (const auto& path : {folder.path(), folder.path() / "notes.txt"}) {
    try {
      check_run_folder(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
}

TEST_F(JournalTest, RefusesAnUnknownStatus) {
  nlohmann::json line = to_json(correct_record("a"));
  line["status"] = "splendid";
  EXPECT_THROW(parse_unit_record(line), Error);
}

TEST_F(JournalTest, RefusesAFolderThatHoldsARun) {
  write_two_units();
  try {
    Journal journal(run_, kRun);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  }
  EXPECT_EQ(read_run(run_).records.size(), 2u);
}

TEST_F(JournalTest, KeepsMessagesThatAreNoUtf8) {
  {
    Journal journal(run_, kRun);
    UnitRecord record = failed_record();
    record.outcome.message = "bad byte \xff here";
    journal.append(record);
  }
  EXPECT_EQ(read_run(run_).records.at(0).outcome.message, "bad byte \xEF\xBF\xBD here");
}

TEST_F(JournalTest, ReportsAFullDiskAsAnInterruption) {
  std::filesystem::create_directories(run_);
  std::filesystem::create_symlink("/dev/full", run_ / kResultsFile);
  Journal journal(run_, kRun);
  try {
    journal.append(correct_record("a"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInterrupted) << error.what();
  }
}

}  // namespace
}  // namespace graphnet
