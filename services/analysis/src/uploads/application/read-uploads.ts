import type { Document, Reading, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Page } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { invoiceIdOfUpload } from '../../records/application/derived-ids.js';
import { invoiceFromReading } from '../../reading/application/invoice-from-reading.js';
import type { Provenance } from '../../reading/application/invoice-from-reading.js';
import type { InvoiceRecord, InvoiceReference, InvoiceStore } from '../../records/application/invoice-store.js';
import type { InvoiceReader, LatestAnalysis } from '../../decisions/application/read-invoices.js';
import { onceAnHour } from '../../records/application/once-an-hour.js';
import type {
  ListedUpload,
  UploadFailure,
  UploadQuery,
  UploadRecord,
  UploadStore,
} from '../../records/application/upload-store.js';

interface Deps {
  readonly uploads: UploadStore;
  readonly invoices: InvoiceStore;
  readonly reader: InvoiceReader;
  readonly audit: Pick<AuditBuffer, 'record'>;
  readonly clock: Clock;
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

/** Positions at which the fields of an invoice were found in its document. */
export interface DocumentFields {
  /** Number of pages of the document. 0 for XML, and for a document that could not be read. */
  readonly pages: number;
  readonly fields: readonly Provenance[];
}

/** An upload in a list, with the decision on its invoice if there is one. */
export type DecidedUpload = ListedUpload & { readonly verdict: RiskDecision | undefined };

export interface UploadReader {
  /**
   * Returns where in its document each field of an invoice is. If no invoice could be read from the document, the
   * fields that were found are returned. An audit event records who read them, at most once an hour for each caller.
   * @throws DomainError not_found for an invoice that was not read from a document
   */
  documentFields(reference: InvoiceReference, context: RequestContext): Promise<DocumentFields>;
  status(organizationId: string, uploadId: string): Promise<UploadStatus>;
  /** Lists the uploads whose analysis was requested, newest first, with the current decisions on their invoices. */
  list(organizationId: string, query: UploadQuery): Promise<Page<DecidedUpload>>;
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

export function uploadReader({ uploads, invoices, reader, audit, clock }: Deps): UploadReader {
  const isFirstInHour = onceAnHour(clock);
  return {
    async documentFields({ organizationId, invoiceId }, context) {
      const upload = await uploads.find(organizationId, invoiceId);
      if (upload === undefined) throw notFound('invoice');
      if (isFirstInHour(`${invoiceId}|${context.actor.type}:${context.actor.id}`)) {
        const line = { action: 'document.read', target: `invoice:${invoiceId}`, outcome: 'SUCCEEDED' } as const;
        audit.record(organizationId, context, line);
      }
      const reading = readingOf(upload);
      if (reading === undefined || upload.extracted === undefined) return { pages: 0, fields: [] };
      const { provenance } = invoiceFromReading(upload);
      return { pages: reading.pages ?? 0, fields: upload.failure === undefined ? provenance : fieldsRead(provenance) };
    },
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
    async list(organizationId, query) {
      const { items, nextPageToken } = await uploads.list(organizationId, query);
      const read = items.filter(({ state }) => state === 'COMPLETED').map(({ invoiceId }) => invoiceId);
      const verdicts = read.length === 0 ? undefined : await invoices.verdicts(organizationId, read);
      return {
        items: items.map((upload) => ({ ...upload, verdict: verdicts?.get(upload.invoiceId) })),
        nextPageToken,
      };
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
      const { document, validation } = upload?.extracted ?? {};
      const reading = upload && readingOf(upload);
      if (upload === undefined || document === undefined || reading === undefined) {
        return { record, latest, document: undefined };
      }
      const { provenance } = invoiceFromReading(upload);
      return { record, latest, document: { document, reading, fields: provenance, validation } };
    },
  };
}

/** Returns what was read from the document of an upload, also if required fields are missing. */
function readingOf({ extracted }: UploadRecord): Reading | undefined {
  const outcome = extracted?.outcome;
  return outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
}

/** Removes the placeholder for an unknown currency from an invoice, because the document does not state it. */
function fieldsRead(provenance: readonly Provenance[]): readonly Provenance[] {
  return provenance.filter(({ field, raw }) => field !== 'currency' || raw !== undefined);
}
