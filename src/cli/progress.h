// What a person sees while a command works: one status line that is overwritten on a terminal, nothing of it elsewhere.
#pragma once

#include <string>

namespace graphnet::cli {

class Progress {
 public:
  // Shows nothing where `enabled` is false or stderr is no terminal.
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Replaces the status line.
  void show(const std::string& text);

  // Removes the status line, before anything else is printed.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

}  // namespace graphnet::cli
