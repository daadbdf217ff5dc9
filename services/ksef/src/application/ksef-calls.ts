import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { SystemWarning } from '../domain/connection-warnings.js';
import type { Authentication, Connection } from '../domain/connection.js';
import type { EncryptedDocument, SessionKey } from '../domain/encryption.js';
import type { ExportedPart } from '../domain/export-package.js';
import type { InboxRole } from '../domain/inbox.js';

export type KsefEnvironment = 'TEST' | 'DEMO' | 'PRODUCTION';

/** Credentials for calls to KSeF: a KSeF connection and its decrypted secret. */
export interface KsefCredentials {
  readonly organizationId: string;
  readonly connectionId: string;
  /**
   * Time at which the secret of the KSeF connection was stored. The time distinguishes the secret from a secret that
   * was stored later.
   */
  readonly secretSavedAt?: Date | undefined;
  readonly environment: KsefEnvironment;
  readonly contextNip: string;
  readonly authentication: Authentication;
  /** The KSeF token, or a certificate in the encoding of {@link encodeLoginCertificate}. */
  readonly secret: string;
}

/**
 * Decrypts the secret of a KSeF connection.
 * @param sealed sealed secret of that connection
 */
export function credentialsOf(
  connection: Connection,
  sealed: SealedValue,
  secrets: Pick<SealedField, 'open'>,
): KsefCredentials {
  const { id: connectionId, organizationId, secretSavedAt, environment, contextNip, authentication } = connection;
  const secret = secrets.open(connection, sealed);
  return { organizationId, connectionId, secretSavedAt, environment, contextNip, authentication, secret };
}

/**
 * Function that stores the warnings in a KSeF response on the KSeF connection. It never throws, because a warning must
 * not make a call fail.
 */
export type NoteWarnings = (
  used: Pick<KsefCredentials, 'organizationId' | 'connectionId' | 'secretSavedAt'>,
  warnings: readonly SystemWarning[],
) => Promise<void>;

/** A KSeF status. Codes below 200 are not final, 2xx means success, and all other codes mean failure. */
export interface KsefStatus {
  readonly code: number;
  /** Message from KSeF, shortened and without tokens and complete NIPs. */
  readonly description: string;
  readonly details: readonly string[];
}

export interface InvoiceStatus {
  readonly referenceNumber: string;
  /** SHA-256 hash of the invoice document in base64 (44 characters). */
  readonly invoiceHash: string;
  readonly ksefNumber: string | undefined;
  readonly status: KsefStatus;
  /**
   * KSeF number of the original invoice, if KSeF reports that the sent invoice is a duplicate (440) and states the
   * number.
   */
  readonly originalKsefNumber: string | undefined;
  readonly originalSessionReferenceNumber: string | undefined;
}

/** An invoice in the invoice list of its KSeF session. */
export interface ListedInvoice {
  readonly referenceNumber: string;
  /** SHA-256 hash of the invoice document in base64 (44 characters). */
  readonly invoiceHash: string;
  readonly ksefNumber: string | undefined;
}

export interface SessionStatus {
  readonly status: KsefStatus;
  readonly validUntil: Date | undefined;
  /** Reference numbers of the confirmations (UPO) of the KSeF session. Present only for status 200. */
  readonly upoReferenceNumbers: readonly string[];
}

export interface OpenedSession {
  readonly referenceNumber: string;
  readonly validUntil: Date;
}

export interface Upo {
  readonly xml: Buffer;
  /** SHA-256 hash of `xml` in base64. If KSeF sent the header `x-ms-meta-hash`, the hashes are equal. */
  readonly hash: string;
  /** True if KSeF stated a hash of the confirmation file. A file with a different hash is refused. */
  readonly isHashConfirmed: boolean;
}

/** Invoice that was downloaded by its KSeF number. */
export interface DownloadedInvoice {
  readonly xml: Buffer;
  /** SHA-256 in base64 that KSeF states about the invoice. Undefined if KSeF states no hash. */
  readonly statedHash: string | undefined;
}

export interface RegisteredInvoice {
  readonly ksefNumber: string;
  readonly invoiceNumber: string;
  readonly invoiceHash: string;
}

/**
 * Time window of a KSeF export. The export contains the invoices in which the company has the given role (such as
 * buyer) and which KSeF stored in this window. Times are kept exactly as KSeF wrote them.
 */
export interface ExportWindow {
  readonly role: InboxRole;
  readonly from: string;
  /**
   * End of the time window of a KSeF export. If undefined, the window ends at the KSeF high water mark, which is the
   * time up to which KSeF has stored all invoices.
   */
  readonly to: string | undefined;
}

export interface ExportStatus {
  readonly status: KsefStatus;
  /** Package of the KSeF export. Present only for status 200. */
  readonly package: ExportedPackage | undefined;
}

/** The package of a KSeF export. Times are kept exactly as KSeF wrote them. */
export interface ExportedPackage {
  /**
   * Parts of the invoice package; empty if there are no invoices. The addresses of parts expire, and each status of the
   * export contains new addresses.
   */
  readonly parts: readonly ExportedPart[];
  /**
   * True when the time window of a KSeF export has more invoices than one package can contain. `lastStoredAt` is
   * present in this case.
   */
  readonly isTruncated: boolean;
  readonly lastStoredAt: string | undefined;
  readonly highWaterMark: string | undefined;
}

