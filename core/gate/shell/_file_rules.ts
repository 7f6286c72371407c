import { type Argument, mayBe, mayBeLongOption, mayHoldShortOption } from "./_argument.ts";
import {
  HARMLESS,
  high,
  medium,
  type ProgramRule,
  refusing,
  starting,
  strictest,
  type Verdict,
  whereOption,
} from "./_verdict.ts";

/** Rules of programs that find, copy and pack files, and of a few that set something. */
export const FILE_RULES: Readonly<Record<string, ProgramRule>> = {
  find: judgeFind,
  gfind: judgeFind,
  tar: judgeTar,
  gtar: judgeTar,
  bsdtar: judgeTar,
  rsync: judgeRsync,
  zip: judgeZip,
  tee: (args) => medium("writes files", args.flatMap(({ value }) => value ?? [])),
  date: judgeDate,
  hostname: judgeHostname,
  docker: judgeContainers,
  podman: judgeContainers,
  nerdctl: judgeContainers,
  kubectl: judgeCluster,
  nm: judgeBinaryReader,
  objdump: judgeBinaryReader,
  readelf: judgeBinaryReader,
  size: judgeBinaryReader,
  strings: judgeBinaryReader,
};

const FIND_PROGRAM_OPTIONS = ["-exec", "-execdir", "-ok", "-okdir"];
const FIND_WRITE_OPTIONS = ["-fprint", "-fprint0", "-fprintf", "-fls"];

function judgeFind(args: readonly Argument[]): Verdict {
  const verdicts: Verdict[] = [HARMLESS];
  for (const [index, arg] of args.entries()) {
    if (FIND_PROGRAM_OPTIONS.some((option) => mayBe(arg, option))) {
      verdicts.push(refuseFind(high("starts a program for what it finds"), arg));
    } else if (mayBe(arg, "-delete")) {
      verdicts.push(refuseFind(high("deletes what it finds"), arg));
    } else if (FIND_WRITE_OPTIONS.some((option) => mayBe(arg, option))) {
      const file = args[index + 1]?.value ?? null;
      const verdict = high("writes files");
      verdicts.push(refuseFind({ ...verdict, writes: file === null ? [] : [file] }, arg));
    }
  }
  return strictest(...verdicts);
}

function refuseFind(verdict: Verdict, arg: Argument): Verdict {
  return refusing(
    verdict,
    arg.value === null
      ? '"find" with a word that may turn out to be an option; write a pattern in quotes, or after "./"'
      : `"find" with "${arg.value}"`,
  );
}

const TAR_PROGRAM_OPTIONS = [
  "--to-command",
  "--checkpoint-action",
  "--use-compress-program",
  "--info-script",
  "--new-volume-script",
  "--rsh-command",
  "--rmt-command",
];

function judgeTar(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg, index) =>
    TAR_PROGRAM_OPTIONS.some((option) => mayBeLongOption(arg, option)) ||
    mayHoldShortOption(arg, "IF") || (index === 0 && /^[A-Za-z]*[IF]/.test(arg.prefix))
  );
  if (isTold) return starting("is told which program to start");
  const [mode] = args;
  const lists = mode?.value !== null &&
    /^(?:-?[jJvzaZ]*t[jJvzaZf]*|--list)$/.test(mode?.value ?? "");
  const isPlain = args.slice(1).every(({ value, prefix }) =>
    value !== null && (!prefix.startsWith("-") || /^-[fvzjJC]+$/.test(value))
  );
  return lists && isPlain ? HARMLESS : medium("packs or unpacks files");
}

function judgeRsync(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg) =>
    mayHoldShortOption(arg, "eM") || mayBeLongOption(arg, "--rsh") ||
    mayBeLongOption(arg, "--rsync-path")
  );
  if (isTold) return starting("is told which program to start");
  const isFar = args.some((arg) =>
    mayBeLongOption(arg, "--delete") || /^[^/]*:/.test(arg.prefix) ||
    arg.prefix.startsWith("--daemon")
  );
  return isFar ? high("deletes files, or reaches another computer") : medium("copies files");
}

function judgeZip(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg) =>
    arg.prefix.startsWith("-TT") || mayBeLongOption(arg, "--unzip-command")
  );
  return isTold ? starting("is told which program to start") : medium("packs files");
}

function judgeDate(args: readonly Argument[]): Verdict {
  const sets = args.some((arg) =>
    mayBeLongOption(arg, "--set") || /^\d{8,}(?:\.\d\d)?$/.test(arg.prefix) ||
    (mayHoldShortOption(arg, "s") && !/^-[Idrf]/.test(arg.prefix))
  );
  return sets ? medium("may set the clock") : HARMLESS;
}

function judgeHostname(args: readonly Argument[]): Verdict {
  const tells = args.every(({ value }) =>
    value !== null &&
    /^(?:-[aAdfiIsyVh]+|--(?:alias|all-fqdns|all-ip-addresses|domain|fqdn|long|ip-address|short|version|help))$/
      .test(value)
  );
  return tells ? HARMLESS : medium("may set the name of this computer");
}

/** Programs of binutils load code that is named by `--plugin`. */
function judgeBinaryReader(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) => mayBeLongOption(arg, "--plugin");
  return whereOption(args, isTold, starting("is told which code to load"));
}

function judgeContainers(args: readonly Argument[]): Verdict {
  const verb = args.find(({ prefix }) => !prefix.startsWith("-"))?.value ?? null;
  const reads = ["ps", "images", "logs", "inspect", "version", "info", "top", "stats", "port"];
  return verb !== null && reads.includes(verb)
    ? HARMLESS
    : high("may run any program in a container");
}

function judgeCluster(args: readonly Argument[]): Verdict {
  const verb = args.find(({ prefix }) => !prefix.startsWith("-"))?.value ?? null;
  const reads = ["get", "describe", "logs", "version", "explain", "api-resources", "top"];
  return verb !== null && reads.includes(verb)
    ? medium("reaches a cluster")
    : high("changes a cluster or runs programs in it");
}
