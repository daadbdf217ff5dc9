import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { Channel, ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { InvoiceReference } from './invoice-store.js';

/** Options that the caller chose for the analysis of an upload. Every repeated request uses the same options. */
export interface UploadRequest {
  readonly purchaseOrderRef?: string;
  readonly companyId?: string;
}

/** A correction: the value that a person entered to replace a value that was read from a document. */
export interface Correction {
  /** Path of the corrected invoice field in the canonical invoice. */
  readonly field: string;
  readonly value: string;
  /** Actor who corrected the value of the document, as `<actor type>:<actor id>`. */
  readonly by: string;
  readonly at: Date;
}

/** Reason why no invoice could be read from an upload. `reason` is a value of documents.v1.ReadingFailure. */
export interface UploadFailure {
  readonly reason: string;
  readonly message: string;
  readonly missingFields: readonly string[];
}

/** Upload whose analysis was requested. It has the same id as the invoice that is read from it. */
interface RequestedUpload extends InvoiceReference {
  readonly version: number;
  readonly uploadId: string;
  readonly request: UploadRequest;
  /** Channel that delivered the document. Undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
  /**
   * Name of the sequence to which a channel document belongs. The documents of a sequence are decided one after another
   * in the order in which they were accepted. Undefined for other documents. Also undefined for a document that already
   * has a decision or whose attempts failed too often, so that later documents no longer wait for it.
   */
  readonly sequence: string | undefined;
  /**
   * Company stated in the request to analyze an upload, or the default company. The invoice may name another company.
   */
  readonly companyId: string;
  /** True if a worker is working on the upload, or will do so. */
  readonly isDue: boolean;
  readonly createdAt: Date;
  /** Time when the analysis of the upload was counted towards the quota. */
  readonly countedAt: Date;
  /** Number of times that a worker released the upload without a result. */
  readonly attempts: number;
  readonly corrections: readonly Correction[];
}

export interface UnreadUpload extends RequestedUpload {
  readonly state: 'QUEUED' | 'PROCESSING';
  /** Month in whose quota the analysis of the upload counts. */
  readonly usageMonth: string;
  readonly extracted?: undefined;
  readonly knownSupplierName?: undefined;
  readonly failure?: undefined;
}

/** An uploaded document that was read. Its invoice is decided, or a worker will store and decide it next. */
export interface ReadUpload extends RequestedUpload {
  readonly state: 'READ';
  /** Month in whose quota the analysis of the upload counts. */
  readonly usageMonth: string;
  /** Response of the documents service with the fields that were read from an uploaded document. */
  readonly extracted: ExtractDocumentResponse;
  /** Name of a known supplier that replaces the supplier name read from a document. */
  readonly knownSupplierName?: string;
  readonly failure?: undefined;
}

/** Upload that could not be read. Such an upload does not count as an analysis. */
export interface FailedUpload extends RequestedUpload {
  readonly state: 'FAILED';
  /** Response of the documents service. Absent if the uploaded document had been removed. */
  readonly extracted?: ExtractDocumentResponse;
  readonly knownSupplierName?: string;
  readonly failure: UploadFailure;
}

export type UploadRecord = UnreadUpload | ReadUpload | FailedUpload;

/** Progress of the analysis of an upload in a list. */
export type ListedState = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** An upload in a list, without what was read from its document. */
export interface ListedUpload extends Pick<
  RequestedUpload,
  'invoiceId' | 'uploadId' | 'companyId' | 'origin' | 'createdAt'
> {
  readonly state: ListedState;
  readonly failure: UploadFailure | undefined;
}

export interface UploadQuery extends PageRequest {
  readonly state?: ListedState | undefined;
  readonly companyId?: string | undefined;
}

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

/** The upload that a worker is to process, with the sequence in which documents of a KSeF inbox are decided. */
export type UploadReference = InvoiceReference & Partial<Pick<UnreadUpload, 'sequence'>>;

/** An upload that a worker has claimed and works on. */
export interface ClaimedUpload {
  readonly record: UnreadUpload | ReadUpload;
  /**
   * Renews the lease on the upload until it is stopped.
   * @param onLost called if another worker has taken over the upload
   */
  keepAlive(onLost: () => void): { stop(): void };
}

/** Operations on analyzed uploads that use cases need. */
export interface UploadStore {
  /**
   * Stores the request to analyze an upload as QUEUED without a worker. A document from a channel such as KSeF is added
   * at the end of its sequence. Returns undefined if the id already exists.
   */
  insert(upload: NewUpload): Promise<UnreadUpload | undefined>;
  find(organizationId: string, invoiceId: string): Promise<UploadRecord | undefined>;
  /** Lists the uploads whose analysis was requested, newest first. */
  list(organizationId: string, query: UploadQuery): Promise<Page<ListedUpload>>;
  /** Claims an upload whose work is due. A QUEUED upload becomes PROCESSING. */
  claim(reference: InvoiceReference, leaseMs: number): Promise<ClaimedUpload | undefined>;
  /**
   * Stores the result of reading a document.
   * @throws VersionConflict if another worker has taken over the upload; the methods below that change an upload throw
   *   this error, too
   */
  saveReading(at: UnreadUpload, read: Pick<ReadUpload, 'extracted' | 'knownSupplierName'>): Promise<ReadUpload>;
  /**
   * Completes the work on an upload that could not be read. The upload no longer counts as an analysis in its month,
   * and an event announces the failure.
   */
  fail(
    at: UnreadUpload,
    failed: { readonly extracted: ExtractDocumentResponse | undefined; readonly failure: UploadFailure },
    events: readonly Announcement[],
  ): Promise<void>;
  /** Stores corrections of an upload as due work. A failed upload then counts towards the quota of analyses again. */
  correct(
    at: ReadUpload | FailedUpload,
    corrected: {
      readonly corrections: readonly Correction[];
      readonly counted: Pick<ReadUpload, 'usageMonth' | 'countedAt'> | undefined;
    },
    events: readonly Announcement[],
  ): Promise<ReadUpload>;
  /** Completes the work on an upload because its invoice is decided. */
  finish(at: ReadUpload): Promise<void>;
  /** Releases an upload whose work cannot be completed now. The work is tried again at `dueAt`. */
  release(at: UnreadUpload | ReadUpload, dueAt: Date): Promise<void>;
  /** Returns the first uploaded document of a sequence, if the time of its next attempt has come. */
  firstDue(organizationId: string, sequence: string): Promise<InvoiceReference | undefined>;
  /** Checks whether a document received through a channel such as KSeF was accepted but has no decision yet. */
  hasUndecided(organizationId: string, channel: Channel): Promise<boolean>;
  /**
   * Returns uploads whose work is due, from all tenants, up to a maximum number. Of each sequence, only the first
   * document is considered.
   */
  due(): Promise<UploadReference[]>;
  /** Returns unfinished uploads that were requested before the given time, from all tenants, up to a maximum number. */
  unfinishedSince(before: Date): Promise<readonly (InvoiceReference & { readonly since: Date })[]>;
  /** Counts the uploads that count as analyses in a month. */
  analysesOf(organizationId: string, month: string, time: CountedTime): Promise<number>;
}
