import type { NormalisedInvoice } from './invoice.js';
import { compareSuppliers, compareText } from './record-order.js';
import type { EarningUse } from './supplier.js';

/** The organization's suppliers that have used a bank account. Each bank account has one such record, called a link. */
export interface BankLink {
  readonly bankKey: string;
  readonly suppliers: readonly LinkedSupplier[];
  /**
   * Record of a confirmed fraud. Present while fraud on this bank account is confirmed. Every invoice that states the
   * account is then blocked.
   */
  readonly fraud?: { readonly reviewId: string; readonly confirmedAt: string };
}

export interface LinkedSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly nameKey: string;
  readonly taxKey?: string;
  /** Country stated with the tax id. Absent in records that were stored before the field existed. */
  readonly taxCountry?: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly count: number;
  /** Id of the invoice that created the link from a bank account or order to a supplier. */
  readonly firstInvoiceId: string;
  /**
   * Bills that have no finding about the bank account or the supplier. All other bills are in `asked`. Absent if every
   * bill has such a finding, and in records that were stored before the field existed.
   */
  readonly earning?: EarningUse;
  readonly asked?: EarningUse;
  /** Present while a person's acceptance of the bank account for the supplier is in effect. */
  readonly accepted?: true;
  /** The history scan that imported all bills in the link. Absent once a bill in the link came from another source. */
  readonly onlyScanId?: string;
}

/** Suppliers that have billed a purchase order. Each order reference has one such record, called a link. */
export interface OrderLink {
  readonly poKey: string;
  readonly suppliers: readonly LinkedSupplier[];
  /** Newest bills that name the purchase order. */
  readonly uses: readonly OrderUse[];
  /** True if older bills were dropped, so that the billed total of the order is unknown. */
  readonly isCut?: true;
}

export interface OrderUse {
  readonly invoiceId: string;
  /**
   * Company that issued the order number. Each company has its own numbers. Absent for invoices that were counted
   * before the field existed.
   */
  readonly companyId?: string;
  readonly supplierId: string;
  readonly day: number;
  /** Invoice number in the form `InvoiceNumber.f1`. Absent for invoices that were counted before the field existed. */
  readonly number?: string;
  readonly amountMinor: string;
  /**
   * Net amount of the invoice. Absent if the invoice does not state a net amount, and for invoices that were counted
   * before the field existed.
   */
  readonly netMinor?: string;
  readonly currency: string;
}

const LINKED_SUPPLIERS_MAX = 64;
const ORDER_USES_MAX = 64;
const DAY_MS = 86_400_000;
/**
 * Number of counted invoices in a supplier profile, or in the record of a bank account or order (link), at which
 * finalized invoices are removed from the list, except for the newest entries.
 */
const COUNTED_UNITS_FULL = 64;
const FINALIZED_UNITS_KEPT = 32;

/**
 * Lists the suppliers that used the bank account or order before this supplier and differ from it in tax id or name, in
 * order of first use. A supplier that used it later is not listed, even if the invoice is analyzed again: the supplier
 * is reported on its own invoice.
 */
export function othersOn(link: Linked | null, supplierId: string, invoice: NormalisedInvoice): LinkedSupplier[] {
  const tied = link?.suppliers ?? [];
  const own = tied.findIndex((linked) => linked.supplierId === supplierId);
  return tied
    .slice(0, own < 0 ? tied.length : own)
    .filter(
      (linked) =>
        linked.supplierId !== supplierId &&
        (linked.nameKey !== invoice.nameKey ||
          (linked.taxKey !== undefined && invoice.taxKey !== undefined && linked.taxKey !== invoice.taxKey)),
    )
    .sort((left, right) => left.firstDay - right.firstDay || compareSuppliers(left, right));
}

/** Checks whether the supplier was linked to the bank account or order before. */
export function isTied(link: Linked | null, supplierId: string): boolean {
  return link?.suppliers.some((linked) => linked.supplierId === supplierId) ?? false;
}

/**
 * Checks whether this invoice is the first on which the supplier uses the bank account or order, so that a finding
 * about the first use is raised on this invoice only.
 */
export function isNewOn(link: Linked | null, supplierId: string, invoice: NormalisedInvoice): boolean {
  const own = link?.suppliers.find((linked) => linked.supplierId === supplierId);
  return own === undefined || own.firstInvoiceId === invoice.invoiceId;
}

type Linked = Pick<BankLink | OrderLink, 'suppliers'>;

/** Returns the record of a bank account (link) with one more invoice from a supplier. */
export function countBankUse(
  link: BankLink | null,
  bankKey: string,
  invoice: NormalisedInvoice,
  supplierId: string,
): BankLink {
  return { ...(link ?? { bankKey }), suppliers: withUse(link?.suppliers ?? [], invoice, supplierId) };
}

