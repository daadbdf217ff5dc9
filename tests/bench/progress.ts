// The progress of a benchmark goes to standard error, and only its report goes to standard output.

/** Minimum time in milliseconds between two lines of a benchmark's progress in output that is not a terminal. */
const LINE_EACH_MS = 30_000;

let current = 'starting';
let detail = '';
let lineAtMs = 0;

export function say(line: string): void {
  const elapsed = seconds(performance.now()).padStart(6);
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${elapsed}  ${line}\n`);
}

/** Prints the name of the step of the benchmark that begins. */
export function step(line: string): void {
  current = line;
  detail = '';
  lineAtMs = performance.now();
  say(line);
}

/**
 * Prints the progress of a benchmark step in a line that the next call replaces. If the output is not a terminal, it
 * gets a line every 30 seconds.
 */
export function progress(line: string): void {
  detail = line;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K        ${line}`);
  else if (performance.now() - lineAtMs >= LINE_EACH_MS) {
    lineAtMs = performance.now();
    say(line);
  }
}

/** Returns the name and the progress of the benchmark step that began last. */
export function currentStep(): string {
  return detail === '' ? current : `${current} (${detail})`;
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
