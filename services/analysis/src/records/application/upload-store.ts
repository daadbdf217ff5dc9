import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Channel, ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { InvoiceReference } from './invoice-store.js';

/** Options that the caller chose for the analysis of an upload. They are the same for every repeat. */
export interface UploadRequest {
  readonly purchaseOrderRef?: string;
  readonly companyId?: string;
}

/** A value that a person entered to replace a value that was read. */
export interface Correction {
  /** Path of the field in the canonical invoice. */
  readonly field: string;
  readonly value: string;
  /** Actor as `<actor type>:<actor id>`. */
  readonly by: string;
  readonly at: Date;
}

/** Reason why no invoice could be read. `reason` is a value of documents.v1.ReadingFailure. */
export interface UploadFailure {
  readonly reason: string;
  readonly message: string;
  readonly missingFields: readonly string[];
}

/** A request to analyze an upload. It has the id of its invoice. */
interface RequestedUpload extends InvoiceReference {
  readonly version: number;
  readonly uploadId: string;
  readonly request: UploadRequest;
  /** Channel that delivered the document. Undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
  /**
   * Name of the sequence of a channel's documents, which are decided one after the other in the order in which they
   * were accepted. Undefined for other documents, and once others no longer wait for this one because it was decided or
   * because too many attempts failed.
   */
  readonly sequence: string | undefined;
  /** Company of the request, or the default company. The invoice may name another one. */
  readonly companyId: string;
  /** True when a worker is working on the upload, or will do so. */
  readonly isDue: boolean;
  readonly createdAt: Date;
  /** Time when the upload was counted. */
  readonly countedAt: Date;
  /** Number of times that a worker released the upload without a result. */
  readonly attempts: number;
  readonly corrections: readonly Correction[];
}

export interface UnreadUpload extends RequestedUpload {
  readonly state: 'QUEUED' | 'PROCESSING';
  /** Month in which the upload counts as an analysis. */
  readonly usageMonth: string;
  readonly extracted?: undefined;
  readonly knownSupplierName?: undefined;
  readonly failure?: undefined;
}

/** An upload that was read. Its invoice is stored and decided, or a worker will do so next. */
export interface ReadUpload extends RequestedUpload {
  readonly state: 'READ';
  /** Month in which the upload counts as an analysis. */
  readonly usageMonth: string;
  /** Response of the documents service. */
  readonly extracted: ExtractDocumentResponse;
  /** Name of a known supplier that replaces the name that was read. */
  readonly knownSupplierName?: string;
  readonly failure?: undefined;
}

/** An upload that could not be read. It counts in no month. */
export interface FailedUpload extends RequestedUpload {
  readonly state: 'FAILED';
  /** Absent if the document had been removed. */
  readonly extracted?: ExtractDocumentResponse;
  readonly knownSupplierName?: string;
  readonly failure: UploadFailure;
}

export type UploadRecord = UnreadUpload | ReadUpload | FailedUpload;

export type NewUpload = Pick<
  UnreadUpload,
  | 'organizationId'
  | 'invoiceId'
  | 'uploadId'
  | 'request'
  | 'origin'
  | 'companyId'
  | 'createdAt'
  | 'countedAt'
  | 'usageMonth'
>;

/** Reference to an upload for a worker, with its sequence. */
export type UploadReference = InvoiceReference & Partial<Pick<UnreadUpload, 'sequence'>>;

/** An upload that a worker has claimed. */
export interface ClaimedUpload {
  readonly record: UnreadUpload | ReadUpload;
  /**
   * Renews the lease until stopped.
   * @param onLost called after a takeover
   */
  keepAlive(onLost: () => void): { stop(): void };
}

/** Operations that use cases need on analyzed uploads. */
export interface UploadStore {
  /**
   * Stores a request as QUEUED without a claim. A document of a channel is added at the end of its sequence. Returns
   * undefined if the id already exists.
   */
  insert(upload: NewUpload): Promise<UnreadUpload | undefined>;
  find(organizationId: string, invoiceId: string): Promise<UploadRecord | undefined>;
  /** Claims a record whose work is due. A QUEUED record becomes PROCESSING. */
  claim(reference: InvoiceReference, leaseMs: number): Promise<ClaimedUpload | undefined>;
  /**
   * Stores the result of reading.
   * @throws VersionConflict after a takeover, like all changes below
   */
  saveReading(at: UnreadUpload, read: Pick<ReadUpload, 'extracted' | 'knownSupplierName'>): Promise<ReadUpload>;
  /**
   * Ends the work because nothing could be read. The upload no longer counts in its month, and an event announces the
   * failure.
   */
  fail(
    at: UnreadUpload,
    failed: { readonly extracted: ExtractDocumentResponse | undefined; readonly failure: UploadFailure },
    events: readonly Announcement[],
  ): Promise<void>;
  /** Stores corrections as due work. A failed upload counts again. */
  correct(
    at: ReadUpload | FailedUpload,
    corrected: {
      readonly corrections: readonly Correction[];
      readonly counted: Pick<ReadUpload, 'usageMonth' | 'countedAt'> | undefined;
    },
    events: readonly Announcement[],
  ): Promise<ReadUpload>;
  /** Ends the work because the invoice is decided. */
  finish(at: ReadUpload): Promise<void>;
  /** Releases work that cannot be done now. */
  release(at: UnreadUpload | ReadUpload, dueAt: Date): Promise<void>;
  /** Finds the first document of a sequence if it is due. */
  firstDue(organizationId: string, sequence: string): Promise<InvoiceReference | undefined>;
  /** Tells whether a document of a channel was accepted but is not decided yet. */
  hasUndecided(organizationId: string, channel: Channel): Promise<boolean>;
  /** Returns due work of any tenant, the oldest first, and the first documents of sequences. The number is limited. */
  due(): Promise<UploadReference[]>;
  /** Returns unfinished work of any tenant that was requested before a time. The number is limited. */
  unfinishedSince(before: Date): Promise<readonly (InvoiceReference & { readonly since: Date })[]>;
  /** Counts the uploads that are analyses of a month. */
  analysesOf(organizationId: string, month: string, time: CountedTime): Promise<number>;
}
