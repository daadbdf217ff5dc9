import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v5 as uuidV5 } from 'uuid';
import type { ConnectionWarning } from './connection-warnings.js';

export const environments = ['TEST', 'DEMO', 'PRODUCTION'] as const;
/** An environment of KSeF. Each token or certificate belongs to exactly one. */
export type Environment = (typeof environments)[number];

/** The way in which a connection logs in to KSeF. */
export type Authentication = 'TOKEN' | 'CERTIFICATE';

/** Fields of a stored certificate that people see. */
export interface ShownCertificate {
  readonly expiresAt: Date;
  /**
   * Masked identity of the subject ({@link maskedIdentity}). Undefined if the subject names neither a taxpayer nor a
   * person.
   */
  readonly subjectMasked?: string | undefined;
}

/** The refusal that set a connection to ERROR. */
export interface LoginRefusal {
  readonly at: Date;
  /** Code of the refusal, such as `KSEF_AUTH_415` or `KSEF_HTTP_403`. */
  readonly code: string;
}

/** A notice that a secret will soon expire. */
export interface EndNotice {
  readonly endsAt: Date;
  /** Days before the end: 30, 14, 7 or 1. If the secret was stored late, the end may be nearer. */
  readonly days: number;
}

/** PENDING until the stored secret is tested, ERROR until someone acts, DISABLED after the connection was ended. */
export type ConnectionStatus = 'PENDING' | 'CONNECTED' | 'ERROR' | 'DISABLED';

/** Access of one company to one environment of KSeF (specification 2.11; KSeF reference, section 18). */
export interface Connection {
  /** Id that {@link connectionId} derives. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** Taxpayer in whose name KSeF is called, ten digits. People see it only in masked form. */
  readonly contextNip: string;
  readonly authentication: Authentication;
  /** Present if `authentication` is CERTIFICATE. */
  readonly certificate?: ShownCertificate | undefined;
  /**
   * The token, or the certificate with its key. Removed after the end of a connection once no sent submission needs it
   * any more.
   */
  readonly secret: SealedValue | undefined;
  /** Time when a person last stored the secret, even if the secret is the same. Earlier results do not apply to it. */
  readonly secretSavedAt?: Date | undefined;
  readonly status: ConnectionStatus;
  /** Present for ERROR: the code of the refused login and the time of the first refusal. */
  readonly refusal?: LoginRefusal | undefined;
  /** Time when people were notified that KSeF refuses the secret of a disabled connection. */
  readonly refusalToldAt?: Date | undefined;
  readonly lastTestedAt: Date | undefined;
  /** Reason of the last failed test, without texts of KSeF. */
  readonly lastErrorMessage: string | undefined;
  /** Warnings of KSeF about the secret, newest first, at most {@link WARNINGS_MAX}. */
  readonly warnings?: readonly ConnectionWarning[] | undefined;
  /** The last notice about the expiry of the secret. */
  readonly endTold?: EndNotice | undefined;
  readonly createdAt: Date;
}

/**
 * Returns the id of the connection of a company and environment. It is always the same, so that concurrent first
 * requests create one connection.
 */
export function connectionId(organizationId: string, companyId: string, environment: Environment): string {
  return uuidV5(JSON.stringify([organizationId, companyId, environment]), CONNECTION_NAMESPACE);
}

const CONNECTION_NAMESPACE = '3d1f3c0e-70e3-4b57-9d4e-8f2f1c6a5b20';

/** Tells whether both have a secret that was stored at the same time. */
export function isSameSecret(
  one: Pick<Connection, 'secretSavedAt'>,
  other: Pick<Connection, 'secretSavedAt'>,
): boolean {
  return one.secretSavedAt?.getTime() === other.secretSavedAt?.getTime();
}

/** Masks a NIP with six asterisks before its last four digits. */
export function maskNip(nip: string): string {
  return `******${nip.slice(-4)}`;
}

/**
 * Tells whether a text has ten ASCII digits. The check digit is ignored, because the TEST environment uses numbers
 * without a valid one.
 */
export function isNip(text: string): boolean {
  return /^[0-9]{10}$/.test(text);
}
