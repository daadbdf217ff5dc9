/**
 * Pattern of a number in a CSV cell, in the form in which the API writes amounts and scores. A cell with such a number
 * is not a formula, although it may begin with a minus sign.
 */
const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** Returns rows as CSV (RFC 4180), the header first. */
export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(csvCell).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

/** Media type of a CSV response whose first line has the column names. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * Returns the value of a CSV cell. Spreadsheets execute a cell that begins like a formula, so an apostrophe makes such
 * a cell a text.
 */
function csvCell(value: string): string {
  const isFormula = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u.test(value) && !DECIMAL.test(value);
  const safe = isFormula || /^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
