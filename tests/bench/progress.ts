// Progress goes to standard error, and only the report goes to standard output.

let current = 'starting';
let detail = '';

export function say(line: string): void {
  const elapsed = seconds(performance.now()).padStart(6);
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${elapsed}  ${line}\n`);
}

/** Prints which step begins. */
export function step(line: string): void {
  current = line;
  detail = '';
  say(line);
}

/**
 * Prints the progress of the step in a line that the next call replaces. Prints nothing if the output is not a
 * terminal.
 */
export function progress(line: string): void {
  detail = line;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K        ${line}`);
}

/** Returns the name and the progress of the step that began last. */
export function currentStep(): string {
  return detail === '' ? current : `${current} (${detail})`;
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
