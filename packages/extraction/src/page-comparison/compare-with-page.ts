import { areSameTaxId } from '@invoicecontrol/values/tax-id';
import type { FieldConflict, FieldPath, FieldReading } from '../reading.js';
import { findIbans } from '../text/ibans.js';
import type { TextPage } from '../text/layout.js';
import { foldKey } from '../text/normalise.js';
import type { TextReading } from '../text/read-text.js';
import { readCells } from '../text/text-document.js';
import type { TextDocument } from '../text/text-document.js';

/**
 * Fields that programs read from the XML of the document, from the invisible text of a scan, or from a payment code.
 */
type MachineFields = Readonly<Partial<Record<FieldPath, Pick<FieldReading, 'value'>>>>;

/** Content of the document pages that a reader sees. */
export interface VisiblePage {
  readonly pages: readonly TextPage[];
  /** Values that are printed next to labels on the document page. */
  readonly reading: TextReading;
  /** Minimum confidence of values read from the page that are compared with the XML of the invoice. */
  readonly confidenceMin: number;
}

/** Minimum confidence of values read by OCR that are compared with the XML. Other values may be misread. */
export const VISIBLE_CONFIDENCE_OF_OCR_MIN = 0.85;
/**
 * Minimum length of numbers that are searched for on the document page. Shorter numbers occur inside other numbers by
 * chance.
 */
const NUMBER_LENGTH_TO_SEARCH_MIN = 5;

/**
 * Compares the structured part of a document with its visible page (documents reference, section 7). A value of the
 * structured part is a conflict if the page does not show the value in any form and shows another value of the same
 * kind.
 */
export function compareWithPage(
  fields: MachineFields,
  { pages, reading, confidenceMin }: VisiblePage,
  source: FieldConflict['source'],
): FieldConflict[] {
  const document = readCells(pages);
  const conflicts: FieldConflict[] = [];
  const compare = (field: FieldPath, isPrinted: (value: string) => boolean, visible: string | undefined): void => {
    const machineValue = fields[field]?.value;
    if (machineValue === undefined || visible === undefined) return;
    if (machineValue === visible || isPrinted(machineValue)) return;
    conflicts.push({ field, source, machineValue, visibleValue: visible });
  };
  const read = (field: FieldPath): string | undefined => {
    const visible = reading.fields[field];
    return visible === undefined || visible.confidence < confidenceMin ? undefined : visible.value;
  };
  compare('invoice_number', (value) => printsNumber(document, value), read('invoice_number'));
  compare('issue_date', (value) => printsDate(document, value), read('issue_date'));
  compare('gross_amount', (value) => printsAmount(document, value), read('gross_amount'));
  compare('currency', (value) => value === 'XXX' || printsCode(document, value), read('currency'));
  compare(
    'supplier.bank_account.iban',
    (value) =>
      document.cells.some(({ ibans }) => ibans.some((iban) => iban.value === value)) ||
      joined(document).includes(foldKey(value)),
    read('supplier.bank_account.iban') ?? splitIban(document),
  );
  const buyerId = fields['buyer.tax_id']?.value;
  const visibleId = read('supplier.tax_id');
  if (visibleId !== undefined && (buyerId === undefined || !areSameTaxId(visibleId, buyerId))) {
    compare('supplier.tax_id', (value) => printsId(document, value), visibleId);
  }
  return conflicts;
}

function printsNumber(document: TextDocument, value: string): boolean {
  const key = foldKey(value);
  if (key.length >= NUMBER_LENGTH_TO_SEARCH_MIN) return joined(document).includes(key);
  const text = document.cells
    .map((cell) => cell.text)
    .join(' ')
    .toLowerCase();
  return text.split(/[^\p{L}\p{N}/._-]+/u).some((word) => foldKey(word) === key);
}

function printsDate(document: TextDocument, value: string): boolean {
  return document.cells.some(({ dates }) =>
    dates.some((date) => date.value === value || (date.isAmbiguous && swapped(date.value) === value)),
  );
}

function swapped(date: string): string {
  const [year, month, day] = date.split('-');
  return `${year}-${day}-${month}`;
}

function printsAmount(document: TextDocument, value: string): boolean {
  const thousandths = Math.abs(Math.round(Number(value) * 1000));
  if (document.cells.some(({ amounts }) => amounts.some((amount) => Math.abs(amount.thousandths) === thousandths)))
    return true;
  // A printed amount with one separator is ambiguous: 1.234 is more than a thousand, or more than one.
  const digits = value.replace(/^-/, '').replace(/\.0+$/, '').replace(/[^\d]/g, '');
  return document.cells.some(({ text }) =>
    text.split(/[^\d.,' ]/).some((part) => part.replace(/[^\d]/g, '') === digits),
  );
}

function printsCode(document: TextDocument, value: string): boolean {
  return document.cells.some(({ text }) => text.split(/\P{L}+/u).includes(value));
}

function printsId(document: TextDocument, value: string): boolean {
  const body = foldKey(value);
  const withoutCountry = body.replace(/^[a-z]{2}/, '');
  const text = joined(document);
  return text.includes(withoutCountry.length >= 6 ? withoutCountry : body);
}

function joined(document: TextDocument): string {
  return document.cells.map(({ text }) => foldKey(text)).join('');
}

/** Finds an IBAN that is split over two cells of a line on the page. */
function splitIban(document: TextDocument): string | undefined {
  for (const line of document.lines.flat()) {
    const [iban] = findIbans(line.cells.map(({ text }) => text).join(' ')).filter(({ isValid }) => isValid);
    if (iban !== undefined) return iban.value;
  }
  return undefined;
}
