import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, run } from './run.js';

/** The file in which `npm start` keeps the address and the API key of the demonstration installation. */
const DEMONSTRATION = '.data/demo.json';

/**
 * Runs the command line client in this process: it reads its arguments and environment, writes to its streams and sets
 * its exit code. The first Ctrl-C ends the command `tail` properly.
 */
export async function runInTerminal(): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
  // npm runs scripts in the directory of the package; INIT_CWD is the directory of the user.
  const directory = process.env['INIT_CWD'] ?? process.cwd();
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    readFile: (path) => readFile(resolve(directory, path)),
    readDemonstration: () => readFile(resolve(directory, DEMONSTRATION), 'utf8'),
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    signal: interrupted.signal,
  }).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    return EXIT.failed;
  });
}
