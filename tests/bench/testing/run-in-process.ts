import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Directory of the compiled benchmark modules, which the code in the separate process imports. */
const compiled = new URL('../../dist/bench/', import.meta.url).href;

export interface Running {
  readonly child: ChildProcess;
  stderr(): string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Runs the code of a benchmark in a separate process. @param text code of a module that can import the modules of the benchmarks */
export function runInProcess(text: string, env: NodeJS.ProcessEnv = process.env): Running {
  const imports = `
    import { startNodeProcess } from '${compiled}node-process.js';
    import { step } from '${compiled}progress.js';
    import { endAfter, onEnd, runProgram } from '${compiled}run-program.js';
    import { startStores } from '${compiled}stores.js';
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', imports + text], { env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, stderr: () => stderr, ended };
}
