import { fork } from 'node:child_process';
import type { ChildProcess, ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@invoicecontrol/runtime/config';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Config } from '../config.js';
import { LANDLOCK_SINCE, notDenied } from './landlock.js';

/** The compiled program that confines itself and then runs another program. Tests that run the sources use it too. */
const CONFINED = fileURLToPath(new URL('../../dist/extraction/confined.js', import.meta.url));
const CHANNEL: ForkOptions = { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };

export interface ProgramOptions {
  /** Command-line arguments of the confined program that reads documents. */
  readonly args?: readonly string[];
  /** All environment variables that the confined program that reads documents gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Command-line options that Node.js gets before the confined program. */
  readonly execArgv: readonly string[];
  /**
   * True if the child process can access no files except its code and the system libraries, and therefore neither the
   * memory nor the environment of other processes. The kernel decides whether TCP and signals are denied too: {@link
   * notDenied}.
   */
  readonly isConfined: boolean;
}

/**
 * Starts a program as a child process with a message channel. The child process inherits no open files of its parent.
 */
export function forkProgram(program: string, { args = [], env, execArgv, isConfined }: ProgramOptions): ChildProcess {
  return isConfined
    ? fork(CONFINED, [...execArgv, program, ...args], { ...CHANNEL, env, execArgv: [] })
    : fork(program, args, { ...CHANNEL, env, execArgv: [...execArgv] });
}

/**
 * Tests whether child processes can be confined. The kernel, the system libraries and the rules of the container must
 * all allow this confinement. The log names the operations that the kernel does not deny.
 * @throws ConfigError if confinement is required but impossible
 */
export async function confines(confinement: Config['EXTRACTION_CONFINEMENT'], logger: Logger): Promise<boolean> {
  const trial = await tryConfinement();
  if ('landlockVersion' in trial) {
    const { landlockVersion } = trial;
    logger[landlockVersion < LANDLOCK_SINCE.scopes ? 'warn' : 'info'](
      { landlockVersion, notDenied: notDenied(landlockVersion) },
      'the processes that read documents are confined, except for what this kernel cannot deny',
    );
    return true;
  }
  const { fault } = trial;
  if (confinement === 'REQUIRED') {
    throw new ConfigError(
      `The processes that read documents cannot be confined here: ${fault} They need Linux 5.13 or newer with Landlock. ` +
        'With EXTRACTION_CONFINEMENT=WHERE_POSSIBLE the service starts without confinement; a document that takes over such a process can then read all that this user can read.',
    );
  }
  logger.warn({ fault }, 'the processes that read documents are not confined');
  return false;
}

/**
 * Runs an empty program in a confined process, to test the confinement. Returns the output of the program if it ran
 * confined, and otherwise the error.
 */
async function tryConfinement(): Promise<{ readonly landlockVersion: number } | { readonly fault: string }> {
  const stdio: ForkOptions['stdio'] = ['ignore', 'pipe', 'pipe', 'ipc'];
  const child = fork(CONFINED, ['--eval', '0'], { ...CHANNEL, stdio, env: {}, execArgv: [] });
  const [version, said, [code, signal]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  if (code === 0) return { landlockVersion: Number(version) };
  return { fault: /^Error: (.*)$/m.exec(said)?.[1] ?? `it ended with ${code ?? signal}.` };
}
