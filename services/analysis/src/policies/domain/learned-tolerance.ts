import { addDays } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import { isCopiedNumber } from '@invoicecontrol/engine/explanation/copied-numbers';
import { EXPLANATIONS_MAX, SENTENCE_LENGTH_MAX } from '@invoicecontrol/engine/explanation/evidence';
import type { EvidenceValue, Finding } from '@invoicecontrol/engine/explanation/evidence';
import { counted } from '@invoicecontrol/engine/explanation/phrases';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import type { LearnedTolerance, ToleranceSubject } from '../../records/domain/tolerance.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/**
 * Minimum number of FALSE_POSITIVE reviews of findings with the same signature, within {@link WINDOW_DAYS}, from which
 * a tolerance is learned.
 */
const FALSE_POSITIVES_MIN = 3;
/**
 * Minimum number of different reviewers from whose reviews of findings a tolerance is learned. Reviews by one person
 * also suffice if the first and the last are far enough apart.
 */
const REVIEWERS_MIN = 2;
const DAYS_BETWEEN_MIN = 30;
/**
 * Number of days for which a review of a finding counts, and for which a learned tolerance applies after the last
 * review.
 */
const WINDOW_DAYS = 365;
const SIGNATURES_PER_SUPPLIER_AND_TYPE_MAX = 20;
/** Maximum number of learned tolerances for one organization. The tolerances that expire first are dropped. */
const TOLERANCES_MAX = 500;

const ANY_SIGNATURE = 'ANY';
const SIGNATURE_FIELDS = ['number', 'amount', 'date'] as const;

/**
 * Returns a signature such as `SEQ/EQ/SAME` for a finding about two records: how the numbers, the amounts and the dates
 * of the best-matching pair are related. All findings of a type that compares no records have the same signature.
 */
export function signatureOf({ evidence }: Pick<Finding, 'evidence'>): string {
  const rows = membersOf(evidence['comparisons']);
  const relations = relationsOf(rows, rows[0]?.['with']);
  return relations.includes(undefined) ? ANY_SIGNATURE : relations.join('/');
}

type Row = { readonly [name: string]: EvidenceValue };

function relationsOf(rows: readonly Row[], record: EvidenceValue | undefined): readonly (string | undefined)[] {
  return SIGNATURE_FIELDS.map((field) => {
    const relation = rows.find((row) => row['with'] === record && row['field'] === field)?.['relation'];
    return typeof relation === 'string' ? relation : undefined;
  });
}

/**
 * Checks whether the number and the amount of a compared record show that the record is a copy of the invoice. A
 * learned tolerance never lowers such a finding, no matter how often similar findings were dismissed.
 */
function showsCopy({ evidence }: Pick<Finding, 'evidence'>): boolean {
  const rows = membersOf(evidence['comparisons']);
  return [...new Set(rows.map((row) => row['with']))].some((record) => isCopy(relationsOf(rows, record)));
}

function isCopy([number, amount]: readonly (string | undefined)[]): boolean {
  return number !== undefined && amount !== undefined && isCopiedNumber(number) && amount !== 'DIFF';
}

