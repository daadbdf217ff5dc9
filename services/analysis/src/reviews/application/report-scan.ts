import { DomainError } from '@invoicecontrol/errors';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { scanReport } from '../domain/scan-report.js';
import type { ScanReport } from '../domain/scan-report.js';

/** Maximum number of findings in a report about a history scan, so that it takes a second and some megabytes at most. */
const REPORT_FINDINGS_MAX = 50_000;

interface Deps {
  readonly findings: Pick<FindingStore, 'ofScan'>;
  readonly invoices: Pick<InvoiceStore, 'ofScan'>;
  /** Maximum number of findings in a report, in place of {@link REPORT_FINDINGS_MAX}. Only tests set it. */
  readonly findingsMax?: number;
}

/**
 * Computes the report about a history scan from the current state of its invoices and findings.
 * @throws DomainError wrong_state if the scan has too many findings
 */
export type ReportScan = (
  organizationId: string,
  scan: { readonly scanId: string; readonly currency: string },
) => Promise<ScanReport>;

export function reportScan({ findings, invoices, findingsMax = REPORT_FINDINGS_MAX }: Deps): ReportScan {
  return async (organizationId, { scanId, currency }) => {
    const [ofScan, found] = await Promise.all([
      invoices.ofScan(organizationId, scanId),
      findings.ofScan(organizationId, scanId, findingsMax + 1),
    ]);
    if (found.length > findingsMax) {
      throw new DomainError(
        'wrong_state',
        `A report takes at most ${findingsMax.toLocaleString('en')} findings, and this history scan has more. Read them with GET /v1/findings and the filter scan_id.`,
      );
    }
    return scanReport(ofScan, found, currency);
  };
}
