import type { VendorDetails } from '@invoicecontrol/books/records';
import { isBillOf } from '@invoicecontrol/engine/booked-bills';
import { hasTaxId } from '@invoicecontrol/engine/facts/companies';
import type { Company } from '@invoicecontrol/engine/facts/companies';
import type {
  MasterAccount,
  OrderMasterFacts,
  OrderTotals,
  VendorMasterFacts,
} from '@invoicecontrol/engine/facts/erp-facts';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { Candidate, NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { OrderLink, OrderUse } from '@invoicecontrol/engine/facts/links';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { haveSameTaxId, isSameName } from '@invoicecontrol/engine/supplier/identity';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { AccountPeriod } from './vendor-accounts.js';
import type { VendorIdentity } from './vendor-identity.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Maximum number of bank accounts that are compared for the vendors of one supplier. Evidence shows all of them. */
const MASTER_ACCOUNTS_MAX = 64;

/** The vendor list of one ERP connection as it was last read. */
export interface VendorList {
  readonly connectionId: string;
  readonly companyId: string;
  /** Time when the vendor list of the ERP was last imported completely. */
  readonly syncedAt: Date;
}

/** Fields of a known ERP vendor that invoices are compared with. */
export interface MasterVendorRecord extends VendorIdentity {
  readonly id: string;
  readonly externalId: string;
  readonly connectionId: string;
  readonly companyId: string;
  readonly details: Pick<VendorDetails, 'name' | 'status'>;
  /** The current and the former bank accounts of an ERP vendor. */
  readonly accountHistory: readonly AccountPeriod[];
}

/** A purchase order that was imported from an ERP. */
export interface MasterOrderRecord {
  readonly connectionId: string;
  readonly companyId: string;
  readonly vendorId: string;
  readonly poKey: string;
  readonly currency: string;
  readonly netAmount: DecimalAmount | undefined;
  readonly grossAmount: DecimalAmount | undefined;
}

/** The ERP records that concern a set of invoices. */
export interface ErpRecords {
  readonly lists: readonly VendorList[];
  readonly vendors: readonly MasterVendorRecord[];
  readonly orders: readonly MasterOrderRecord[];
  /** Bills in the ERP that name the purchase orders of the invoice. */
  readonly billsOnOrders: readonly Candidate[];
  /**
   * Keys of purchase orders with more bills than are added up. The amount billed against such a purchase order is
   * unknown.
   */
  readonly cutOrders: ReadonlySet<string>;
}

export const NO_ERP_RECORDS: ErpRecords = {
  lists: [],
  vendors: [],
  orders: [],
  billsOnOrders: [],
  cutOrders: new Set(),
};

/** Invoice together with the ERP records that it is compared with. */
interface Compared {
  readonly invoice: NormalisedInvoice;
  readonly supplierId: string;
  readonly companies: readonly Company[];
  /** Earlier invoices for the purchase order that the analyzed invoice names. */
  readonly orderLink: OrderLink | null;
}

/**
 * Returns the company's ERP facts about an invoice. The result is empty if no vendor list of the company is complete.
 */
export type ErpFactsOf = (compared: Compared) => Pick<Facts, 'vendorMaster' | 'ownAccount' | 'orderMaster'>;
type ErpFacts = ReturnType<ErpFactsOf>;

type RecognisesBills = Pick<Policy, 'duplicates'>;

/**
 * Builds an index that provides the ERP facts for each invoice.
 * @param policy decides which bill belongs to an invoice
 */
export function erpFactsIndex(records: ErpRecords, policy: RecognisesBills): ErpFactsOf {
  if (records.lists.length === 0) return () => ({});
  const vendorsByKey = grouped(records.vendors, keysOfVendor);
  const ordersByKey = grouped(records.orders, ({ poKey }) => [poKey]);
  const vendorsById = new Map(records.vendors.map((vendor) => [vendor.id, vendor]));
  const billsByOrder = grouped(records.billsOnOrders, ({ poKey }) => (poKey === undefined ? [] : [poKey]));
  return (compared) => {
    const { invoice } = compared;
    const keys = supplierKeysOf(invoice);
    const sharing = [...new Set(keys.flatMap((key) => vendorsByKey.get(key) ?? []))];
    const lists = records.lists.filter(({ companyId }) => companyId === invoice.companyId);
    const vendors = vendorsOf(
      invoice,
      sharing.filter(({ companyId }) => companyId === invoice.companyId),
    );
    const vendorMaster = vendorMasterOf(invoice, lists, vendors);
    const ownAccount = ownAccountOf(invoice, sharing, compared.companies);
    const orderMaster = orderMasterOf(compared, vendors, {
      orders: ordersByKey.get(invoice.poKey ?? '') ?? [],
      bills: billsByOrder.get(invoice.poKey ?? '') ?? [],
      isCut: compared.orderLink?.isCut === true || records.cutOrders.has(invoice.poKey ?? ''),
      vendorsById,
      policy,
    });
    return {
      ...(vendorMaster === undefined ? {} : { vendorMaster }),
      ...(ownAccount === undefined ? {} : { ownAccount }),
      ...(orderMaster === undefined ? {} : { orderMaster }),
    };
  };
}

/** Checks whether the purchase order of an invoice is in the ERP but has too many invoices to add up. */
export function isOnCutOrder({ orderLink, orderMaster }: Pick<Facts, 'orderLink' | 'orderMaster'>): boolean {
  return orderLink?.isCut === true && orderMaster !== undefined;
}

/** Returns the fields of an ERP vendor by which it is compared with suppliers and companies. */
function partyOf({ nameKey, nameFold, taxKey, taxCountry, taxValid }: VendorIdentity) {
  return {
    nameKey,
    ...(nameFold === undefined ? {} : { nameFold }),
    ...(taxKey === undefined ? {} : { taxKey }),
    ...(taxCountry === undefined ? {} : { taxCountry }),
    ...(taxValid === undefined ? {} : { taxValid }),
  };
}

/**
 * Returns the keys by which an ERP vendor is found: the same keys as for an invoice's supplier, with all current and
 * former bank accounts.
 */
function keysOfVendor({ taxKey, nameKey, nameFold, accountHistory }: MasterVendorRecord): string[] {
  return [
    ...(taxKey === undefined ? [] : [`t:${taxKey}`]),
    ...(nameKey === '' ? [] : [`n:${nameKey}`]),
    ...(nameFold === undefined ? [] : [`n:${nameFold}`]),
    ...accountHistory.map(({ key }) => `b:${key}`),
  ];
}

/**
 * Returns the ERP vendors that match the supplier named on an invoice: by tax id; otherwise by name, if the vendor or
 * the invoice lacks a tax id; otherwise by bank account (detection reference, section 6). Active vendors are preferred.
 */
function vendorsOf(invoice: NormalisedInvoice, sharing: readonly MasterVendorRecord[]): readonly MasterVendorRecord[] {
  const byTaxId = sharing.filter((vendor) => haveSameTaxId(partyOf(vendor), invoice));
  const byName = sharing.filter(
    (vendor) => isSameName(partyOf(vendor), invoice) && (vendor.taxKey === undefined || invoice.taxKey === undefined),
  );
  const byAccount = sharing.filter((vendor) => hasAccount(vendor, invoice.bankKey));
  const known = [byTaxId, byName, byAccount].find((vendors) => vendors.length > 0) ?? [];
  const active = known.filter(({ details }) => details.status === 'ACTIVE');
  return (active.length > 0 ? active : known).toSorted((left, right) => compareText(left.id, right.id));
}

function hasAccount({ accountHistory }: MasterVendorRecord, bankKey: string | undefined): boolean {
  return accountHistory.some(({ key, to }) => key === bankKey && to === undefined);
}

function vendorMasterOf(
  invoice: NormalisedInvoice,
  lists: readonly VendorList[],
  vendors: readonly MasterVendorRecord[],
): VendorMasterFacts | undefined {
  const byAge = lists.toSorted((left, right) => left.syncedAt.getTime() - right.syncedAt.getTime());
  const [oldest] = byAge;
  if (oldest === undefined) return undefined;
  const [vendor] = vendors;
  // If a supplier is in the vendor lists of several ERPs, the time of the oldest vendor list is used.
  const connections = new Set(vendors.map(({ connectionId }) => connectionId));
  const { syncedAt } = byAge.find(({ connectionId }) => connections.has(connectionId)) ?? oldest;
  return {
    syncedAt: syncedAt.toISOString(),
    ageHours: Math.max(0, Math.floor((invoice.receivedAtMs - syncedAt.getTime()) / HOUR_MS)),
    vendor:
      vendor === undefined
        ? null
        : {
            erpVendorId: vendor.externalId,
            name: vendor.details.name,
            isOneTime: false,
            accounts: accountsOf(invoice, vendors).slice(0, MASTER_ACCOUNTS_MAX),
          },
  };
}

/**
 * A row of a history scan describes a past invoice, so it may state any bank account that the ERP vendor had on the day
 * of that invoice.
 */
function accountsOf({ source, issueDay }: NormalisedInvoice, vendors: readonly MasterVendorRecord[]): MasterAccount[] {
  const accounts = vendors
    .flatMap(({ accountHistory }) => accountHistory)
    .filter(({ to }) => to === undefined || (source === 'SCAN' && to.getTime() >= issueDay * DAY_MS));
  return [...new Map(accounts.map(({ key, masked }) => [key, { key, masked }])).values()].sort((left, right) =>
    compareText(left.key, right.key),
  );
}

/**
 * An ERP vendor with the tax id of one of the organization's companies is that company itself, and its bank accounts
 * belong to the organization.
 */
function ownAccountOf(
  { bankKey }: NormalisedInvoice,
  sharing: readonly MasterVendorRecord[],
  companies: readonly Company[],
): ErpFacts['ownAccount'] {
  if (bankKey === undefined) return undefined;
  const own = sharing
    .filter((vendor) => hasAccount(vendor, bankKey))
    .flatMap(({ taxKey, taxCountry }) => {
      if (taxKey === undefined) return [];
      const taxId = { body: taxKey, ...(taxCountry === undefined ? {} : { country: taxCountry }) };
      return companies.find((company) => hasTaxId(company, taxId)) ?? [];
    })
    .sort((left, right) => compareText(left.companyId, right.companyId));
  const [company] = own;
  return company === undefined ? undefined : { companyId: company.companyId, name: company.name };
}

interface OnOrder {
  readonly orders: readonly MasterOrderRecord[];
  readonly bills: readonly Candidate[];
  /**
   * True if the purchase order has more ERP bills than were loaded, or more invoices than the record of the purchase
   * order lists.
   */
  readonly isCut: boolean;
  readonly vendorsById: ReadonlyMap<string, MasterVendorRecord>;
  readonly policy: RecognisesBills;
}

/**
 * Returns the purchase order in the ERP that the invoice names. Each company has its own order numbers. If several
 * orders have the number, none of them is used.
 */
function orderMasterOf(
  compared: Compared,
  vendors: readonly MasterVendorRecord[],
  { orders, bills, isCut, vendorsById, policy }: OnOrder,
): OrderMasterFacts | undefined {
  const { invoice, supplierId } = compared;
  const [order, ...others] = orders.filter(({ companyId }) => companyId === invoice.companyId);
  if (order === undefined || others.length > 0) return undefined;
  const { currency, netAmount, grossAmount } = order;
  const owner = vendorsById.get(order.vendorId);
  const isOwn = vendors.some(({ id }) => id === order.vendorId);
  const billed = isCut ? UNKNOWN_SUMS : billedOn(compared, order, { bills, policy });
  return {
    currency,
    ...totals('net', netAmount, billed.net, currency),
    ...totals('gross', grossAmount, billed.gross, currency),
    isBlanket: false,
    ...(owner === undefined ? {} : { owner: { supplierId: isOwn ? supplierId : owner.id, name: owner.details.name } }),
  };
}

const UNKNOWN_SUMS = { net: undefined, gross: undefined };

function totals<N extends 'net' | 'gross'>(
  name: N,
  ordered: DecimalAmount | undefined,
  billedMinor: bigint | undefined,
  currency: string,
): Partial<Record<N, OrderTotals>> {
  if (ordered === undefined || billedMinor === undefined) return {};
  const billed = minorToDecimal(billedMinor, minorUnitsOf(currency));
  return { [name]: { ordered, billed } } as Partial<Record<N, OrderTotals>>;
}

/**
 * Adds up earlier invoices for a purchase order: stored invoices, and ERP bills that do not belong to any of them. A
 * bill of the current invoice is not counted. The net total is unknown if one invoice does not state its net amount.
 */
function billedOn(
  { invoice, orderLink }: Compared,
  { currency }: MasterOrderRecord,
  { bills, policy }: Pick<OnOrder, 'bills' | 'policy'>,
): { readonly net: bigint | undefined; readonly gross: bigint } {
  const uses = (orderLink?.uses ?? []).filter(
    (use) =>
      use.invoiceId !== invoice.invoiceId &&
      use.currency === currency &&
      (use.companyId === undefined || use.companyId === invoice.companyId),
  );
  const onOrder = bills.filter(
    (bill) =>
      bill.companyId === invoice.companyId &&
      bill.currency === currency &&
      bill.status === 'RECEIVED' &&
      !isBillOf(bill, invoice, policy),
  );
  const all = [...uses, ...withoutBookings(onOrder, uses, policy)];
  const net = all.every(({ netMinor }) => netMinor !== undefined)
    ? all.reduce((sum, { netMinor = '0' }) => sum + BigInt(netMinor), 0n)
    : undefined;
  return { net, gross: all.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n) };
}

