import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { invalidField } from '@invoicecontrol/errors';
import { readWire } from '@invoicecontrol/invoice/wire';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AnalyzeInvoice } from '../../application/analyze-invoice.js';
import { findingRecordsOf } from '../../../records/application/finding-store.js';
import type { InvoiceQuery } from '../../../records/application/invoice-store.js';
import type { ReadSearch } from '../../../records/application/record-search.js';
import type { ReadTimeline } from '../../application/read-timeline.js';
import type { InvoiceReader } from '../../application/read-invoices.js';
import { severalOf } from '../../../records/transport/grpc/several-of.js';
import { encodeAnalysis, encodeStoredInvoice, encodeUpload } from '../../../records/transport/grpc/encode-invoice.js';

interface Deps {
  readonly analyzeInvoice: AnalyzeInvoice;
  readonly reader: InvoiceReader;
  readonly readSearch: ReadSearch;
  readonly readTimeline: ReadTimeline;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.InvoiceService. */
export function invoiceService({ analyzeInvoice, reader, readSearch, readTimeline }: Deps): Binding {
  return bind(InvoiceServiceDefinition, {
    async analyzeInvoice(request, context) {
      const { analysis, subject, isReplayed } = await analyzeInvoice(
        {
          organizationId: request.organizationId,
          invoice: readWire(request.invoice),
          idempotencyKey: request.idempotencyKey === '' ? undefined : request.idempotencyKey,
          fingerprint: request.fingerprint,
          monthlyLimit: limitOf(context, 'analysesPerMonth'),
        },
        context,
      );
      return {
        analysis: encodeAnalysis(subject.invoiceId, analysis, findingRecordsOf(subject, analysis)),
        replayed: isReplayed,
      };
    },
    async getInvoice({ organizationId, invoiceId }, context) {
      const found = await reader.get({ organizationId, invoiceId }, context);
      return { invoice: 'uploadId' in found ? encodeUpload(found) : encodeStoredInvoice(found) };
    },
    async listInvoices(request, context) {
      const query: InvoiceQuery = {
        companyId: request.companyId,
        sources: severalOf(InvoiceSource, request.source, request.sources),
        decisions: severalOf(Decision, request.decision, request.decisions),
        statuses: severalOf(InvoiceStatus, InvoiceStatus.UNSPECIFIED, request.statuses)?.map(storedStatus),
        supplierId: request.supplierId,
        scanId: request.scanId,
        minRiskScore: request.minRiskScore,
        issuedFrom: issueDate('issue_from', request.issueDateFrom),
        issuedTo: issueDate('issue_to', request.issueDateTo),
        search: await readSearch(request.organizationId, request.query),
        ...readPageRequest(request),
      };
      const { items, nextPageToken } = await reader.list(request.organizationId, query, context);
      return { invoices: items.map(encodeStoredInvoice), nextPageToken };
    },
    async listInvoiceTimeline({ organizationId, invoiceId }) {
      const { entries, isTruncated } = await readTimeline(organizationId, invoiceId);
      return {
        entries: entries.map(({ at, kind, actor, ref, from, to, note }) => ({
          entryTime: at,
          kind,
          actorType: actor.type,
          actorId: actor.id,
          refType: ref.type,
          refId: ref.id,
          from,
          to,
          note,
        })),
        isTruncated,
      };
    },
    async getLatestAnalysis({ organizationId, invoiceId }) {
      const { analysis, findings, verdict } = await reader.latestAnalysis(organizationId, invoiceId);
      return { analysis: encodeAnalysis(invoiceId, analysis, findings, verdict) };
    },
  });
}

/**
 * Returns the status of a stored invoice.
 * @throws DomainError invalid for FAILED, which is the status of an upload from which no invoice could be read
 */
function storedStatus(status: 'RECEIVED' | 'ANALYZED' | 'FAILED'): 'RECEIVED' | 'ANALYZED' {
  if (status === 'FAILED') throw invalidField('status', 'must be RECEIVED or ANALYZED.');
  return status;
}

function issueDate(field: string, text: string | undefined): CalendarDate | undefined {
  if (text === undefined || isCalendarDate(text)) return text;
  throw invalidField(field, 'must be a real day written YYYY-MM-DD.');
}
