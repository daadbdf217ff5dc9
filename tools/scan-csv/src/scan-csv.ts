// Runs `npm run scan-csv -- <file.csv>`, which sends a ledger to POST /scans.
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './run.js';

const stop = new AbortController();
// The first Ctrl-C cancels the current request and stops the program. The second Ctrl-C ends the process, because no
// listener is left.
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  // npm runs a script in the directory of its package. INIT_CWD is the directory in which the user called npm.
  directory: process.env['INIT_CWD'] ?? process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
  now: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
  pause: (ms, signal) => delay(ms, undefined, { signal }),
});
