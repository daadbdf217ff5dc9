import { events } from '@invoicecontrol/contracts/events';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { personOf } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { carriesContact } from '@invoicecontrol/values/contact';
import { v7 as uuidv7 } from 'uuid';
import { confirmVerification, readVerification } from '../domain/verification.js';
import type { Verification, VerificationInput } from '../domain/verification.js';
import type { SupplierOverview, SupplierReader } from './read-suppliers.js';
import type { SupplierRecords } from './supplier-records.js';
import type { VerificationStore } from './verification-store.js';

/** Maximum number of documents in which a supplier's contact is looked for at the same time. */
const DOCUMENTS_AT_ONCE_MAX = 4;

/** Searches the texts of stored documents for the contact of a supplier. */
export interface ContactSearch {
  /**
   * Checks whether a stored document states the contact of a supplier. A document that is removed or cannot be opened
   * states no contact.
   * @throws DomainError unavailable, deadline
   */
  isCarried(organizationId: string, documentId: string, contact: string, context: RequestContext): Promise<boolean>;
}

interface Deps {
  readonly reader: Pick<SupplierReader, 'get'>;
  readonly records: Pick<SupplierRecords, 'invoiceTexts'>;
  readonly verifications: VerificationStore;
  readonly contacts: ContactSearch;
  readonly clock: Clock;
}

interface AccountReference {
  readonly organizationId: string;
  readonly supplierId: string;
  readonly accountId: string;
}

/**
 * Records that a person verified a supplier's bank account. The service sets the time, and the API key determines the
 * person. The verification changes no decision about an invoice.
 * @throws DomainError not_found; invalid, also if an invoice or document of the supplier states the contact that was
 *   used for the verification
 */
export const verifyAccount =
  ({ reader, records, verifications, contacts, clock }: Deps) =>
  async (
    { organizationId, supplierId, accountId }: AccountReference,
    stated: Readonly<Record<keyof VerificationInput, string>>,
    context: RequestContext,
  ): Promise<Verification> => {
    const overview = await reader.get(organizationId, supplierId);
    const account = overview.accounts.find((one) => one.accountId === accountId);
    if (account === undefined) throw notFound('account');
    const input = readVerification(stated);
    const invoices = await records.invoiceTexts(organizationId, invoiceIdsOf(overview));
    const isStated = invoices.some(({ invoice }) => carriesContact(textsIn(invoice), input.contact));
    const documentIds = [...new Set(invoices.flatMap(({ documentId }) => documentId ?? []))];
    if (isStated || (await isInDocuments(documentIds))) {
      throw invalidField(
        'contact',
        'A contact that was taken from the invoice itself does not prove that the bank account belongs to the supplier. Use a phone number or address from the vendor master, a contract or a public register.',
      );
    }
    const verification: Verification = {
      verificationId: uuidv7(),
      organizationId,
      version: 1,
      supplierId,
      accountId,
      account: {
        masked: account.masked,
        firstSeen: dateOfDayNumber(account.firstSeenDay),
        firstInvoiceNumber: account.firstInvoiceNumber,
        firstInvoiceId: account.firstInvoiceId,
      },
      ...input,
      verifiedBy: personOf(context),
      createdAt: clock.now(),
      confirmation: undefined,
    };
    await verifications.insert(verification, [audited('account.verified', verification, context)]);
    return verification;

    async function isInDocuments(waiting: string[]): Promise<boolean> {
      let isCarried = false;
      const work = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined && !isCarried; id = waiting.shift()) {
          if (await contacts.isCarried(organizationId, id, input.contact, context)) isCarried = true;
        }
      };
      await Promise.all(Array.from({ length: DOCUMENTS_AT_ONCE_MAX }, work));
      return isCarried;
    }
  };

/**
 * Records that a second person confirms the verification of a bank account.
 * @throws DomainError not_found; wrong_state for the person who recorded the verification, or if a third person has
 * already confirmed it
 */
export const confirmAccount =
  ({ verifications, clock }: Pick<Deps, 'verifications' | 'clock'>) =>
  (
    { organizationId, supplierId, accountId }: AccountReference,
    verificationId: string,
    context: RequestContext,
  ): Promise<Verification> =>
    retryOnConflict(async () => {
      const before = await verifications.find(organizationId, verificationId);
      if (before?.supplierId !== supplierId || before.accountId !== accountId) throw notFound('verification');
      const after = confirmVerification(before, { by: personOf(context), at: clock.now() });
      if (after === before) return before;
      return verifications.save(after, [audited('account.verification_confirmed', before, context)]);
    });

function audited(action: string, { accountId }: Verification, context: RequestContext) {
  return auditAnnouncement(events.analysisAuditRecorded, context, {
    action,
    target: `account:${accountId}`,
    outcome: 'SUCCEEDED',
  });
}

/**
 * Returns the first invoice that stated each account of a supplier, and the newest invoices of the supplier: at most 32
 * invoices.
 */
function invoiceIdsOf({ supplier, accounts }: SupplierOverview): readonly string[] {
  const recent = supplier.profile.recentBills?.map(({ invoiceId }) => invoiceId) ?? [];
  return [...new Set([...accounts.flatMap(({ firstInvoiceId }) => firstInvoiceId ?? []), ...recent])];
}

/** Returns all texts that an invoice contains. The contact of a supplier is searched for in these texts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Checks whether a document can never be searched for a supplier's contact, so that a retry is pointless. */
export function isUnsearchable(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'unprocessable');
}
