// `npm run scan-csv -- <file.csv>`: last year's ledger through POST /scans.
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './run.js';

const stop = new AbortController();
// The first Ctrl-C ends what is under way and says how to go on; a second one finds no listener and ends the process.
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  // npm starts its scripts in the directory of the package and says here where the person was.
  directory: process.env['INIT_CWD'] ?? process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
  now: () => performance.now(),
  pause: (ms, signal) => delay(ms, undefined, { signal }),
});