/** Function that runs just before a request to KSeF is sent. */
export interface Leaving {
  /**
   * Callback that runs before each request of a KSeF call, once an access token is available and the rate limits allow
   * the request. If the callback fails, the request is not sent.
   */
  readonly beforeRequest?: () => Promise<void>;
}

/**
 * The authenticated calls of one connection to KSeF. Each call is attempted once, except that an expired token is
 * renewed. If a call limit requires a short wait, the call waits. If the wait is longer, the call fails with a
 * TRANSIENT refusal `KSEF_LIMIT` with `retryAfterMs`.
 * @throws KsefRefusal from every call
 */
export interface KsefCalls {
  /**
   * Opens a KSeF session (S1) with a key that this function encrypts. If requested, the certificates of KSeF are read
   * again first. After the KSeF error 21470, the certificates are read again and the call is repeated once.
   */
  openSession(key: SessionKey, options?: { readonly hasFreshKeys: boolean } & Leaving): Promise<OpenedSession>;
  /** Sends an invoice in a KSeF session (call S2). Only for this call can a refusal be UNKNOWN. */
  sendInvoice(
    sessionReferenceNumber: string,
    document: EncryptedDocument,
    options?: Leaving,
  ): Promise<{ readonly referenceNumber: string }>;
  /** Fetches the status of an invoice from KSeF (S3). */
  invoiceStatus(sessionReferenceNumber: string, invoiceReferenceNumber: string): Promise<InvoiceStatus>;
  /**
   * Reads all pages of a session's invoice list (S4). Entries that cannot be read are left out. A KSeF session with
   * more than 10,000 invoices is refused.
   */
  sessionInvoices(sessionReferenceNumber: string): Promise<readonly ListedInvoice[]>;
  /**
   * Closes a KSeF session (S5). If the session is already closed, the result is a SESSION refusal (`KSEF_API_21180`).
   */
  closeSession(sessionReferenceNumber: string): Promise<void>;
  /** Fetches the status of a KSeF session (S6). */
  sessionStatus(sessionReferenceNumber: string): Promise<SessionStatus>;
  /** Fetches the collective confirmation of a KSeF session (S7). */
  upo(sessionReferenceNumber: string, upoReferenceNumber: string): Promise<Upo>;
  /** Fetches the confirmation (UPO) of an invoice from KSeF (S8). */
  invoiceUpo(sessionReferenceNumber: string, invoiceReferenceNumber: string): Promise<Upo>;
  /**
   * Checks the permission to issue invoices (S9). Without it, the refusal is PERMANENT `KSEF_HTTP_403` for the whole
   * connection.
   */
  probePermission(): Promise<void>;
  /** Checks the permission to view invoices (S10). Without it, the refusal is a REFERENCE refusal `KSEF_HTTP_403`. */
  probeViewPermission(): Promise<void>;
  /**
   * Finds an invoice that this taxpayer registered as the seller within a week of its issue day (call S10). Returns
   * undefined if there is none. The call needs the permission to view invoices.
   */
  findInvoice(ksefNumber: string): Promise<RegisteredInvoice | undefined>;
  /**
   * Starts an invoice export (R1) with a key that this function encrypts. If the permission to view invoices is
   * missing, the result is a REFERENCE refusal `KSEF_HTTP_403`.
   */
  startExport(
    key: SessionKey,
    window: ExportWindow,
    options?: { readonly hasFreshKeys: boolean },
  ): Promise<{ readonly referenceNumber: string }>;
  /** Fetches the status of a KSeF export (R2). If KSeF no longer has the export, the result is a REFERENCE refusal. */
  exportStatus(referenceNumber: string): Promise<ExportStatus>;
  /**
   * Downloads one invoice to which the taxpayer is a party (R5). For an unknown invoice, the result is a REFERENCE
   * refusal. Without the permission to view invoices, the refusal is a REFERENCE refusal `KSEF_HTTP_403`.
   */
  invoice(ksefNumber: string): Promise<DownloadedInvoice>;
}

export interface Ksef {
  /**
   * Creates the client with which calls are made for a KSeF connection. Creating the client sends nothing to KSeF.
   * Connections with the same credentials share their access token.
   */
  callsOf(credentials: KsefCredentials): KsefCalls;
  /**
   * Tests the credentials of a KSeF connection with a separate login (requests A1 to A5, S9 and A7 of the KSeF
   * reference). If request S9 shows that the permission to issue invoices is missing, request S10 shows whether the
   * connection may view invoices. If KSeF does not end that login session afterwards, the result does not change.
   * @returns whether invoices may be viewed but not issued
   * @throws KsefRefusal PERMANENT `KSEF_HTTP_403` for the whole connection if both permissions are missing
   */
  test(credentials: KsefCredentials): Promise<{ readonly isReadOnly: boolean }>;
  /**
   * Drops the access tokens of a KSeF connection and terminates its login session if KSeF is available. Never throws.
   */
  endAccess(connectionId: string): Promise<void>;
}
