#!/usr/bin/env bash
# Stands in for the program it is called as. Writes the call to $SANDBOX/log and does as little as the scripts rely on.
#
#   $SANDBOX/fails      a pattern: calls that match it fail
#   $SANDBOX/installed  Debian packages, one a line
#   $SANDBOX/uid        what id -u prints
#   $SANDBOX/sudo       exists where sudo works
#   $SANDBOX/cmake      CMake's version
set -euo pipefail
name=${0##*/}
call="$name $*"
case $0 in
  */.deps/bin/*) echo "$call from .deps/bin" >>"$SANDBOX/log" ;;
  *) echo "$call" >>"$SANDBOX/log" ;;
esac
if [ -f "$SANDBOX/fails" ] && [[ "$call" == $(cat "$SANDBOX/fails") ]]; then
  cat "$SANDBOX/fails_saying" >&2
  exit 1
fi

# make_torch FOLDER VERSION: what a torch package looks like to the scripts.
make_torch() {
  mkdir -p "$1/torch/include/torch"
  touch "$1/torch/__init__.py" "$1/torch/include/torch/script.h"
  echo "__version__ = '$2'" >"$1/torch/version.py"
}

apt_get() {
  local packages=() word
  for word in "$@"; do
    case $word in
      install | download) packages=() ;;
      -* | *=*) ;;
      *) packages+=("$word") ;;
    esac
  done
  case " $* " in
    *' install '*) printf '%s\n' "${packages[@]}" >>"$SANDBOX/installed" ;;
    *' download '*) for word in "${packages[@]}"; do touch "$word.deb"; done ;;
  esac
}

# A Python without the packages of this machine: it sees those in ../site beside its own folder.
python() {
  local site
  site=${0%/*}/../site
  case "${1:-} ${2:-}" in
    '-m venv')
      mkdir -p "${*: -1}/bin" "${*: -1}/site"
      ln -sf "$SANDBOX/stub" "${*: -1}/bin/python3"
      ;;
    '-m pip')
      case $* in
        *torch==*) make_torch "$site" 2.13.0+cpu ;;
        *cmake*) ln -sf "$SANDBOX/stub" "$(dirname "$0")/cmake" ;;
      esac
      ;;
    '-c import ensurepip') ;;
    *) PYTHONPATH=$site exec "$REAL_PYTHON" -S "$@" ;;
  esac
}

cmake() {
  local words="$*" preset
  preset=${words#*--preset }
  preset=${preset%% *}
  case $1 in
    --version) echo "cmake version $(cat "$SANDBOX/cmake")" ;;
    --build)
      mkdir -p "build/$preset/bin"
      ln -sf "$SANDBOX/stub" "build/$preset/bin/graphnet"
      ;;
    --preset)
      mkdir -p "build/$preset"
      touch "build/$preset/build.ninja"
      printf '%s\n' "$@" | sed -n 's/^-D\(GRAPHNET_TORCH_DIR\)=/\1:PATH=/p' >"build/$preset/CMakeCache.txt"
      echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >>"build/$preset/CMakeCache.txt"
      ;;
  esac
}

case $name in
  apt-get) apt_get "$@" ;;
  cmake) cmake "$@" ;;
  dpkg) mkdir -p "$3/usr/include" ;;
  dpkg-query) grep -qx "${*: -1}" "$SANDBOX/installed" && printf 'install ok installed' ;;
  id) if [ "$1" = -u ]; then cat "$SANDBOX/uid"; else echo someone; fi ;;
  python3) python "$@" ;;
  sudo)
    [ -f "$SANDBOX/sudo" ] || exit 1
    shift
    "$@"
    ;;
esac