/**
 * Returns the ERP bills that do not belong to any of the given invoices. A bill that the ERP record links to an invoice
 * belongs to it if their amounts are equal. To every other invoice belongs at most one bill, with the same amount and
 * number. If the number of the invoice is unknown, the bill must have the same amount and a close date.
 */
function withoutBookings(bills: readonly Candidate[], uses: readonly OrderUse[], policy: RecognisesBills): Candidate[] {
  const open = new Map(uses.map((use) => [use.invoiceId, use]));
  const isNear = (use: OrderUse, bill: Candidate): boolean =>
    Math.abs(use.day - bill.issueDay) <= policy.duplicates.erpBookingDaysMax;
  const linked = bills.filter((bill) => {
    const use = open.get(bill.bookedInvoiceId ?? '');
    return use?.amountMinor === bill.amountMinor && open.delete(use.invoiceId);
  });
  return bills
    .filter((bill) => !linked.includes(bill))
    .toSorted((left, right) => compareText(left.invoiceId, right.invoiceId))
    .filter((bill) => {
      const use = [...open.values()].find(
        ({ number, ...others }) =>
          others.amountMinor === bill.amountMinor &&
          (number === undefined ? isNear(others, bill) : number === bill.number.f1),
      );
      return use === undefined || !open.delete(use.invoiceId);
    });
}

function grouped<T>(
  records: readonly T[],
  keysOf: (record: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    for (const key of keysOf(record)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [record]);
      else group.push(record);
    }
  }
  return groups;
}