/** Returns the record of a purchase order (link) with one more invoice from a supplier. */
export function countOrderUse(
  link: OrderLink | null,
  poKey: string,
  invoice: NormalisedInvoice,
  supplierId: string,
): OrderLink {
  const use: OrderUse = {
    invoiceId: invoice.invoiceId,
    companyId: invoice.companyId,
    supplierId,
    day: invoice.issueDay,
    number: invoice.number.f1,
    amountMinor: invoice.amountMinor,
    ...(invoice.netMinor === undefined ? {} : { netMinor: invoice.netMinor }),
    currency: invoice.currency,
  };
  const uses = [...(link?.uses ?? []), use].sort(
    // Bills with the same day, amount and currency stay in the order in which they were counted.
    (left, right) =>
      left.day - right.day ||
      compareText(left.amountMinor, right.amountMinor) ||
      compareText(left.currency, right.currency),
  );
  return {
    poKey,
    suppliers: withUse(link?.suppliers ?? [], invoice, supplierId),
    uses: uses.slice(-ORDER_USES_MAX),
    ...(link?.isCut || uses.length > ORDER_USES_MAX ? { isCut: true } : {}),
  };
}

/**
 * Checks whether the list of counted invoices in a supplier profile, or in the record of a bank account or order
 * (link), is full, so that finalized invoices must be removed before another invoice is counted. An invoice is
 * finalized once everything that follows from it, such as its findings, is stored.
 */
export function isFull(countedUnits: readonly string[]): boolean {
  return countedUnits.length >= COUNTED_UNITS_FULL;
}

/**
 * Removes finalized invoices from a list of counted invoices, except for the newest entries. Other invoices stay in the
 * list, because they are counted again after a crash and must then change nothing.
 */
export function withoutFinalized(countedUnits: readonly string[], unfinalized: ReadonlySet<string>): readonly string[] {
  const newest = countedUnits.length - FINALIZED_UNITS_KEPT;
  return countedUnits.filter((unitId, index) => index >= newest || unfinalized.has(unitId));
}

/**
 * Checks whether a bill counts towards the trust in its bank account, because it has no open finding about the account
 * or the supplier.
 */
export function earnsTrust({ suspectedAs }: Pick<NormalisedInvoice, 'suspectedAs'>): boolean {
  return suspectedAs === undefined || suspectedAs === 'AMOUNT';
}

/**
 * Adds a bill to the list of bills on a bank account. The list states the day of receipt, because the sender chooses
 * the date on the bill. For a row of a history scan, it states the issue day.
 */
export function withEarning(
  use: EarningUse | undefined,
  { scanId, issueDay, receivedAtMs }: NormalisedInvoice,
): EarningUse {
  const day = scanId === undefined ? Math.floor(receivedAtMs / DAY_MS) : issueDay;
  return {
    count: (use?.count ?? 0) + 1,
    firstDay: Math.min(use?.firstDay ?? day, day),
    lastDay: Math.max(use?.lastDay ?? day, day),
  };
}

/**
 * Adds a bill on a bank account to one of two lists: the bills that count towards trust in the account, or all other
 * bills.
 */
function trustAfter(
  { earning, asked }: Pick<LinkedSupplier, 'earning' | 'asked'>,
  invoice: NormalisedInvoice,
): Pick<LinkedSupplier, 'earning' | 'asked'> {
  return earnsTrust(invoice) ? { earning: withEarning(earning, invoice) } : { asked: withEarning(asked, invoice) };
}

/**
 * Returns the record of a bank account (link) after a person accepted the account for a supplier, or withdrew the
 * acceptance.
 */
export function withAcceptedLink(link: BankLink, supplierId: string, isAccepted: boolean): BankLink {
  const suppliers = link.suppliers.map((linked) => {
    if (linked.supplierId !== supplierId || isAccepted === (linked.accepted === true)) return linked;
    const { accepted: _before, ...rest } = linked;
    return isAccepted ? { ...rest, accepted: true as const } : rest;
  });
  return { ...link, suppliers };
}

function withUse(
  suppliers: readonly LinkedSupplier[],
  invoice: NormalisedInvoice,
  supplierId: string,
): readonly LinkedSupplier[] {
  const known = suppliers.find((supplier) => supplier.supplierId === supplierId);
  if (known !== undefined) {
    const { onlyScanId, ...rest } = known;
    const used = {
      ...rest,
      ...trustAfter(known, invoice),
      ...(onlyScanId !== undefined && onlyScanId === invoice.scanId ? { onlyScanId } : {}),
      firstDay: Math.min(known.firstDay, invoice.issueDay),
      lastDay: Math.max(known.lastDay, invoice.issueDay),
      count: known.count + 1,
    };
    return suppliers.map((supplier) => (supplier === known ? used : supplier));
  }
  const first: LinkedSupplier = {
    supplierId,
    name: invoice.supplierName,
    nameKey: invoice.nameKey,
    ...(invoice.taxKey === undefined ? {} : { taxKey: invoice.taxKey }),
    ...(invoice.taxCountry === undefined || invoice.taxCountryPresumed === true
      ? {}
      : { taxCountry: invoice.taxCountry }),
    firstDay: invoice.issueDay,
    lastDay: invoice.issueDay,
    count: 1,
    firstInvoiceId: invoice.invoiceId,
    ...trustAfter({}, invoice),
    ...(invoice.scanId === undefined ? {} : { onlyScanId: invoice.scanId }),
  };
  // If a bank account has too many suppliers, the earliest suppliers are kept, because new suppliers are compared with
  // them.
  return suppliers.length < LINKED_SUPPLIERS_MAX ? [...suppliers, first] : suppliers;
}
