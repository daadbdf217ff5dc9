// Progress goes to standard error, the report alone to standard output.

let current = 'starting';
let detail = '';

export function say(line: string): void {
  const elapsed = seconds(performance.now()).padStart(6);
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${elapsed}  ${line}\n`);
}

/** Says what begins now. */
export function step(line: string): void {
  current = line;
  detail = '';
  say(line);
}

/** Says how far the step is, in a line that the next one replaces; nothing where the output is not a terminal. */
export function progress(line: string): void {
  detail = line;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K        ${line}`);
}

/** Names the step that began last, and says how far it is. */
export function currentStep(): string {
  return detail === '' ? current : `${current} (${detail})`;
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
