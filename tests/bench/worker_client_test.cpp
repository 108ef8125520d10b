#include "graphnet/bench/worker_client.h"

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using namespace std::chrono_literals;

const char* const kHello = "echo '{\"event\":\"hello\",\"protocol\":1}'; read request; ";

// A worker that greets and then does as the shell script says.
WorkerClient worker(const std::string& script) {
  return WorkerClient({{"sh", "-c", kHello + script}, {}, {}, 20s, -1});
}

Reply call(WorkerClient& client, std::chrono::duration<double> timeout = 20s) {
  return client.call("work", nlohmann::json::object(), timeout);
}

Failure failure_of(const std::string& script, std::chrono::duration<double> timeout = 20s) {
  WorkerClient client = worker(script);
  return call(client, timeout).failure.value();
}

TEST(WorkerClient, ReturnsTheResult) {
  WorkerClient client = worker("echo '{\"id\":1,\"result\":{\"answer\":42}}'");
  EXPECT_EQ(call(client).result.value().at("answer"), 42);
}

TEST(WorkerClient, PassesStagesAndWarningsOn) {
  WorkerClient client = worker(
      "echo '{\"id\":1,\"event\":\"stage\",\"stage\":\"load\"}'; echo "
      "'{\"id\":1,\"event\":\"warning\",\"message\":\"hm\"}';"
      "echo '{\"id\":1,\"result\":{}}'");
  std::string seen;
  client.call("work", {}, 20s,
              {[&](const std::string& s) { seen += s; }, [&](const std::string& w) { seen += " " + w; }});
  EXPECT_EQ(seen, "load hm");
}

TEST(WorkerClient, ReturnsTheWorkersErrorWithItsKind) {
  Failure failure =
      failure_of("echo '{\"id\":1,\"error\":{\"kind\":\"unsupported\",\"stage\":\"record\",\"message\":\"no\"}}'");
  EXPECT_EQ(failure.kind, ErrorKind::kUnsupported);
  EXPECT_EQ(failure.stage, "record");
  EXPECT_EQ(failure.message, "no");
}

TEST(WorkerClient, ReportsACrashWithSignalAndStage) {
  Failure failure = failure_of("echo '{\"id\":1,\"event\":\"stage\",\"stage\":\"reference\"}'; kill -ABRT $$");
  EXPECT_EQ(failure.cause, Cause::kSignal);
  EXPECT_EQ(failure.stage, "reference");
  EXPECT_NE(failure.message.find("SIGABRT"), std::string::npos);
}

// The failure of a worker that does as the script says while the kernel's count of kills for memory goes from 3 to
// `kills_after`.
Failure failure_with_kills(const std::string& script, std::int64_t kills_after) {
  WorkerOptions options{{"sh", "-c", kHello + script}, {}, {}, 20s, -1};
  options.memory_kills = [calls = 0, kills_after]() mutable { return calls++ == 0 ? std::int64_t{3} : kills_after; };
  WorkerClient client(std::move(options));
  return call(client).failure.value();
}

TEST(WorkerClient, ReportsLackOfMemoryWhereTheKernelCountedAKill) {
  const Failure failure = failure_with_kills("kill -KILL $$", 4);
  EXPECT_EQ(failure.cause, Cause::kOutOfMemory);
  EXPECT_EQ(failure.message, "signal SIGKILL (killed by the kernel for lack of memory)");
}

TEST(WorkerClient, ReportsAKillWithoutEvidenceAsOneFromOutside) {
  const Failure failure = failure_with_kills("kill -KILL $$", 3);
  EXPECT_EQ(failure.cause, Cause::kSignal);
  EXPECT_EQ(failure.message, "signal SIGKILL (killed from outside)");
}

TEST(WorkerClient, FindsTheReasonOfAKillThatACompilerReports) {
  const std::string script =
      "echo '{\"id\":1,\"error\":{\"kind\":\"unsupported\",\"cause\":\"signal\",\"message\":\"killed by SIGKILL\"}}'";
  EXPECT_EQ(failure_with_kills(script, 4).cause, Cause::kOutOfMemory);
  EXPECT_EQ(failure_with_kills(script, 3).cause, Cause::kSignal);
}

