#include "progress.h"

#include <cstdio>
#include <unistd.h>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "graphnet/report/terminal.h"

namespace graphnet::cli {

void set_up_log(const CommonOptions& common) {
  auto logger = std::make_shared<spdlog::logger>("graphnet", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("graphnet: %l: %v");
  spdlog::level::level_enum level = spdlog::level::info;
  if (common.verbose) level = spdlog::level::debug;
  if (common.quiet) level = spdlog::level::warn;
  logger->set_level(level);
  spdlog::set_default_logger(std::move(logger));
}

Progress::Progress(const CommonOptions& common)
    : on_terminal_(!common.quiet && !common.verbose && ::isatty(STDERR_FILENO) == 1) {}

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
