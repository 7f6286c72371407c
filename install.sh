#!/bin/sh
# Installs a compiled Alisio from a folder of release files: the binary for this system, checked
# against SHA256SUMS. Needs no rights but those on the target folder.
set -eu
umask 022

usage() {
  cat <<'TEXT'
Usage: sh install.sh --from URL [--to FOLDER]

  --from URL     Folder that holds the binaries of a release and SHA256SUMS
  --to FOLDER    Where to put "alisio"; $HOME/.local/bin by default
  --help         Print this
TEXT
}

fail() {
  printf 'Cannot install Alisio: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Prints the name of this system as the release has it.
find_target() {
  system=$(uname -s)
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no binary for processor \"$machine\"; run it with Deno instead" ;;
  esac
  case "$system" in
    Linux)
      # The binaries need the GNU library.
      if has ldd && ldd --version 2>&1 | grep -qi musl; then
        fail "there is no binary for systems with musl; run it with Deno instead"
      fi
      printf '%s-unknown-linux-gnu\n' "$machine"
      ;;
    Darwin)
      # A shell under Rosetta takes the processor for the other one.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then machine=aarch64; fi
      printf '%s-apple-darwin\n' "$machine"
      ;;
    *)
      fail "there is no binary for system \"$system\" here; on Windows, take the .exe of the release"
      ;;
  esac
}

# Without encryption, whoever is in between could replace the checksums with the binary.
check_address() {
  case "$1" in
    https://?*) ;;
    http://127.0.0.1:* | http://127.0.0.1/* | http://localhost:* | http://localhost/*)
      # What follows the host must not make another host of it.
      case "$1" in *@*) fail "the address holds a user; leave it out" ;; esac
      ;;
    *) fail "the address must begin with https://" ;;
  esac
}

# download URL FILE
download() {
  if has curl; then
    curl --fail --silent --show-error --location --proto '=https,http' --proto-redir '=https' \
      --retry 2 --connect-timeout 20 --max-time 900 --output "$2" "$1" ||
      fail "\"$1\" could not be downloaded"
  elif has wget; then
    # In the words that the one of BusyBox knows too.
    wget -q -T 60 -O "$2" "$1" ||
      fail "\"$1\" could not be downloaded"
  else
    fail "neither curl nor wget is there; install one of them"
  fi
}

# Prints the SHA-256 of a file.
digest_of() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | awk '{ print $1 }'
}

clean_up() {
  [ -z "${work:-}" ] || rm -rf "$work"
  [ -z "${staged:-}" ] || rm -f "$staged"
}

main() {
  from=
  to=
  while [ $# -gt 0 ]; do
    case "$1" in
      --from | --to)
        [ $# -ge 2 ] && [ -n "$2" ] || fail "\"$1\" lacks its value"
        if [ "$1" = --from ]; then from=${2%/}; else to=$2; fi
        shift 2
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *)
        usage >&2
        fail "unknown argument \"$1\""
        ;;
    esac
  done
  if [ -z "$from" ]; then
    usage >&2
    fail "--from is missing"
  fi
  if [ -z "$to" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set; name a folder with --to"
    to=$HOME/.local/bin
  fi
  check_address "$from"
  has sha256sum || has shasum || has openssl ||
    fail "neither sha256sum nor shasum nor openssl is there; install one of them"
  name=alisio-$(find_target)

  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  work=$(mktemp -d "${TMPDIR:-/tmp}/alisio-install.XXXXXX") || fail "no temporary folder can be made"
  download "$from/SHA256SUMS" "$work/SHA256SUMS"
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  case "$wanted" in
    "") fail "SHA256SUMS does not name $name" ;;
    *[!0-9a-f]*) fail "SHA256SUMS has no single checksum for $name" ;;
  esac
  [ ${#wanted} -eq 64 ] || fail "SHA256SUMS has no single checksum for $name"
  download "$from/$name" "$work/$name"
  found=$(digest_of "$work/$name")
  [ "$found" = "$wanted" ] ||
    fail "the checksum of $name is $found, not $wanted; the file is damaged or was replaced"

  mkdir -p "$to" 2>/dev/null || fail "folder \"$to\" cannot be made"
  [ ! -d "$to/alisio" ] || fail "\"$to/alisio\" is a folder; name another one with --to"
  # Beside its place, so that it takes it in one step, or not at all.
  staged=$to/.alisio-install-$$
  cp "$work/$name" "$staged" 2>/dev/null ||
    fail "folder \"$to\" cannot be written to; name another one with --to"
  chmod 755 "$staged"
  version=$("$staged" --version 2>/dev/null </dev/null) || fail "the binary does not start here"
  mv -f "$staged" "$to/alisio"
  printf 'Installed Alisio %s as %s\n' "$version" "$to/alisio"
  case ":${PATH:-}:" in
    *":$to:"*) ;;
    *) printf 'To call it by name, add this folder to your PATH: %s\n' "$to" ;;
  esac
}

# Nothing runs before all of this file is there.
main "$@"
