import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from '@invoicecontrol/books/records';
import { readPrintedAccount } from '@invoicecontrol/values/printed-account';
import { difference } from '../amounts.js';
import { namesOf, present, required, RowFault } from '../row.js';
import type { Row } from '../row.js';

export const partnerFields = namesOf(`
  id name vat company_registry street street2 city zip state_id country_id email phone active supplier_rank
  commercial_partner_id write_date
`);
export const moveFields = namesOf(`
  id name ref move_type state payment_state partner_id commercial_partner_id partner_bank_id invoice_date
  invoice_date_due currency_id amount_untaxed amount_tax amount_total amount_residual invoice_origin
  reversed_entry_id write_date
`);
export const paymentFields = namesOf(`
  id date amount state partner_id partner_bank_id currency_id payment_reference reconciled_bill_ids write_date
`);
export const orderFields = namesOf('id name partner_id currency_id amount_untaxed amount_total write_date');
/** Fields of bank accounts that are read if the Odoo version has them. Odoo 20 renamed them. */
export const accountFields = namesOf(`
  acc_number account_number acc_holder_name holder_name bank_bic allow_out_payment
`);
export const accountFieldsBeforeJson2 = namesOf('acc_number acc_holder_name bank_bic');

/** A link to another Odoo record, such as `[14, "Azure Interior"]`, or false if there is none. */
export interface Link {
  readonly id: string;
  readonly label: string;
}

/** Returns the URL of a record in the web client of Odoo. */
export type RecordUrl = (model: string, id: string) => string;

export function readVendor(row: Row, countryCodes: ReadonlyMap<string, string>, recordUrl: RecordUrl): VendorRecord {
  const externalId = row.requiredText('id');
  const taxId = row.text('vat');
  const country = linkOf(row, 'country_id');
  return present({
    externalId,
    name: row.requiredText('name'),
    // Users of Odoo enter `/` if a contact has no tax id.
    taxId: taxId === '/' ? undefined : taxId,
    registrationNumber: row.text('company_registry'),
    address: present({
      line1: row.text('street'),
      line2: row.text('street2'),
      city: row.text('city'),
      region: linkOf(row, 'state_id')?.label,
      postalCode: row.text('zip'),
      country: country === undefined ? undefined : (countryCodes.get(country.id) ?? country.label),
    }),
    email: row.text('email'),
    phone: row.text('phone'),
    status: row.boolean('active') === false ? ('ARCHIVED' as const) : ('ACTIVE' as const),
    modifiedAt: instantOf(row, 'write_date'),
    url: recordUrl('res.partner', externalId),
  });
}

/**
 * Reads a vendor bank account from an Odoo row.
 * @param vendorId id of the company to which the contact of the account belongs
 */
export function readVendorAccount(row: Row, vendorId: string): VendorAccountRecord {
  const externalId = row.requiredText('id');
  const raw = row.text('acc_number') ?? row.text('account_number');
  if (raw === undefined) throw new RowFault('acc_number is missing.');
  return {
    externalId,
    vendorExternalId: vendorId,
    account: {
      ...readAccount(externalId, raw),
      ...present({
        holder: row.text('acc_holder_name') ?? row.text('holder_name'),
        bic: row.text('bank_bic'),
        isTrusted: row.boolean('allow_out_payment'),
      }),
    },
  };
}

/** Account numbers of Odoo that are not IBANs are only shown and not compared. */
function readAccount(externalId: string, raw: string): AccountRecord {
  return { externalId, raw, ...readPrintedAccount(raw) };
}

