// Creates history scan files with old invoices, as an ERP exports them. The same file number always gives the same
// file. The invoices belong to the customer that invoices.ts simulates, and to 300 of its suppliers. The rows are in
// the order of their dates, and a few percent are duplicates.
import {
  dateOf,
  dayNumber,
  decimal,
  invoiceAt,
  lastTwoYears,
  randomOf,
  supplierAt,
  usualNetCents,
} from './invoices.js';

/** A row of POST /v1/scans (specification 2.9). */
export interface BenchRow {
  readonly supplierName: string;
  readonly supplierTaxId?: string;
  readonly invoiceNumber: string;
  readonly issueDate: string;
  readonly currency: string;
  readonly grossAmount: string;
  readonly purchaseOrderRef?: string;
  readonly bankIban?: string;
  readonly externalId: string;
  readonly sourceRowNumber: number;
}

/** A row of a history scan file, reduced to the values that are printed on the invoice. */
type Printed = Omit<BenchRow, 'externalId' | 'sourceRowNumber'>;

const SUPPLIERS = 300;
const DUPLICATE_SHARE = 0.03;
const EXACT_SHARE = 0.7;
const IN_CAPITALS_SHARE = 0.1;
const ORDER_SHARE = 0.3;
/**
 * Seeds of the random values in history scan files. They differ from the seeds of posted invoices, and each file has
 * enough seeds for all its rows, so that no values repeat.
 */
const FIRST_SEED = 500_000_000;
const SEEDS_OF_FILE = 100_000;
/**
 * First invoice number in the history scan files. It is greater than the invoice numbers of any history and has as many
 * digits.
 */
const FIRST_NUMBER = 1_000_000;
const NUMBERS_OF_FILE = 10_000;
/** The first row is in line 2 of a history scan file, because the first line has the names of the columns. */
const FIRST_ROW_NUMBER = 2;

/**
 * Returns the rows of a history scan file.
 * @param file number of the file; files with different numbers have no common row
 * @param storedCount number of invoices in the history of the organization (`seedHistory`). Half of the duplicates in
 * the file copy such an invoice.
 */
export function scanRows(file: number, rowCount: number, storedCount: number): BenchRow[] {
  const printed: Printed[] = [];
  for (let index = 0; index < rowCount; index++) {
    const random = randomOf(FIRST_SEED + file * SEEDS_OF_FILE + index);
    const isDuplicate = random() < DUPLICATE_SHARE && index > 0;
    printed.push(
      isDuplicate ? duplicate(random, printed, storedCount) : original(random, file, index / rowCount, index),
    );
  }
  return printed.map((row, index) => ({
    ...row,
    externalId: `erp-${file}-${index}`,
    sourceRowNumber: FIRST_ROW_NUMBER + index,
  }));
}

/**
 * Returns a generated row for a history scan file. The row is no duplicate of another row.
 * @param time from 0, the first day, to 1, the last day
 */
function original(random: () => number, file: number, time: number, index: number): Printed {
  const supplier = Math.floor(SUPPLIERS * random() ** 2);
  const netCents = Math.floor(usualNetCents(supplier) * (0.7 + 0.6 * random()));
  const from = dayNumber(lastTwoYears.from);
  const issueDate = dateOf(from + Math.floor(time * (dayNumber(lastTwoYears.to) - from)));
  const { name, tax_id: taxId, bank_account: account } = supplierAt(supplier);
  return {
    supplierName: random() < IN_CAPITALS_SHARE ? name.toUpperCase() : name,
    // Some suppliers in the exported file have a tax id and a bank account, some have only one of the two, and some
    // have neither.
    ...(supplier % 10 < 7 ? { supplierTaxId: taxId } : {}),
    // The invoice numbers in a history scan file are as long as in the history. Otherwise every supplier would seem to
    // have changed the form of its numbers.
    invoiceNumber: `RE-${issueDate.slice(0, 4)}-${FIRST_NUMBER + file * NUMBERS_OF_FILE + index}`,
    issueDate,
    currency: 'EUR',
    grossAmount: decimal(netCents + Math.round(netCents * 0.19)),
    ...(random() < ORDER_SHARE ? { purchaseOrderRef: `PO-${4_500_000 + Math.floor(random() * 400_000)}` } : {}),
    ...(supplier % 5 < 3 ? { bankIban: account.iban } : {}),
  };
}

function duplicate(random: () => number, before: readonly Printed[], storedCount: number): Printed {
  const ofHistory = storedCount > 0 && random() < 0.5;
  const again = ofHistory
    ? posted(Math.floor(random() * storedCount), storedCount)
    : before[Math.floor(random() * before.length)];
  if (again === undefined) throw new Error('A duplicate needs a row before it.');
  return random() < EXACT_SHARE ? again : { ...again, invoiceNumber: `${again.invoiceNumber}A` };
}

/** Returns an invoice of the generated history in the form in which an ERP stores it. */
function posted(index: number, storedCount: number): Printed {
  const { supplier, invoice_number, issue_date, currency, gross_amount } = invoiceAt(index, storedCount);
  return {
    supplierName: supplier.name,
    supplierTaxId: supplier.tax_id,
    invoiceNumber: invoice_number,
    issueDate: issue_date,
    currency,
    grossAmount: gross_amount,
    bankIban: supplier.bank_account.iban,
  };
}
