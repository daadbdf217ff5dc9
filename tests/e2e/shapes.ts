// Types of the response bodies that the end-to-end tests read, and invoices and rows that the API accepts.
import type { Schemas } from '@invoicecontrol/client';
import { fullInvoice as statedInFull } from '@invoicecontrol/invoice/testing/invoices';

export type Finding = Schemas['Finding'];
export type AcceptedAnalysis = Schemas['AcceptedAnalysis'];
export type LatestAnalysis = Schemas['Analysis'];
export type StoredInvoice = Schemas['StoredInvoice'];
export type Scan = Schemas['Scan'];
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type Company = Schemas['Company'];
export type Member = Schemas['Member'];

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Monday of the week before last, in UTC. This date is never too old, in the future or on a weekend, whenever the tests
 * run.
 */
const issuedAt = (() => {
  const now = new Date();
  return now.getTime() - (((now.getUTCDay() + 6) % 7) + 14) * DAY_MS;
})();
const ISSUE_DATE = new Date(issuedAt).toISOString().slice(0, 10);
const DUE_DATE = new Date(issuedAt + 30 * DAY_MS).toISOString().slice(0, 10);

const { company_id: _, ...everyField } = statedInFull;

/**
 * An invoice with every field of the canonical invoice (specification 2.2) except `company_id`, which depends on the
 * tenant.
 */
export const fullInvoice = {
  ...everyField,
  supplier: {
    name: 'Nordlicht Energie GmbH',
    tax_id: 'DE136695976',
    bank_account: { iban: 'DE89370400440532013000' },
  },
  invoice_number: 'RE-2026-0118',
  issue_date: ISSUE_DATE,
  due_date: DUE_DATE,
  currency: 'EUR',
  net_amount: '1000.00',
  tax_amount: '190.00',
  gross_amount: '1190.00',
  purchase_order_ref: 'PO-4711',
  buyer: { name: 'Musterwerk AG', tax_id: 'DE811907980' },
} as const;

/** Returns an invoice with only the required fields, which differ for each number. */
export function plainInvoice(number: number): Schemas['Invoice'] {
  return {
    supplier: { name: `Supplier ${number}` },
    invoice_number: `N-${number}`,
    issue_date: ISSUE_DATE,
    currency: 'EUR',
    gross_amount: `${number}.50`,
  };
}

/** Returns a history scan row with only the required fields, which differ for each number. */
export function plainRow(number: number): Schemas['ScanRow'] {
  return {
    supplierName: `Supplier ${number}`,
    invoiceNumber: `N-${number}`,
    issueDate: ISSUE_DATE,
    grossAmount: `${number}.50`,
    sourceRowNumber: number,
  };
}

/** A UUID that identifies no stored resource. */
export const UNKNOWN_ID = '0198a000-0000-7000-8000-00000000dead';
