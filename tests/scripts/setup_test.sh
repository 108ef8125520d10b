#!/usr/bin/env bash
# scripts/setup: where packages and torch come from, and what a second run does.
. "$(dirname "$0")/harness.sh"

test_as_root_packages_are_installed() {
  call scripts/setup
  ends_with 0
  calls '^apt-get install .*libcli11-dev'
  never_calls '^sudo'
  never_calls '^apt-get .*download'
}

test_with_sudo_packages_are_installed_through_it() {
  is_nobody
  touch "$SANDBOX/sudo"
  call scripts/setup
  ends_with 0
  calls '^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install .*libcli11-dev'
}

test_without_root_packages_are_unpacked() {
  is_nobody
  call scripts/setup
  ends_with 0
  never_calls 'apt-get .*install'
  calls '^apt-get .*download .*libcli11-dev'
  calls '^dpkg -x .*/libcli11-dev.deb .*/checkout/.deps$'
  calls '^cmake --preset release .*-DGRAPHNET_DEPS_DIR=.*/checkout/.deps'
}

test_local_deps_are_unpacked_even_by_root() {
  has_packages "${libraries[@]}" "${extras[@]}"
  call scripts/setup --local-deps
  ends_with 0
  calls '^dpkg -x '
  never_calls 'apt-get .*install'
}

test_without_root_cmake_comes_from_its_python_package() {
  is_nobody
  has_packages "${libraries[@]}"
  echo 3.18.4 >"$SANDBOX/cmake"
  call scripts/setup
  ends_with 0
  calls '^python3 -m venv .*/.deps/tools'
  calls '^python3 -m pip install .*cmake'
}

test_without_root_all_that_takes_root_is_asked_for_at_once() {
  is_nobody
  lacks g++ cmake ninja
  fails 'python3 -c import ensurepip' 'ModuleNotFoundError'
  call scripts/setup
  ends_with 1
  says 'setup: error: missing here: g++ python3-venv. This takes root: apt-get install g++ python3-venv'
  never_calls '^(apt-get|dpkg) '
}

test_without_python_it_is_asked_for() {
  lacks python3 python3.10 python3.11 python3.12 python3.13
  call scripts/setup --local-deps
  ends_with 1
  says 'missing here: python3 python3-venv.'
  never_calls '^(apt-get|dpkg) '
}

test_a_torch_at_hand_needs_no_venv() {
  is_nobody
  has_torch 2.13.0
  fails 'python3 -c import ensurepip' 'ModuleNotFoundError'
  call scripts/setup
  ends_with 0
}

test_packages_that_a_build_can_do_without_may_be_missing() {
  has_packages "${libraries[@]}"
  fails 'apt-get install*' 'E: Unable to locate package mold'
  call scripts/setup
  ends_with 0
  says 'a build works without'
}

test_torch_at_hand_is_used() {
  has_torch 2.12.1
  call scripts/setup
  ends_with 0
  says "torch: $SANDBOX"
  calls "^cmake --preset release .*-DGRAPHNET_TORCH_DIR=$SANDBOX/site/torch"
  never_calls '^python3 -m venv'
  never_calls '^python3 -m pip'
}

test_torch_that_is_too_old_is_passed_over() {
  has_torch 2.10.0
  call scripts/setup
  ends_with 0
  calls '^python3 -m venv .*/checkout/.venv'
  calls '^python3 -m pip install .*torch==2.13.0\+cpu'
  calls '^cmake --preset release .*-DGRAPHNET_TORCH_DIR=.*/checkout/.venv/'
}

test_without_torch_a_venv_is_made() {
  call scripts/setup
  ends_with 0
  calls '^python3 -m venv .*/checkout/.venv'
  calls '^python3 -m pip install .*torch==2.13.0\+cpu'
}

test_torch_of_the_venv_is_used_again() {
  call scripts/setup
  call scripts/setup
  ends_with 0
  never_calls '^python3 -m (venv|pip install)'
}

test_torch_is_looked_for_in_pytorchs_index_next() {
  fails 'python3 -m pip install -q --progress-bar off --disable-pip-version-check numpy torch==*' \
    'ERROR: No matching distribution found for torch==2.13.0+cpu'
  call scripts/setup
  ends_with 0
  calls '^python3 -m pip install .*--extra-index-url https://download.pytorch.org/whl/cpu'
}

test_a_python_without_torch_is_refused_by_its_name() {
  call env GRAPHNET_PYTHON=python3 scripts/setup
  ends_with 1
  says 'GRAPHNET_PYTHON=python3 has no torch 2.11 or newer'
}

