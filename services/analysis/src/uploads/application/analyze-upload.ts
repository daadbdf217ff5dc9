import { setTimeout as delay } from 'node:timers/promises';
import { events } from '@invoicecontrol/contracts/events';
import { DomainError, FieldFaults, invalidField, isTemporary, notFound } from '@invoicecontrol/errors';
import { canonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { createCounted } from '@invoicecontrol/metering/counted-create';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { isSameOrigin } from '@invoicecontrol/values/channel-origin';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { companyFor } from '../../records/domain/tenant.js';
import { invoiceIdOfUpload } from '../../records/application/derived-ids.js';
import type { Documents, KeptUpload } from '../../reading/application/documents.js';
import { fieldPaths, invoiceFromReading, replaces } from '../../reading/application/invoice-from-reading.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { analysisMark } from '../../decisions/application/resume-invoice.js';
import type {
  Correction,
  FailedUpload,
  NewUpload,
  ReadUpload,
  UploadRecord,
  UploadRequest,
  UploadStore,
} from '../../records/application/upload-store.js';
import type { UploadWorker } from './upload-worker.js';

/**
 * Maximum time in milliseconds for which a caller waits for a decision. The analysis continues afterwards (architecture
 * section 7).
 */
const SYNCHRONOUS_MS_MAX = 20_000;
/** Interval in milliseconds at which the analysis result of another process is polled. */
const POLL_EACH_MS = 100;

interface Deps {
  readonly uploads: UploadStore;
  readonly invoices: InvoiceStore;
  readonly documents: Documents;
  readonly worker: UploadWorker;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
  readonly clock: Clock;
  /** Maximum time for which a caller waits for the decision on an upload. Tests set a shorter time. */
  readonly synchronousMsMax?: number;
}

export interface AnalyzeUploadInput {
  readonly organizationId: string;
  readonly uploadId: string;
  readonly request: UploadRequest;
  /** Origin that a channel states for its document. Undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
  /** Maximum number of analyses in one month that the plan allows. Undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
  /** True to respond before the decision on the uploaded document is made, either immediately or after `waitMs`. */
  readonly respondAsync: boolean;
  /** Maximum time to wait for the decision on the upload if `respondAsync` is true. */
  readonly waitMs: number;
}

export interface CorrectUploadInput {
  readonly organizationId: string;
  readonly uploadId: string;
  /** Values of the uploaded document that the reviewer corrected, by field path. */
  readonly fields: Readonly<Record<string, string>>;
  readonly monthlyLimit: number | undefined;
}

export interface UploadAnalysis {
  readonly invoiceId: string;
  readonly isDecided: boolean;
  /**
   * True if the same request to analyze an upload was made before, so that this response repeats the response to the
   * first request.
   */
  readonly isReplayed: boolean;
}

export interface UploadAnalyzer {
  /**
   * Requests that an upload be read and analyzed. The caller either waits for the decision or has the work queued.
   * Repeating the request has the same result.
   * @throws DomainError not_found; wrong_state before the bytes are stored; idempotency_mismatch for a different
   *   request about the same upload; usage_exceeded; unprocessable for a document that cannot be read; unavailable;
   *   deadline if the decision takes too long
   */
  analyze(input: AnalyzeUploadInput, context: RequestContext): Promise<UploadAnalysis>;
  /**
   * Stores a person's corrections and analyzes the upload with them.
   * @throws DomainError invalid for unknown paths and wrong values, not_found, wrong_state if there is nothing to
   *   correct
   */
  correct(input: CorrectUploadInput, context: RequestContext): Promise<UploadAnalysis>;
}

export function uploadAnalyzer(deps: Deps): UploadAnalyzer {
  const { uploads, worker, synchronousMsMax = SYNCHRONOUS_MS_MAX } = deps;

  /** Waits until this process or another one has decided the upload. */
  const decided = async (record: UploadRecord, isReplayed: boolean, waitMs = synchronousMsMax): Promise<void> => {
    const { uploadId } = record;
    const ended = new AbortController();
    const over = delay(Math.min(waitMs, synchronousMsMax), true, { signal: ended.signal });
    try {
      for (;;) {
        const isOver = await Promise.race([worker.work(record).then(() => false), over]);
        if (isOver) throw stillAtWork(uploadId);
        if (await hasResult(deps, record, isReplayed)) return;
        await delay(POLL_EACH_MS);
      }
    } catch (error) {
      throw isTemporary(error) ? waitsForDocuments(uploadId, error) : error;
    } finally {
      ended.abort();
    }
  };

  /**
   * Waits on behalf of callers who accept a queued analysis. Returns false if the decision takes longer than `waitMs`
   * or the documents service is unavailable.
   */
  const isDecidedWithin = async (record: UploadRecord, isReplayed: boolean, waitMs: number): Promise<boolean> => {
    if (waitMs === 0) return false;
    try {
      await decided(record, isReplayed, waitMs);
      return true;
    } catch (error) {
      if (isTemporary(error)) return false;
      throw error;
    }
  };

  return {
    async analyze(input, context) {
      const { organizationId, uploadId, respondAsync, waitMs } = input;
      const invoiceId = invoiceIdOfUpload(uploadId);
      const known = await uploads.find(organizationId, invoiceId);
      const { record, isReplayed } =
        known === undefined ? await accept(deps, input, context) : { record: known, isReplayed: true };
      requireSameRequest(record, input);
      // The documents service may not know of the request, if a release that did not need to know it stored the request.
      if (isReplayed && (record.state === 'QUEUED' || record.state === 'PROCESSING'))
        await keptUpload(deps.documents, organizationId, uploadId, context);
      // An analysis whose request was only just stored cannot have a result yet.
      if (!isReplayed || !(await hasResult(deps, record, isReplayed))) {
        if (!respondAsync) await decided(record, isReplayed);
        else if (!(await isDecidedWithin(record, isReplayed, waitMs))) {
          worker.queue(record);
          return { invoiceId, isDecided: false, isReplayed };
        }
      }
      return { invoiceId, isDecided: true, isReplayed };
    },
    async correct(input, context) {
      const { uploadId } = input;
      const record = await retryOnConflict(() => storeCorrections(deps, input, context));
      await decided(record, false);
      return { invoiceId: invoiceIdOfUpload(uploadId), isDecided: true, isReplayed: false };
    },
  };
}

/**
 * Checks whether the analysis of an upload has a result.
 * @throws DomainError unprocessable if the document could not be read
 */
async function hasResult(
  { uploads, invoices }: Deps,
  { organizationId, invoiceId }: UploadRecord,
  isReplayed: boolean,
): Promise<boolean> {
  const record = await uploads.find(organizationId, invoiceId);
  if (record?.failure !== undefined) throw new DomainError('unprocessable', record.failure.message, { isReplayed });
  if (record?.state !== 'READ') return false;
  const invoice = await invoices.find(organizationId, invoiceId);
  return invoice?.analysis !== undefined && !record.isDue;
}

/** Stores the first request to analyze an upload as due work. */
async function accept(
  deps: Deps,
  { organizationId, uploadId, request, origin, monthlyLimit }: AnalyzeUploadInput,
  context: RequestContext,
): Promise<{ readonly record: UploadRecord; readonly isReplayed: boolean }> {
  const { uploads, documents, tenants, clock } = deps;
  const [tenant, kept] = await Promise.all([
    tenants.factsOf(organizationId, context, request.companyId),
    keptUpload(documents, organizationId, uploadId, context),
  ]);
  if (kept === undefined) {
    throw new DomainError('wrong_state', 'The upload has no content yet. PUT the document to its upload_url first.');
  }
  if (origin !== undefined && !isSameOrigin(kept.origin, origin)) {
    throw invalidField(
      'origin',
      'The request states a different origin than the one with which the document was stored. Send the stored origin of the document.',
    );
  }
  requireOrderRef(request);
  const companyId = companyFor({ companyId: request.companyId }, tenant);
  const now = clock.now();
  const invoiceId = invoiceIdOfUpload(uploadId);
  const upload: NewUpload = {
    organizationId,
    invoiceId,
    uploadId,
    request,
    origin: kept.origin,
    companyId,
    createdAt: now,
    countedAt: now,
    usageMonth: usageMonth(now),
  };
  const { created, first } = await createCounted(deps, {
    mark: analysisMark({ organizationId, usageMonth: usageMonth(now), createdAt: now }),
    limit: monthlyLimit,
    insert: () => uploads.insert(upload),
    findFirst: () => uploads.find(organizationId, invoiceId),
  });
  const record = created ?? first;
  if (record === undefined) throw new Error(`the request about upload ${uploadId} was stored and is missing`);
  return { record, isReplayed: created === undefined };
}

async function keptUpload(
  documents: Documents,
  organizationId: string,
  uploadId: string,
  context: RequestContext,
): Promise<KeptUpload | undefined> {
  try {
    return await documents.keepUploaded(organizationId, uploadId, context);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') throw notFound('upload');
    if (!isTemporary(error)) throw error;
    throw new DomainError(
      'unavailable',
      'Uploaded documents cannot be reached right now. Nothing was stored; retry the request in a moment.',
      { cause: error },
    );
  }
}

function requireOrderRef({ purchaseOrderRef }: UploadRequest): void {
  if (purchaseOrderRef === undefined) return;
  const fault = canonicalInvoice.members.purchase_order_ref.kind.faultOf(purchaseOrderRef);
  if (fault !== undefined) throw invalidField('purchase_order_ref', fault);
}

/**
 * Refuses a request that differs from the first request about the same upload. There are two exceptions. A channel such
 * as KSeF may repeat its request after a caller has sent a different one. A caller may leave out the company and the
 * order of a channel document, and the values of the first request then apply (ADR 0123).
 */
function requireSameRequest(
  record: UploadRecord,
  { request, origin }: Pick<AnalyzeUploadInput, 'request' | 'origin'>,
): void {
  const { request: first } = record;
  const isMeant = (stated: string | undefined, known: string | undefined): boolean =>
    stated === known || (record.origin !== undefined && stated === undefined);
  const isSame =
    origin === undefined
      ? isMeant(request.companyId, first.companyId) && isMeant(request.purchaseOrderRef, first.purchaseOrderRef)
      : isSameOrigin(origin, record.origin);
  if (isSame) return;
  throw new DomainError(
    'idempotency_mismatch',
    'The analysis of this upload was already requested with a different request body. Send the body of the first request, or upload the document again.',
  );
}

/**
 * Stores a person's correction of an upload if the corrected upload can be analyzed. A refused correction is not
 * stored.
 */
async function storeCorrections(
  deps: Deps,
  { organizationId, uploadId, fields, monthlyLimit }: CorrectUploadInput,
  context: RequestContext,
): Promise<ReadUpload> {
  const { uploads, clock } = deps;
  const invoiceId = invoiceIdOfUpload(uploadId);
  requireReadableFields(fields);
  const stored = await uploads.find(organizationId, invoiceId);
  if (stored === undefined) throw await neverAnalyzed(deps, { organizationId, uploadId }, context);
  const record = correctable(stored);
  const now = clock.now();
  const by = `${context.actor.type}:${context.actor.id}`;
  const given = Object.entries(fields).map(([field, value]): Correction => ({ field, value, by, at: now }));
  const corrections = [...record.corrections.filter(({ field }) => !replaces(fields, field)), ...given];
  const { faults, missing } = invoiceFromReading({ ...record, corrections });
  faults.throwIfAny();
  const stillMissing = new FieldFaults();
  for (const path of missing)
    stillMissing.add(`fields.${path}`, 'Must be corrected too, because the document does not state this field.');
  stillMissing.throwIfAny();
  const line = { action: 'invoice.corrected', target: `invoice:${invoiceId}`, outcome: 'SUCCEEDED' } as const;
  const audited = [auditAnnouncement(events.analysisAuditRecorded, context, line)];
  if (record.state !== 'FAILED') return uploads.correct(record, { corrections, counted: undefined }, audited);
  // From now on, the analysis of the upload counts towards the quota, because the corrected document can be read.
  const counted = { usageMonth: usageMonth(now), countedAt: now };
  const { created } = await createCounted<ReadUpload, never>(deps, {
    mark: analysisMark({ organizationId, usageMonth: counted.usageMonth, createdAt: now }),
    limit: monthlyLimit,
    insert: () => ifUnchanged(uploads.correct(record, { corrections, counted }, audited)),
  });
  if (created === undefined) throw new VersionConflict();
  return created;
}

/** Returns the refusal for a correction to an upload whose analysis was never requested. */
async function neverAnalyzed(
  { documents }: Deps,
  { organizationId, uploadId }: Pick<CorrectUploadInput, 'organizationId' | 'uploadId'>,
  context: RequestContext,
): Promise<DomainError> {
  const kept = await keptUpload(documents, organizationId, uploadId, context);
  return new DomainError(
    'wrong_state',
    kept !== undefined
      ? 'The document has not been analyzed yet, so there is nothing to correct. Analyze the document with POST /v1/invoices/from-upload first.'
      : 'The upload has no content yet. PUT the document to its upload_url and analyze it first.',
  );
}

async function ifUnchanged<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof VersionConflict) return undefined;
    throw error;
  }
}

