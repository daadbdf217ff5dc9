// The gateway loads this module before its own program. The module measures how long one turn of the event loop uses
// the processor. SIGCONT begins a measurement, and the next SIGCONT ends it; each is confirmed by a line in the file
// HOLD_METER_FILE.
import { appendFileSync } from 'node:fs';

const file = process.env['HOLD_METER_FILE'] ?? '';
let isMeasuring = false;
let longestMs = 0;

process.on('SIGCONT', () => {
  isMeasuring = !isMeasuring;
  if (!isMeasuring) {
    appendFileSync(file, `${longestMs}\n`);
    return;
  }
  longestMs = 0;
  appendFileSync(file, 'measuring\n');
  let beganMs = usedMs();
  // Between two callbacks of `setImmediate`, the event loop runs all work that is ready, and other requests wait for
  // it.
  const turn = (): void => {
    const endedMs = usedMs();
    longestMs = Math.max(longestMs, endedMs - beganMs);
    beganMs = endedMs;
    if (isMeasuring) setImmediate(turn);
  };
  setImmediate(turn);
});

/**
 * The meter of the event loop returns CPU time, not wall time, because a process also waits for the processor on a busy
 * machine.
 */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
