import type { BankLink } from '@invoicecontrol/engine/facts/links';
import type { SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { InvoiceSource } from '@invoicecontrol/engine/facts/invoice';
import type { SupplierRecord } from '../../records/application/counted-records.js';

/** Position in a list of suppliers that is sorted by name. */
export interface SupplierPosition {
  readonly nameKey: string;
  readonly id: string;
}

/** A supplier with its accounts, as a page of account changes needs it. */
export interface SupplierWithAccounts {
  readonly supplierId: string;
  readonly name: string;
  readonly profile: Pick<SupplierProfile, 'accounts'>;
}

/** The invoice that first stated a supplier's bank account. */
export interface FirstInvoice {
  readonly companyId: string;
  readonly source: InvoiceSource;
  readonly receivedAt: Date;
}

/** The fields of an invoice in which the contacts of a supplier are searched for. */
export interface InvoiceTexts {
  readonly invoice: CanonicalInvoice;
  readonly documentId: string | undefined;
}

/**
 * First and last day of the period for which changes of supplier accounts are listed, as day numbers. Both days are
 * included.
 */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Reads suppliers with their bank accounts and invoices. */
export interface SupplierRecords {
  /** Lists suppliers by the key of their name, then by id. */
  list(
    organizationId: string,
    query: { readonly nameKeyPrefix: string; readonly after: SupplierPosition | undefined; readonly size: number },
  ): Promise<readonly SupplierRecord[]>;
  /** Returns the number of findings of each supplier that wait for a review. */
  openFindings(organizationId: string, supplierIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the ids of suppliers that may have a bank account that was first seen in the period, in the order of ids.
   */
  withNewAccounts(organizationId: string, days: DayRange, afterId: string, limit: number): Promise<readonly string[]>;
  withAccounts(organizationId: string, supplierIds: readonly string[]): Promise<readonly SupplierWithAccounts[]>;
  firstInvoices(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, FirstInvoice>>;
  invoiceTexts(organizationId: string, invoiceIds: readonly string[]): Promise<readonly InvoiceTexts[]>;
  /** Returns the records that count the invoices of bank accounts, by account key. */
  bankLinks(organizationId: string, accountKeys: readonly string[]): Promise<ReadonlyMap<string, BankLink>>;
}
