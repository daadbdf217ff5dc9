import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorRecord,
} from '@invoicecontrol/books/records';
import { difference, isZero } from '../amounts.js';
import { present, RowFault } from '../row.js';
import type { Row } from '../row.js';

/** Values that are needed to read rows of QuickBooks but are not in the rows themselves. */
export interface RowContext {
  /** Home currency of the QuickBooks company, which applies to rows that state no currency. */
  readonly homeCurrency: string | undefined;
  /** Numbers of QuickBooks purchase orders by the ids of the orders. */
  readonly orderNumbers: ReadonlyMap<string, string>;
  /** Function that returns the URL of a record in QuickBooks, such as `bill?txnId=25`. */
  readonly pageUrl: (path: string) => string;
}

export function toVendor(row: Row, { pageUrl }: RowContext): VendorRecord {
  const id = row.requiredText('Id');
  const taxId = row.text('BusinessNumber') ?? row.text('GSTIN');
  const shownTaxId = taxId ?? row.text('TaxIdentifier');
  return present({
    externalId: id,
    name: row.text('DisplayName') ?? row.requiredText('CompanyName'),
    taxId: shownTaxId,
    // Intuit masks the tax id of a vendor and shows only its last four characters.
    isTaxIdMasked: shownTaxId === undefined ? undefined : taxId === undefined,
    address: toAddress(row.row('BillAddr')),
    email: row.row('PrimaryEmailAddr')?.text('Address'),
    phone: row.row('PrimaryPhone')?.text('FreeFormNumber'),
    currency: row.row('CurrencyRef')?.text('value'),
    status: row.boolean('Active') === false ? ('ARCHIVED' as const) : ('ACTIVE' as const),
    accounts: toAccounts(row.row('VendorPaymentBankDetail')),
    modifiedAt: modifiedAt(row),
    url: pageUrl(`vendordetail?nameId=${encodeURIComponent(id)}`),
  });
}

export function toBill(row: Row, context: RowContext): BillRecord {
  return toDocument(row, context, {
    kind: 'BILL',
    dueDate: row.day('DueDate'),
    purchaseOrderRefs: orderIdsOf(row).flatMap((order) => context.orderNumbers.get(order) ?? []),
    page: 'bill',
  });
}

/** Reads a vendor credit from a QuickBooks row. Vendor credits have no due date and state no order. */
export function toVendorCredit(row: Row, context: RowContext): BillRecord {
  return toDocument(row, context, {
    kind: 'CREDIT_NOTE',
    dueDate: undefined,
    purchaseOrderRefs: [],
    page: 'vendorcredit',
  });
}

/**
 * Reads a payment from a QuickBooks row. A payment of zero was voided, or settles a bill with a credit only, so that no
 * money was paid.
 */
export function toPayment(row: Row, context: RowContext): PaymentRecord {
  const amount = row.requiredAmount('TotalAmt');
  const bills = row.rows('Line').flatMap((line) =>
    line
      .rows('LinkedTxn')
      .filter((linked) => linked.text('TxnType') === 'Bill')
      .map((linked) => linked.requiredText('TxnId')),
  );
  return present({
    externalId: row.requiredText('Id'),
    vendorExternalId: row.requiredRow('VendorRef').requiredText('value'),
    date: row.requiredDay('TxnDate'),
    currency: currencyOf(row, context),
    amount,
    reference: row.text('DocNumber'),
    billExternalIds: [...new Set(bills)],
    isReturned: isZero(amount),
    modifiedAt: modifiedAt(row),
  });
}

/**
 * Reads a purchase order from a QuickBooks row. Bills refer to orders by number, so an order without a number is left
 * out.
 */
export function toOrder(row: Row, context: RowContext): OrderRecord | undefined {
  const number = row.text('DocNumber');
  if (number === undefined) return undefined;
  const gross = row.amount('TotalAmt');
  return present({
    externalId: row.requiredText('Id'),
    number,
    vendorExternalId: row.requiredRow('VendorRef').requiredText('value'),
    currency: currencyOf(row, context),
    netAmount: difference(gross, taxOf(row)),
    grossAmount: gross,
    modifiedAt: modifiedAt(row),
  });
}

/** Returns the ids of the purchase orders from which a QuickBooks bill or one of its lines was created. */
export function orderIdsOf(row: Row): readonly string[] {
  const linked = [row, ...row.rows('Line')].flatMap((part) => part.rows('LinkedTxn'));
  const orders = linked.filter((each) => each.text('TxnType') === 'PurchaseOrder');
  return [...new Set(orders.flatMap((order) => order.text('TxnId') ?? []))];
}

interface DocumentParts extends Pick<BillRecord, 'kind' | 'purchaseOrderRefs'> {
  readonly dueDate: string | undefined;
  readonly page: string;
}

function toDocument(
  row: Row,
  context: RowContext,
  { kind, dueDate, purchaseOrderRefs, page }: DocumentParts,
): BillRecord {
  const id = row.requiredText('Id');
  const vendor = row.requiredRow('VendorRef');
  const gross = row.requiredAmount('TotalAmt');
  const balance = row.amount('Balance');
  const tax = taxOf(row);
  return present({
    externalId: id,
    kind,
    documentNumber: row.text('DocNumber'),
    erpNumber: id,
    vendorExternalId: vendor.requiredText('value'),
    vendorName: vendor.requiredText('name'),
    issueDate: row.requiredDay('TxnDate'),
    dueDate,
    currency: currencyOf(row, context),
    // QuickBooks bills in the United States have no tax, so neither the net nor the tax amount is known.
    netAmount: difference(gross, tax),
    taxAmount: tax,
    grossAmount: gross,
    purchaseOrderRefs,
    state: stateOf(gross, balance),
    paidAmount: difference(gross, balance),
    modifiedAt: modifiedAt(row),
    url: context.pageUrl(`${page}?txnId=${encodeURIComponent(id)}`),
  });
}

function stateOf(gross: string, balance: string | undefined): BillRecord['state'] {
  if (balance === undefined) return 'OPEN';
  if (isZero(balance)) return 'PAID';
  return isZero(difference(gross, balance)) ? 'OPEN' : 'PARTIALLY_PAID';
}

function taxOf(row: Row): string | undefined {
  return row.row('TxnTaxDetail')?.amount('TotalTax');
}

function currencyOf(row: Row, { homeCurrency }: RowContext): string {
  const currency = row.row('CurrencyRef')?.text('value') ?? homeCurrency;
  if (currency === undefined) throw new RowFault('CurrencyRef is missing, and the company has no home currency.');
  return currency;
}

function modifiedAt(row: Row): Date | undefined {
  return row.row('MetaData')?.instant('LastUpdatedTime');
}

function toAddress(row: Row | undefined): VendorRecord['address'] {
  if (row === undefined) return undefined;
  return present({
    line1: row.text('Line1'),
    line2: row.texts('Line2', 'Line3', 'Line4', 'Line5').join(', ') || undefined,
    city: row.text('City'),
    region: row.text('CountrySubDivisionCode'),
    postalCode: row.text('PostalCode'),
    country: row.text('Country'),
  });
}

/**
 * Reads the bank accounts of a QuickBooks row. Intuit always masks bank accounts, so they are shown but not compared.
 */
function toAccounts(row: Row | undefined): readonly AccountRecord[] {
  if (row?.text('BankAccountNumber') === undefined) return [];
  const raw = row.texts('BankBranchIdentifier', 'BankAccountNumber').join(' ');
  return [present({ raw, holder: row.text('BankAccountName'), isMasked: true })];
}
