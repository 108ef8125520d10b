#include "graphnet/bench/journal.h"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/bench/results.h"
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
  const RunResults run = read_results(run_);
  ASSERT_EQ(run.results.size(), 2u);
  EXPECT_EQ(run.results[0].outcome, correct_record("a").outcome);
  EXPECT_EQ(run.results[1].outcome, failed_record().outcome);
  std::string line;
  std::getline(std::ifstream(run_ / kResultsFile), line);
  EXPECT_EQ(nlohmann::ordered_json::parse(line), to_json(correct_record("a")));
  EXPECT_FALSE(run.torn);
}

TEST_F(JournalTest, LeavesOutATornLastLine) {
  write_two_units();
  append_text("{\"sample\":\"c\",\"comp");
  const RunResults run = read_results(run_);
  EXPECT_EQ(run.results.size(), 2u);
  EXPECT_TRUE(run.torn);
}

TEST_F(JournalTest, NamesTheLineThatIsDamaged) {
  write_two_units();
  append_text("{\"sample\":\"c\"}\n");
  try {
    read_results(run_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find("results.jsonl:3"), std::string::npos) << error.what();
  }
}

std::string refusal(const std::filesystem::path& run) {
  try {
    read_results(run);
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
  Journal(run_, kRun).append(record);
  EXPECT_EQ(read_results(run_).results.at(0).degenerate, "all outputs are constant");
}

TEST_F(JournalTest, ReadsUnitsThatDoNotTellOfDegenerateReferences) {
  nlohmann::json line = to_json(correct_record("a"));
  line.erase("degenerate");
  const Journal begun(run_, kRun);
  append_text(line.dump() + "\n");
  EXPECT_EQ(read_results(run_).results.at(0).degenerate, "");
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
  const Journal begun(run_, kRun);
  append_text(line.dump() + "\n");
  EXPECT_THROW(read_results(run_), Error);
}

TEST_F(JournalTest, RefusesAFolderThatHoldsARun) {
  write_two_units();
  try {
    Journal journal(run_, kRun);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  }
  EXPECT_EQ(read_results(run_).results.size(), 2u);
}

TEST_F(JournalTest, KeepsMessagesThatAreNoUtf8) {
  {
    Journal journal(run_, kRun);
    UnitRecord record = failed_record();
    record.outcome.message = "bad byte \xff here";
    journal.append(record);
  }
  EXPECT_EQ(read_results(run_).results.at(0).outcome.message, "bad byte \xEF\xBF\xBD here");
}

TEST_F(JournalTest, GoesOnBehindTheLastWholeLine) {
  write_two_units();
  append_text("{\"sample\":\"c\",");
  Journal(run_).append(correct_record("d"));
  const RunResults run = read_results(run_);
  ASSERT_EQ(run.results.size(), 3u);
  EXPECT_EQ(run.results[2].outcome.sample, "d");
  EXPECT_FALSE(run.torn);
}

TEST_F(JournalTest, RefusesARunThatAnotherIsAtWorkOn) {
  const Journal first(run_, kRun);
  EXPECT_THROW(Journal{run_}, Error);
  EXPECT_THROW(Journal(run_, kRun), Error);
}

TEST_F(JournalTest, BeginsARunWhereOneWasKilledBeforeItsFirstFile) {
  std::filesystem::create_directories(run_);
  write_file(run_ / kResultsFile, "");
  write_file(run_ / "run.json.new-12-0", "{");
  Journal(run_, kRun).append(correct_record("a"));
  EXPECT_EQ(read_results(run_).results.size(), 1u);
}

TEST_F(JournalTest, LeavesNothingOfALineForWhichTheDiskHasNoRoom) {
  write_two_units();
  const std::string before = read_file(run_ / kResultsFile);
  UnitRecord large = correct_record("large");
  large.outcome.message = std::string(1 << 20, 'x');
  const pid_t child = fork();
  if (child == 0) {  // where a limit on the size of files stands for a disk
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Journal(run_).append(large);
    } catch (const Error&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read_file(run_ / kResultsFile), before);
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
