import { Decision, InvoiceSource, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { NormalisedInvoice } from '../domain/invoice.js';
import type { DecidedAnalysis } from './invoice-store.js';

/** What a decision tells the world: that it was made, and each finding that is open. */
export function announcementsOf(invoice: NormalisedInvoice, analysis: DecidedAnalysis): Announcement[] {
  const { invoiceId, companyId, source } = invoice;
  const decided = announce(events.invoiceAnalyzed, {
    invoiceId,
    companyId,
    analysisId: analysis.analysisId,
    decision: Decision[analysis.decision],
    riskScore: analysis.riskScore,
    source: InvoiceSource[source],
  });
  const raised = analysis.findings
    .filter(({ disposition }) => disposition === 'OPEN')
    .map(({ findingId, type, severity, summary }) =>
      announce(events.findingCreated, {
        findingId,
        invoiceId,
        scanId: undefined,
        companyId,
        type,
        severity: Severity[severity],
        summary,
      }),
    );
  return [decided, ...raised];
}
