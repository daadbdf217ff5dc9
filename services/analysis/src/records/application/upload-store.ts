import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Channel, ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { InvoiceReference } from './invoice-store.js';

/** The options of the caller for the analysis of an upload; the same for every repeat. */
export interface UploadRequest {
  readonly purchaseOrderRef?: string;
  readonly companyId?: string;
}

/** A value that a person gave in place of what was read. */
export interface Correction {
  /** Path in the canonical invoice. */
  readonly field: string;
  readonly value: string;
  /** `<actor type>:<actor id>` */
  readonly by: string;
  readonly at: Date;
}

/** Reason why no invoice could be read; `reason` is one of documents.v1.ReadingFailure. */
export interface UploadFailure {
  readonly reason: string;
  readonly message: string;
  readonly missingFields: readonly string[];
}

/** A request to analyze an upload, under the id of its invoice. */
interface RequestedUpload extends InvoiceReference {
  readonly version: number;
  readonly uploadId: string;
  readonly request: UploadRequest;
  /** The channel through which the document came; undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
  /**
   * The documents of a channel that are decided one after the other, in the order in which they were accepted. Undefined for any other
   * document, and from the time when others no longer wait for this one: when it is decided, and when too many attempts have failed.
   */
  readonly sequence: string | undefined;
  /** The company of the request, else the default one; the invoice may say otherwise. */
  readonly companyId: string;
  /** True when a worker has work on it, or will take some up. */
  readonly isDue: boolean;
  readonly createdAt: Date;
  /** Time when it was counted. */
  readonly countedAt: Date;
  /** Number of times that a worker gave it back. */
  readonly attempts: number;
  readonly corrections: readonly Correction[];
}

export interface UnreadUpload extends RequestedUpload {
  readonly state: 'QUEUED' | 'PROCESSING';
  /** The month whose analyses it counts in. */
  readonly usageMonth: string;
  readonly extracted?: undefined;
  readonly knownSupplierName?: undefined;
  readonly failure?: undefined;
}

/** Its invoice is stored with it and has the decision, or a worker is about to store it. */
export interface ReadUpload extends RequestedUpload {
  readonly state: 'READ';
  /** The month whose analyses it counts in. */
  readonly usageMonth: string;
  /** Response of the documents service. */
  readonly extracted: ExtractDocumentResponse;
  /** The name of a known supplier that takes the place of the one that was read. */
  readonly knownSupplierName?: string;
  readonly failure?: undefined;
}

/** It counts in no month. */
export interface FailedUpload extends RequestedUpload {
  readonly state: 'FAILED';
  /** Absent where the document was gone. */
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

/** Names an upload for a worker, with its sequence. */
export type UploadReference = InvoiceReference & Partial<Pick<UnreadUpload, 'sequence'>>;

/** A record under the lease of its worker. */
export interface ClaimedUpload {
  readonly record: UnreadUpload | ReadUpload;
  /** Renews the lease until stopped. @param onLost after a takeover */
  keepAlive(onLost: () => void): { stop(): void };
}

/** The operations of use cases on analyzed uploads. */
export interface UploadStore {
  /** Stores a request as QUEUED and free, a document of a channel at the end of its sequence; undefined when its id is taken. */
  insert(upload: NewUpload): Promise<UnreadUpload | undefined>;
  find(organizationId: string, invoiceId: string): Promise<UploadRecord | undefined>;
  /** Claims a record whose work is due; one that is QUEUED becomes PROCESSING. */
  claim(reference: InvoiceReference, leaseMs: number): Promise<ClaimedUpload | undefined>;
  /**
   * Stores what was read.
   * @throws VersionConflict after a takeover, as all changes below
   */
  saveReading(at: UnreadUpload, read: Pick<ReadUpload, 'extracted' | 'knownSupplierName'>): Promise<ReadUpload>;
  /** Ends the work: nothing could be read. Takes it out of its month, and says so. */
  fail(
    at: UnreadUpload,
    failed: { readonly extracted: ExtractDocumentResponse | undefined; readonly failure: UploadFailure },
    events: readonly Announcement[],
  ): Promise<void>;
  /** Stores corrections as work that is due; counts a failed one again. */
  correct(
    at: ReadUpload | FailedUpload,
    corrected: {
      readonly corrections: readonly Correction[];
      readonly counted: Pick<ReadUpload, 'usageMonth' | 'countedAt'> | undefined;
    },
    events: readonly Announcement[],
  ): Promise<ReadUpload>;
  /** Ends the work: the invoice is decided. */
  finish(at: ReadUpload): Promise<void>;
  /** Gives work back that cannot be done now. */
  release(at: UnreadUpload | ReadUpload, dueAt: Date): Promise<void>;
  /** Finds the first document of a sequence if it is due. */
  firstDue(organizationId: string, sequence: string): Promise<InvoiceReference | undefined>;
  /** Tells whether a document of a channel was accepted and is not decided yet. */
  hasUndecided(organizationId: string, channel: Channel): Promise<boolean>;
  /** Work of any tenant that is due, the oldest first, and the first documents of sequences; a bounded number. */
  due(): Promise<UploadReference[]>;
  /** Unfinished work of any tenant that was requested before; a bounded number. */
  unfinishedSince(before: Date): Promise<readonly (InvoiceReference & { readonly since: Date })[]>;
  /** Counts the uploads that are analyses of the month. */
  analysesOf(organizationId: string, month: string, time: CountedTime): Promise<number>;
}
