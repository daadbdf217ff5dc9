import { events } from '@invoicecontrol/contracts/events';
import type { ExtractDocumentResponse, Reading } from '@invoicecontrol/contracts/documents/v1/document_service';
import { matchPartOf, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { DomainError } from '@invoicecontrol/errors';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import pLimit from 'p-limit';
import { originOfDocument } from '../../reading/application/document-origin.js';
import { knownSupplierName } from '../../reading/domain/known-supplier-name.js';
import { sourceOf } from '../../records/domain/upload-source.js';
import { companyFor } from '../../records/domain/tenant.js';
import type { SupplierStore } from '../../records/application/counted-records.js';
import type { InvoiceDecider } from '../../decisions/application/decide-invoice.js';
import type { Documents } from '../../reading/application/documents.js';
import { invoiceFromReading } from '../../reading/application/invoice-from-reading.js';
import type { ReadingParts } from '../../reading/application/invoice-from-reading.js';
import type { InvoiceReference, InvoiceStore } from '../../records/application/invoice-store.js';
import { analysisMark, DECISION_LEASE_MS, resumeInvoice } from '../../decisions/application/resume-invoice.js';
import type {
  ReadUpload,
  UnreadUpload,
  UploadFailure,
  UploadReference,
  UploadStore,
} from '../../records/application/upload-store.js';

/**
 * Duration of an upload lease in milliseconds. The lease is renewed during the work, and other workers take over after
 * it expires.
 */
const UPLOAD_LEASE_MS = 30_000;
/**
 * Maximum number of queued uploads that one process works on at the same time. The documents service reads only a few
 * documents at once, and further uploads wait in this process.
 */
const QUEUED_AT_ONCE_MAX = 8;
/**
 * Maximum number of uploads that wait in this process. Further uploads stay in the database until the sweep finds them.
 */
const QUEUED_WAITING_MAX = 200;
/**
 * Maximum number of uploads that one process works on at the same time, of which {@link QUEUED_AT_ONCE_MAX} may be
 * queued ones. The work on an upload continues after its caller has stopped waiting, so the number of callers does not
 * limit it.
 */
export const UPLOADS_AT_ONCE_MAX = 100;
const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;

interface Deps {
  readonly uploads: UploadStore;
  /** Requests a sweep for waiting uploads at the given time. */
  readonly onDue: (dueAt: Date) => void;
  readonly invoices: InvoiceStore;
  readonly suppliers: SupplierStore;
  readonly documents: Documents;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
  readonly decider: InvoiceDecider;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface UploadWorker {
  /**
   * Performs the due work on an upload: reads the document, stores its invoice and decides it. If the upload belongs to
   * a sequence, the first undecided upload of the sequence is processed instead. Resolves at once if another worker has
   * claimed the upload or no work is due. Failed work becomes due again later.
   * @throws DomainError unavailable if this process works on too many uploads; a sweep then does the work later
   */
  work(reference: UploadReference): Promise<void>;
  /** Queues the analysis of an upload, which continues after the response to the caller was sent. */
  queue(reference: UploadReference): void;
  /**
   * Queues the due uploads of all organizations.
   * @returns the number of uploads
   */
  sweep(): Promise<number>;
  /** Stops the analyses in progress. An unfinished analysis becomes due again when its lease expires. */
  stop(): Promise<void>;
}

/**
 * Processes the uploads that this replica has claimed. Any replica may claim an upload, each upload is processed once,
 * and the work restarts after a crash (architecture section 5, rule 5).
 */
export function uploadWorker(deps: Deps): UploadWorker {
  const { uploads, onDue, clock, logger } = deps;
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const queued = pLimit(QUEUED_AT_ONCE_MAX);
  /** True if due uploads may be left in the database, because too many uploads wait in this process. */
  let isShort = false;

  const claimAndWork = async (reference: InvoiceReference): Promise<void> => {
    if (stopping.signal.aborted) return;
    const claimed = await uploads.claim(reference, UPLOAD_LEASE_MS);
    if (claimed === undefined) return;
    const lost = new AbortController();
    const lease = claimed.keepAlive(() => lost.abort());
    let { record } = claimed;
    try {
      const tenant = await deps.tenants.factsOf(record.organizationId, systemContext(`upload-${record.uploadId}`));
      if (record.state !== 'READ') {
        const read = await readUpload(deps, record, tenant, AbortSignal.any([lost.signal, stopping.signal]));
        if (read === undefined) return;
        record = read;
      }
      await decideUpload(deps, record, tenant);
      await uploads.finish(record);
    } catch (error) {
      // Another worker has taken over the upload, so the result of this worker is dropped.
      if (error instanceof VersionConflict || lost.signal.aborted) return;
      await release(record);
      throw error;
    } finally {
      lease.stop();
    }
  };
  const release = async (record: UnreadUpload | ReadUpload): Promise<void> => {
    const waitMs = stopping.signal.aborted ? 0 : Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** record.attempts);
    try {
      const dueAt = new Date(clock.now().getTime() + waitMs);
      await uploads.release(record, dueAt);
      onDue(dueAt);
    } catch (error) {
      logger.warn({ error, invoiceId: record.invoiceId }, 'an upload could not be released; its lease will expire');
    }
  };
  const workOn = (reference: InvoiceReference): Promise<void> => {
    const { invoiceId } = reference;
    const under = running.get(invoiceId);
    if (under !== undefined) return under;
    const begun = claimAndWork(reference).finally(() => running.delete(invoiceId));
    running.set(invoiceId, begun);
    return begun;
  };
  /**
   * Processes the first upload in a sequence and then queues the next one, so that a long sequence does not delay other
   * uploads.
   */
  const workInSequence = async (organizationId: string, sequence: string): Promise<void> => {
    const first = await uploads.firstDue(organizationId, sequence);
    if (first === undefined || running.has(first.invoiceId) || stopping.signal.aborted) return;
    await workOn(first);
    queue({ ...first, sequence });
  };
  const work = ({ sequence, ...reference }: UploadReference): Promise<void> =>
    sequence === undefined ? workOn(reference) : workInSequence(reference.organizationId, sequence);
  const queue = (reference: UploadReference): void => {
    if (queued.pendingCount >= QUEUED_WAITING_MAX) {
      isShort = true;
      return;
    }
    const sweepWhenEmpty = (): void => {
      if (!isShort || queued.pendingCount > 0) return;
      isShort = false;
      onDue(clock.now());
    };
    queued(() => work(reference))
      .catch((error: unknown) => {
        const { invoiceId } = reference;
        logger.warn({ error, invoiceId }, 'an upload could not be analyzed; it is retried');
      })
      .finally(sweepWhenEmpty);
  };
  return {
    async work(reference) {
      if (running.size >= UPLOADS_AT_ONCE_MAX - QUEUED_AT_ONCE_MAX && !running.has(reference.invoiceId)) {
        onDue(new Date(clock.now().getTime() + RETRY_MS_MIN));
        throw new DomainError('unavailable', 'Too many documents are being analyzed right now.');
      }
      return work(reference);
    },
    queue,
    async sweep() {
      const due = (await uploads.due()).filter(({ invoiceId }) => !running.has(invoiceId));
      if (queued.pendingCount === 0) for (const reference of due) queue(reference);
      // More uploads may be due than one sweep finds, or than may wait in this process, so another sweep follows.
      if (due.length > 0 && queued.pendingCount > 0) isShort = true;
      return due.length;
    },
    async stop() {
      stopping.abort();
      queued.clearQueue();
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * Reads the document of an upload and stores the result.
 * @returns undefined if nothing can be read; the failure is stored and announced by an event
 */
async function readUpload(
  deps: Deps,
  record: UnreadUpload,
  tenant: TenantFacts,
  signal: AbortSignal,
): Promise<ReadUpload | undefined> {
  const { uploads, documents } = deps;
  const context = systemContext(`upload-${record.uploadId}`);
  let extracted: ExtractDocumentResponse;
  try {
    extracted = await documents.extract(record, tenant, { context, signal });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error;
    await failUpload(deps, record, undefined, {
      reason: 'DAMAGED',
      message: 'The uploaded document is no longer stored. Upload the document again.',
      missingFields: [],
    });
    return undefined;
  }
  const { outcome } = extracted;
  if (outcome === undefined)
    throw new Error(`documents returned neither a reading of upload ${record.uploadId} nor a failure`);
  if (outcome.$case === 'failure') {
    const { reason, message, missingFields } = outcome.value;
    await failUpload(deps, record, extracted, { reason, message: asSentence(message), missingFields });
    return undefined;
  }
  const name = await nameOfKnownSupplier(deps, record, { ...record, extracted }, outcome.value);
  const read = { extracted, ...(name === undefined ? {} : { knownSupplierName: name }) };
  const { missing } = invoiceFromReading({ ...record, ...read });
  if (missing.length > 0) {
    await failUpload(deps, record, extracted, missingFields(missing));
    return undefined;
  }
  return uploads.saveReading(record, read);
}

/** Adds a missing full stop to the reason of a failed upload. Some parsers end their messages without one. */
function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function missingFields(missing: readonly string[]): UploadFailure {
  return {
    reason: 'FIELDS_MISSING',
    message: `The document does not state ${missing.join(', ')}, or not legibly. Send a document that states ${missing.length === 1 ? 'it' : 'them'} legibly, or correct the fields by hand.`,
    missingFields: missing,
  };
}

/** Stores the failure of an upload. A document that could not be read does not count as an analysis in any month. */
async function failUpload(
  { uploads, usage }: Deps,
  record: UnreadUpload,
  extracted: ExtractDocumentResponse | undefined,
  failure: UploadFailure,
): Promise<void> {
  const { organizationId, invoiceId, uploadId, usageMonth, countedAt } = record;
  const { message } = failure;
  const failed = announce(events.analysisFailed, { uploadId, invoiceId, errorCode: 'PROCESSING_FAILED', message });
  await usage.lower(analysisMark({ organizationId, usageMonth, createdAt: countedAt }), () =>
    uploads.fail(record, { extracted, failure }, [failed]),
  );
}

/** Finds the name of a supplier that is known by the tax id or account on the document. */
async function nameOfKnownSupplier(
  { suppliers }: Deps,
  { organizationId, invoiceId, companyId, origin }: UnreadUpload,
  upload: ReadingParts,
  { method, supplierNameCandidates }: Reading,
): Promise<string | undefined> {
  const { invoice, provenance } = invoiceFromReading(upload);
  const name = provenance.find(({ field }) => field === 'supplier.name');
  if (method === 'XML' || invoice === undefined || name === undefined) return undefined;
  const normalised = normaliseInvoice(invoice, { invoiceId, companyId, source: sourceOf(origin), receivedAtMs: 0 });
  const keys = supplierKeysOf(normalised).filter((key) => !key.startsWith('n:'));
  if (keys.length === 0 || normalised.bankProblems.length > 0) return undefined;
  const known = await suppliers.findByKeys(organizationId, keys);
  return knownSupplierName(
    { value: name.value, candidates: supplierNameCandidates },
    known.map(({ identity }) => identity),
  );
}

/** Stores the invoice read from an upload and decides it. A corrected invoice is decided again. */
async function decideUpload(deps: Deps, upload: ReadUpload, tenant: TenantFacts): Promise<void> {
  const { invoices, decider } = deps;
  const { organizationId, invoiceId } = upload;
  const { invoice } = invoiceFromReading(upload);
  if (invoice === undefined) throw new Error(`upload ${upload.uploadId} was read and has no invoice`);
  await retryOnConflict(async () => {
    const record = await invoices.find(organizationId, invoiceId);
    if (record === undefined) {
      await insertAndDecide(deps, upload, invoice, tenant);
      return;
    }
    if (record.analysis === undefined) {
      const resumed = await resumeInvoice(deps)(record, tenant);
      // Another worker is deciding the invoice of the upload, so this worker checks the upload again later.
      if (resumed === undefined && (await invoices.find(organizationId, invoiceId))?.analysis === undefined) {
        throw new DomainError('in_progress', 'No decision has been made on the uploaded invoice yet.');
      }
      return;
    }
    if (canonicalJson(record.invoice) === canonicalJson(invoice)) return;
    const unfinished = await invoices.unfinished(organizationId, invoiceId);
    if (unfinished !== undefined) {
      await decider.finish(unfinished.record, unfinished.facts);
      throw new VersionConflict();
    }
    await decider.correct(record, invoice, tenant);
  });
}

function readingOf({ outcome }: ExtractDocumentResponse): Reading | undefined {
  return outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
}

async function insertAndDecide(
  { invoices, decider, clock }: Deps,
  { organizationId, invoiceId, uploadId, request, origin, extracted }: ReadUpload,
  invoice: CanonicalInvoice,
  tenant: TenantFacts,
): Promise<void> {
  const now = clock.now();
  const companyId = companyFor(
    {
      // If the company of an upload was removed since the request, the default company receives the invoice.
      companyId:
        request.companyId !== undefined && hasCompany(tenant, request.companyId) ? request.companyId : undefined,
      buyerTaxId: invoice.buyer?.tax_id,
    },
    tenant,
  );
  const sha256 = extracted.document?.sha256;
  const normalised = normaliseInvoice(invoice, {
    invoiceId,
    companyId,
    source: sourceOf(origin),
    receivedAtMs: now.getTime(),
    ...(origin === undefined ? {} : { externalId: origin.externalId }),
    ...(sha256 === undefined ? {} : { documentSha256: sha256 }),
    ...originOfDocument(readingOf(extracted) ?? {}),
  });
  const received = {
    organizationId,
    invoiceId,
    companyId,
    source: sourceOf(origin),
    ...(origin === undefined ? {} : { channel: origin }),
    createdAt: now,
    invoice,
    match: matchPartOf(normalised),
    documentId: uploadId,
    leaseMs: DECISION_LEASE_MS,
  };
  if (!(await invoices.insert(received))) throw new VersionConflict();
  const decided = await decider.decide({ ...received, version: 1, invoice: normalised, tenant });
  // This worker was so slow that another worker took over and decided the uploaded invoice.
  if (decided === undefined) throw new VersionConflict();
}
