import { join } from "../paths/path.ts";
import { GROUP_GUARD_VARIABLE, GROUP_MARK_VARIABLE } from "./group_guard.ts";
import { START_SCRIPT } from "./process_start.ts";

/**
 * Reads orders of the agent and ends groups of processes for it, all that are left once the agent is
 * gone, however that came. It takes orders about children of the agent and of nobody else.
 */
const SCRIPT = `${START_SCRIPT}
trap '' HUP INT QUIT TERM
set -f
agent=$PPID
groups=

parent_of() {
  read -r stat <"/proc/$1/stat" || return
  set -- \${stat##*) }
  echo "$2"
}

is_own() {
  [ -d /proc/1 ] || return 0
  parent=$(parent_of "$1")
  [ "$parent" = "$agent" ] || [ "$(parent_of "$parent")" = "$agent" ]
}

is_same() {
  now=$(start_of "$1")
  [ -z "$now" ] || [ "$now" = "$2" ]
}

kill_marked() {
  [ -d /proc/1 ] || return 0
  for round in 1 2 3; do
    set +f
    found=$(grep -lsF -e "${GROUP_MARK_VARIABLE}=$1" /proc/[0-9]*/environ)
    set -f
    [ -n "$found" ] || return 0
    for file in $found; do
      file=\${file#/proc/}
      kill -KILL "\${file%%/*}"
    done
  done
}

kill_group() {
  if [ "$2" != none ] && is_same "$2" "$3"; then kill -KILL "-$2"; fi
  kill_marked "$1"
}

# Asks what is left of a group to end, and makes it.
leave() {
  if [ "$2" != none ] && is_same "$2" "$3" && kill -TERM "-$2"; then
    kill -CONT "-$2"
    for round in 1 2 3 4 5; do
      sleep 0.1
      kill -0 "-$2" || break
    done
  fi
  kill_group "$@"
}

with_group() {
  for group in $groups; do
    if [ "\${group%%/*}" = "$2" ]; then
      rest=\${group#*/}
      "$1" "$2" "\${rest%%/*}" "\${rest#*/}"
      return
    fi
  done
}

without() {
  kept=
  for group in $groups; do
    [ "\${group%%/*}" = "$1" ] || kept="$kept $group"
  done
  groups=$kept
}

ask() {
  if [ "$2" != none ] && is_same "$2" "$3"; then kill -TERM "-$2"; kill -CONT "-$2"; fi
}

is_mark() {
  case $1 in *[!0-9a-f-]*) return 1 ;; esac
  [ "\${#1}" -eq 36 ]
}

is_pid() {
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  [ "$1" -gt 1 ]
}

exec 3<>"$1" || exit 1
# An agent that never comes lets nobody wait for ever.
( while kill -0 "$agent"; do sleep 1 3<&-; done; echo lost >&3 ) &
waiting=$!
read -r order <&3
kill -KILL "$waiting"
exec 4<"$1" 3<&-
rm -f "$1"
while read -r order mark pid <&4; do
  is_mark "$mark" || continue
  case $order in
    mark) groups="$groups $mark/none/" ;;
    group)
      if is_pid "$pid" && is_own "$pid"; then
        without "$mark"
        groups="$groups $mark/$pid/$(start_of "$pid")"
      fi ;;
    ask) with_group ask "$mark" ;;
    kill) with_group kill_group "$mark" ;;
    leave) with_group leave "$mark" & without "$mark" ;;
  esac
done
for group in $groups; do with_group kill_group "\${group%%/*}"; done`;

/**
 * Starts a small process that ends groups of processes for an agent that the runtime lets signal
 * none, and that outlives it for as long as that takes. For whoever becomes the agent, before: the
 * agent itself need not be permitted to start it.
 *
 * @param folder Where the agent may read and write.
 * @returns A variable for the environment of the agent, which {@linkcode openGroupGuard} wants;
 * none where the system has no such process.
 */
export function startGroupGuard(folder: string): Readonly<Record<string, string>> {
  if (Deno.build.os === "windows") return {};
  const path = join(folder, `guard-${crypto.randomUUID()}`);
  const common = {
    cwd: "/",
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  } as const;
  try {
    const made = new Deno.Command("mkfifo", { ...common, args: ["-m", "600", path] }).outputSync();
    if (!made.success) return {};
    new Deno.Command("/bin/sh", { ...common, args: ["-c", SCRIPT, "sh", path], detached: true })
      .spawn().unref();
    return { [GROUP_GUARD_VARIABLE]: path };
  } catch {
    removeIfThere(path);
    return {};
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was not made.
  }
}
