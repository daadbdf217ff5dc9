import { DomainError, notFound } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { AnalysisStore } from '../../records/application/analysis-store.js';
import type { InvoiceDecider } from './decide-invoice.js';
import type { InvoiceReference, InvoiceStore } from '../../records/application/invoice-store.js';
import type { ScanRunStore } from '../../records/application/scan-run-store.js';
import type { UploadRecord, UploadStore } from '../../records/application/upload-store.js';

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly runs: ScanRunStore;
  readonly tenants: Tenants;
  readonly decider: InvoiceDecider;
  readonly uploads: Pick<UploadStore, 'find'>;
}

/**
 * Analyzes an invoice again with the history at the time of its arrival and the current engine, policy and reviews.
 * Earlier analyses are kept, and no quota is used.
 * @throws DomainError not_found; wrong_state while the invoice has no decision
 */
export type ReanalyzeInvoice = (invoice: InvoiceReference, context: RequestContext) => Promise<void>;

export const reanalyzeInvoice =
  ({ invoices, analyses, runs, tenants, decider, uploads }: Deps): ReanalyzeInvoice =>
  async ({ organizationId, invoiceId }, context) => {
    const tenant = await tenants.factsOf(organizationId, context);
    await retryOnConflict(async () => {
      const of = { organizationId, invoiceId };
      const read = () => Promise.all([invoices.find(organizationId, invoiceId), analyses.find(of, 1)] as const);
      const [unfinished, known] = await Promise.all([invoices.unfinished(organizationId, invoiceId), read()]);
      // The new analysis leaves the invoice out of the profile of its supplier. The profile must therefore count the
      // invoice first.
      if (unfinished !== undefined) await decider.finish(unfinished.record, unfinished.facts);
      const [record, first] = unfinished === undefined ? known : await read();
      if (record === undefined) throw noInvoice(await uploads.find(organizationId, invoiceId));
      if (record.analysis === undefined) {
        throw new DomainError(
          'wrong_state',
          'The invoice has no analysis yet, so it cannot be analyzed again. Retry when its first analysis is complete.',
        );
      }
      const { scanId } = record.match;
      if (scanId !== undefined && (await runs.unfinalized(organizationId, [scanId])).size > 0) {
        throw new DomainError(
          'wrong_state',
          'The history scan that contains the invoice is still being analyzed. Retry when the scan is complete.',
        );
      }
      const number = record.analysis.basis ?? 1;
      const basis = number === 1 ? first : await analyses.find(of, number);
      if (basis === undefined) throw new Error(`analysis ${number} of invoice ${invoiceId} is not stored`);
      const { facts, analysis } = basis;
      const engineVersion = analysis.versions.riskEngine;
      await decider.reanalyze(record, { facts, engineVersion }, tenant);
    });
  };

/**
 * Returns the refusal of a request to analyze an invoice that does not exist.
 * @param upload the upload from which no invoice was read, or undefined
 */
function noInvoice(upload: UploadRecord | undefined): DomainError {
  if (upload === undefined) return notFound('invoice');
  const { failure, uploadId } = upload;
  if (failure === undefined) {
    return new DomainError(
      'wrong_state',
      'The document of the invoice is still being read. Retry when its upload is COMPLETED.',
    );
  }
  const wayOut =
    failure.reason === 'FIELDS_MISSING'
      ? `Enter the missing fields with PUT /v1/uploads/${uploadId}/corrections.`
      : 'Upload a readable document.';
  return new DomainError('wrong_state', `No invoice could be read from the document. ${wayOut}`);
}
