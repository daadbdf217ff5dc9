import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v5 as uuidV5 } from 'uuid';
import type { ConnectionWarning } from './connection-warnings.js';

export const environments = ['TEST', 'DEMO', 'PRODUCTION'] as const;
/** A KSeF environment. Each token or certificate belongs to exactly one environment. */
export type Environment = (typeof environments)[number];

/** Method that a KSeF connection uses to log in to KSeF. */
export type Authentication = 'TOKEN' | 'CERTIFICATE';

/** Fields of a stored login certificate that users see. */
export interface ShownCertificate {
  readonly expiresAt: Date;
  /**
   * Masked identity of the subject of a login certificate ({@link maskedIdentity}). Undefined if the subject names
   * neither a taxpayer nor a person.
   */
  readonly subjectMasked?: string | undefined;
}

/** Refusal by KSeF that set the status of a connection to ERROR. */
export interface LoginRefusal {
  readonly at: Date;
  /** Code of the refused login, such as `KSEF_AUTH_415` or `KSEF_HTTP_403`. */
  readonly code: string;
}

/** A notice that a KSeF token or certificate will soon expire. */
export interface EndNotice {
  readonly endsAt: Date;
  /**
   * Number of days before expiry at which the notice is given: 30, 14, 7 or 1. If the token or certificate was stored
   * shortly before its expiry, fewer days may be left.
   */
  readonly days: number;
}

/**
 * Status of a KSeF connection: PENDING until the stored secret is tested, ERROR until a person acts, DISABLED after the
 * KSeF connection was disabled.
 */
export type ConnectionStatus = 'PENDING' | 'CONNECTED' | 'ERROR' | 'DISABLED';

/**
 * The access of one company to one KSeF environment, called a KSeF connection (specification 2.11; KSeF reference,
 * section 18).
 */
export interface Connection {
  /** Id of a KSeF connection, computed by {@link connectionId}. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** NIP of the taxpayer on whose behalf KSeF is called, ten digits. Users see it only in masked form. */
  readonly contextNip: string;
  readonly authentication: Authentication;
  /** The login certificate of a KSeF connection. Present if `authentication` is CERTIFICATE. */
  readonly certificate?: ShownCertificate | undefined;
  /**
   * Sealed KSeF token, or certificate with its key. The secret is removed from a disabled KSeF connection once no sent
   * submission needs it any more.
   */
  readonly secret: SealedValue | undefined;
  /**
   * Time when a person last stored the token or certificate of a KSeF connection, even if the value is the same as
   * before. Results of earlier tests do not apply to the stored value.
   */
  readonly secretSavedAt?: Date | undefined;
  readonly status: ConnectionStatus;
  /**
   * The refused login of a KSeF connection. Present for the status ERROR, with the refusal code and the time of the
   * first refusal.
   */
  readonly refusal?: LoginRefusal | undefined;
  /** Time when users were notified that KSeF refuses the secret of a disabled KSeF connection. */
  readonly refusalToldAt?: Date | undefined;
  /**
   * Time of the first test or submission that found the permission to view invoices (InvoiceRead) without the one to
   * issue them (InvoiceWrite) in KSeF. Absent if invoices may be submitted.
   */
  readonly readOnlySince?: Date | undefined;
  readonly lastTestedAt: Date | undefined;
  /** Reason of the last failed KSeF connection test, without text from KSeF. */
  readonly lastErrorMessage: string | undefined;
  /** KSeF warnings about the token or certificate of a connection, newest first, at most {@link WARNINGS_MAX}. */
  readonly warnings?: readonly ConnectionWarning[] | undefined;
  /** Last notice that was announced about the expiry of the token or certificate of a KSeF connection. */
  readonly endTold?: EndNotice | undefined;
  readonly createdAt: Date;
}

/**
 * Returns the id of the KSeF connection of a company to a KSeF environment. The id is always the same, so that two
 * concurrent first requests create only one connection.
 */
export function connectionId(organizationId: string, companyId: string, environment: Environment): string {
  return uuidV5(JSON.stringify([organizationId, companyId, environment]), CONNECTION_NAMESPACE);
}

const CONNECTION_NAMESPACE = '3d1f3c0e-70e3-4b57-9d4e-8f2f1c6a5b20';

/**
 * Checks whether two states of a KSeF connection have the same secret. They do if the secret was stored at the same
 * time in both.
 */
export function isSameSecret(
  one: Pick<Connection, 'secretSavedAt'>,
  other: Pick<Connection, 'secretSavedAt'>,
): boolean {
  return one.secretSavedAt?.getTime() === other.secretSavedAt?.getTime();
}

/** Masks a NIP (Polish tax id) with six asterisks before its last four digits. */
export function maskNip(nip: string): string {
  return `******${nip.slice(-4)}`;
}

/**
 * Checks whether a string has the form of a NIP, ten ASCII digits. The check digit is ignored, because the TEST
 * environment uses numbers without a valid one.
 */
export function isNip(text: string): boolean {
  return /^[0-9]{10}$/.test(text);
}
