# The Debian packages that a build needs: installed with apt-get where that is allowed, else unpacked into .deps.
# Sourced by scripts/setup.

library_packages=(libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libsimdjson-dev libssl-dev libgtest-dev
  libgmock-dev)
tool_packages=(g++ cmake ninja-build git python3 python3-venv)
# A build works without these: compiler cache, faster linker, formatting check.
optional_packages=(ccache mold clang-format)

# missing PACKAGE...: those of the packages that are not installed, one a line.
missing() {
  local package
  for package; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *' installed') ;;
      *) echo "$package" ;;
    esac
  done
}

# Sets `as_root` to the words that run a command as root; fails if there is none that works without a question.
find_root() {
  as_root=()
  [ "$(id -u)" -eq 0 ] && return
  as_root=(sudo -n)
  sudo -n true 2>/dev/null
}

provide_packages() {
  command -v dpkg-query >/dev/null || die "this is no Debian system. Install the equivalents of: ${tool_packages[*]}" \
    "${library_packages[*]}; then configure with cmake --preset release"
  local needed=("${library_packages[@]}") optional tools
  mapfile -t tools < <(missing_tools)
  needed+=("${tools[@]}")
  mapfile -t needed < <(missing "${needed[@]}")
  mapfile -t optional < <(missing "${optional_packages[@]}")
  if [ ${#needed[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ]; then
    say "Debian packages: all there"
  elif find_root; then
    install_packages "${needed[@]}"
    [ ${#optional[@]} -eq 0 ] || (install_packages "${optional[@]}") ||
      say "left out, which a build works without: ${optional[*]}"
  else
    require_tools
    mapfile -t needed < <(missing "${library_packages[@]}")
    if [ ${#needed[@]} -eq 0 ]; then
      say "Debian packages: all there"
    else
      unpack_libraries "${needed[@]}"
    fi
  fi
}

# install_packages PACKAGE...: as root.
lists_are_fresh=false
install_packages() {
  [ $# -gt 0 ] || return 0
  [ "$lists_are_fresh" = true ] || run "refreshing the package lists" "${as_root[@]}" apt-get update -qq
  lists_are_fresh=true
  run "installing $*" quiet "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"
}

# The tool packages to ask for: a tool that works counts, wherever it comes from.
missing_tools() {
  command -v g++ >/dev/null || echo g++
  new_enough_cmake || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v git >/dev/null || echo git
  command -v python3 >/dev/null || echo python3
  python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
}

new_enough_cmake() {
  command -v cmake >/dev/null && cmake --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] * 100 + v[2] >= 325) }'
}

# unpack_libraries PACKAGE...: unpacks the packages and the libraries behind them into .deps, without root. The package
# lists are kept in .deps too, since those of the system may be absent.
unpack_libraries() {
  local stamp="$deps/unpacked" wanted="$*" apt packages folder="$deps/packages"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    say "libraries in .deps: all there"
    return
  fi
  command -v apt-get >/dev/null || die "no apt-get here to download the libraries with"
  mkdir -p "$deps/apt/lists/partial" "$deps/apt/archives/partial" "$folder"
  apt=(-qq -o Dir::State::lists="$deps/apt/lists" -o Dir::Cache="$deps/apt" -o Dir::Cache::archives="$deps/apt/archives"
    -o APT::Sandbox::User="$(id -un 2>/dev/null || echo root)")
  run "refreshing the package lists in .deps" apt-get "${apt[@]}" update
  mapfile -t packages < <(
    printf '%s\n' "$@"
    apt-cache "${apt[@]}" depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
      sed -n 's/^ *|\{0,1\}Depends: //p' | grep -E '^(lib(spdlog|fmt|simdjson|ssl|gtest|gmock)|googletest)'
  )
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
  (cd "$folder" && run "downloading ${packages[*]}" apt-get "${apt[@]}" download "${packages[@]}")
  local package
  for package in "$folder"/*.deb; do
    run "unpacking $(basename "$package")" dpkg -x "$package" "$deps"
  done
  rm -rf "$folder" "$deps/apt"
  echo "$wanted" >"$stamp"
}

# What only root can install is asked for all at once, before anything is downloaded.
require_tools() {
  local absent=()
  command -v g++ >/dev/null || absent+=(g++)
  command -v python3 >/dev/null || absent+=(python3)
  needs_no_venv || "$(find_python || echo python3)" -c 'import ensurepip' 2>/dev/null || absent+=(python3-venv)
  [ ${#absent[@]} -eq 0 ] || die "missing here: ${absent[*]}. This takes root: apt-get install ${absent[*]}"
}

needs_no_venv() { tools_are_there && { [ -n "${GRAPHNET_PYTHON:-}" ] || torch_at_hand; }; }

tools_are_there() { new_enough_cmake && command -v ninja >/dev/null; }

# CMake and ninja. Where they could not be installed, they come from their Python packages.
provide_tools() {
  tools_are_there && return
  run "creating .deps/tools for cmake and ninja" python3 -m venv "$deps/tools"
  run "installing cmake and ninja into .deps/tools" "$deps/tools/bin/python3" -m pip install -q --progress-bar off \
    'cmake>=3.25,<4' ninja
  mkdir -p "$deps/bin"
  ln -sf ../tools/bin/cmake ../tools/bin/ctest ../tools/bin/ninja "$deps/bin/"
  PATH="$deps/bin:$PATH"
}
