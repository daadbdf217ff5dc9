import { severityRank } from './explanation/catalogue.js';
import { decide } from './scoring/decision.js';
import type { Decision } from './scoring/decision.js';
import { detectAmounts } from './detectors/amounts.js';
import { detectBankAccounts } from './detectors/bank-accounts.js';
import { detectBuyers } from './detectors/buyers.js';
import { detectCurrencies } from './detectors/currencies.js';
import { detectDates } from './detectors/dates.js';
import { detectDocuments } from './detectors/documents.js';
import { detectDuplicates } from './detectors/duplicates.js';
import { detectErp } from './detectors/erp.js';
import { detectNumbers } from './detectors/numbers.js';
import { detectOrders } from './detectors/orders.js';
import { detectSuppliers } from './detectors/suppliers.js';
import { detectTaxes } from './detectors/taxes.js';
import { toFinding } from './explanation/evidence.js';
import type { Finding, RaisedFinding } from './explanation/evidence.js';
import type { Disposition, Facts, ReviewFact } from './facts/facts.js';
import { tolerated } from './scoring/learned-tolerance.js';
import { policyVersion } from './policy/policy.js';
import type { Policy } from './policy/policy.js';
import { compareText } from './facts/record-order.js';

/** Any change of output for any facts is at least a minor version. */
export const ENGINE_VERSION = '1.3.0';

/** A rule family: reads facts, raises findings, knows nothing of other families. */
export type Detector = (facts: Facts, policy: Policy) => RaisedFinding[];

/** A new family joins by one line here (README.md says how). */
const detectors: readonly Detector[] = [
  detectDuplicates,
  detectBankAccounts,
  detectAmounts,
  detectTaxes,
  detectDates,
  detectCurrencies,
  detectBuyers,
  detectSuppliers,
  detectNumbers,
  detectOrders,
  detectErp,
  detectDocuments,
];

export interface Analysis {
  readonly decision: Decision;
  readonly riskScore: number;
  /** Most severe first; settled ones (FALSE_POSITIVE and the like) included. */
  readonly findings: readonly Finding[];
  readonly versions: { readonly riskEngine: string; readonly policy: string };
}

/** Judges an invoice. Pure: the same facts and policy give the same bytes (detection reference, section 0). */
export function analyze(facts: Facts, policy: Policy): Analysis {
  const findings = detectors
    .flatMap((detect) => detect(facts, policy))
    .map((raised) => toFinding(withOwnRow(raised, facts), ENGINE_VERSION, dispositionOf(raised, facts)))
    .map((finding) => tolerated(finding, facts.tolerances ?? [], policy))
    .sort(bySeverity);
  const { decision, riskScore } = decide(findings, policy);
  return {
    decision,
    riskScore,
    findings,
    versions: { riskEngine: ENGINE_VERSION, policy: policyVersion(policy) },
  };
}

/**
 * Findings about a scan or about the books as a whole, with what people have said about them before. They belong to no
 * invoice and move no decision.
 */
export function populationFindings(raised: readonly RaisedFinding[], reviews: readonly ReviewFact[]): Finding[] {
  return raised
    .map((finding) => {
      const standing = reviews.find(({ evidenceKey }) => evidenceKey === finding.key);
      return toFinding(finding, ENGINE_VERSION, standing?.disposition ?? 'OPEN');
    })
    .sort(bySeverity);
}

/**
 * A FALSE_POSITIVE holds for every finding with its key; any other outcome holds for the findings of the reviewed
 * invoice alone (detection reference, section 10).
 */
function dispositionOf(raised: RaisedFinding, facts: Facts): Disposition {
  const reviews = facts.reviews.filter((review) => review.evidenceKey === raised.key);
  const own = reviews.find((review) => review.invoiceId === facts.invoice.invoiceId);
  if (own !== undefined) return own.disposition;
  if (raised.disposition !== undefined) return raised.disposition;
  return reviews.some((review) => review.disposition === 'FALSE_POSITIVE') ? 'FALSE_POSITIVE' : 'OPEN';
}

/** Findings of a scan say which row of the caller's file they are about. */
function withOwnRow(raised: RaisedFinding, { invoice }: Facts): RaisedFinding {
  if (invoice.scanId === undefined) return raised;
  const row = { externalId: invoice.externalId ?? null, sourceRowNumber: invoice.rowNo ?? null };
  return { ...raised, extra: { ...raised.extra, ...row } };
}

function bySeverity(left: Finding, right: Finding): number {
  return (
    severityRank(right.severity) - severityRank(left.severity) ||
    right.confidence - left.confidence ||
    compareText(left.type, right.type) ||
    compareText(left.evidence.key, right.evidence.key)
  );
}
