import type { ScanRow as WireRow } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { invalidField } from '@invoicecontrol/errors';
import { sameAccount } from '@invoicecontrol/values/bank-account';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import { SCAN_ROWS_MAX } from '../../domain/scan.js';
import type { ScanRow } from '../../domain/scan.js';

const NAME_LENGTH_MAX = 400;
const TEXT_LENGTH_MAX = 200;

/**
 * The rows of a request. The gateway has told integrators about every fault by then; this refuses the first fault of any
 * other caller, so that nothing malformed is ever stored.
 * @throws DomainError invalid
 */
export function decodeRows(rows: readonly WireRow[]): ScanRow[] {
  if (rows.length < 1 || rows.length > SCAN_ROWS_MAX) {
    throw invalidField('rows', `must have 1 to ${SCAN_ROWS_MAX} rows; these are ${rows.length}.`);
  }
  return rows.map((row, index) => decodeRow(`rows[${index}].`, row));
}

function decodeRow(at: string, row: WireRow): ScanRow {
  const issueDate = date(`${at}issueDate`, row.issueDate);
  const optional = (name: string, value: string | undefined): string | undefined =>
    value === undefined ? undefined : text(`${at}${name}`, value);
  return {
    supplierName: text(`${at}supplierName`, row.supplierName, NAME_LENGTH_MAX),
    supplierTaxId: optional('supplierTaxId', row.supplierTaxId),
    invoiceNumber: text(`${at}invoiceNumber`, row.invoiceNumber),
    issueDate,
    currency: row.currency === undefined ? undefined : currency(`${at}currency`, row.currency, issueDate),
    grossAmount: amount(`${at}grossAmount`, row.grossAmount),
    purchaseOrderRef: optional('purchaseOrderRef', row.purchaseOrderRef),
    ...account(at, {
      bankIban: optional('bankIban', row.bankIban),
      sortCode: optional('bankSortCode', row.bankSortCode),
      accountNumber: optional('bankAccountNumber', row.bankAccountNumber),
    }),
    externalId: optional('externalId', row.externalId),
    sourceRowNumber: row.sourceRowNumber,
  };
}

/** Half of a UK account is ignored, as its parts are "used only together"; a whole one must be the IBAN's. */
function account(
  at: string,
  { bankIban, sortCode, accountNumber }: Record<'bankIban' | 'sortCode' | 'accountNumber', string | undefined>,
): Pick<ScanRow, 'bankIban' | 'ukAccount'> {
  if (sortCode === undefined || accountNumber === undefined) return { bankIban };
  const ukAccount = { sortCode, accountNumber };
  if (bankIban !== undefined && !sameAccount({ iban: bankIban }, ukAccount)) {
    throw invalidField(
      `${at}bankIban`,
      'is another account than bankSortCode with bankAccountNumber; send one of them.',
    );
  }
  return { bankIban, ukAccount };
}

function text(path: string, value: string, lengthMax = TEXT_LENGTH_MAX): string {
  const trimmed = value.trim();
  if (!hasVisibleText(trimmed)) throw invalidField(path, 'must not be empty or invisible.');
  if (isLongerThan(trimmed, lengthMax)) throw invalidField(path, `must have at most ${lengthMax} characters.`);
  return trimmed;
}

function date(path: string, value: string): string {
  if (!isCalendarDate(value)) throw invalidField(path, 'must be a real date written YYYY-MM-DD.');
  return value;
}

function currency(path: string, value: string, issueDate: string): string {
  const read = invoiceCurrency(value, issueDate);
  if ('refusal' in read) throw invalidField(path, read.refusal);
  return read.code;
}

function amount(path: string, value: string): string {
  if (!isDecimalAmount(value)) throw invalidField(path, 'must be a decimal amount such as "1190.00".');
  return value;
}
