import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { SystemWarning } from '../domain/connection-warnings.js';
import type { Authentication, Connection } from '../domain/connection.js';
import type { EncryptedDocument, SessionKey } from '../domain/encryption.js';
import type { ExportedPart } from '../domain/export-package.js';
import type { InboxRole } from '../domain/inbox.js';

export type KsefEnvironment = 'TEST' | 'DEMO' | 'PRODUCTION';

/** The caller: a connection with its opened secret. */
export interface KsefCredentials {
  readonly organizationId: string;
  readonly connectionId: string;
  /** Tells the secret from one that was stored later. */
  readonly secretSavedAt?: Date | undefined;
  readonly environment: KsefEnvironment;
  readonly contextNip: string;
  readonly authentication: Authentication;
  /** The token, or what {@link encodeLoginCertificate} wrote. */
  readonly secret: string;
}

/** Opens the secret of a connection. @param sealed its own */
export function credentialsOf(
  connection: Connection,
  sealed: SealedValue,
  secrets: Pick<SealedField, 'open'>,
): KsefCredentials {
  const { id: connectionId, organizationId, secretSavedAt, environment, contextNip, authentication } = connection;
  const secret = secrets.open(connection, sealed);
  return { organizationId, connectionId, secretSavedAt, environment, contextNip, authentication, secret };
}

/** Takes the warnings of a response to a connection. Never throws: no call fails because of a warning. */
export type NoteWarnings = (
  used: Pick<KsefCredentials, 'organizationId' | 'connectionId' | 'secretSavedAt'>,
  warnings: readonly SystemWarning[],
) => Promise<void>;

/** A status of KSeF: below 200 it is not final; 2xx is success; all else is failure. */
export interface KsefStatus {
  readonly code: number;
  /** Cut, and without tokens and whole NIPs. */
  readonly description: string;
  readonly details: readonly string[];
}

export interface InvoiceStatus {
  readonly referenceNumber: string;
  /** Base64 of SHA-256, 44 characters. */
  readonly invoiceHash: string;
  readonly ksefNumber: string | undefined;
  readonly status: KsefStatus;
  /** Number of the original of a duplicate (440), if KSeF gives it. */
  readonly originalKsefNumber: string | undefined;
  readonly originalSessionReferenceNumber: string | undefined;
}

/** An invoice as the list of its session shows it. */
export interface ListedInvoice {
  readonly referenceNumber: string;
  /** Base64 of SHA-256, 44 characters. */
  readonly invoiceHash: string;
  readonly ksefNumber: string | undefined;
}

export interface SessionStatus {
  readonly status: KsefStatus;
  readonly validUntil: Date | undefined;
  /** Present only at 200. */
  readonly upoReferenceNumbers: readonly string[];
}

export interface OpenedSession {
  readonly referenceNumber: string;
  readonly validUntil: Date;
}

export interface Upo {
  readonly xml: Buffer;
  /** SHA-256 of `xml` in base64; equal to `x-ms-meta-hash` where KSeF sent it. */
  readonly hash: string;
  /** True when KSeF sent its own hash; a hash that differs is a refusal. */
  readonly isHashConfirmed: boolean;
}

export interface RegisteredInvoice {
  readonly ksefNumber: string;
  readonly invoiceNumber: string;
  readonly invoiceHash: string;
}

/** Invoices of one role that KSeF stored at a time in a window. Times are in the text of KSeF. */
export interface ExportWindow {
  readonly role: InboxRole;
  readonly from: string;
  /** Undefined for the high water mark. */
  readonly to: string | undefined;
}

export interface ExportStatus {
  readonly status: KsefStatus;
  /** Present at 200. */
  readonly package: ExportedPackage | undefined;
}

/** The package of an export. Times are in the text of KSeF. */
export interface ExportedPackage {
  /** None where there are no invoices. Their addresses live for a while, and each call gives new ones. */
  readonly parts: readonly ExportedPart[];
  /** True when the window has more invoices than a package; `lastStoredAt` is present then. */
  readonly isTruncated: boolean;
  readonly lastStoredAt: string | undefined;
  readonly highWaterMark: string | undefined;
}

/** A callback right before a request leaves. */
export interface Leaving {
  /** When access and a turn within the limits are there, before each request of the call. Where it fails, none leaves. */
  readonly beforeRequest?: () => Promise<void>;
}

/**
 * The authenticated calls of one connection. Each is tried once, except that a token which ended is renewed. A short wait
 * for the local limit happens inside; a longer one is a TRANSIENT refusal `KSEF_LIMIT` with `retryAfterMs`.
 * @throws KsefRefusal from every call
 */
export interface KsefCalls {
  /**
   * Calls S1. The key is encrypted here, on request with certificates that are read again; after 21470 the certificates are read again and
   * the call is repeated once.
   */
  openSession(key: SessionKey, options?: { readonly hasFreshKeys: boolean } & Leaving): Promise<OpenedSession>;
  /** S2. Alone of all calls, its refusal can be UNKNOWN. */
  sendInvoice(
    sessionReferenceNumber: string,
    document: EncryptedDocument,
    options?: Leaving,
  ): Promise<{ readonly referenceNumber: string }>;
  /** S3 */
  invoiceStatus(sessionReferenceNumber: string, invoiceReferenceNumber: string): Promise<InvoiceStatus>;
  /** S4, all pages, without entries that cannot be read; a session of more than 10,000 invoices is refused. */
  sessionInvoices(sessionReferenceNumber: string): Promise<readonly ListedInvoice[]>;
  /** S5. A session that is closed already is a SESSION refusal (`KSEF_API_21180`). */
  closeSession(sessionReferenceNumber: string): Promise<void>;
  /** S6 */
  sessionStatus(sessionReferenceNumber: string): Promise<SessionStatus>;
  /** S7 */
  upo(sessionReferenceNumber: string, upoReferenceNumber: string): Promise<Upo>;
  /** S8 */
  invoiceUpo(sessionReferenceNumber: string, invoiceReferenceNumber: string): Promise<Upo>;
  /** S9: PERMANENT `KSEF_HTTP_403`, of the connection, where the token may not send invoices. */
  probePermission(): Promise<void>;
  /**
   * S10, which needs a permission of its own: the invoice as registered by this context as the seller in the week around its day, or
   * undefined.
   */
  findInvoice(ksefNumber: string): Promise<RegisteredInvoice | undefined>;
  /** R1. The key is encrypted here, as for S1. A missing permission to view invoices is a REFERENCE refusal `KSEF_HTTP_403`. */
  startExport(
    key: SessionKey,
    window: ExportWindow,
    options?: { readonly hasFreshKeys: boolean },
  ): Promise<{ readonly referenceNumber: string }>;
  /** R2. An export that KSeF no longer knows is a REFERENCE refusal. */
  exportStatus(referenceNumber: string): Promise<ExportStatus>;
}

export interface Ksef {
  /** Nothing is called until the first call. Connections with the same credentials share their access token. */
  callsOf(credentials: KsefCredentials): KsefCalls;
  /** A1 to A5, S9, A7: a new authentication that nothing else uses; whether it could be ended decides nothing. @throws KsefRefusal */
  test(credentials: KsefCredentials): Promise<void>;
  /** Drops access tokens of a connection, and ends them at KSeF where it answers. Never throws. */
  endAccess(connectionId: string): Promise<void>;
}
