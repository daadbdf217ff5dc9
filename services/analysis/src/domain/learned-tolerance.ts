import { addDays } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { EvidenceValue, Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Disposition } from './finding-disposition.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/** Similar findings to a reviewer: of one supplier and type, with the same relations between the records. */
export interface ToleranceSubject {
  readonly supplierId: string;
  readonly type: string;
  readonly signature: string;
}

/** What reviews taught about a kind of finding: it is shown one severity lower and half as confident. */
export interface LearnedTolerance extends ToleranceSubject {
  readonly falsePositives: number;
  readonly learnedOn: CalendarDate;
  /** The last day it holds. */
  readonly expiresOn: CalendarDate;
}

/** Number of FALSE_POSITIVE reviews of a signature that are needed within {@link WINDOW_DAYS}. */
const FALSE_POSITIVES_MIN = 3;
/** Reviews count this long, and a tolerance holds this long after the last of them. */
const WINDOW_DAYS = 365;
const SIGNATURES_PER_SUPPLIER_AND_TYPE_MAX = 20;
/** Per organization; those that expire first are dropped. */
const TOLERANCES_MAX = 500;

const ANY_SIGNATURE = 'ANY';
const SIGNATURE_FIELDS = ['number', 'amount', 'date'] as const;

/**
 * The relations of the best pair, such as `SEQ/EQ/SAME`; findings that compare no records have one signature per type.
 */
export function signatureOf({ evidence }: Pick<Finding, 'evidence'>): string {
  const rows = membersOf(evidence['comparisons']);
  const best = rows[0]?.['with'];
  const relations = SIGNATURE_FIELDS.map((field) => {
    const relation = rows.find((row) => row['with'] === best && row['field'] === field)?.['relation'];
    return typeof relation === 'string' ? relation : undefined;
  });
  return relations.includes(undefined) ? ANY_SIGNATURE : relations.join('/');
}

function membersOf(value: EvidenceValue | undefined): readonly { readonly [name: string]: EvidenceValue }[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Types that block, and everything about accounts, are never lowered. Findings about a whole scan or the
 * books of an ERP (family SCAN) belong to no supplier that could teach a habit.
 */
export function isTolerable({ type, family }: Pick<Finding, 'type' | 'family'>, policy: Policy): boolean {
  return family !== 'BANK' && family !== 'SCAN' && !policy.hardBlocks.includes(type);
}

/**
 * The tolerance that the current reviews of one subject justify, if any: three FALSE_POSITIVE within a year and no
 * confirmation beside them (detection reference, section 10).
 */
export function toleranceFrom(
  subject: ToleranceSubject,
  reviews: readonly { readonly disposition: Disposition; readonly reviewedAt: Date }[],
): LearnedTolerance | undefined {
  const daysOf = (...wanted: readonly string[]): CalendarDate[] =>
    reviews.filter(({ disposition }) => wanted.includes(disposition)).map(({ reviewedAt }) => dayOf(reviewedAt));
  const falsePositives = daysOf('FALSE_POSITIVE').sort(compareText);
  const learnedOn = falsePositives.at(-1);
  if (learnedOn === undefined) return undefined;
  const windowStart = addDays(learnedOn, -WINDOW_DAYS);
  const counted = falsePositives.filter((day) => day > windowStart).length;
  if (counted < FALSE_POSITIVES_MIN) return undefined;
  if (daysOf('CONFIRMED', 'RESOLVED').some((day) => day > windowStart)) return undefined;
  return { ...subject, falsePositives: counted, learnedOn, expiresOn: addDays(learnedOn, WINDOW_DAYS) };
}

/** The organization's tolerances with one subject replaced or removed; expired ones are removed as well. */
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

/** The tolerances that hold for a supplier on a day. */
export function tolerancesFor(
  tolerances: readonly LearnedTolerance[],
  supplierId: string,
  today: CalendarDate,
): LearnedTolerance[] {
  return tolerances.filter((tolerance) => tolerance.supplierId === supplierId && tolerance.expiresOn >= today);
}

/** The finding as a learned tolerance shows it, with what was softened and why. */
export function tolerated<F extends Finding>(finding: F, tolerances: readonly LearnedTolerance[], policy: Policy): F {
  if (tolerances.length === 0 || !isTolerable(finding, policy)) return finding;
  const signature = signatureOf(finding);
  const tolerance = tolerances.find((learned) => learned.type === finding.type && learned.signature === signature);
  if (tolerance === undefined) return finding;
  const { falsePositives, learnedOn, expiresOn } = tolerance;
  return {
    ...finding,
    severity: severities[Math.max(0, severityRank(finding.severity) - 1)] ?? finding.severity,
    confidence: Math.floor(finding.confidence / 2),
    evidence: {
      ...finding.evidence,
      tolerance: {
        signature,
        falsePositives,
        learnedOn,
        expiresOn,
        severityBefore: finding.severity,
        confidenceBefore: finding.confidence,
      },
    },
  };
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
