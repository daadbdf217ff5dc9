import { recordFault } from '@invoicecontrol/books/check-record';
import { completeBill } from '@invoicecontrol/books/complete-bill';
import type { CompleteBill } from '@invoicecontrol/books/complete-bill';
import { bill } from '@invoicecontrol/books/records';
import type { BillRecord, BillState } from '@invoicecontrol/books/records';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { KnownSupplier } from '@invoicecontrol/engine/facts/supplier';
import { matchPartOf, storedKeys, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { resolveSupplier } from '@invoicecontrol/engine/supplier/identity';
import type { CanonicalBankAccount, CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { pace } from '@invoicecontrol/runtime/pace';
import { isSameIdentity } from '../domain/vendor-identity.js';
import { recordsImported } from '../../telemetry.js';
import type { SupplierStore } from '../../records/application/counted-records.js';
import type { BillStore, KnownBill, StoredBill, WithdrawnBill } from './bill-store.js';
import { importPage } from './import-page.js';
import type { Arrival, PageCounts } from './import-page.js';
import { openSource } from './import-source.js';
import type { ErpSource, ErpSourceStore, ImportSource } from './import-source.js';
import { contentHashOf, importedIdOf, isUnchanged } from './imported-record.js';
import type { VendorOfBills, VendorStore, VendorSupplier } from './vendor-store.js';

/** Maximum time in milliseconds for which processing a page of ERP records delays other requests. */
const TURN_MS_MAX = 2;

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendors: Pick<VendorStore, 'ofBills' | 'noteSuppliers'>;
  readonly suppliers: Pick<SupplierStore, 'identitiesByKeys'>;
  readonly bills: BillStore;
  /** Detection policy. Its limits for similar names decide to which supplier an ERP bill belongs. */
  readonly policy: Policy;
  readonly clock: Clock;
}

/**
 * Stores a page of ERP bills and credit notes as invoices whose source is the ERP. They have no decision and use no
 * quota. When an invoice is checked later, it is also compared with these bills if they are entered and valid, by the
 * same lookup keys as with other invoices (detection reference, section 4).
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type ImportBills = (of: ImportSource, records: readonly BillRecord[]) => Promise<PageCounts>;

export const importBills =
  (deps: Deps): ImportBills =>
  async (of, records) => {
    const { sources, bills, clock } = deps;
    const now = clock.now();
    const source = await openSource(sources, of, now);
    const { organizationId } = source;
    const counts = await importPage(records, {
      idOf: ({ kind, externalId }) => importedIdOf(source, kind === 'BILL' ? 'bill' : 'credit_note', externalId),
      faultOf: (record) => recordFault(bill, record),
      stored: (ids) => bills.find(organizationId, ids),
      changes: (arrivals) => billsAfter(deps, source, arrivals, now),
      write: (changes) => bills.write(organizationId, changes),
    });
    recordsImported('BILL', source.provider, counts);
    return counts;
  };

/** An ERP bill that has changed and must be stored. */
interface ChangedBill {
  readonly id: string;
  readonly record: CompleteBill;
  readonly stored: KnownBill | undefined;
  readonly contentHash: string;
  readonly vendor: VendorOfBills | undefined;
  readonly invoice: CanonicalInvoice;
  readonly part: MatchPart;
}

async function billsAfter(
  deps: Deps,
  source: ErpSource,
  arrivals: readonly Arrival<BillRecord, KnownBill>[],
  now: Date,
): Promise<readonly (StoredBill | WithdrawnBill)[]> {
  const { organizationId } = source;
  const vendorIds = new Map<string, string>();
  /** The supplier id is derived once for each ERP vendor, because many bills have the same vendor. */
  const vendorIdOf = ({ vendorExternalId }: BillRecord): string => {
    const known = vendorIds.get(vendorExternalId);
    if (known !== undefined) return known;
    const id = importedIdOf(source, 'vendor', vendorExternalId);
    vendorIds.set(vendorExternalId, id);
    return id;
  };
  const vendors = await deps.vendors.ofBills(organizationId, [
    ...new Set(arrivals.map(({ record }) => vendorIdOf(record))),
  ]);
  const turns = pace(TURN_MS_MAX);
  const withdrawn: WithdrawnBill[] = [];
  const changed: ChangedBill[] = [];
  for (const { id, record, stored } of arrivals) {
    await turns();
    const vendor = vendors.get(vendorIdOf(record));
    const bill = completeBill(record);
    if (bill === undefined) {
      // A draft bill of the ERP is not stored until it has all required fields. A stored bill that loses a required
      // field becomes a draft again.
      const withdrawnAs = record.state === 'VOID' ? 'VOID' : 'DRAFT';
      if (stored !== undefined && stored.state !== withdrawnAs) {
        const { connectionId } = source;
        withdrawn.push({ id, version: stored.version + 1, withdrawnAs, connectionId, changedAt: now });
      }
      continue;
    }
    const account = accountOf(vendor, bill);
    const taxId = vendor?.details.isTaxIdMasked === true ? undefined : vendor?.details.taxId;
    const contentHash = contentHashOf(record, taxId, account?.key);
    if (isUnchanged(stored, contentHash, source)) continue;
    const invoice = invoiceOf(bill, taxId);
    const part = matchPart(source, { id, bill, invoice, account: account?.stated, stored }, now);
    changed.push({ id, record: bill, stored, contentHash, vendor, invoice, part });
  }
  const supplierIds = await suppliersOf(deps, organizationId, changed);
  const bills = changed.map(({ id, record, stored, contentHash, invoice, part }): StoredBill => {
    const supplierId = supplierIds.get(id) ?? knownSupplierOf(stored, part) ?? null;
    const { provider, connectionId, remoteCompanyId, companyId } = source;
    return {
      id,
      version: (stored?.version ?? 0) + 1,
      companyId,
      invoice,
      match: { ...part, supplierId, ...notesOf(stored) },
      erp: {
        provider,
        connectionId,
        remoteCompanyId,
        externalId: record.externalId,
        erpNumber: record.erpNumber,
        kind: record.kind,
        state: record.state,
        vendorId: vendorIdOf(record),
        purchaseOrderRefs: record.purchaseOrderRefs,
        paidAmount: record.paidAmount,
        paidAccountExternalId: record.paidAccountExternalId,
        modifiedAt: record.modifiedAt,
        url: record.url,
        contentHash,
        importedAt: stored?.importedAt ?? now,
        foundAtMs: foundAtMsOf(record, stored, now),
        changedAt: now,
        deletedAt: undefined,
      },
    };
  });
  return [...bills, ...withdrawn];
}

/**
 * Converts an ERP bill to an invoice from its supplier. Amounts keep the digits that the ERP sent. The amounts of a
 * credit note are negative.
 */
function invoiceOf(bill: CompleteBill, taxId: string | undefined): CanonicalInvoice {
  const signed = (amount: string): string => (bill.kind === 'CREDIT_NOTE' ? negative(amount) : amount);
  const [orderRef] = bill.purchaseOrderRefs;
  return {
    supplier: { name: bill.vendorName, ...(taxId === undefined ? {} : { tax_id: taxId }) },
    invoice_number: bill.documentNumber,
    issue_date: bill.issueDate,
    ...(bill.dueDate === undefined ? {} : { due_date: bill.dueDate }),
    currency: bill.currency.toUpperCase(),
    ...(bill.netAmount === undefined ? {} : { net_amount: signed(bill.netAmount) }),
    ...(bill.taxAmount === undefined ? {} : { tax_amount: signed(bill.taxAmount) }),
    gross_amount: signed(bill.grossAmount),
    ...(orderRef === undefined ? {} : { purchase_order_ref: orderRef }),
  };
}

function negative(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1);
  return /[1-9]/.test(amount) ? `-${amount}` : amount;
}

