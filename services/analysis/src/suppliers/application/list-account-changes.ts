import { invalidField } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { dateOfDayNumber, dayNumber, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { accountsOf } from '../domain/supplier-account.js';
import type { SupplierAccount } from '../domain/supplier-account.js';
import type { Verification } from '../domain/verification.js';
import type { DayRange, FirstInvoice, SupplierRecords, SupplierWithAccounts } from './supplier-records.js';
import type { VerificationStore } from './verification-store.js';

/** Number of suppliers whose accounts are read for one page of account changes. */
const SUPPLIERS_PER_PAGE = 100;

/** A bank account of a supplier, with the invoice that first stated it and the people who verified it. */
export interface AccountChange {
  readonly supplierId: string;
  readonly supplierName: string;
  readonly accountId: string;
  readonly masked: string;
  readonly trust: string;
  /** Day on which the bank account was first seen, in the form YYYY-MM-DD. */
  readonly firstSeen: string;
  readonly firstInvoiceId: string | undefined;
  readonly firstInvoiceNumber: string;
  /**
   * Number of the invoice that first stated a supplier's bank account. Undefined if that invoice is no longer stored.
   */
  readonly firstInvoice: FirstInvoice | undefined;
  readonly isAdditional: boolean;
  /** Verifications of the bank account, oldest first. */
  readonly verifications: readonly Verification[];
}

export interface AccountChangesQuery {
  readonly from: string;
  readonly to: string;
  readonly companyId: string | undefined;
  /** Id of the last supplier on the previous page of account changes. */
  readonly afterId: string;
}

interface Deps {
  readonly records: SupplierRecords;
  readonly verifications: VerificationStore;
  readonly audit: AuditBuffer;
}

/**
 * Lists, supplier by supplier, the bank accounts that were first seen in a period, or whose verification was recorded
 * or confirmed in it. Reading the first page is recorded in the audit trail, because the list shows contacts.
 * @throws DomainError invalid if a day does not exist or the period ends before it begins
 */
export const listAccountChanges =
  ({ records, verifications, audit }: Deps) =>
  async (
    organizationId: string,
    { from, to, companyId, afterId }: AccountChangesQuery,
    context: RequestContext,
  ): Promise<{ readonly items: readonly AccountChange[]; readonly next: string | undefined }> => {
    if (!isCalendarDate(from)) throw invalidField('from', 'must be a date such as 2026-03-01.');
    if (!isCalendarDate(to) || to < from)
      throw invalidField('to', 'must be a date such as 2026-03-31, not before `from`.');
    const days = { from: dayNumber(from), to: dayNumber(to) };
    const period = { from: startOf(days.from), to: startOf(days.to + 1) };
    if (afterId === '') {
      const line = { action: 'account.changes_exported', target: `organization:${organizationId}` };
      audit.record(organizationId, context, { ...line, outcome: 'SUCCEEDED' });
    }
    const pages = await Promise.all([
      records.withNewAccounts(organizationId, days, afterId, SUPPLIERS_PER_PAGE),
      verifications.suppliersVerified(organizationId, period, afterId, SUPPLIERS_PER_PAGE),
    ]);
    const supplierIds = [...new Set(pages.flat())].sort().slice(0, SUPPLIERS_PER_PAGE);
    const next = supplierIds.length === SUPPLIERS_PER_PAGE ? supplierIds.at(-1) : undefined;
    const [suppliers, stored] = await Promise.all([
      records.withAccounts(organizationId, supplierIds),
      verifications.ofSuppliers(organizationId, supplierIds),
    ]);
    const links = await records.bankLinks(
      organizationId,
      suppliers.flatMap(({ profile }) => profile.accounts.map(({ key }) => key)),
    );
    const isIn = (at: Date | undefined): boolean => at !== undefined && at >= period.from && at < period.to;
    const changes = suppliers.flatMap((supplier) =>
      accountsWithVerifications(
        supplier,
        accountsOf(organizationId, supplier.supplierId, supplier.profile, links),
        stored,
      )
        .filter(
          ({ account, verified }) =>
            isDayIn(account.firstSeenDay, days) ||
            verified.some(({ createdAt, confirmation }) => isIn(createdAt) || isIn(confirmation?.at)),
        )
        .map(({ account, verified }) => ({ supplier, account, verified })),
    );
    const firsts = await records.firstInvoices(
      organizationId,
      changes.flatMap(({ account }) => account.firstInvoiceId ?? []),
    );
    const items = changes
      .map(({ supplier, account, verified }) => ({
        supplierId: supplier.supplierId,
        supplierName: supplier.name,
        accountId: account.accountId,
        masked: account.masked,
        trust: account.trust,
        firstSeen: dateOfDayNumber(account.firstSeenDay),
        firstInvoiceId: account.firstInvoiceId,
        firstInvoiceNumber: account.firstInvoiceNumber,
        firstInvoice: account.firstInvoiceId === undefined ? undefined : firsts.get(account.firstInvoiceId),
        isAdditional: account.isAdditional,
        verifications: verified,
      }))
      .filter(({ firstInvoice }) => companyId === undefined || firstInvoice?.companyId === companyId);
    return { items, next };
  };

type ChangedAccount = Pick<
  SupplierAccount,
  'accountId' | 'masked' | 'firstSeenDay' | 'firstInvoiceNumber' | 'firstInvoiceId' | 'isAdditional'
> & { readonly trust: string };

/**
 * Returns the bank accounts of a supplier, including verified accounts that the supplier profile no longer contains.
 */
function accountsWithVerifications(
  { supplierId }: SupplierWithAccounts,
  accounts: readonly SupplierAccount[],
  stored: readonly Verification[],
): { readonly account: ChangedAccount; readonly verified: readonly Verification[] }[] {
  const own = stored.filter((verification) => verification.supplierId === supplierId).toReversed();
  const dropped = own.filter(({ accountId }) => accounts.every((account) => account.accountId !== accountId));
  const former = new Map(
    dropped.map(({ accountId, account }): [string, ChangedAccount] => [
      accountId,
      {
        accountId,
        masked: account.masked,
        firstSeenDay: dayNumber(account.firstSeen),
        firstInvoiceNumber: account.firstInvoiceNumber,
        firstInvoiceId: account.firstInvoiceId,
        isAdditional: true,
        trust: 'UNVERIFIED',
      },
    ]),
  );
  return [...accounts, ...former.values()].map((account) => ({
    account,
    verified: own.filter(({ accountId }) => accountId === account.accountId),
  }));
}

function isDayIn(day: number, { from, to }: DayRange): boolean {
  return day >= from && day <= to;
}

function startOf(day: number): Date {
  return new Date(`${dateOfDayNumber(day)}T00:00:00Z`);
}
