import type { Outcome, Table } from './command.js';

export type Style = (text: string) => string;

/**
 * Maximum length of a cell in the tables of an operator's command. Longer cells are shortened, except the last cell of
 * a row. The output of `--json` contains the whole text.
 */
const CELL_LENGTH_MAX = 120;

/** Returns the result of an operator's command as readable text. */
export function toText({ sentence, values = {}, table, note }: Outcome, bold: Style): string {
  const entries = Object.entries(values);
  const width = Math.max(0, ...entries.map(([label]) => label.length));
  const blocks = [
    [sentence],
    entries.map(([label, value]) => `  ${label.padEnd(width)}  ${bold(value)}`),
    table === undefined || table.rows.length === 0 ? [] : tableLines(table, bold),
    note === undefined ? [] : [note],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function tableLines({ columns, rows }: Table, bold: Style): string[] {
  const cells = rows.map((row) => row.map((cell, index) => toCell(cell, index === row.length - 1)));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => (row[index] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
  return [bold(line(columns)), ...cells.map(line)];
}

/**
 * Returns one line without control characters, so that text of a service or customer cannot move the cursor of the
 * terminal.
 */
function toCell(text: string, isLast: boolean): string {
  // oxlint-disable-next-line no-control-regex -- this expression removes control characters
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return plain.length > CELL_LENGTH_MAX && !isLast ? `${plain.slice(0, CELL_LENGTH_MAX - 3)}...` : plain;
}

/** `3 min` */
export function age(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - since.getTime()) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Returns a count with its noun, as in `1 dead letter` and `2 dead letters`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * Returns the end of a sentence about all services in the output of an operator's command. If some services failed, it
 * restricts the sentence to the services that responded.
 */
export function ofAnswering(failures: readonly string[]): string {
  return failures.length === 0 ? '' : ' in the services that responded';
}
