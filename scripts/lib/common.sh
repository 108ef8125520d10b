# Shared by the shell scripts: sourced, never run. Sets `root`, puts the tools of .deps first, and defines how a script
# speaks and fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=$(basename "$0")
deps="$root/.deps"
[ -d "$deps/bin" ] && PATH="$deps/bin:$PATH"

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

# is_configured PRESET: whether its build folder exists and the torch it was configured with is still there.
is_configured() {
  local folder="$root/build/$1" torch
  [ -f "$folder/build.ninja" ] || return 1
  torch=$(sed -n 's/^GRAPHNET_TORCH_DIR:[A-Z]*=//p' "$folder/CMakeCache.txt")
  [ -z "$torch" ] || [ -f "$torch/version.py" ]
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(jobs)" ${1:+--target "$@"})
}
