// Program that runs Node.js with the given arguments and allows it to read only its code and the files that every
// program needs (ADR 0102). Further restrictions depend on the kernel (landlock.ts). The version of the kernel's
// interface is written to standard output.
import { openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import koffi from 'koffi';
import { LANDLOCK_SINCE } from './landlock.js';

// Numbers of the Linux kernel calls and options that restrict a process. The numbers never change and are the same on
// all architectures (linux/landlock.h, linux/prctl.h).
const LANDLOCK_CREATE_RULESET = 444;
const LANDLOCK_ADD_RULE = 445;
const LANDLOCK_RESTRICT_SELF = 446;
const VERSION_FLAG = 1;
const RULE_PATH_BENEATH = 1;
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
/**
 * Kinds of file access that Landlock denies, by the version of Landlock that introduced them. The operation ioctl on
 * devices is allowed, because Node.js checks whether its output is a terminal.
 */
const FILES_BY_VERSION: readonly (readonly [version: number, accesses: bigint])[] = [
  [LANDLOCK_SINCE.files, (1n << 13n) - 1n],
  [LANDLOCK_SINCE.moving, 1n << 13n],
  [LANDLOCK_SINCE.truncation, 1n << 14n],
];
/** Bits of the kernel interface Landlock for the TCP operations bind and connect. */
const TCP = 0b11n;
/** Bits of the kernel interface Landlock for abstract sockets, and for signals to processes outside. */
const SCOPES = 0b11n;
const PR_SET_NO_NEW_PRIVS = 38;
const F_SETFD = 2;
const STANDARD_OUTPUT = 1;
const O_PATH = 0o10000000;
/**
 * File descriptors of standard input, output and error, and of the channel to the parent process. Node.js deletes the
 * variables of the channel after reading them.
 */
const INHERITED_FILES = [0, 1, 2, 3];
const CHANNEL = { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' };

/** Root directory of the repository or of the container image. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const READABLE = [
  ...['node_modules', 'packages', 'services'].map((name) => `${ROOT}${name}`),
  // oxlint-disable-next-line node/no-process-env -- the parent process passes this one setting in the environment
  ...[process.env['RULES_DIR']].filter((directory) => directory !== undefined),
];
/** Directories of the system's libraries and of the program loader, which a confined process may read. */
const SYSTEM = ['/usr', '/lib', '/lib64'];

const libc = koffi.load(null);
const syscall = {
  createRuleset: libc.func('syscall', 'long', ['long', 'const void *', 'size_t', 'uint32_t']),
  addRule: libc.func('syscall', 'long', ['long', 'int', 'int', 'const void *', 'uint32_t']),
  restrictSelf: libc.func('syscall', 'long', ['long', 'int', 'uint32_t']),
};
const prctl = libc.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
const fcntl = libc.func('int fcntl(int file, int command, int argument)');
const execve = libc.func('int execve(const char *path, const char **args, const char **env)');

confine();
run(process.argv.slice(2));

/**
 * Denies the current thread, and every program that replaces it, access to all files that are not listed, and all other
 * operations that the kernel can deny. This protects the service, because documents may be hostile.
 */
function confine(): void {
  const version = done(
    'landlock_create_ruleset',
    syscall.createRuleset(LANDLOCK_CREATE_RULESET, null, 0, VERSION_FLAG),
  );
  const files = FILES_BY_VERSION.reduce((all, [since, accesses]) => (version >= since ? all | accesses : all), 0n);
  const handled = Buffer.alloc(24);
  handled.writeBigUInt64LE(files, 0);
  handled.writeBigUInt64LE(version >= LANDLOCK_SINCE.tcp ? TCP : 0n, 8);
  handled.writeBigUInt64LE(version >= LANDLOCK_SINCE.scopes ? SCOPES : 0n, 16);
  const ruleset = done(
    'landlock_create_ruleset',
    syscall.createRuleset(LANDLOCK_CREATE_RULESET, handled, handled.length, 0),
  );
  for (const path of SYSTEM) allow(ruleset, path, EXECUTE | READ_FILE | READ_DIR);
  allow(ruleset, process.execPath, EXECUTE | READ_FILE);
  allow(ruleset, '/etc/ld.so.cache', READ_FILE);
  allow(ruleset, '/dev/null', READ_FILE | WRITE_FILE);
  for (const path of READABLE) allow(ruleset, path, READ_FILE | READ_DIR);
  // A process that does not run as root needs the flag no_new_privs before it may restrict itself.
  done('prctl', prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  done('landlock_restrict_self', syscall.restrictSelf(LANDLOCK_RESTRICT_SELF, ruleset, 0));
  writeSync(STANDARD_OUTPUT, String(version));
}

/**
 * Adds a rule that allows the confined process access to a path. A path that does not exist on this system needs no
 * rule.
 */
function allow(ruleset: number, path: string, accesses: bigint): void {
  let file: number;
  try {
    file = openSync(path, O_PATH);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(accesses, 0);
  rule.writeInt32LE(file, 8);
  done('landlock_add_rule', syscall.addRule(LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0));
}

/**
 * Replaces the confining program with Node.js and the given arguments. The process id stays the same, so that the
 * parent process measures and kills the right process. A new program is needed, because existing threads of this
 * program are not restricted.
 */
function run(args: readonly string[]): void {
  for (const file of INHERITED_FILES) fcntl(file, F_SETFD, 0);
  // The variable HOME is set because the list of users, in which Node.js would look otherwise, cannot be read.
  // oxlint-disable-next-line node/no-process-env -- passed on
  const env = Object.entries({ ...process.env, ...CHANNEL, HOME: '/' }).map(([name, value]) => `${name}=${value}`);
  // Node.js gets an empty OpenSSL configuration. It exits if it may not read the usual one, which is stored next to
  // private keys.
  done(
    'execve',
    execve(process.execPath, [process.execPath, '--openssl-config=/dev/null', ...args, null], [...env, null]),
  );
}

function done(call: string, result: number): number {
  if (result < 0) throw new Error(`${call} failed with error ${koffi.errno()}.`);
  return result;
}
