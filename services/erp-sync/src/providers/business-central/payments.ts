import type { PaymentRecord } from '../../domain/records.js';
import { present, readRows, RowFault } from '../row.js';
import type { Row } from '../row.js';
import type { BusinessCentralClient } from './client.js';
import { dayOf, decodeOption } from './records.js';

/** Numbers of vendors that one filter names. */
const NUMBERS_MAX = 50;

export const paymentFields = [
  'entryNumber',
  'documentType',
  'documentNumber',
  'externalDocumentNumber',
  'postingDate',
  'vendorNumber',
  'amount',
  'currencyCode',
  'lastModifiedDateTime',
];

/** Payments name their vendor by number, and no currency where it is the company's. */
export interface PaymentContext {
  readonly vendorIds: ReadonlyMap<string, string>;
  readonly localCurrency: string | undefined;
}

/** Loads what the rows of a page need: nothing where there are none. */
export async function loadPaymentContext(
  client: BusinessCentralClient,
  rows: readonly unknown[],
): Promise<PaymentContext> {
  const numbers = [...new Set(rows.flatMap((row) => vendorNumberOf(row)))];
  const vendorIds = new Map<string, string>();
  for (let at = 0; at < numbers.length; at += NUMBERS_MAX) {
    const filter = numbers
      .slice(at, at + NUMBERS_MAX)
      .map((number) => `number eq '${number.replaceAll("'", "''")}'`)
      .join(' or ');
    const url = `${client.companyUrl}/vendors?$select=id,number&$filter=${encodeURIComponent(filter)}`;
    const { rows: vendors } = await client.readPage({ url, name: 'vendors' }, NUMBERS_MAX);
    const { records } = readRows(vendors, 'id', (row) => [row.requiredText('number'), row.requiredText('id')] as const);
    for (const [number, id] of records) vendorIds.set(number, id.toLowerCase());
  }
  return { vendorIds, localCurrency: numbers.length === 0 ? undefined : await readLocalCurrency(client) };
}

export async function readLocalCurrency(client: BusinessCentralClient): Promise<string | undefined> {
  const { rows } = await client.readPage(
    { url: `${client.companyUrl}/companyInformation?$select=currencyCode`, name: 'companyInformation' },
    1,
  );
  return readRows(rows, 'id', (row) => row.text('currencyCode')).records[0];
}

function vendorNumberOf(row: unknown): readonly string[] {
  const number = (row as { readonly vendorNumber?: unknown } | null)?.vendorNumber;
  return typeof number === 'string' && number !== '' ? [number] : [];
}

export function readPayment(row: Row, { vendorIds, localCurrency }: PaymentContext): PaymentRecord | undefined {
  if (decodeOption(row.text('documentType')) !== 'Payment') return undefined;
  const vendorExternalId = vendorIds.get(row.requiredText('vendorNumber'));
  if (vendorExternalId === undefined) throw new RowFault('vendorNumber is the number of no vendor.');
  const amount = row.requiredAmount('amount');
  const currency = row.text('currencyCode') ?? localCurrency;
  const date = dayOf(row, 'postingDate');
  if (currency === undefined || date === undefined) throw new RowFault('currencyCode or postingDate is missing.');
  return present({
    externalId: row.requiredText('entryNumber'),
    vendorExternalId,
    date,
    currency,
    // A reversed payment is an entry with the other sign.
    amount: amount.replace(/^-/, ''),
    reference: row.text('externalDocumentNumber'),
    billExternalIds: [],
    isReturned: amount.startsWith('-'),
    modifiedAt: row.instant('lastModifiedDateTime'),
  });
}