test_a_python_that_is_not_there_is_refused_by_its_name() {
  call env GRAPHNET_PYTHON=/no/such/python scripts/setup
  ends_with 1
  says 'GRAPHNET_PYTHON=/no/such/python is no program'
}

test_a_second_run_installs_nothing_and_says_so() {
  call scripts/setup
  call scripts/setup
  ends_with 0
  says 'Debian packages: all there'
  says 'torch: '
  never_calls '^(sudo|apt-get|dpkg) '
  never_calls '^python3 -m (venv|pip install)'
}

test_a_second_run_without_root_unpacks_nothing_and_says_so() {
  is_nobody
  call scripts/setup
  call scripts/setup
  ends_with 0
  says 'libraries in .deps: all there'
  never_calls '^(apt-get|dpkg) '
}

test_without_root_and_with_all_packages_it_says_so() {
  is_nobody
  has_packages "${libraries[@]}"
  call scripts/setup
  ends_with 0
  says 'Debian packages: all there'
}

test_no_build_stops_after_configuring() {
  call scripts/setup --no-build
  ends_with 0
  calls '^cmake --preset release'
  never_calls '^cmake --build'
}

test_another_preset_is_configured_and_built() {
  call scripts/setup --preset dev
  ends_with 0
  calls '^cmake --preset dev'
  calls '^cmake --build --preset dev'
}

test_a_build_folder_of_another_checkout_is_made_anew() {
  call scripts/setup
  sed -i 's|^CMAKE_HOME_DIRECTORY.*|CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere|' \
    "$SANDBOX/checkout/build/release/CMakeCache.txt"
  call scripts/setup
  ends_with 0
  calls '^cmake --preset release .*--fresh'
}

test_help_is_the_comment_at_its_top_and_does_nothing() {
  call scripts/setup --help
  ends_with 0
  says 'usage: scripts/setup [--preset NAME]'
  says_nothing_of 'set -euo'
  never_calls '^(apt-get|cmake) '
}

test_an_unknown_option_is_refused_before_anything_is_done() {
  call scripts/setup --frob
  ends_with 1
  says 'setup: error: unknown option --frob (see scripts/setup --help)'
  never_calls '^(apt-get|cmake) '
}

test_an_unknown_preset_is_refused_before_anything_is_done() {
  for preset in frob --no-build ''; do
    call scripts/setup --preset "$preset"
    ends_with 1
    says 'it is dev, release or asan'
    never_calls '^(apt-get|cmake) '
  done
  call scripts/setup --preset
  ends_with 1
  says '--preset needs a name'
}

test_a_failing_step_stops_with_its_name() {
  has_torch 2.13.0
  fails 'cmake --preset*' 'CMake Error: no generator'
  call scripts/setup
  ends_with 1
  says 'CMake Error: no generator'
  says 'setup: error: failed: configuring build/release'
  never_calls '^cmake --build'
}

test_a_failing_installation_stops_with_its_name() {
  fails 'apt-get install*' 'E: Unable to locate package libcli11-dev'
  call scripts/setup
  ends_with 1
  says 'setup: error: failed: installing'
  never_calls '^cmake --preset'
}

test_a_failing_download_of_torch_stops_with_its_name() {
  fails 'python3 -m pip install*' 'ERROR: Could not install packages: No space left on device'
  call scripts/setup
  ends_with 1
  says 'No space left on device'
  says 'setup: error: failed: installing torch'
}

test_a_part_of_torch_that_a_failed_installation_left_is_not_used() {
  fails 'python3 -m pip install*' 'ERROR: Could not install packages: No space left on device'
  call scripts/setup
  ends_with 1
  has_torch 2.13.0 "$SANDBOX/checkout/.venv/site"
  rm "$SANDBOX/fails"
  call scripts/setup
  ends_with 0
  calls '^python3 -m venv --clear .*/checkout/.venv'
  calls '^python3 -m pip install .*torch==2.13.0'
  call scripts/setup
  never_calls '^python3 -m (venv|pip install)'
}

test_it_can_be_called_from_anywhere() {
  mkdir "$SANDBOX/elsewhere"
  call env -C "$SANDBOX/elsewhere" ../checkout/scripts/setup
  ends_with 0
  calls '^cmake --build --preset release'
  [ -f "$SANDBOX/checkout/build/release/build.ninja" ] || wrong "a build folder in the checkout"
}

run_tests
