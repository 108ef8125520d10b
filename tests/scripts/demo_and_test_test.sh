#!/usr/bin/env bash
# scripts/demo and scripts/test: they set up what is missing, run their steps in order, and stop at the first that fails.
. "$(dirname "$0")/harness.sh"

test_demo_sets_up_first() {
  call scripts/demo
  ends_with 0
  calls '^apt-get install'
  calls '^cmake --build --preset release'
}

test_demo_builds_what_is_set_up() {
  call scripts/setup --no-build
  call scripts/demo
  ends_with 0
  never_calls '^(apt-get|cmake --preset)'
  calls '^cmake --build --preset release .*--target programs'
}

test_demo_sets_up_again_where_torch_is_gone() {
  call scripts/setup
  rm -r "$SANDBOX/checkout/.venv"
  call scripts/demo
  ends_with 0
  calls '^python3 -m pip install .*torch=='
}

test_demo_sets_up_again_in_a_checkout_that_was_moved() {
  call scripts/setup
  mv "$SANDBOX/checkout" "$SANDBOX/moved"
  mkdir "$SANDBOX/checkout"
  call ../moved/scripts/demo
  ends_with 0
  calls '^cmake --preset release .*--fresh'
}

test_demo_shows_each_command_and_runs_it() {
  call scripts/demo
  ends_with 0
  says '$ graphnet extract tests/models/resnet18.pt'
  calls '^graphnet extract tests/models/resnet18.pt .* -o build/demo/samples'
  calls '^graphnet validate build/demo/samples'
  calls '^graphnet bench build/demo/samples --compiler inductor -o build/demo/run'
  calls '^graphnet score build/demo/run'
}

test_demo_takes_models_by_paths_relative_to_the_caller() {
  mkdir "$SANDBOX/elsewhere"
  call env -C "$SANDBOX/elsewhere" ../checkout/scripts/demo a.pt
  ends_with 0
  calls "^graphnet extract $SANDBOX/elsewhere/a.pt "
}

test_demo_stops_at_the_first_command_that_fails() {
  fails 'graphnet validate*' 'graphnet: error: no'
  call scripts/demo
  ends_with 1
  never_calls '^graphnet bench'
}

test_demo_refuses_unknown_options_wherever_they_stand() {
  for arguments in --frob 'a.pt --frob'; do
    call scripts/demo $arguments
    ends_with 1
    says 'demo: error: unknown option --frob (see scripts/demo --help)'
    never_calls '^(apt-get|cmake|graphnet) '
  done
}

test_demo_has_help() {
  call scripts/demo --help
  ends_with 0
  says 'usage: scripts/demo [MODEL.pt...]'
  never_calls '^(apt-get|cmake) '
}

test_test_sets_up_builds_and_tests_both_builds() {
  call scripts/test
  ends_with 0
  calls '^apt-get install'
  calls '^cmake --preset asan'
  calls '^cmake --build --preset asan'
  calls '^ctest --preset asan'
  calls '^cmake --build --preset release'
  calls '^ctest --preset release'
}

test_test_hands_its_options_to_the_whole_suite() {
  call scripts/test -R Score
  ends_with 0
  calls '^ctest --preset release .*-R Score$'
}

test_test_uses_the_unpacked_libraries_in_both_builds() {
  is_nobody
  call scripts/test
  ends_with 0
  calls '^cmake --preset asan .*-DGRAPHNET_DEPS_DIR=.*/checkout/.deps'
  calls '^cmake --preset release .*-DGRAPHNET_DEPS_DIR=.*/checkout/.deps'
}

test_test_fails_where_a_test_fails() {
  fails 'ctest --preset asan*' '1 test failed'
  call scripts/test
  ends_with 1
  never_calls '^ctest --preset release'
}

test_test_fails_where_a_build_fails() {
  fails 'cmake --build --preset asan*' 'ninja: build stopped'
  call scripts/test
  ends_with 1
  says 'test: error: failed: building build/asan'
  never_calls '^ctest'
}

test_test_has_help() {
  call scripts/test --help
  ends_with 0
  says 'usage: scripts/test [CTEST OPTION...]'
  never_calls '^(apt-get|cmake) '
}

run_tests
