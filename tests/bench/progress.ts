// Progress goes to standard error, the report alone to standard output.

export function say(line: string): void {
  const elapsed = seconds(performance.now()).padStart(6);
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${elapsed}  ${line}\n`);
}

/** A line that the next one replaces; nothing where the output is not a terminal. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K        ${line}`);
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
