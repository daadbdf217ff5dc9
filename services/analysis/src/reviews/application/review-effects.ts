import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { DomainError } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { decideFindings } from '../../records/domain/analysis.js';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { isTolerable, signatureOf, toleranceFrom, withTolerance } from '../../policies/domain/learned-tolerance.js';
import type { NormalisedInvoice, Suspicion } from '@invoicecontrol/engine/facts/invoice';
import { withAcceptedLink } from '@invoicecontrol/engine/facts/links';
import { withAcceptedTaxId } from '@invoicecontrol/engine/supplier/late-tax-ids';
import { isAmountInDoubt, isSignOfOtherParty, isSignOfWrongAmount } from '@invoicecontrol/engine/supplier/suspicion';
import {
  accountOf,
  accountReview,
  confirmedAs,
  lessonOf,
  mayWithdraw,
  suspicionOf,
  taxIdReview,
} from '../domain/review.js';
import type { CurrentReview } from '../domain/review.js';
import { pairKeysOf } from '../../records/domain/finding-disposition.js';
import { withSubjects } from '../../records/domain/stored-subjects.js';
import {
  countInvoice as countInProfile,
  withDoubt,
  withName,
  withNumberPattern,
  withReviewedAccount,
  withReviewedAmount,
  withoutInvoice,
} from '@invoicecontrol/engine/supplier/profile';
import { withdrawn } from '../../records/application/counted-records.js';
import type { BankLinkStore, SupplierRecord, SupplierStore } from '../../records/application/counted-records.js';
import { currentFindings } from '../../records/application/finding-store.js';
import type { FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type { InvoiceRecord, InvoiceStore } from '../../records/application/invoice-store.js';
import { renormalise } from '../../records/application/renormalise.js';
import type { OrganizationPolicy, PolicyStore } from '../../policies/application/policy-store.js';
import type { ReviewStore } from './review-store.js';

/**
 * Maximum number of attempts to store an effect of a finding review, because other writers may change the same
 * supplier, account or policy at the same time.
 */
const TRIES_MAX = 20;
const DAY_MS = 86_400_000;

interface Deps {
  readonly invoices: InvoiceStore;
  readonly findings: FindingStore;
  readonly reviews: ReviewStore;
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly policies: PolicyStore;
  readonly cachedPolicies: Cache<OrganizationPolicy>;
  readonly clock: Clock;
}

export interface ReviewEffects {
  /**
   * Stores all effects of a finding's current disposition. Each affected record (invoice, supplier or account) is read
   * first, and then all current reviews, from which its new state follows. The record is written only if its version
   * has not changed since. Repeated calls, late workers and concurrent reviews therefore lead to the same state in any
   * order.
   */
  apply(finding: WorkedFinding): Promise<void>;
}

export function reviewEffects(deps: Deps): ReviewEffects {
  return {
    async apply(finding) {
      // A finding about a whole history scan or about ERP records affects no decision, supplier or account.
      if (!isAboutInvoice(finding)) return;
      const { organizationId, invoiceId } = finding;
      const invoice = await deps.invoices.find(organizationId, invoiceId);
      if (invoice === undefined) throw new Error(`invoice ${invoiceId} of finding ${finding.findingId} is missing`);
      const review = toCurrentReview(finding, invoice, deps.clock.now());
      await deps.reviews.upsert(organizationId, review);
      await Promise.all([
        recompute(deps, finding),
        correctSupplier(deps, organizationId, review, invoice),
        blockAccount(deps, organizationId, review),
        learnTolerance(deps, organizationId, review),
      ]);
    },
  };
}

type InvoiceFinding = WorkedFinding & { readonly invoiceId: string; readonly supplierId: string };

function isAboutInvoice(finding: WorkedFinding): finding is InvoiceFinding {
  return finding.invoiceId !== undefined && finding.supplierId !== undefined;
}

function toCurrentReview(stored: InvoiceFinding, { match }: InvoiceRecord, now: Date): CurrentReview {
  const { supplierId, invoiceId } = stored;
  const finding = withSubjects(stored, { supplierId, invoiceId, bankKey: match.bankKey });
  const bankKey = accountOf(finding);
  return {
    findingId: finding.findingId,
    sourceVersion: finding.version,
    type: finding.type,
    family: finding.family,
    disposition: finding.disposition,
    evidenceKey: finding.evidence.key,
    pairKeys: pairKeysOf(finding),
    invoiceId,
    supplierId,
    ...(bankKey === undefined ? {} : { bankKey }),
    signature: signatureOf(finding),
    reviewedAt: finding.reviewedAt ?? now,
    ...(finding.reviewedBy === undefined ? {} : { reviewedBy: finding.reviewedBy }),
    ...(finding.blockedSince === undefined ? {} : { blockedSince: finding.blockedSince }),
  };
}

/**
 * Recomputes an invoice's decision from its current findings. The decision is always written, even if it does not
 * change, because the new version makes a slower worker with older findings fail.
 */
async function recompute({ invoices, findings, cachedPolicies, clock }: Deps, finding: InvoiceFinding): Promise<void> {
  const { organizationId, invoiceId, findingId } = finding;
  await retryOnConflict(async () => {
    const record = await invoices.find(organizationId, invoiceId);
    if (record?.analysis === undefined) return;
    const stored = await findings.ofInvoice(organizationId, invoiceId);
    const { policy } = await cachedPolicies.get(organizationId);
    const verdict = decideFindings(currentFindings(record.match, record.analysis, stored), policy);
    const from = record.verdict.decision;
    const to = verdict.decision;
    await invoices.recompute(record, {
      verdict,
      confirmedAs: confirmedAs(stored),
      suspectedAs: suspicionOf(stored),
      change: from === to ? undefined : { at: clock.now(), findingId, from, to },
    });
  });
}

/**
 * Applies a review to the supplier's profile: trust in the bank account, accepted names and numbers, and inclusion of
 * the invoice.
 */
async function correctSupplier(
  { suppliers, findings, reviews }: Deps,
  organizationId: string,
  review: CurrentReview,
  record: InvoiceRecord,
): Promise<void> {
  const { bankKey, supplierId, invoiceId } = review;
  const movesBill = mayWithdraw(review) || isSignOfOtherParty(review);
  const isAboutAmount = isSignOfWrongAmount(review);
  const lesson = lessonOf(review);
  if (!movesBill && !isAboutAmount && lesson === undefined) return;
  const invoice = renormalise(record);
  await guarded('supplier', async () => {
    const supplier = await suppliers.find(organizationId, supplierId);
    if (supplier === undefined) throw new Error(`supplier ${supplierId} has not counted invoice ${invoiceId} yet`);
    const [ofInvoice, ofAccount] = await Promise.all([
      movesBill || isAboutAmount ? findings.ofInvoice(organizationId, invoiceId) : undefined,
      bankKey === undefined ? undefined : reviews.ofAccount(organizationId, bankKey),
    ]);
    // A row that an earlier history scan already imported was counted by that scan, so a review of it changes no
    // profile.
    const isCounted = record.reimportOf === undefined;
    const moved =
      ofInvoice === undefined || !isCounted
        ? supplier
        : withInvoiceIf(
            confirmedAs(ofInvoice) === undefined,
            supplier,
            { ...invoice, acceptedCopy: reviewMark(review) },
            suspicionOf(ofInvoice),
          );
    let { profile } = moved;
    if (ofInvoice !== undefined && isCounted) {
      profile = withReviewedAmount(profile, invoice, isAmountInDoubt(suspicionOf(ofInvoice)));
    }
    if (bankKey !== undefined && ofAccount !== undefined) {
      profile = withReviewedAccount(profile, bankKey, accountReview(ofAccount, supplierId).trust);
    }
    const ofTaxId = taxIdReview(review);
    if (ofTaxId !== undefined && invoice.taxKey !== undefined) {
      profile = withAcceptedTaxId(profile, invoice.taxKey, ofTaxId.isAccepted);
    }
    if (lesson === 'NAME') profile = withName(profile, invoice.nameKey);
    if (lesson === 'NUMBER_PATTERN') profile = withNumberPattern(profile, invoice.number.signature);
    return suppliers.write(organizationId, { ...moved, profile });
  });
}

/** Returns the reviewer and the day of a review of a finding. */
function reviewMark({ reviewedAt, reviewedBy }: CurrentReview): { day: number; reviewer?: string } {
  const day = Math.floor(reviewedAt.getTime() / DAY_MS);
  return { day, ...(reviewedBy === undefined ? {} : { reviewer: reviewedBy }) };
}

/**
 * Adds a reviewed invoice to the profile of its supplier or removes it, and marks the invoice as doubtful or not. A
 * repeated call changes nothing.
 */
function withInvoiceIf(
  isUnconfirmed: boolean,
  supplier: SupplierRecord,
  invoice: NormalisedInvoice,
  suspicion: Suspicion | undefined,
): SupplierRecord {
  const { invoiceId } = invoice;
  const belongs = isUnconfirmed && suspicion !== 'DUPLICATE';
  const isWithdrawn = supplier.withdrawnUnits.includes(invoiceId);
  const suspected = { ...invoice, ...(suspicion === undefined ? {} : { suspectedAs: suspicion }) };
  if (belongs && !isWithdrawn) return { ...supplier, profile: withDoubt(supplier.profile, suspected) };
  if (belongs === !isWithdrawn) return supplier;
  return belongs
    ? {
        ...supplier,
        profile: countInProfile(supplier.profile, suspected),
        withdrawnUnits: supplier.withdrawnUnits.filter((unit) => unit !== invoiceId),
      }
    : {
        ...supplier,
        profile: withoutInvoice(supplier.profile, invoice),
        withdrawnUnits: withdrawn(supplier.withdrawnUnits, invoiceId),
      };
}

/**
 * Blocks a bank account for the whole organization while at least one confirmation of fraud applies (`blockedSince`),
 * and accepts the account for each supplier for which a reviewer accepted it.
 */
async function blockAccount(
  { bankLinks, reviews }: Deps,
  organizationId: string,
  { bankKey, supplierId }: CurrentReview,
): Promise<void> {
  if (bankKey === undefined) return;
  await guarded('account', async () => {
    const known = await bankLinks.find(organizationId, bankKey);
    const { fraud, trust } = accountReview(await reviews.ofAccount(organizationId, bankKey), supplierId);
    const { fraud: _before, ...link } = withAcceptedLink(
      known?.link ?? { bankKey, suppliers: [] },
      supplierId,
      trust === 'REVIEWED',
    );
    return bankLinks.write(organizationId, bankKey, {
      version: known?.version ?? 0,
      countedUnits: known?.countedUnits ?? [],
      link:
        fraud === undefined
          ? link
          : { ...link, fraud: { reviewId: fraud.findingId, confirmedAt: fraud.since.toISOString() } },
    });
  });
}

/** Stores every change to the learned tolerances of an organization as the next version of its detection policy. */
async function learnTolerance(
  { policies, reviews, cachedPolicies, clock }: Deps,
  organizationId: string,
  review: CurrentReview,
): Promise<void> {
  const { policy } = await cachedPolicies.get(organizationId);
  if (!isTolerable(review, policy)) return;
  const { supplierId, type, signature } = review;
  const subject = { supplierId, type, signature };
  const today = clock.now().toISOString().slice(0, 10);
  // The reviews of findings are read again after each write of the policy. A review that is made after the last read
  // stores the tolerance when its own effects are stored.
  await guarded('policy', async () => {
    const current = await policies.current(organizationId);
    const learned = toleranceFrom(subject, await reviews.ofSubject(organizationId, subject));
    const next = withTolerance(current.tolerances, subject, learned, today);
    if (canonicalJson(next) === canonicalJson(current.tolerances)) return true;
    await policies.append(organizationId, current, { tolerances: next });
    cachedPolicies.invalidate(organizationId);
    return false;
  });
}

/**
 * Reads, computes and writes the changes that follow from a review, and repeats these steps until no concurrent write
 * interferes.
 */
async function guarded(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    if (await attempt()) return;
  }
  throw new DomainError('concurrent_change', `Other requests are changing the ${what}; the sweep will retry.`);
}
