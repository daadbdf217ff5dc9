/**
 * Writes rows as CSV. A cell that a spreadsheet would calculate gets an apostrophe before it, so that a text of a
 * supplier cannot become a formula.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string | number): string {
  const text = `${value}`;
  // A negative amount begins with a minus but needs no apostrophe, because a spreadsheet reads it as a number.
  const safe = /^[=+@\t\r]|^-(?!\d+(?:\.\d+)?$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
