import type { Clock } from '@invoicecontrol/runtime/clock';
import { pairKeysOf } from '../../records/domain/finding-disposition.js';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import { accountOf } from '../../reviews/domain/review.js';
import type { CurrentReview } from '../../reviews/domain/review.js';
import { withSubjects } from '../../records/domain/stored-subjects.js';
import { SYSTEM_ACTOR } from '../../records/application/finding-store.js';
import type { FindingChange, FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type {
  DecidedAnalysis,
  InvoiceReference,
  InvoiceStore,
  StoredFinding,
} from '../../records/application/invoice-store.js';
import type { ReviewStore } from '../../reviews/application/review-store.js';

interface Deps {
  readonly findings: FindingStore;
  readonly invoices: InvoiceStore;
  readonly reviews: ReviewStore;
  readonly clock: Clock;
}

/** The invoice that was analyzed again and whose findings are updated. */
interface AnalyzedAgain extends InvoiceReference {
  readonly bankKey: string | undefined;
}

/**
 * Updates the stored findings of an invoice after a new analysis. A finding that is waiting for a review and is no
 * longer raised becomes SUPERSEDED with a reason. If a superseded finding is raised again, it waits for a review again.
 * Dispositions that people have set are kept, because only a person can unblock a bank account or undo the clearance of
 * a pair of invoices. A finding that blocks a bank account is kept even if its case was reopened.
 */
export async function updateFindings(deps: Deps, invoice: AnalyzedAgain, analysis: DecidedAnalysis): Promise<void> {
  const { findings, clock } = deps;
  const raised = new Map(analysis.findings.map((finding) => [finding.findingId, finding]));
  for (const finding of await findings.ofInvoice(invoice.organizationId, invoice.invoiceId)) {
    if (!isWaiting(finding) && finding.disposition !== 'SUPERSEDED') continue;
    const now = raised.get(finding.findingId);
    const from = finding.disposition;
    const to = dispositionAfter(finding, now);
    const isRaisedOtherwise = now !== undefined && describe(now) !== describe(finding);
    if (from === to && !isRaisedOtherwise) continue;
    const entry: FindingChange =
      from === to
        ? { at: clock.now(), actor: SYSTEM_ACTOR, action: 'RECOMPUTED', note: noteOf(finding, now) }
        : {
            at: clock.now(),
            actor: SYSTEM_ACTOR,
            action: 'REVIEWED',
            from,
            to,
            ...(to === 'SUPERSEDED' || to === 'FALSE_POSITIVE'
              ? { note: await reasonOf(deps, invoice, finding, analysis) }
              : {}),
          };
    // The change of a finding to SUPERSEDED publishes no event, because finding_reviewed is reserved for reviews by
    // people.
    await findings.change(finding, { disposition: to, entry, ...(isRaisedOtherwise ? { raised: now } : {}) }, {});
  }
}

function isWaiting({ disposition }: Pick<WorkedFinding, 'disposition'>): boolean {
  return disposition === 'OPEN' || disposition === 'UNDER_REVIEW';
}

/**
 * A finding that blocks a bank account is never superseded, because nobody could remove the block without the finding.
 */
function dispositionAfter({ disposition, blockedSince }: WorkedFinding, now: StoredFinding | undefined): Disposition {
  if (now !== undefined) return disposition === 'SUPERSEDED' ? now.disposition : disposition;
  return blockedSince === undefined ? 'SUPERSEDED' : disposition;
}

type Raised = Pick<StoredFinding, 'type' | 'severity' | 'confidence' | 'summary'>;

function describe({ type, severity, confidence, summary }: Raised): string {
  return `${type} ${severity} ${confidence} ${summary}`;
}

function noteOf(before: Raised, now: Raised | undefined): string {
  const level = ({ type, severity, confidence }: Raised): string => `${type} ${severity} ${confidence}%`;
  return now === undefined || level(before) === level(now)
    ? 'A later analysis words the finding differently.'
    : `A later analysis raised the finding as ${level(now)}; before, it was ${level(before)}.`;
}

/**
 * Returns the reason why an analysis no longer raises a finding: an earlier review, or a record that a person
 * confirmed.
 */
async function reasonOf(
  { invoices, reviews }: Deps,
  { organizationId, invoiceId, bankKey }: AnalyzedAgain,
  finding: WorkedFinding,
  { number, versions }: DecidedAnalysis,
): Promise<string> {
  const { supplierId = '' } = finding;
  const known = withSubjects(finding, { invoiceId, supplierId, bankKey });
  const account = accountOf(known);
  const [dismissals, ofAccount] = await Promise.all([
    reviews.falsePositives(organizationId, [finding.evidence.key, ...pairKeysOf(known)]),
    account === undefined ? [] : reviews.ofAccount(organizationId, account),
  ]);
  const clearing = ofAccount.filter(
    (review) =>
      review.supplierId === supplierId &&
      review.family === 'BANK' &&
      (review.disposition === 'FALSE_POSITIVE' || review.disposition === 'ACCEPTED_RISK'),
  );
  const review = [...dismissals, ...clearing]
    .filter(({ findingId }) => findingId !== finding.findingId)
    .sort((left, right) => right.reviewedAt.getTime() - left.reviewedAt.getTime())[0];
  if (review !== undefined) {
    const reviewed = await invoices.find(organizationId, review.invoiceId);
    return reviewText(review, reviewed?.match.invoiceNumber ?? review.invoiceId);
  }
  const confirmed = [...(await invoices.notes(organizationId, finding.relatedInvoiceIds))].find(
    ([, { confirmedAs }]) => confirmedAs === 'DUPLICATE' || confirmedAs === 'FRAUD',
  );
  if (confirmed !== undefined) {
    const [otherId, { confirmedAs }] = confirmed;
    const other = await invoices.find(organizationId, otherId);
    const what = confirmedAs === 'FRAUD' ? 'fraud' : 'a duplicate';
    return `Invoice ${other?.match.invoiceNumber ?? otherId}, which this invoice was compared with, was confirmed as ${what}.`;
  }
  return `Analysis ${number} no longer raises the finding (engine ${versions.riskEngine}, policy ${versions.policy}).`;
}

function reviewText(
  { type, disposition, findingId, reviewedAt, reviewedBy }: CurrentReview,
  invoiceNumber: string,
): string {
  const who = reviewedBy === undefined ? '' : ` by user ${reviewedBy}`;
  const day = reviewedAt.toISOString().slice(0, 10);
  return `Follows the review of ${type} on invoice ${invoiceNumber}: ${disposition} on ${day}${who} (finding ${findingId}).`;
}
