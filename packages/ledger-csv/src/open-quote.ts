/** The position of a quoted cell in the CSV file that is not closed. */
export interface OpenQuote {
  /** Number of lines before the opening quotation mark in the text. */
  readonly linesBefore: number;
  /** Column of the quoted cell that is not closed, counted from 0. */
  readonly column: number;
}

const LINE_BREAK = /\r\n|\n|\r/g;

export function countLineBreaks(text: string): number {
  return text.match(LINE_BREAK)?.length ?? 0;
}

/**
 * Finds the first cell of a record that opens with a quotation mark and continues over a line break without being
 * closed correctly. The parser is lenient: it reads a quotation mark inside such a cell as text and continues to the
 * next quotation mark at the end of a cell, which belongs to a later row. The rows in between would be lost without a
 * message.
 * @param raw the text of one record, with the empty lines above it
 */
export function findOpenQuote(raw: string, delimiter: string): OpenQuote | undefined {
  let position = 0;
  let linesBefore = 0;
  let column = 0;
  while (position < raw.length) {
    while (raw[position] === ' ' || (raw[position] === '\t' && delimiter !== '\t')) position += 1;
    if (raw[position] === '"') {
      const cell = readQuoted(raw, position + 1, delimiter);
      if (!cell.isClosed) return { linesBefore, column };
      linesBefore += countLineBreaks(raw.slice(position, cell.end));
      position = cell.end;
    }
    while (position < raw.length && raw[position] !== delimiter && !isLineBreak(raw[position])) position += 1;
    if (raw[position] === delimiter) {
      column += 1;
      position += 1;
    } else if (position < raw.length) {
      // Outside a quoted cell, line breaks occur only in the empty lines before a CSV record and at its end.
      linesBefore += 1;
      column = 0;
      position += raw[position] === '\r' && raw[position + 1] === '\n' ? 2 : 1;
    }
  }
  return undefined;
}

/**
 * Finds the end of a quoted cell, from the position after its opening quotation mark, and checks whether the cell is
 * closed correctly. A cell on one line may contain quotation marks that are not doubled.
 */
function readQuoted(raw: string, from: number, delimiter: string): { end: number; isClosed: boolean } {
  let hasStrayQuote = false;
  let hasLineBreak = false;
  for (let position = from; position < raw.length; position++) {
    const character = raw[position];
    if (isLineBreak(character)) hasLineBreak = true;
    if (character === '"') {
      const next = raw[position + 1];
      if (next === '"') position += 1;
      else if (next === undefined || next === delimiter || isLineBreak(next)) {
        return { end: position + 1, isClosed: !(hasStrayQuote && hasLineBreak) };
      } else hasStrayQuote = true;
    }
  }
  return { end: raw.length, isClosed: false };
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}