function membersOf(value: EvidenceValue | undefined): readonly Row[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Checks whether reviews can lower the severity of a finding. Findings of types that block an invoice, and findings
 * about bank accounts, are never lowered. Findings about a whole history scan or ERP records (family SCAN) are not
 * lowered either, because they belong to no supplier.
 */
export function isTolerable({ type, family }: Pick<Finding, 'type' | 'family'>, policy: Policy): boolean {
  return family !== 'BANK' && family !== 'SCAN' && !policy.hardBlocks.includes(type);
}

/** Fields of the current review of a finding that count for learned tolerances. */
export interface TeachingReview {
  readonly disposition: Disposition;
  readonly reviewedAt: Date;
  /** Id of the reviewer of a finding. Absent for an API key, and for reviews from before the id was stored. */
  readonly reviewedBy?: string;
}

/**
 * Returns the learned tolerance that the current reviews of one kind of findings justify, if any. It requires three
 * FALSE_POSITIVE reviews within a year, from two people or over thirty days, without a confirmation among them and
 * without a pair that has the same number and amount (detection reference, section 10).
 */
export function toleranceFrom(
  subject: ToleranceSubject,
  reviews: readonly TeachingReview[],
): LearnedTolerance | undefined {
  if (isCopy(subject.signature.split('/'))) return undefined;
  const dismissals = reviews
    .filter(({ disposition }) => disposition === 'FALSE_POSITIVE')
    .map(({ reviewedAt, reviewedBy }) => ({ day: dayOf(reviewedAt), reviewedBy }))
    .sort((left, right) => compareText(left.day, right.day));
  const learnedOn = dismissals.at(-1)?.day;
  if (learnedOn === undefined) return undefined;
  const windowStart = addDays(learnedOn, -WINDOW_DAYS);
  const inWindow = dismissals.filter(({ day }) => day > windowStart);
  const [first] = inWindow;
  if (first === undefined || inWindow.length < FALSE_POSITIVES_MIN) return undefined;
  const people = new Set(inWindow.map(({ reviewedBy }) => reviewedBy).filter((person) => person !== undefined));
  if (people.size < REVIEWERS_MIN && addDays(first.day, DAYS_BETWEEN_MIN) > learnedOn) return undefined;
  const isContradicted = reviews.some(
    ({ disposition, reviewedAt }) =>
      (disposition === 'CONFIRMED' || disposition === 'RESOLVED') && dayOf(reviewedAt) > windowStart,
  );
  if (isContradicted) return undefined;
  return {
    ...subject,
    falsePositives: inWindow.length,
    reviewers: Math.max(1, people.size),
    learnedOn,
    expiresOn: addDays(learnedOn, WINDOW_DAYS),
  };
}

/**
 * Returns the learned tolerances that meet the current requirements. Other learned tolerances no longer apply to
 * findings.
 */
export function tolerancesInForce(tolerances: readonly LearnedTolerance[]): LearnedTolerance[] {
  return tolerances.filter(({ reviewers, signature }) => reviewers !== undefined && !isCopy(signature.split('/')));
}

/**
 * Returns the learned tolerances of an organization after the tolerance for one subject was replaced or removed,
 * without expired tolerances.
 */
export function withTolerance(
  current: readonly LearnedTolerance[],
  subject: ToleranceSubject,
  learned: LearnedTolerance | undefined,
  today: CalendarDate,
): LearnedTolerance[] {
  const others = current.filter((tolerance) => !isSameSubject(tolerance, subject) && tolerance.expiresOn >= today);
  if (learned === undefined || learned.expiresOn < today) return others.sort(bySubject);
  const ofKind = others
    .filter(({ supplierId, type }) => supplierId === subject.supplierId && type === subject.type)
    .sort(byExpiry);
  const leaving = new Set(ofKind.slice(0, Math.max(0, ofKind.length + 1 - SIGNATURES_PER_SUPPLIER_AND_TYPE_MAX)));
  const kept = [...others.filter((tolerance) => !leaving.has(tolerance)), learned];
  return kept.sort(byExpiry).slice(-TOLERANCES_MAX).sort(bySubject);
}

/** Returns the learned tolerances that apply to a supplier on a given day. */
export function tolerancesFor(
  tolerances: readonly LearnedTolerance[],
  supplierId: string,
  today: CalendarDate,
): LearnedTolerance[] {
  return tolerancesInForce(tolerances).filter(
    (tolerance) => tolerance.supplierId === supplierId && tolerance.expiresOn >= today,
  );
}

/**
 * Applies a learned tolerance to a finding, and adds a note about the change and its reason. Facts of old analyses
 * contain tolerances without `reviewers`, which are applied as before, so that a replay returns the same bytes.
 */
export function tolerated<F extends Finding>(finding: F, tolerances: readonly LearnedTolerance[], policy: Policy): F {
  if (tolerances.length === 0 || !isTolerable(finding, policy)) return finding;
  const signature = signatureOf(finding);
  const tolerance = tolerances.find((learned) => learned.type === finding.type && learned.signature === signature);
  if (tolerance === undefined) return finding;
  const { falsePositives, reviewers, learnedOn, expiresOn } = tolerance;
  if (reviewers !== undefined && showsCopy(finding)) return finding;
  const severity = severities[Math.max(0, severityRank(finding.severity) - 1)] ?? finding.severity;
  const confidence = Math.floor(finding.confidence / 2);
  const lowered = { ...finding, severity, confidence };
  return {
    ...lowered,
    ...(reviewers === undefined ? {} : { summary: withNote(finding.summary, shortNoteOf(finding, lowered)) }),
    evidence: {
      ...finding.evidence,
      ...(reviewers === undefined
        ? {}
        : {
            explanation: [noteOf(finding, lowered, { ...tolerance, reviewers }), ...finding.evidence.explanation].slice(
              0,
              EXPLANATIONS_MAX,
            ),
          }),
      tolerance: {
        signature,
        falsePositives,
        ...(reviewers === undefined ? {} : { reviewers }),
        learnedOn,
        expiresOn,
        severityBefore: finding.severity,
        confidenceBefore: finding.confidence,
      },
    },
  };
}

function withNote(summary: string, note: string): string {
  return summary.length + note.length < SENTENCE_LENGTH_MAX ? `${summary} ${note}` : summary;
}

type Level = Pick<Finding, 'severity' | 'confidence'>;

function shortNoteOf(before: Level, after: Level): string {
  return before.severity === after.severity
    ? 'Earlier reviews lowered the confidence.'
    : `Earlier reviews lowered the severity from ${before.severity}.`;
}

/**
 * Describes the lowered severity and confidence of a finding, the reviews that caused the change, and the expiry date
 * of the tolerance.
 */
function noteOf(
  before: Level,
  after: Level,
  { falsePositives, reviewers, learnedOn, expiresOn }: LearnedTolerance & { readonly reviewers: number },
): string {
  const confidence = `from ${before.confidence}% to ${after.confidence}%`;
  const what =
    before.severity === after.severity
      ? `The confidence was lowered ${confidence}`
      : `The severity was lowered from ${before.severity} to ${after.severity} and the confidence ${confidence}`;
  const who = `${counted(reviewers, 'reviewer')} dismissed ${counted(falsePositives, 'finding')} like this one from the supplier`;
  return `${what}: ${who}, the last on ${learnedOn}. This applies until ${expiresOn}.`;
}

function isSameSubject(left: ToleranceSubject, right: ToleranceSubject): boolean {
  return left.supplierId === right.supplierId && left.type === right.type && left.signature === right.signature;
}

function byExpiry(left: LearnedTolerance, right: LearnedTolerance): number {
  return compareText(left.expiresOn, right.expiresOn) || bySubject(left, right);
}

function bySubject(left: LearnedTolerance, right: LearnedTolerance): number {
  return (
    compareText(left.supplierId, right.supplierId) ||
    compareText(left.type, right.type) ||
    compareText(left.signature, right.signature)
  );
}

function dayOf(at: Date): CalendarDate {
  return at.toISOString().slice(0, 10);
}
