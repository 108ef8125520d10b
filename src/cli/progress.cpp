#include "progress.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <unistd.h>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "graphnet/report/terminal.h"
#include "graphnet/support/text.h"

namespace graphnet::cli {

namespace {

// One line a message on stderr, "graphnet: warning: ...", in the form of the errors that main prints. Messages hold
// text of workers and of files: what a terminal would obey is escaped.
class MessageSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto level = spdlog::level::to_string_view(message.level);
    const std::string text = printable({message.payload.data(), message.payload.size()});
    std::fprintf(stderr, "graphnet: %.*s: %s\n", static_cast<int>(level.size()), level.data(), text.c_str());
  }

  void flush_() override { std::fflush(stderr); }
};

// A dumb terminal cannot go back to the begin of a line and clear it.
bool can_overwrite_lines() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

void set_up_log(const CommonOptions& common) {
  auto logger = std::make_shared<spdlog::logger>("graphnet", std::make_shared<MessageSink>());
  spdlog::level::level_enum level = spdlog::level::info;
  if (common.verbose) level = spdlog::level::debug;
  if (common.quiet) level = spdlog::level::warn;
  logger->set_level(level);
  spdlog::set_default_logger(std::move(logger));
}

Progress::Progress(const CommonOptions& common)
    : on_terminal_(!common.quiet && !common.verbose && can_overwrite_lines()) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const std::string& task, const std::string& stage) {
  if (on_terminal_) {
    std::size_t width = style_of(STDERR_FILENO).width;
    std::string line = one_line(task + ": " + stage);
    if (width > 1) line = cut_to_width(line, width - 1);
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
    return;
  }
  if (task != task_) spdlog::info("{}", task);
  task_ = task;
  spdlog::debug("{}: {}", task, stage);
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace graphnet::cli
