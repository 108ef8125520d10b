// What a person sees while a command works, always on stderr: one status line that is overwritten on a terminal, plain
// lines elsewhere.
#pragma once

#include <string>

#include "command.h"

namespace graphnet::cli {

// Sets up spdlog's default logger for a command: "graphnet: warning: ..." on stderr. Quiet shows warnings and errors;
// plain shows progress; -v adds stages.
void set_up_log(const CommonOptions& common);

class Progress {
 public:
  explicit Progress(const CommonOptions& common);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // On a terminal replaces the status line by "task: stage". Elsewhere, and with -v, prints a line for each new task,
  // and with -v for each stage.
  void show(const std::string& task, const std::string& stage);

  // Removes the status line, before anything else is printed.
  void clear();

 private:
  bool on_terminal_;
  bool shown_ = false;
  std::string task_;  // the last one that was printed
};

}  // namespace graphnet::cli
