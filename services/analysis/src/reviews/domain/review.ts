import { DomainError, invalidField } from '@invoicecontrol/errors';
import { faultOfNote, normaliseNote } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import { listed } from '@invoicecontrol/engine/explanation/phrases';
import { isHardBlock } from '@invoicecontrol/engine/scoring/decision';
import type { ScoredFinding } from '@invoicecontrol/engine/scoring/score';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { Confirmation, Suspicion } from '@invoicecontrol/engine/facts/invoice';
import { isSignOfDuplicate, isSignOfFraud, suspectedAs } from '@invoicecontrol/engine/supplier/suspicion';
import type { AnalysisFinding } from '../../records/domain/analysis.js';
import { dispositions, isCounting, pairKeysOf } from '../../records/domain/finding-disposition.js';
import type { Disposition, ReviewFact } from '../../records/domain/finding-disposition.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/**
 * Dispositions of a finding that a reviewer may set, depending on the current disposition (detection reference, section
 * 10).
 */
const transitions: Readonly<Record<Disposition, readonly Disposition[]>> = {
  OPEN: ['UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK'],
  UNDER_REVIEW: ['OPEN', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK'],
  CONFIRMED: ['RESOLVED', 'ACCEPTED_RISK', 'FALSE_POSITIVE', 'OPEN'],
  FALSE_POSITIVE: ['OPEN', 'CONFIRMED'],
  ACCEPTED_RISK: ['OPEN', 'CONFIRMED'],
  RESOLVED: ['OPEN', 'CONFIRMED'],
  SUPERSEDED: [],
};

const reviewable = dispositions.filter((disposition) => disposition !== 'SUPERSEDED');

export const NOTE_LENGTH_MAX = 4_000;

export interface ReviewInput {
  readonly disposition: string;
  readonly note: string | undefined;
  /** True if the reviewer of a finding has the role ADMIN or higher. */
  readonly isByAdmin: boolean;
}

/** Outcome of the review of a finding: a new disposition, an additional note, or no change. */
export type ReviewOutcome =
  | { readonly kind: 'CHANGED'; readonly from: Disposition; readonly to: Disposition; readonly note?: string }
  | { readonly kind: 'NOTED'; readonly from: Disposition; readonly to: Disposition; readonly note: string }
  | { readonly kind: 'UNCHANGED' };

type ReviewedFinding = ScoredFinding & MayBlock;

/**
 * Decides the result of a review of a finding. If the finding already has the requested disposition, the review
 * succeeds and only adds the note.
 * @throws DomainError invalid if the disposition is unknown, the note is too long, or a note is missing although the
 *   reviewer accepts the risk of a finding that blocks the invoice or its account; wrong_state if the table of
 *   transitions does not allow the change; forbidden if only an ADMIN may release the invoice with a blocked account,
 *   or unblock the account
 */
export function review(
  finding: ReviewedFinding,
  { disposition, note, isByAdmin }: ReviewInput,
  policy: Policy,
): ReviewOutcome {
  const to = reviewable.find((known) => known === disposition);
  if (to === undefined) throw invalidField('disposition', `must be one of ${reviewable.join(', ')}.`);
  const text = noteOf(note);
  const from = finding.disposition;
  if (to === from) return text === undefined ? { kind: 'UNCHANGED' } : { kind: 'NOTED', from, to, note: text };
  if (!transitions[from].includes(to)) {
    const next =
      transitions[from].length === 0 ? 'cannot be reviewed' : `can become ${listed(transitions[from], 'or')}`;
    throw new DomainError(
      'wrong_state',
      `A finding with the disposition ${from} cannot become ${to}. The finding ${next}.`,
    );
  }
  const isBlocking = blockOf(finding) !== undefined;
  if (isAboutBlockedAccount(finding) && (to === 'FALSE_POSITIVE' || to === 'ACCEPTED_RISK') && !isByAdmin) {
    throw new DomainError(
      'forbidden',
      'The bank account was confirmed as fraudulent. Use an API key with the role ADMIN to release the invoice. To lift the block, review the finding that confirmed the fraud (reviewId).',
    );
  }
  if (to === 'ACCEPTED_RISK' && isBlocking && !isByAdmin) {
    throw new DomainError(
      'forbidden',
      'The bank account was confirmed as fraudulent. Use an API key with the role ADMIN to unblock the account. If the confirmation was a mistake, set the finding to FALSE_POSITIVE.',
    );
  }
  if (to === 'ACCEPTED_RISK' && text === undefined && needsNote(finding, policy)) {
    throw invalidField('note', 'must explain why the risk is accepted, because the finding blocks payment.');
  }
  return { kind: 'CHANGED', from, to, ...(text === undefined ? {} : { note: text }) };
}

/** Options of the next review of a finding. */
export interface NextReview {
  /** Dispositions that a review may set, apart from the current disposition. */
  readonly dispositions: readonly Disposition[];
  /** True if a review that accepts the risk of the finding must have a note. */
  readonly isNoteRequired: boolean;
}

/** Returns the options of the next review of a finding, by the rules of {@link review}. */
export function nextReviewOf(finding: ReviewedFinding, policy: Policy): NextReview {
  return { dispositions: transitions[finding.disposition], isNoteRequired: needsNote(finding, policy) };
}

/** Checks whether a review that accepts the risk of a finding must have a note. */
function needsNote(finding: ReviewedFinding, policy: Policy): boolean {
  return blockOf(finding) !== undefined || isHardBlock(finding, policy);
}

/**
 * Checks whether a finding is about a blocked account. Accepting a finding about such an account contradicts the
 * confirmation of fraud.
 */
function isAboutBlockedAccount({ type }: Pick<ScoredFinding, 'type'>): boolean {
  return type === 'BANK_ACCOUNT_BLOCKLISTED';
}

function noteOf(note: string | undefined): string | undefined {
  if (note === undefined) return undefined;
  const text = normaliseNote(note);
  if (!hasVisibleText(text)) throw invalidField('note', 'must not be blank. Omit it to send no note.');
  if (isLongerThan(text, NOTE_LENGTH_MAX))
    throw invalidField('note', `must have at most ${NOTE_LENGTH_MAX} characters.`);
  const fault = faultOfNote(text);
  if (fault !== undefined) throw invalidField('note', fault);
  return text;
}

/**
 * Returns the time from which a finding blocks its bank account after its review. A confirmed fraud blocks the account
 * until a reviewer revokes the confirmation or an ADMIN unblocks it. Closing or reopening the case does not change the
 * block.
 */
export function blockAfter(finding: MayBlock, to: Disposition, at: Date): Date | undefined {
  if (!isSignOfFraud(finding) || to === 'FALSE_POSITIVE' || to === 'ACCEPTED_RISK') return undefined;
  return blockOf(finding) ?? (to === 'CONFIRMED' ? at : undefined);
}

/** Fields of a finding or its current review that determine if a bank account is blocked. */
export type MayBlock = Pick<AnalysisFinding, 'type' | 'family' | 'disposition'> & {
  readonly reviewedAt?: Date;
  readonly blockedSince?: Date;
};

/**
 * Returns the time from which a finding blocks its bank account. For a confirmation of fraud that was stored without
 * `blockedSince`, this is the time of the review.
 */
function blockOf(finding: MayBlock): Date | undefined {
  if (!isSignOfFraud(finding)) return undefined;
  return finding.blockedSince ?? (finding.disposition === 'CONFIRMED' ? finding.reviewedAt : undefined);
}

/**
 * The current review of a finding. Every change that follows from the review is computed from it, so that the changes
 * can be repeated.
 */
export interface CurrentReview extends Pick<AnalysisFinding, 'type' | 'family' | 'disposition'> {
  readonly findingId: string;
  /**
   * Version of the finding to which a review belongs. The review of an older version never replaces the review of a
   * newer version.
   */
  readonly sourceVersion: number;
  readonly evidenceKey: string;
  readonly pairKeys: readonly string[];
  readonly invoiceId: string;
  readonly supplierId: string;
  /** Key of the bank account that the finding is about. */
  readonly bankKey?: string;
  /** Signature by which learned tolerances distinguish findings of one type. */
  readonly signature: string;
  readonly reviewedAt: Date;
  /** Id of the reviewer of a finding. Absent for an API key, and for reviews from before the id was stored. */
  readonly reviewedBy?: string;
  /** Time from which the finding blocks the bank account. */
  readonly blockedSince?: Date;
}

/** Returns the evidence and pair keys under which reviews of the given findings are stored. */
export function reviewKeysOf(findings: readonly Finding[]): string[] {
  const keys = findings.flatMap((finding) => [finding.evidence.key, ...pairKeysOf(finding)]);
  return [...new Set(keys)].sort(compareText);
}

/**
 * Checks whether a FALSE_POSITIVE review still applies when an invoice is analyzed with the given facts. A review that
 * unblocked a bank account no longer applies once fraud on the account was confirmed later.
 */
export function stillHolds({ type, reviewedAt }: CurrentReview, { bankLink }: Pick<Facts, 'bankLink'>): boolean {
  const confirmedAt = bankLink?.fraud?.confirmedAt;
  return type !== 'BANK_ACCOUNT_BLOCKLISTED' || confirmedAt === undefined || confirmedAt < reviewedAt.toISOString();
}

/** Converts the review of a finding to the form in which the facts of an analysis contain it. */
export function reviewFactOf(current: CurrentReview): ReviewFact {
  const { evidenceKey: key, disposition, invoiceId, pairKeys } = current;
  return { evidenceKey: key, disposition, invoiceId, pairKeys };
}

/** Sorts reviews of findings for the engine, so that the same reviews always give the same facts. */
export function compareReviews(left: ReviewFact, right: ReviewFact): number {
  return compareText(left.evidenceKey, right.evidenceKey) || compareText(left.invoiceId ?? '', right.invoiceId ?? '');
}

/**
 * Returns whether the findings of an invoice confirm it as duplicate or fraud, or confirm only that its number was used
 * before. In all three cases, the invoice is left out of the supplier profile. It counts as the original of other
 * invoices only in the third case. RESOLVED means confirmed and corrected, so a RESOLVED finding counts as confirmed.
 */
export function confirmedAs(
  findings: readonly Pick<AnalysisFinding, 'type' | 'family' | 'disposition'>[],
): Confirmation | undefined {
  const confirmed = findings.filter(({ disposition }) => disposition === 'CONFIRMED' || disposition === 'RESOLVED');
  if (confirmed.some(isSignOfFraud)) return 'FRAUD';
  if (confirmed.some(isSignOfDuplicate)) return 'DUPLICATE';
  return confirmed.some(isAboutReusedNumber) ? 'REUSED_NUMBER' : undefined;
}

/**
 * Checks whether a finding questions the reuse of an invoice number. Some suppliers use the number of a contract or a
 * customer for many invoices.
 */
function isAboutReusedNumber({ type }: Pick<Finding, 'type'>): boolean {
  return type === 'INVOICE_NUMBER_REUSED';
}

/** Checks whether the confirmation of a finding removes its invoice from the supplier's profile. */
export function mayWithdraw(finding: Pick<Finding, 'type' | 'family'>): boolean {
  return isSignOfFraud(finding) || isSignOfDuplicate(finding) || isAboutReusedNumber(finding);
}

/**
 * Returns whether an invoice is suspected to be a copy or a fraud. Its findings that are waiting for a review and its
 * confirmed findings decide this, including confirmed findings whose case was closed. The suspicion determines what is
 * learned from the invoice.
 */
export function suspicionOf(
  findings: readonly Pick<AnalysisFinding, 'type' | 'family' | 'severity' | 'disposition'>[],
): Suspicion | undefined {
  return suspectedAs(findings.filter((finding) => isCounting(finding) || finding.disposition === 'RESOLVED'));
}

/** Returns the bank account that a fraud finding is about. */
export function accountOf(finding: Pick<Finding, 'type' | 'family' | 'subjects'>): string | undefined {
  const account = finding.subjects.find((subject) => subject.kind === 'ACCOUNT');
  return isSignOfFraud(finding) ? account?.bankKey : undefined;
}

/** Result of the current finding reviews that concern one bank account. */
export interface AccountReview {
  /** The newest current fraud confirmation, because of which the bank account is blocked for the whole organization. */
  readonly fraud: { readonly findingId: string; readonly since: Date } | undefined;
  /**
   * Trust in the bank account for one supplier, as decided by reviews. Undefined if no review concerns it; the account
   * then becomes trusted by use.
   */
  readonly trust: 'FRAUD' | 'REVIEWED' | undefined;
}

/**
 * Combines the current finding reviews that concern a bank account.
 * @param reviews all current reviews about the bank account, for any supplier
 */
export function accountReview(reviews: readonly CurrentReview[], supplierId: string): AccountReview {
  const [fraud] = reviews
    .flatMap((current) => {
      const since = blockOf(current);
      return since === undefined ? [] : [{ findingId: current.findingId, since }];
    })
    .sort(
      (left, right) => right.since.getTime() - left.since.getTime() || compareText(left.findingId, right.findingId),
    );
  if (fraud !== undefined) return { fraud, trust: 'FRAUD' };
  const isCleared = reviews.some(
    (current) =>
      current.supplierId === supplierId &&
      current.family === 'BANK' &&
      (current.disposition === 'FALSE_POSITIVE' || current.disposition === 'ACCEPTED_RISK'),
  );
  return { fraud: undefined, trust: isCleared ? 'REVIEWED' : undefined };
}

/**
 * Returns what a reviewer decided about a tax id that a supplier states for the first time, or undefined for a finding
 * of another type. Dismissing and accepting the finding both confirm that the tax id belongs to the supplier.
 */
export function taxIdReview({
  type,
  disposition,
}: Pick<CurrentReview, 'type' | 'disposition'>): { readonly isAccepted: boolean } | undefined {
  const name: string = type;
  if (name !== 'SUPPLIER_TAX_ID_FIRST_USE') return undefined;
  return { isAccepted: disposition === 'FALSE_POSITIVE' || disposition === 'ACCEPTED_RISK' };
}

/** Returns the facts that the supplier's profile learns from a FALSE_POSITIVE review. */
export function lessonOf(current: Pick<CurrentReview, 'type' | 'disposition'>): 'NAME' | 'NUMBER_PATTERN' | undefined {
  if (current.disposition !== 'FALSE_POSITIVE') return undefined;
  const name: string = current.type;
  if (name === 'SUPPLIER_NAME_MISMATCH') return 'NAME';
  return name === 'INVOICE_NUMBER_FORMAT_CHANGED' ? 'NUMBER_PATTERN' : undefined;
}