export function readBill(row: Row, recordUrl: RecordUrl): BillRecord {
  const externalId = row.requiredText('id');
  const vendor = linkOf(row, 'commercial_partner_id') ?? required(linkOf(row, 'partner_id'), 'partner_id');
  const name = row.text('name');
  const grossAmount = row.amount('amount_total');
  return {
    ...present({
      externalId,
      kind: row.requiredText('move_type') === 'in_refund' ? ('CREDIT_NOTE' as const) : ('BILL' as const),
      documentNumber: row.text('ref'),
      // A draft bill in Odoo has no number yet, which Odoo shows as `/`.
      erpNumber: name === '/' ? undefined : name,
      vendorExternalId: vendor.id,
      vendorName: vendor.label,
      issueDate: row.day('invoice_date'),
      dueDate: row.day('invoice_date_due'),
      currency: required(linkOf(row, 'currency_id'), 'currency_id').label,
      netAmount: row.amount('amount_untaxed'),
      taxAmount: row.amount('amount_tax'),
      grossAmount,
      state: stateOf(row.requiredText('state'), row.text('payment_state')),
      paidAmount: difference(grossAmount, row.amount('amount_residual')),
      paidAccountExternalId: linkOf(row, 'partner_bank_id')?.id,
      modifiedAt: instantOf(row, 'write_date'),
      url: recordUrl('account.move', externalId),
    }),
    purchaseOrderRefs: (row.text('invoice_origin') ?? '').split(',').flatMap((part) => part.trim() || []),
  };
}

function stateOf(state: string, paymentState: string | undefined): BillRecord['state'] {
  if (state === 'draft') return 'DRAFT';
  if (state === 'cancel') return 'VOID';
  if (state !== 'posted') throw new RowFault('state has a value that is not known.');
  switch (paymentState) {
    case undefined:
    case 'not_paid':
    case 'blocked':
      return 'OPEN';
    case 'partial':
      return 'PARTIALLY_PAID';
    case 'in_payment':
    case 'paid':
    case 'reversed':
    case 'invoicing_legacy':
      return 'PAID';
    default:
      throw new RowFault('payment_state has a value that is not known.');
  }
}

/**
 * Reads a payment to a vendor from an Odoo row.
 * @param vendorId id of the company to which the contact of the payment belongs
 */
export function readPayment(row: Row, vendorId: string): PaymentRecord {
  const account = linkOf(row, 'partner_bank_id');
  return present({
    externalId: row.requiredText('id'),
    vendorExternalId: vendorId,
    date: row.requiredDay('date'),
    currency: required(linkOf(row, 'currency_id'), 'currency_id').label,
    amount: row.requiredAmount('amount'),
    reference: row.text('payment_reference'),
    billExternalIds: idsOf(row, 'reconciled_bill_ids'),
    // The label of a bank account in Odoo consists of the account number and the bank.
    account: account && readAccount(account.id, account.label.split(' - ')[0] ?? account.label),
    isReturned: ['canceled', 'cancel', 'rejected'].includes(row.requiredText('state')),
    modifiedAt: instantOf(row, 'write_date'),
  });
}

/**
 * Reads a purchase order from an Odoo row.
 * @param vendorId id of the company to which the contact of the order belongs
 */
export function readOrder(row: Row, vendorId: string): OrderRecord {
  return present({
    externalId: row.requiredText('id'),
    number: row.requiredText('name'),
    vendorExternalId: vendorId,
    currency: required(linkOf(row, 'currency_id'), 'currency_id').label,
    netAmount: row.amount('amount_untaxed'),
    grossAmount: row.amount('amount_total'),
    modifiedAt: instantOf(row, 'write_date'),
  });
}

export function linkOf(row: Row, name: string): Link | undefined {
  const value = row.list(name);
  if (value === undefined) return undefined;
  const [id, label] = value;
  if (!Number.isSafeInteger(id) || typeof label !== 'string') throw new RowFault(`${name} is not an id with a label.`);
  return { id: String(id), label };
}

function idsOf(row: Row, name: string): readonly string[] {
  return (row.list(name) ?? []).map((id) => {
    if (!Number.isSafeInteger(id)) throw new RowFault(`${name} has an entry that is not an id.`);
    return String(id);
  });
}

/** Times in Odoo, such as `2026-02-01 09:15:22`, are in UTC. */
function instantOf(row: Row, name: string): Date | undefined {
  const text = row.text(name);
  if (text === undefined) return undefined;
  const at = new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : Number.NaN);
  if (Number.isNaN(at.getTime())) throw new RowFault(`${name} is not a date with a time.`);
  return at;
}
