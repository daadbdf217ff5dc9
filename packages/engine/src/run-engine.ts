import { severityRank } from './explanation/catalogue.js';
import { detectInBooks } from './detectors/books.js';
import { detectInScan } from './detectors/scans.js';
import { detectors } from './detectors.js';
import { toFinding } from './explanation/evidence.js';
import type { Finding, RaisedFinding } from './explanation/evidence.js';
import type { Books } from './facts/books.js';
import type { Facts } from './facts/facts.js';
import { compareText } from './facts/record-order.js';
import type { ScanPopulation } from './facts/scan.js';
import type { Policy } from './policy/policy.js';

/** Version of the detection engine. Any change to the output for any facts requires at least a new minor version. */
export const ENGINE_VERSION = '1.21.0';

/**
 * Returns the findings about an invoice, most severe first. The function is pure: the same facts and policy give the
 * same bytes (detection reference, section 0).
 */
export function runEngine(facts: Facts, policy: Policy): Finding[] {
  const raised = detectors.flatMap(({ detect }) => detect(facts, policy));
  return complete(raised.map((finding) => withOwnRow(finding, facts)));
}

/** Returns the findings about a history scan as a whole. These findings belong to no invoice and change no decision. */
export function runEngineOnScan(scan: ScanPopulation, policy: Policy): Finding[] {
  return complete(detectInScan(scan, policy));
}

/**
 * Returns the findings about the ERP records of a company as a whole. These findings belong to no invoice and change no
 * decision.
 */
export function runEngineOnBooks(books: Books, policy: Policy): Finding[] {
  return complete(detectInBooks(books, policy));
}

/** Compares findings by severity, confidence, type, summary and key. */
export function compareFindings(left: Finding, right: Finding): number {
  return (
    severityRank(right.severity) - severityRank(left.severity) ||
    right.confidence - left.confidence ||
    compareText(left.type, right.type) ||
    compareText(left.summary, right.summary) ||
    compareText(left.evidence.key, right.evidence.key)
  );
}

function complete(raised: readonly RaisedFinding[]): Finding[] {
  return raised.map((finding) => toFinding(finding, ENGINE_VERSION)).sort(compareFindings);
}

/** Adds the row number in the caller's file to a finding about a history scan row. */
function withOwnRow(raised: RaisedFinding, { invoice }: Facts): RaisedFinding {
  if (invoice.scanId === undefined) return raised;
  const row = { externalId: invoice.externalId ?? null, sourceRowNumber: invoice.rowNo ?? null };
  return { ...raised, extra: { ...raised.extra, ...row } };
}
