import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Environment } from '../../domain/connection.js';
import type { SessionKey } from '../../domain/encryption.js';
import type { ExpectedInvoice, ExportedPart, PackedFile } from '../../domain/export-package.js';
import type { Inbox, InboxRun, RefusedFile } from '../../domain/inbox.js';
import type { InboxChange } from '../../domain/inbox-steps.js';

// Store and service operations that the KSeF inbox use cases need.

export interface InboxStore {
  /** Stores a new KSeF inbox. Returns false if the KSeF connection already has one. */
  insert(inbox: Inbox, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string): Promise<Inbox | undefined>;
  findMany(organizationId: string, connectionIds: readonly string[]): Promise<readonly Inbox[]>;
  /**
   * Stores a change to a KSeF inbox and cancels the claim of any worker on it.
   * @throws VersionConflict if the inbox has changed since it was read
   */
  save(before: Inbox, next: Inbox, ended: readonly InboxRun[], events: readonly Announcement[]): Promise<Inbox>;
  /**
   * Stores that a person requested inbox runs for all roles in which the company receives invoices, such as buyer. The
   * request does not change the version of the KSeF inbox, so a worker that has claimed the inbox continues.
   */
  request(organizationId: string, connectionId: string): Promise<void>;
  /** Returns the completed runs of a KSeF inbox, newest first, up to the number of runs that the inbox keeps. */
  endedRuns(organizationId: string, connectionId: string): Promise<readonly InboxRun[]>;
}

/**
 * The KSeF environment from which each organization receives invoices. Every enabled inbox has a reservation (ADR
 * 0126).
 */
export interface InboxEnvironments {
  /**
   * Reserves the KSeF environment of the organization for an inbox that is about to be enabled.
   * @param version version that the inbox has once it is enabled
   * @returns undefined on success; otherwise the environment that the inboxes of other connections have reserved
   */
  take(
    organizationId: string,
    environment: Environment,
    connectionId: string,
    version: number,
  ): Promise<Environment | undefined>;
  /** Checks whether a KSeF inbox has reserved the KSeF environment of its organization. */
  hasTaken(organizationId: string, connectionId: string): Promise<boolean>;
  /**
   * Removes the environment reservation of a disabled inbox. A reservation of a later inbox version is kept, because it
   * belongs to a request that enables the KSeF inbox after it was disabled.
   * @param version version of the disabled inbox
   */
  release(organizationId: string, connectionId: string, version: number): Promise<void>;
}

/** A KSeF inbox that this process has claimed. No other process may change the inbox until the claim is released. */
export interface InboxClaim {
  readonly inbox: Inbox;
  keepAlive(onLost: () => void): { stop(): void };
  /**
   * Stores a change to the claimed KSeF inbox.
   * @throws VersionConflict if the claim is no longer valid
   */
  save(change: InboxChange, events: readonly Announcement[]): Promise<InboxClaim>;
  /** Releases the claim on the KSeF inbox. The stored time of its next step stays the same. */
  release(): Promise<void>;
  /** Releases the claim on the KSeF inbox until a later time. The version of the inbox does not change. */
  wait(dueAt: Date): Promise<void>;
}

export interface DueInbox {
  readonly id: string;
  readonly organizationId: string;
}

export interface InboxQueue {
  /** Returns due KSeF inboxes without a claim, starting with the one that has been due the longest. */
  due(limit: number, busyIds: readonly string[]): Promise<readonly DueInbox[]>;
  claim(due: DueInbox): Promise<InboxClaim | undefined>;
  /** Returns the time in seconds for which the longest due KSeF inbox has waited for a worker. */
  lagSeconds(): Promise<number>;
  /**
   * Returns KSeF inboxes without a claim that were due before the given time, starting with the one that has been due
   * the longest.
   */
  dueBefore(before: Date, limit: number): Promise<readonly (DueInbox & { readonly dueSince: Date })[]>;
}

/** A decrypted invoice package on the disk of this process. The package is removed from the disk after it was read. */
export interface OpenPackage {
  /** Invoices of a KSeF package to receive, in the order in which KSeF lists them. */
  readonly expected: readonly ExpectedInvoice<PackedFile>[];
  readonly refused: readonly RefusedFile[];
  /**
   * Returns the file of one invoice in a KSeF package as bytes.
   * @throws PackageFault if the file cannot be unpacked
   */
  read(invoice: ExpectedInvoice<PackedFile>): Promise<Buffer>;
}

export interface ExportPackages {
  /**
   * Downloads, decrypts and checks a KSeF invoice package and passes it to the reader. Afterwards, no part of it
   * remains on the disk, even after an error.
   * @throws PackageFault for an invalid package; KsefRefusal if a part cannot be downloaded now; errors of the reader
   */
  reading<T>(
    source: { readonly environment: Environment; readonly parts: readonly ExportedPart[]; readonly key: SessionKey },
    signal: AbortSignal,
    read: (opened: OpenPackage) => Promise<T>,
  ): Promise<T>;
}

/** Plan limits of tenants, from the facts that the organization service publishes. */
export interface TenantPlans {
  /**
   * Returns the plan limits of an organization.
   * @returns undefined for a deleted organization, which may be restored
   */
  limitsOf(organizationId: string): Promise<MonthlyLimits | undefined>;
}

/** Monthly limits of the plan of an organization. An undefined limit means that the plan has no such limit. */
export interface MonthlyLimits {
  readonly analyses: number | undefined;
  readonly uploadBytes: number | undefined;
}

/** Invoice file exactly as KSeF delivered it. */
export interface ReceivedInvoice {
  readonly organizationId: string;
  readonly companyId: string;
  readonly uploadId: string;
  readonly ksefNumber: string;
  readonly content: Buffer;
}

/** Stores documents received through a channel such as KSeF in the documents service. */
export interface ChannelDocuments {
  /**
   * Stores a document from KSeF once.
   * @param bytesPerMonthLimit undefined if there is no limit
   * @returns time at which this call or an earlier call stored the document
   * @throws DomainError usage_exceeded; already_exists if the content differs; invalid
   */
  store(
    invoice: ReceivedInvoice,
    bytesPerMonthLimit: number | undefined,
    context: RequestContext,
  ): Promise<{ readonly storedAt: Date }>;
}

/** Requests analyses of uploaded documents from the analysis service. */
export interface UploadAnalyses {
  /**
   * Requests the analysis of a document once, without waiting for its result.
   * @param analysesPerMonthLimit undefined if there is no limit
   * @throws DomainError usage_exceeded; unprocessable if the document cannot be read
   */
  request(
    invoice: Omit<ReceivedInvoice, 'content'>,
    analysesPerMonthLimit: number | undefined,
    context: RequestContext,
  ): Promise<void>;
}
