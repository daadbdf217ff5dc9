import type { Document, Reading, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { DomainError } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { invoiceIdOfUpload } from '../../records/application/derived-ids.js';
import { invoiceFromReading } from '../../reading/application/invoice-from-reading.js';
import type { Provenance } from '../../reading/application/invoice-from-reading.js';
import type { InvoiceRecord, InvoiceReference, InvoiceStore } from '../../records/application/invoice-store.js';
import type { InvoiceReader, LatestAnalysis } from '../../decisions/application/read-invoices.js';
import type { UploadFailure, UploadStore } from '../../records/application/upload-store.js';

interface Deps {
  readonly uploads: UploadStore;
  readonly invoices: InvoiceStore;
  readonly reader: InvoiceReader;
  readonly audit: Pick<AuditBuffer, 'record'>;
}

export type UploadStatus =
  | { readonly state: 'NONE' }
  | { readonly state: 'QUEUED' | 'PROCESSING'; readonly invoiceId: string }
  | { readonly state: 'COMPLETED'; readonly invoiceId: string; readonly verdict: RiskDecision }
  | {
      readonly state: 'FAILED';
      readonly invoiceId: string;
      readonly failure: UploadFailure;
      /**
       * Fields that were read from an uploaded document. If the upload failed with FIELDS_MISSING, these are the fields
       * that the document states.
       */
      readonly fields: readonly Provenance[];
    };

/** Document from which an invoice was read, with the origin of each field. */
export interface ReadDocument {
  readonly document: Document;
  readonly reading: Reading;
  readonly fields: readonly Provenance[];
  readonly validation: Validation | undefined;
}

export interface ExportedInvoice {
  readonly record: InvoiceRecord;
  readonly latest: LatestAnalysis;
  /** Document of the exported invoice. Undefined if the invoice was not read from a document. */
  readonly document: ReadDocument | undefined;
}

export interface UploadReader {
  status(organizationId: string, uploadId: string): Promise<UploadStatus>;
  /**
   * Exports a decided invoice with all its facts. The audit trail records who exported it.
   * @throws DomainError not_found, wrong_state for an invoice that must not be paid, unless the caller requests it
   * explicitly
   */
  exportInvoice(
    reference: InvoiceReference,
    options: { readonly includeUnready: boolean },
    context: RequestContext,
  ): Promise<ExportedInvoice>;
}

export function uploadReader({ uploads, invoices, reader, audit }: Deps): UploadReader {
  return {
    async status(organizationId, uploadId) {
      const invoiceId = invoiceIdOfUpload(uploadId);
      const record = await uploads.find(organizationId, invoiceId);
      if (record === undefined) return { state: 'NONE' };
      if (record.failure !== undefined) {
        const isPartlyRead = record.failure.reason === 'FIELDS_MISSING';
        const fields = isPartlyRead ? fieldsRead(invoiceFromReading(record).provenance) : [];
        return { state: 'FAILED', invoiceId, failure: record.failure, fields };
      }
      if (record.state === 'QUEUED') return { state: 'QUEUED', invoiceId };
      const verdict = (await invoices.find(organizationId, invoiceId))?.verdict;
      return verdict === undefined || record.isDue
        ? { state: 'PROCESSING', invoiceId }
        : { state: 'COMPLETED', invoiceId, verdict };
    },
    async exportInvoice({ organizationId, invoiceId }, { includeUnready }, context) {
      const [latest, record, upload] = await Promise.all([
        reader.latestAnalysis(organizationId, invoiceId),
        invoices.find(organizationId, invoiceId),
        uploads.find(organizationId, invoiceId),
      ]);
      if (record === undefined) throw new Error(`invoice ${invoiceId} is missing`);
      const { decision } = latest.verdict;
      if (decision !== 'PASS' && !includeUnready) {
        throw new DomainError(
          'wrong_state',
          `The decision about the invoice is ${decision}, and only an invoice with PASS is ready for export. Send include=unready to export it anyway.`,
        );
      }
      const line = { action: 'invoice.exported', target: `invoice:${invoiceId}`, outcome: 'SUCCEEDED' } as const;
      audit.record(organizationId, context, line);
      const { document, outcome, validation } = upload?.extracted ?? {};
      const reading = outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
      if (upload === undefined || document === undefined || reading === undefined) {
        return { record, latest, document: undefined };
      }
      const { provenance } = invoiceFromReading(upload);
      return { record, latest, document: { document, reading, fields: provenance, validation } };
    },
  };
}

/** Removes the placeholder for an unknown currency from an invoice, because the document does not state it. */
function fieldsRead(provenance: readonly Provenance[]): readonly Provenance[] {
  return provenance.filter(({ field, raw }) => field !== 'currency' || raw !== undefined);
}
