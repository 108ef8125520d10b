# Which torch package the build uses. Sourced by scripts/setup.

torch_version=2.13.0
torch_cpu_index=https://download.pytorch.org/whl/cpu

# usable_torch PYTHON: prints the folder of its torch package if that is 2.11 or newer, else fails. Torch is not
# imported: that takes seconds.
usable_torch() {
  "$1" - <<'END' 2>/dev/null
import importlib.util, pathlib, re, sys
spec = importlib.util.find_spec("torch")
if not spec or not spec.submodule_search_locations:
    sys.exit(1)
folder = pathlib.Path(spec.submodule_search_locations[0])
found = re.search(r"__version__ = '(\d+)\.(\d+)", (folder / "version.py").read_text())
if not found or (int(found[1]), int(found[2])) < (2, 11) or not (folder / "include/torch/script.h").exists():
    sys.exit(1)
print(folder)
END
}

# Exists while torch is being installed into .venv, and after that has failed or was interrupted: a part of a torch looks
# like a whole one.
unfinished="$root/.venv/unfinished"

# Sets torch_python and torch_dir to the first torch that can be used; fails if there is none.
torch_at_hand() {
  local python pythons=(python3)
  [ -f "$unfinished" ] || pythons+=("$root/.venv/bin/python3")
  for python in "${pythons[@]}"; do
    torch_python=$(command -v "$python") || continue
    torch_dir=$(usable_torch "$torch_python") && return
  done
  return 1
}

# Sets torch_python and torch_dir.
find_torch() {
  if [ -n "${GRAPHNET_PYTHON:-}" ]; then
    torch_python=$(command -v "$GRAPHNET_PYTHON") || die "GRAPHNET_PYTHON=$GRAPHNET_PYTHON is no program"
    torch_dir=$(usable_torch "$torch_python") || die "GRAPHNET_PYTHON=$GRAPHNET_PYTHON has no torch 2.11 or newer"
  elif ! torch_at_hand; then
    make_venv
    touch "$unfinished"
    install_torch
    rm "$unfinished"
    torch_python="$root/.venv/bin/python3"
    torch_dir=$(usable_torch "$torch_python") || die "torch was installed into .venv but cannot be found there"
  fi
  # A shim or a symbolic link may lead elsewhere tomorrow.
  torch_python=$("$torch_python" -c 'import sys; print(sys.executable)')
  say "torch: $torch_dir"
}

make_venv() {
  local python
  python=$(find_python) || die "no Python 3.10 or newer here: torch $torch_version needs one"
  if [ -f "$unfinished" ] || ! "$root/.venv/bin/python3" -m pip --version >/dev/null 2>&1; then
    run "creating .venv with $python" "$python" -m venv --clear "$root/.venv"
  fi
}

# Installs torch for CPU and numpy into .venv: from the package indexes that pip is set up for, else from PyTorch's own
# index, else the default build (which brings the CUDA libraries, several GB).
install_torch() {
  local pip
  pip=("$root/.venv/bin/python3" -m pip install -q --progress-bar off --disable-pip-version-check numpy)
  say "installing torch $torch_version for CPU into .venv (about 200 MB to download)"
  "${pip[@]}" "torch==$torch_version+cpu" </dev/null 2>"$root/.venv/pip.log" && return
  if ! grep -q 'No matching distribution' "$root/.venv/pip.log"; then
    cat "$root/.venv/pip.log" >&2
    step_failed "installing torch"
  fi
  say "not in the package indexes at hand, trying $torch_cpu_index"
  "${pip[@]}" --extra-index-url "$torch_cpu_index" "torch==$torch_version+cpu" </dev/null && return
  run "installing torch $torch_version, the default build" "${pip[@]}" "torch==$torch_version"
}

# Prints the newest suitable Python, python3 first.
find_python() {
  local python
  for python in python3 python3.13 python3.12 python3.11 python3.10; do
    if "$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  return 1
}