function requireReadableFields(fields: Readonly<Record<string, string>>): void {
  const faults = new FieldFaults();
  for (const [path, value] of Object.entries(fields)) {
    if (!fieldPaths.includes(path)) {
      faults.add(
        `fields.${path.slice(0, 100)}`,
        `This field is not supported. The fields are ${fieldPaths.join(', ')}.`,
      );
      continue;
    }
    const fault = faultOfLine(value);
    if (fault !== undefined) faults.add(`fields.${path}`, fault);
  }
  if (Object.keys(fields).length === 0) faults.add('fields', 'Must name at least one field.');
  faults.throwIfAny();
}

/**
 * Checks that an upload can be corrected now. Corrections of an upload are processed one at a time, because a second
 * correction would replace the first before anyone has seen the result.
 */
function correctable(record: UploadRecord): ReadUpload | FailedUpload {
  if (record.state === 'READ' && !record.isDue) return record;
  if (record.state === 'FAILED' && record.failure.reason === 'FIELDS_MISSING') return record;
  throw new DomainError(
    'wrong_state',
    record.state === 'FAILED'
      ? 'Nothing could be read from this document, so there is nothing to correct. Upload a readable document.'
      : 'The document is still being analyzed, perhaps with an earlier correction. Send the correction when the analysis is complete.',
  );
}

function stillAtWork(uploadId: string): StillAtWork {
  return new StillAtWork(uploadId);
}

/**
 * A refusal to analyze an upload. Only this module creates such refusals, so that other code can recognize them and
 * pass them on unchanged.
 */
class StillAtWork extends DomainError {
  constructor(uploadId: string) {
    super(
      'deadline',
      `The document is still being analyzed. GET /v1/uploads/${uploadId}/status shows when the analysis is complete; repeat this request then to get its result.`,
    );
  }
}

function waitsForDocuments(uploadId: string, cause: unknown): unknown {
  if (cause instanceof StillAtWork) return cause;
  return new DomainError(
    'unavailable',
    `The document cannot be read right now. Its analysis is queued: GET /v1/uploads/${uploadId}/status shows when it is complete; repeat this request then to get its result.`,
    { cause },
  );
}
