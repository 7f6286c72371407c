/** Rights of Landlock, as the kernel numbers them. */
export const RIGHT = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readDir: 1 << 3,
  removeDir: 1 << 4,
  removeFile: 1 << 5,
  makeChar: 1 << 6,
  makeDir: 1 << 7,
  makeReg: 1 << 8,
  makeSock: 1 << 9,
  makeFifo: 1 << 10,
  makeBlock: 1 << 11,
  makeSym: 1 << 12,
  /** To rename and link between folders. Where the kernel does not know it, it forbids that. */
  refer: 1 << 13,
  truncate: 1 << 14,
} as const;

/** Rights that a rule for a file may hold. */
export const FILE_RIGHTS = RIGHT.execute | RIGHT.readFile | RIGHT.writeFile | RIGHT.truncate;

/** To make device files. */
export const DEVICES = RIGHT.makeChar | RIGHT.makeBlock;

/** To change files and folders, as the first version of Landlock has it. */
export const WRITE_RIGHTS = RIGHT.writeFile | RIGHT.removeDir | RIGHT.removeFile | DEVICES |
  RIGHT.makeDir | RIGHT.makeReg | RIGHT.makeSock | RIGHT.makeFifo | RIGHT.makeSym;

/** Rights on the network. */
export const NET_RIGHT = { bindTcp: 1 << 0, connectTcp: 1 << 1 } as const;

/** What can be kept inside the restricted processes. */
export const SCOPE = { abstractUnixSocket: 1 << 0, signal: 1 << 1 } as const;

/**
 * Rights to change files that a version adds to {@linkcode WRITE_RIGHTS}.
 *
 * @param abi Version of Landlock.
 */
export function laterWriteRights(abi: number): number {
  return (abi >= 2 ? RIGHT.refer : 0) | (abi >= 3 ? RIGHT.truncate : 0);
}
