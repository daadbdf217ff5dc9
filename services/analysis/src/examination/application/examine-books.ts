import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import pLimit from 'p-limit';
import type { Books } from '@invoicecontrol/engine/facts/books';
import { runEngineOnBooks } from '@invoicecontrol/engine/run-engine';
import { ruleForScan } from '../../reviews/domain/routing.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { booksFindingRaised } from '../../telemetry.js';
import { raisedAnnouncements } from '../../records/application/announcements.js';
import { findingIdFor } from '../../records/application/derived-ids.js';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';
import type { BooksStore } from './books-store.js';
import type { Examination, ExaminedPage, RaiseInBooks } from './examination.js';
import { examineBills } from './examine-bills.js';
import { examinePayments } from './examine-payments.js';
import { examineVendorAccounts, examineVendors } from './examine-vendors.js';
import { examinationParts } from '../../books/application/import-source.js';
import type {
  ErpSource,
  ExaminationPart,
  ExaminationProgress,
  ExaminedBooks,
  OpenExamination,
} from '../../books/application/import-source.js';
import { confirmedBefore } from './reviewed-accounts.js';
import type { ReviewedAccounts } from './reviewed-accounts.js';

/**
 * Maximum delay between the change time that an ERP record states and the moment at which a late write stores the
 * record.
 */
const LATE_WRITE_MS = 10 * 60_000;
/**
 * Number of ERP records that one call examines. Further records that changed at the same time as the last record are
 * examined too.
 */
export const EXAMINED_RECORDS_MAX = 5_000;
/** Maximum number of findings about ERP records that are stored at the same time. */
const STORED_AT_ONCE_MAX = 8;

interface Deps {
  readonly books: BooksStore;
  readonly findings: Pick<FindingStore, 'insertWithoutInvoice' | 'find'>;
  readonly reviewed: ReviewedAccounts;
  readonly policies: Cache<OrganizationPolicy>;
  readonly routingRules: Cache<readonly RoutingRule[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Examines the ERP records that import runs have changed since the last examination, together with the records they are
 * compared with, and raises findings that need no invoice (detection reference, section 7.6). Each finding is committed
 * separately under an id that is derived from the organization and its evidence, so that a repeated examination raises
 * no finding twice. Bills that book an invoice are linked to it.
 *
 * One call examines a limited number of records and stores its progress after each page, so that after an interruption
 * only that page is examined again.
 * @param saveProgress stores the progress of the examination
 */
export const examineBooks =
  ({ books, findings, reviewed, policies, routingRules, clock, logger }: Deps) =>
  async (
    source: ErpSource,
    begun: OpenExamination,
    saveProgress: (progress: ExaminationProgress) => Promise<void>,
  ): Promise<ExaminedBooks> => {
    const { organizationId, companyId, completedThrough } = source;
    const [{ policy }, rules] = await Promise.all([policies.get(organizationId), routingRules.get(organizationId)]);
    const inTurn = pLimit(STORED_AT_ONCE_MAX);
    let created = 0;
    const raise: RaiseInBooks = async (parts) => {
      const raised = parts.flatMap((part) => runEngineOnBooks({ ...nothing, companyId, ...part }, policy));
      const distinct = [...new Map(raised.toReversed().map((finding) => [finding.evidence.key, finding])).values()];
      await Promise.all(
        distinct.map((finding) =>
          inTurn(async () => {
            const rule = ruleForScan(rules, finding, companyId);
            const stored = {
              ...finding,
              disposition: 'OPEN' as const,
              findingId: findingIdFor(organizationId, finding.evidence.key),
              companyId,
              createdAt: clock.now(),
              ...(rule === undefined ? {} : { assignment: { ruleId: rule.ruleId, assigneeUserId: rule.assignTo } }),
            };
            const events = raisedAnnouncements(stored, { companyId, invoiceId: undefined, scanId: undefined });
            if (!(await findings.insertWithoutInvoice(organizationId, stored, events))) return;
            created++;
            booksFindingRaised(finding.type, finding.severity);
          }),
        ),
      );
    };
    const shared = { source, policy, books, raise, reviewed, confirmedBefore: confirmedBefore({ findings }), logger };
    // ERP records that were changed shortly before the end of the last examination are examined again, because they may
    // have been stored late. They do not raise the same finding twice.
    const after = completedThrough && new Date(completedThrough.getTime() - LATE_WRITE_MS);
    let examinedCount = 0;
    for (const part of examinationParts.slice(examinationParts.indexOf(begun.part))) {
      const from = part === begun.part ? begun.from : undefined;
      if (part !== begun.part) await saveProgress({ part, from });
      const window = { after, from, until: begun.until };
      const pages = examine[part]({ ...shared, window });
      for await (const { recordsCount, continueFrom } of pages) {
        examinedCount += recordsCount;
        if (continueFrom === undefined) continue;
        await saveProgress({ part, from: continueFrom });
        if (examinedCount >= EXAMINED_RECORDS_MAX) return { created, hasMore: true };
      }
    }
    return { created, hasMore: false };
  };

const examine: Readonly<Record<ExaminationPart, (examination: Examination) => AsyncIterable<ExaminedPage>>> = {
  VENDORS: examineVendors,
  VENDOR_ACCOUNTS: examineVendorAccounts,
  BILLS: examineBills,
  PAYMENTS: examinePayments,
};

const nothing: Omit<Books, 'companyId'> = {
  vendors: [],
  vendorCount: 0,
  accountChanges: [],
  bills: [],
  payments: [],
  credits: [],
  duplicatePairs: new Set(),
  creditedPairs: new Map(),
};
