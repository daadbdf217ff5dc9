import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { invalidField, notFound } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Page } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { BillStore } from '../../books/application/bill-store.js';
import { currentFindings } from '../../records/application/finding-store.js';
import type { FindingRecord, FindingStore } from '../../records/application/finding-store.js';
import { onceAnHour } from '../../records/application/once-an-hour.js';
import type { UploadRecord, UploadStore } from '../../records/application/upload-store.js';
import type {
  DecidedAnalysis,
  InvoiceQuery,
  InvoiceRecord,
  InvoiceReference,
  InvoiceStore,
} from '../../records/application/invoice-store.js';

interface Deps {
  readonly clock: Clock;
  readonly audit: Pick<AuditBuffer, 'record'>;
  readonly invoices: InvoiceStore;
  readonly bills: Pick<BillStore, 'list'>;
  readonly findings: FindingStore;
  readonly uploads: UploadStore;
}

export interface LatestAnalysis {
  readonly invoiceId: string;
  readonly analysis: DecidedAnalysis;
  /** The findings of the latest analysis of the invoice, with the reviews that people have recorded since. */
  readonly findings: readonly FindingRecord[];
  /** The decision that currently applies to the invoice. */
  readonly verdict: RiskDecision;
}

export interface InvoiceReader {
  /**
   * Returns an invoice with all its fields, or the upload from which no invoice has been read yet. If its analysis
   * raised findings, an audit event records who read it.
   * @throws DomainError not_found
   */
  get(reference: InvoiceReference, context: RequestContext): Promise<InvoiceRecord | UploadRecord>;
  /**
   * Lists invoices. If a page of the list contains an invoice with findings, an audit event records who read it, at
   * most once an hour for each caller.
   */
  list(organizationId: string, query: InvoiceQuery, context: RequestContext): Promise<Page<InvoiceRecord>>;
  /**
   * Returns the latest analysis of an invoice.
   * @throws DomainError not_found if the invoice does not exist or has no decision yet
   */
  latestAnalysis(organizationId: string, invoiceId: string): Promise<LatestAnalysis>;
}

export function invoiceReader({ invoices, bills, findings, uploads, audit, clock }: Deps): InvoiceReader {
  const isFirstInHour = onceAnHour(clock);
  const find = async (organizationId: string, invoiceId: string): Promise<InvoiceRecord> => {
    const record = await invoices.find(organizationId, invoiceId);
    if (record === undefined) throw notFound('invoice');
    return record;
  };
  return {
    async get({ organizationId, invoiceId }, context) {
      const record = await invoices.find(organizationId, invoiceId);
      if (record === undefined) {
        const upload = await uploads.find(organizationId, invoiceId);
        if (upload === undefined) throw notFound('invoice');
        return upload;
      }
      if (hasFindings(record)) {
        const line = { action: 'invoice.read', target: `invoice:${invoiceId}`, outcome: 'SUCCEEDED' } as const;
        audit.record(organizationId, context, line);
      }
      return record;
    },
    async list(organizationId, query, context) {
      if (query.sources?.includes('ERP') === true) {
        if (query.sources.length > 1)
          throw invalidField('source', 'must be ERP alone, because bills of an ERP are a separate list.');
        // Bills of an ERP have no decision and no risk score, and belong to no scan. They remain RECEIVED.
        const { decisions, minRiskScore, scanId, statuses } = query;
        const hasNone =
          decisions !== undefined ||
          minRiskScore !== undefined ||
          scanId !== undefined ||
          statuses?.includes('RECEIVED') === false;
        return hasNone ? { items: [], nextPageToken: '' } : bills.list(organizationId, query);
      }
      const page = await invoices.list(organizationId, query);
      if (page.items.some(hasFindings) && isFirstInHour(`${organizationId}|${actorOf(context)}`)) {
        const target = `organization:${organizationId}`;
        audit.record(organizationId, context, { action: 'invoice.listed', target, outcome: 'SUCCEEDED' });
      }
      return page;
    },
    async latestAnalysis(organizationId, invoiceId) {
      const [record, stored] = await Promise.all([
        find(organizationId, invoiceId),
        findings.ofInvoice(organizationId, invoiceId),
      ]);
      if (record.status === 'RECEIVED') throw notFound('invoice');
      const { analysis, match, verdict } = record;
      return { invoiceId, analysis, findings: currentFindings(match, analysis, stored), verdict };
    },
  };
}

function actorOf({ actor }: RequestContext): string {
  return `${actor.type}:${actor.id}`;
}

function hasFindings({ analysis }: InvoiceRecord): boolean {
  return analysis !== undefined && analysis.findings.length > 0;
}
