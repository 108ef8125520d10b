# Shared by the tests of the shell scripts: sourced, never run. Each test is a function whose name begins with test_; it
# runs in a sandbox: a checkout that has the scripts alone, with stub programs before all others in PATH.
set -uo pipefail

source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
REAL_PYTHON=$(python3 -c "import sys; print(sys.executable)") || { echo "needs python3" >&2; exit 1; }
export REAL_PYTHON SANDBOX
unset GRAPHNET_PYTHON GRAPHNET_DENSE_MODELS

libraries=(libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libsimdjson-dev libssl-dev libgtest-dev libgmock-dev)
extras=(ccache mold clang-format)

# The user is root, the packages are not installed, there is no torch.
make_sandbox() {
  SANDBOX=$(mktemp -d)
  mkdir -p "$SANDBOX/bin" "$SANDBOX/site" "$SANDBOX/checkout"
  cp -r "$source_root/scripts" "$SANDBOX/checkout/"
  install -m 755 "$source_root/tests/scripts/stub.sh" "$SANDBOX/stub"
  local program
  for program in apt-cache apt-get cmake ctest dpkg dpkg-query g++ git id ninja python3 sudo; do
    ln -s "$SANDBOX/stub" "$SANDBOX/bin/$program"
  done
  : >"$SANDBOX/installed"
  : >"$SANDBOX/log"
  echo 0 >"$SANDBOX/uid"
  echo 3.25.1 >"$SANDBOX/cmake"
}

has_packages() { printf '%s\n' "$@" >>"$SANDBOX/installed"; }
is_root() { echo 0 >"$SANDBOX/uid"; }
is_nobody() { echo 1000 >"$SANDBOX/uid"; }

# has_torch VERSION [FOLDER]: the Python at hand has this torch, or another one that has its packages in FOLDER.
has_torch() {
  local torch="${2:-$SANDBOX/site}/torch"
  mkdir -p "$torch/include/torch"
  touch "$torch/__init__.py" "$torch/include/torch/script.h"
  echo "__version__ = '$1'" >"$torch/version.py"
}

# lacks PROGRAM...: none of these is to be found.
lacks() {
  local program
  mkdir "$SANDBOX/system"
  ln -sf /usr/bin/* /bin/* "$SANDBOX/system/"
  for program; do
    rm -f "$SANDBOX/bin/$program" "$SANDBOX/system/$program"
  done
  system_path="$SANDBOX/system"
}

# fails PATTERN MESSAGE: program calls that match it fail with this message.
fails() {
  echo "$1" >"$SANDBOX/fails"
  echo "$2" >"$SANDBOX/fails_saying"
}

system_path=/usr/bin:/bin

# call SCRIPT ARGUMENT...: runs it in the checkout; sets `output` and `status`. The log begins anew.
call() {
  : >"$SANDBOX/log"
  output=$(cd "$SANDBOX/checkout" && PATH="$SANDBOX/bin:$system_path" "$@" 2>&1 </dev/null)
  status=$?
}

wrong() {
  printf '  expected %s\n  the script said (and ended with %s):\n' "$1" "$status"
  printf '%s\n' "$output" | sed 's/^/    /'
  printf '  it called:\n'
  sed 's/^/    /' "$SANDBOX/log"
  exit 1
}

ends_with() { [ "$status" -eq "$1" ] || wrong "exit code $1"; }
says() { [[ "$output" == *"$1"* ]] || wrong "the words: $1"; }
says_nothing_of() { [[ "$output" != *"$1"* ]] || wrong "no words of: $1"; }
calls() { grep -qE -- "$1" "$SANDBOX/log" || wrong "a call of: $1"; }
never_calls() { ! grep -qE -- "$1" "$SANDBOX/log" || wrong "no call of: $1"; }

# Runs every test_ function in a subshell and a sandbox of its own.
run_tests() {
  local failed=0 test
  for test in $(compgen -A function test_); do
    make_sandbox
    if ("$test"); then
      echo "ok      ${test#test_}"
    else
      echo "FAILED  ${test#test_}"
      failed=1
    fi
    rm -rf "$SANDBOX"
  done
  exit "$failed"
}