/** Returns the bank account of the vendor to which an ERP bill will be paid. */
function accountOf(
  vendor: VendorOfBills | undefined,
  { paidAccountExternalId }: BillRecord,
): { readonly key: string; readonly stated: CanonicalBankAccount } | undefined {
  if (paidAccountExternalId === undefined) return undefined;
  const account = vendor?.accounts.find(({ externalId }) => externalId === paidAccountExternalId);
  if (account?.key === undefined) return undefined;
  const { key, iban, sortCode, accountNumber } = account;
  if (iban !== undefined) return { key, stated: { iban } };
  if (sortCode === undefined || accountNumber === undefined) return undefined;
  return { key, stated: { sort_code: sortCode, account_number: accountNumber } };
}

/**
 * Checks whether an ERP bill takes part in the comparison with other invoices. A bill that is not yet entered, or is
 * canceled, does not.
 */
function isFound(state: BillState): boolean {
  return state !== 'DRAFT' && state !== 'VOID';
}

function foundAtMsOf({ state }: CompleteBill, stored: KnownBill | undefined, now: Date): number | undefined {
  return stored?.foundAtMs ?? (isFound(state) ? now.getTime() : undefined);
}

/** Builds the lookup keys of an ERP bill. Other invoices find the bill by these keys and are then compared with it. */
function matchPart(
  { companyId }: ErpSource,
  {
    id,
    bill,
    invoice: { supplier, ...invoice },
    account,
    stored,
  }: {
    readonly id: string;
    readonly bill: CompleteBill;
    readonly invoice: CanonicalInvoice;
    readonly account: CanonicalBankAccount | undefined;
    readonly stored: KnownBill | undefined;
  },
  now: Date,
): MatchPart {
  const normalised = normaliseInvoice(
    { ...invoice, supplier: account === undefined ? supplier : { ...supplier, bank_account: account } },
    {
      invoiceId: id,
      companyId,
      source: 'ERP',
      // Other invoices cannot find a draft bill yet, so its time of receipt is ignored, and the current time is only a
      // placeholder.
      receivedAtMs: foundAtMsOf(bill, stored, now) ?? now.getTime(),
      externalId: bill.externalId,
    },
  );
  const part = matchPartOf(normalised, isFound(bill.state) ? storedKeys(normalised) : []);
  return bill.state === 'VOID' ? { ...part, status: 'VOID' } : part;
}

