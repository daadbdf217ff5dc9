import type { FieldReading, ReadingFailure } from '../reading.js';
import { refuse } from '../refuse.js';
import { withIndex } from './layout.js';
import type { TextCell, TextPage } from './layout.js';
import { foldKey } from './normalise.js';
import { readText } from './read-text.js';
import type { TextContext } from './read-text.js';

/**
 * Confidence that the number, the date and the total in a part of a document must have if the part is to count as a
 * separate invoice. In a document that only lists invoices, these values have a lower confidence.
 */
const CONFIDENCE_MIN = 0.75;

/** Consecutive pages, or a part of one document page, that state one invoice number. */
interface Statement {
  readonly parts: TextPage[];
  readonly number: string;
}

/**
 * Returns the refusal of a document that states several complete invoices, on its pages or on the halves of its only
 * page. Each of these invoices has its own number, a date and a total. Reading them as one invoice would mix their
 * fields. Returns undefined if the document does not have to be refused.
 * @param pages pages of the document; if a page was read twice, only the first reading is used
 */
export function refuseSeveralInvoices(
  pages: readonly TextPage[],
  context: TextContext,
): { readonly failure: ReadingFailure } | undefined {
  const distinct = pages.filter(({ number }, index) => pages.findIndex((page) => page.number === number) === index);
  const [first, ...others] = distinct;
  if (first === undefined) return undefined;
  const divisions = others.length > 0 ? [distinct] : halvesOf(first);
  for (const parts of divisions) {
    const invoices = invoicesIn(parts, context);
    if (invoices.length > 1) return refuse('SEVERAL_INVOICES', messageFor(invoices));
  }
  return undefined;
}

/** Divides a document page between its columns and between its rows, because one photo may show two receipts. */
function halvesOf(page: TextPage): TextPage[][] {
  const part = (isIn: (cell: TextCell) => boolean): TextPage => {
    const lines = page.lines.map((line) => ({ ...line, cells: line.cells.filter(isIn) }));
    const filled = lines.filter(({ cells }) => cells.length > 0);
    // The positions of text cells are numbered again, because neighbouring cells are found by their positions.
    const placed = filled.map((line, index) => ({
      ...line,
      cells: line.cells.map((cell, column) => ({ ...cell, line: index, index: column })),
    }));
    return { ...page, lines: placed };
  };
  const isLeft = ({ left, right }: { left: number; right: number }): boolean => left + right < page.width;
  const isUpper = ({ top, bottom }: { top: number; bottom: number }): boolean => top + bottom < page.height;
  return [
    [part(isLeft), part((cell) => !isLeft(cell))],
    [part(isUpper), part((cell) => !isUpper(cell))],
  ];
}

function invoicesIn(parts: readonly TextPage[], context: TextContext): Statement[] {
  const statements: Statement[] = [];
  for (const part of parts) {
    const { invoice_number: number, issue_date: date } = read([part], context);
    const last = statements.at(-1);
    // A document page that does not begin another invoice continues the invoice on the page before.
    if (last !== undefined && (!isCertain(number) || !isCertain(date) || areSame(number.value, last.number))) {
      last.parts.push(part);
    } else if (isCertain(number)) statements.push({ parts: [part], number: number.value });
  }
  if (statements.length < 2) return [];
  return statements.filter(({ parts: own }) => {
    const { invoice_number, issue_date, gross_amount } = read(own, context);
    return [invoice_number, issue_date, gross_amount].every(isCertain);
  });
}

function read(parts: readonly TextPage[], context: TextContext): ReturnType<typeof readText>['fields'] {
  return readText(parts.map(withIndex), context).fields;
}

function isCertain(field: FieldReading | undefined): field is FieldReading {
  return field !== undefined && field.confidence >= CONFIDENCE_MIN;
}

function areSame(one: string, other: string): boolean {
  const [key, otherKey] = [foldKey(one), foldKey(other)];
  return key.includes(otherKey) || otherKey.includes(key);
}

function messageFor(invoices: readonly Statement[]): string {
  const places = invoices.map(({ number, parts }) => {
    const [first, last] = [parts[0]?.number, parts.at(-1)?.number];
    return `${number} on ${first === last ? `page ${String(first)}` : `pages ${String(first)} to ${String(last)}`}`;
  });
  return `The file has ${invoices.length} invoices: ${places.join(', ')}. Send each invoice in its own file.`;
}
