# Shared by the shell scripts: sourced, never run. Sets `root`, puts the tools of .deps first, and defines how a script
# speaks and fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=$(basename "$0")
deps="$root/.deps"
PATH="$deps/bin:$PATH"

say() { printf '%s: %s\n' "$script" "$*"; }

die() {
  printf '%s: error: %s\n' "$script" "$*" >&2
  exit 1
}

# run WHAT COMMAND...: says WHAT, runs the command, and on failure says which step it was.
run() {
  local what=$1
  shift
  say "$what"
  "$@" </dev/null || step_failed "$what"
}

# A full disk is a usual cause, and the commands' own messages often do not name it.
step_failed() {
  local free
  free=$(df -Ph "$root" | awk 'NR == 2 { print $4 }')
  die "failed: $1 (the messages above say why; $free of disk are free in $root)"
}

quiet() { "$@" >/dev/null; }

# usage FILE: prints the comment at the top of the script.
usage() { sed -n '2,/^[^#]/{ s/^# \{0,1\}//p }' "$1"; }

# How many compiler processes fit: one a core, and 2 GiB of memory each.
jobs() {
  local cores memory_gib fit
  cores=$(nproc)
  memory_gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  fit=$((memory_gib / 2))
  if [ "$fit" -lt 1 ]; then fit=1; fi
  if [ "$fit" -lt "$cores" ]; then echo "$fit"; else echo "$cores"; fi
}

# cached PRESET VARIABLE: its value in the preset's build folder.
cached() { sed -n "s/^$2:[A-Z]*=//p" "$root/build/$1/CMakeCache.txt"; }

# belongs_here PRESET: whether its build folder is absent, or was made for this checkout where it is now.
belongs_here() {
  [ ! -f "$root/build/$1/CMakeCache.txt" ] || [ "$(cached "$1" CMAKE_HOME_DIRECTORY)" -ef "$root" ]
}

# is_configured PRESET: whether its build folder exists and the torch it was configured with is still there.
is_configured() {
  local torch
  [ -f "$root/build/$1/build.ninja" ] && [ -f "$root/build/$1/CMakeCache.txt" ] && belongs_here "$1" || return 1
  torch=$(cached "$1" GRAPHNET_TORCH_DIR)
  [ -z "$torch" ] || [ -f "$torch/version.py" ]
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(jobs)" ${1:+--target "$@"})
}