/** Returns the supplier of the stored ERP bill if the bill still names the same party. */
function knownSupplierOf(stored: KnownBill | undefined, part: MatchPart): string | null | undefined {
  return stored !== undefined && isSameIdentity(stored.match, part) ? stored.match.supplierId : undefined;
}

/** Returns the values that reviews and other use cases have stored with an ERP bill, and that an import keeps. */
function notesOf(stored: KnownBill | undefined): Partial<MatchPart> {
  if (stored === undefined) return {};
  const { bookedInvoiceId, confirmedAs, suspectedAs } = stored.match;
  return {
    ...(bookedInvoiceId === undefined ? {} : { bookedInvoiceId }),
    ...(confirmedAs === undefined ? {} : { confirmedAs }),
    ...(suspectedAs === undefined ? {} : { suspectedAs }),
  };
}

/**
 * Returns the suppliers of ERP bills: the supplier that is stored with the vendor or, if there is none, the supplier
 * with the same tax id, name or bank account (detection reference, section 6). A supplier that is found in this way is
 * then stored with the vendor. Bills do not create suppliers. A bill whose supplier has sent no invoice yet has no
 * supplier, and is compared by tax id and name.
 */
async function suppliersOf(
  { suppliers, vendors, policy }: Deps,
  organizationId: string,
  bills: readonly ChangedBill[],
): Promise<ReadonlyMap<string, string>> {
  const supplierIds = new Map<string, string>();
  const unknown = bills.filter(({ id, vendor }) => {
    if (vendor?.supplierId !== undefined) supplierIds.set(id, vendor.supplierId);
    return vendor?.supplierId === undefined;
  });
  const keys = [...new Set(unknown.flatMap(({ part }) => supplierKeysOf(part)))];
  const byKey = new Map<string, KnownSupplier[]>();
  for (const supplier of keys.length === 0 ? [] : await suppliers.identitiesByKeys(organizationId, keys)) {
    for (const key of supplier.keys) byKey.set(key, [...(byKey.get(key) ?? []), supplier]);
  }
  const ofVendors = new Map<string, VendorSupplier>();
  for (const { id, part, vendor } of unknown) {
    const known = [...new Set(supplierKeysOf(part).flatMap((key) => byKey.get(key) ?? []))];
    if (known.length === 0) continue;
    const { similarNameMin } = policy.duplicates;
    const { supplierId, reason } = resolveSupplier(organizationId, part, known, { similarNameMin });
    if (reason === 'NEW') continue;
    supplierIds.set(id, supplierId);
    if (vendor !== undefined) ofVendors.set(vendor.id, { ...vendor, supplierId });
  }
  if (ofVendors.size > 0) await vendors.noteSuppliers(organizationId, [...ofVendors.values()]);
  return supplierIds;
}
