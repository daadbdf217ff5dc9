import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Environment } from '../../domain/connection.js';
import type { SessionKey } from '../../domain/encryption.js';
import type { ExpectedInvoice, ExportedPart, PackedFile } from '../../domain/export-package.js';
import type { Inbox, InboxRun, RefusedInvoice } from '../../domain/inbox.js';
import type { InboxChange } from '../../domain/inbox-steps.js';

// The operations of receiving on the stores and on other services.

export interface InboxStore {
  /** False when the connection has an inbox already. */
  insert(inbox: Inbox, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string): Promise<Inbox | undefined>;
  findMany(organizationId: string, connectionIds: readonly string[]): Promise<readonly Inbox[]>;
  /** Changes an inbox, and takes it from the worker that may have it. @throws VersionConflict when another change came between */
  save(before: Inbox, next: Inbox, ended: readonly InboxRun[], events: readonly Announcement[]): Promise<Inbox>;
  /** Notes that a person waits for all roles to run. It is no change of the inbox: a worker that has it goes on. */
  request(organizationId: string, connectionId: string): Promise<void>;
  /** The runs that ended, newest first; at most as many as an inbox keeps. */
  endedRuns(organizationId: string, connectionId: string): Promise<readonly InboxRun[]>;
}

/** The environment of KSeF that each organization receives from. */
export interface InboxEnvironments {
  /** Takes the environment for a connection. @returns the other environment that connections have taken, else undefined */
  take(organizationId: string, environment: Environment, connectionId: string): Promise<Environment | undefined>;
  release(organizationId: string, connectionId: string): Promise<void>;
}

/** An inbox that this process alone may go on with. */
export interface InboxClaim {
  readonly inbox: Inbox;
  keepAlive(onLost: () => void): { stop(): void };
  /** @throws VersionConflict when the claim holds no longer */
  save(change: InboxChange, events: readonly Announcement[]): Promise<InboxClaim>;
  /** Gives the claim back; the inbox is due as it was stored last. */
  release(): Promise<void>;
  /** Gives the claim back until later, which is no change. */
  wait(dueAt: Date): Promise<void>;
}

export interface DueInbox {
  readonly id: string;
  readonly organizationId: string;
}

export interface InboxQueue {
  /** Due ones that nobody has, the longest due first. */
  due(limit: number, busyIds: readonly string[]): Promise<readonly DueInbox[]>;
  claim(due: DueInbox): Promise<InboxClaim | undefined>;
  /** Returns for how long the inbox that has been due longest waits for a worker, in seconds. */
  lagSeconds(): Promise<number>;
  /** Those that were due before and that nobody has, the longest due first. */
  dueBefore(before: Date, limit: number): Promise<readonly (DueInbox & { readonly dueSince: Date })[]>;
}

/** A package that lies decrypted on the disk of this process, as long as it is read. */
export interface OpenPackage {
  /** The invoices to receive, in the order in which KSeF lists them. */
  readonly expected: readonly ExpectedInvoice<PackedFile>[];
  readonly refused: readonly RefusedInvoice[];
  /** The bytes of one invoice. @throws PackageFault for a file that cannot be unpacked */
  read(invoice: ExpectedInvoice<PackedFile>): Promise<Buffer>;
}

export interface ExportPackages {
  /**
   * Downloads a package, decrypts and checks it, and hands it to the reader. Nothing of it is left on the disk, however this ends.
   * @throws PackageFault for what is no package; KsefRefusal where a part cannot be downloaded now; what the reader throws
   */
  reading<T>(
    source: { readonly environment: Environment; readonly parts: readonly ExportedPart[]; readonly key: SessionKey },
    signal: AbortSignal,
    read: (opened: OpenPackage) => Promise<T>,
  ): Promise<T>;
}

/** The plans of tenants, in the facts of the organization service. */
export interface TenantPlans {
  /** @returns undefined for an organization that is deleted, and may be restored */
  limitsOf(organizationId: string): Promise<MonthlyLimits | undefined>;
}

/** Limits of a plan for a month; undefined where there is none. */
export interface MonthlyLimits {
  readonly analyses: number | undefined;
  readonly uploadBytes: number | undefined;
}

/** An invoice as KSeF gave it. */
export interface ReceivedInvoice {
  readonly organizationId: string;
  readonly companyId: string;
  readonly uploadId: string;
  readonly ksefNumber: string;
  readonly content: Buffer;
}

/** The documents that came through a channel, in the documents service. */
export interface ChannelDocuments {
  /**
   * Stores it once.
   * @param bytesPerMonthLimit undefined when there is no limit
   * @returns time when it was stored, now or before
   * @throws DomainError usage_exceeded; already_exists for another content; invalid
   */
  store(
    invoice: ReceivedInvoice,
    bytesPerMonthLimit: number | undefined,
    context: RequestContext,
  ): Promise<{ readonly storedAt: Date }>;
}

/** The analyses of uploads, in the analysis service. */
export interface UploadAnalyses {
  /**
   * Has it analyzed once, without waiting.
   * @param analysesPerMonthLimit undefined when there is no limit
   * @throws DomainError usage_exceeded; unprocessable for a document that could not be read
   */
  request(
    invoice: Omit<ReceivedInvoice, 'content'>,
    analysesPerMonthLimit: number | undefined,
    context: RequestContext,
  ): Promise<void>;
}