TEST(WorkerClient, EndsAWorkerWhoseChildrenHoldMoreMemoryThanTheLimit) {
  WorkerOptions options{{"sh", "-c", std::string(kHello) + "head -c 300000000 /dev/zero | tail -n 1; sleep 60"}};
  options.memory_limit = 100 << 20;
  WorkerClient client(std::move(options));
  const Failure failure = call(client).failure.value();
  EXPECT_EQ(failure.cause, Cause::kOutOfMemory);
  EXPECT_NE(failure.message.find("the limit is 100 MiB (--memory-limit)"), std::string::npos) << failure.message;
}

TEST(WorkerClient, KeepsAWorkerThatTalksWithoutEndFromFillingTheDisk) {
  const TemporaryFolder folder("graphnet-test-");
  WorkerOptions options{{"sh", "-c",
                         std::string(kHello) + "yes | head -c 300000000 >&2; echo last words >&2; sleep 0.5;" +
                             "echo '{\"id\":1,\"result\":{}}'"}};
  options.error_log = folder.path() / "log";
  WorkerClient client(std::move(options));
  EXPECT_TRUE(call(client).result.has_value());
  EXPECT_LT(std::filesystem::file_size(folder.path() / "log"), 70'000'000U);
}

TEST(WorkerClient, ReportsAWorkerThatEndsWithoutAWord) {
  Failure failure = failure_of("exit 0");
  EXPECT_EQ(failure.cause, Cause::kExitCode);
  EXPECT_EQ(failure.message, "exit code 0");
}

TEST(WorkerClient, ReportsAStageThatTakesTooLong) {
  Failure failure = failure_of("echo '{\"id\":1,\"event\":\"stage\",\"stage\":\"time\"}'; sleep 60", 300ms);
  EXPECT_EQ(failure.cause, Cause::kTimeOut);
  EXPECT_EQ(failure.stage, "time");
}

TEST(WorkerClient, ReportsGarbageAsAProtocolError) {
  EXPECT_EQ(failure_of("echo '{\"id\":1,\"res'; sleep 60").cause, Cause::kProtocol);
}

TEST(WorkerClient, ReportsAnAnswerToAnotherRequestAsAProtocolError) {
  EXPECT_EQ(failure_of("echo '{\"id\":7,\"result\":{}}'; sleep 60").cause, Cause::kProtocol);
}

TEST(WorkerClient, ReportsAnUnknownEventAsAProtocolError) {
  EXPECT_EQ(failure_of("echo '{\"id\":1,\"event\":\"party\"}'; sleep 60").cause, Cause::kProtocol);
}

TEST(WorkerClient, RefusesAnotherVersionOfTheProtocol) {
  WorkerClient client({{"sh", "-c", "echo '{\"event\":\"hello\",\"protocol\":2}'; sleep 60"}, {}, {}, 20s, -1});
  Failure failure = call(client).failure.value();
  EXPECT_EQ(failure.cause, Cause::kProtocol);
  EXPECT_NE(failure.message.find("version 2"), std::string::npos) << failure.message;
}

TEST(WorkerClient, StartsANewWorkerAfterACrash) {
  WorkerClient client = worker("case $request in *'\"id\":1'*) exit 9;; *) echo '{\"id\":2,\"result\":{}}';; esac");
  EXPECT_TRUE(call(client).failure.has_value());
  EXPECT_TRUE(call(client).result.has_value());
}

TEST(WorkerClient, ReportsAProgramThatCannotBeStarted) {
  WorkerClient client({{"/no/such/worker"}, {}, {}, 20s, -1});
  EXPECT_EQ(call(client).failure.value().kind, ErrorKind::kEnvironment);
}

}  // namespace
}  // namespace graphnet
