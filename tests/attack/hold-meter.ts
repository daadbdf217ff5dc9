// Loaded into the gateway before its own program: measures for how long one turn of its event loop keeps the processor. SIGCONT begins a
// measurement, the next SIGCONT ends it; each is answered by a line in the file HOLD_METER_FILE.
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
  // All work that is ready is done between two immediates: other requests wait for it.
  const turn = (): void => {
    const endedMs = usedMs();
    longestMs = Math.max(longestMs, endedMs - beganMs);
    beganMs = endedMs;
    if (isMeasuring) setImmediate(turn);
  };
  setImmediate(turn);
});

/** Time of the processor, not of the clock: on a busy machine a process waits for its turn as well. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
