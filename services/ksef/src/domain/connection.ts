import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v5 as uuidV5 } from 'uuid';
import type { ConnectionWarning } from './connection-warnings.js';

export const environments = ['TEST', 'DEMO', 'PRODUCTION'] as const;
/** An environment of KSeF. Tokens and certificates belong to one alone. */
export type Environment = (typeof environments)[number];

/** The way in which a connection logs in to KSeF. */
export type Authentication = 'TOKEN' | 'CERTIFICATE';

/** The part of a stored certificate that people see. */
export interface ShownCertificate {
  readonly expiresAt: Date;
  /** {@link maskedIdentity} of its subject; undefined where the subject names no taxpayer and no person. */
  readonly subjectMasked?: string | undefined;
}

/** A refusal that made a connection ERROR. */
export interface LoginRefusal {
  readonly at: Date;
  /** `KSEF_AUTH_415`, `KSEF_HTTP_403`. */
  readonly code: string;
}

/** A notice about the end of a secret. */
export interface EndNotice {
  readonly endsAt: Date;
  /** 30, 14, 7 or 1; the end may be nearer for a secret that was stored late. */
  readonly days: number;
}

/** PENDING until the stored secret is tested; ERROR until someone acts; DISABLED after its end. */
export type ConnectionStatus = 'PENDING' | 'CONNECTED' | 'ERROR' | 'DISABLED';

/** Access of one company to one environment (specification 2.11; KSeF reference, section 18). */
export interface Connection {
  /** Derived: {@link connectionId}. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** The taxpayer in whose name KSeF is called, ten digits; shown masked alone. */
  readonly contextNip: string;
  readonly authentication: Authentication;
  /** Present for CERTIFICATE. */
  readonly certificate?: ShownCertificate | undefined;
  /**
   * The token, or the certificate with its key. Absent after the end of a connection, when no sent submission must
   * be followed any longer.
   */
  readonly secret: SealedValue | undefined;
  /** Time when a person stored the secret, also the same one again: earlier results say nothing about it. */
  readonly secretSavedAt?: Date | undefined;
  readonly status: ConnectionStatus;
  /** Present for ERROR: when KSeF first refused the login, and its code. */
  readonly refusal?: LoginRefusal | undefined;
  /** Time when people were told that KSeF refuses the secret of a disabled connection. */
  readonly refusalToldAt?: Date | undefined;
  readonly lastTestedAt: Date | undefined;
  /** Reason of the last failed test, without text of KSeF. */
  readonly lastErrorMessage: string | undefined;
  /** Warnings that KSeF sent about the secret, newest first, {@link WARNINGS_MAX} at most. */
  readonly warnings?: readonly ConnectionWarning[] | undefined;
  /** The last notice about the end of a secret. */
  readonly endTold?: EndNotice | undefined;
  readonly createdAt: Date;
}

/** The same for each company and environment, so that parallel first posts make one connection. */
export function connectionId(organizationId: string, companyId: string, environment: Environment): string {
  return uuidV5(JSON.stringify([organizationId, companyId, environment]), CONNECTION_NAMESPACE);
}

const CONNECTION_NAMESPACE = '3d1f3c0e-70e3-4b57-9d4e-8f2f1c6a5b20';

/** Tells whether both have the secret that was stored at the same time. */
export function isSameSecret(
  one: Pick<Connection, 'secretSavedAt'>,
  other: Pick<Connection, 'secretSavedAt'>,
): boolean {
  return one.secretSavedAt?.getTime() === other.secretSavedAt?.getTime();
}

/** Six asterisks and the last four digits. */
export function maskNip(nip: string): string {
  return `******${nip.slice(-4)}`;
}

/** Ten ASCII digits. The check digit is not examined: the TEST environment has numbers without one. */
export function isNip(text: string): boolean {
  return /^[0-9]{10}$/.test(text);
}
