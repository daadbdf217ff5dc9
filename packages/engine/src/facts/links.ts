import type { NormalisedInvoice } from './invoice.js';
import { compareSuppliers, compareText } from './record-order.js';
import type { EarningUse } from './supplier.js';

/** Suppliers of the organization that have used an account; one link per account. */
export interface BankLink {
  readonly bankKey: string;
  readonly suppliers: readonly LinkedSupplier[];
  /** Set while fraud on this account is confirmed: blocks every invoice that states it. */
  readonly fraud?: { readonly reviewId: string; readonly confirmedAt: string };
}

export interface LinkedSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly nameKey: string;
  readonly taxKey?: string;
  /** The country that the tax id stated. Absent in links from before the field was stored. */
  readonly taxCountry?: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly count: number;
  /** The invoice that made the link. */
  readonly firstInvoiceId: string;
  /**
   * Bills without a finding about the account or the party; `asked` has the others. Absent without any, and in links from before the field
   * was stored.
   */
  readonly earning?: EarningUse;
  readonly asked?: EarningUse;
  /** Set while a person has accepted the account for the supplier. */
  readonly accepted?: true;
  /** The scan that brought all of its bills; absent once another road brought one. */
  readonly onlyScanId?: string;
}

/** Suppliers that have billed a purchase order; one link per order reference. */
export interface OrderLink {
  readonly poKey: string;
  readonly suppliers: readonly LinkedSupplier[];
  /** Newest bills on the order. */
  readonly uses: readonly OrderUse[];
  /** There were more: what was billed on the order is not known. */
  readonly isCut?: true;
}

export interface OrderUse {
  readonly invoiceId: string;
  /** Each company numbers its own orders. Absent in uses that were counted before the field was stored. */
  readonly companyId?: string;
  readonly supplierId: string;
  readonly day: number;
  /** The invoice number, as `InvoiceNumber.f1`. Absent in uses that were counted before the field was stored. */
  readonly number?: string;
  readonly amountMinor: string;
  /** Net amount. Absent when it is not stated, and in uses from before the field was stored. */
  readonly netMinor?: string;
  readonly currency: string;
}

const LINKED_SUPPLIERS_MAX = 64;
const ORDER_USES_MAX = 64;
const DAY_MS = 86_400_000;
/** At this number, finalized units are dropped, except for the newest. */
const COUNTED_UNITS_FULL = 64;
const FINALIZED_UNITS_KEPT = 32;

/**
 * Suppliers that were tied to the account or order before the invoice's, and are others: another tax id, or another
 * name. By first use. Who came later is their invoice's finding, also when this one is analyzed again.
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

/** Tells whether the supplier was tied to the account or order before. */
export function isTied(link: Linked | null, supplierId: string): boolean {
  return link?.suppliers.some((linked) => linked.supplierId === supplierId) ?? false;
}

/** True on the invoice that links the supplier to the account or order, so that its finding is raised once. */
export function isNewOn(link: Linked | null, supplierId: string, invoice: NormalisedInvoice): boolean {
  const own = link?.suppliers.find((linked) => linked.supplierId === supplierId);
  return own === undefined || own.firstInvoiceId === invoice.invoiceId;
}

type Linked = Pick<BankLink | OrderLink, 'suppliers'>;

/** The account's links after one more invoice of this supplier. */
export function countBankUse(
  link: BankLink | null,
  bankKey: string,
  invoice: NormalisedInvoice,
  supplierId: string,
): BankLink {
  return { ...(link ?? { bankKey }), suppliers: withUse(link?.suppliers ?? [], invoice, supplierId) };
}

/** The order's links after one more invoice of this supplier. */
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
    // Those that are equal stay in the order in which they were counted.
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

/** Tells whether counted units of a profile or link should be dropped before another is counted. */
export function isFull(countedUnits: readonly string[]): boolean {
  return countedUnits.length >= COUNTED_UNITS_FULL;
}

/**
 * The counted units without finalized ones, except for the newest. Unfinalized units are always kept: after a crash they
 * are counted again, which must change nothing.
 */
export function withoutFinalized(countedUnits: readonly string[], unfinalized: ReadonlySet<string>): readonly string[] {
  const newest = countedUnits.length - FINALIZED_UNITS_KEPT;
  return countedUnits.filter((unitId, index) => index >= newest || unfinalized.has(unitId));
}

/** Tells whether a bill earns trust for its account: it has no open finding about the account or the party. */
export function earnsTrust({ suspectedAs }: Pick<NormalisedInvoice, 'suspectedAs'>): boolean {
  return suspectedAs === undefined || suspectedAs === 'AMOUNT';
}

/** Counts one more bill. A sender chooses the date on a bill, not the day on which it is received. */
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

/** Counts a bill among those that earn trust, or among the others. */
function trustAfter(
  { earning, asked }: Pick<LinkedSupplier, 'earning' | 'asked'>,
  invoice: NormalisedInvoice,
): Pick<LinkedSupplier, 'earning' | 'asked'> {
  return earnsTrust(invoice) ? { earning: withEarning(earning, invoice) } : { asked: withEarning(asked, invoice) };
}

/** The account's link with what a person said about it for a supplier. */
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
  // Keeps the earliest links, with which new suppliers are compared.
  return suppliers.length < LINKED_SUPPLIERS_MAX ? [...suppliers, first] : suppliers;
}
