import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v5 as uuidV5 } from 'uuid';

export const environments = ['TEST', 'DEMO', 'PRODUCTION'] as const;
/** An environment of KSeF; tokens belong to one alone. */
export type Environment = (typeof environments)[number];

/** PENDING until the stored token is tested; ERROR until someone acts; DISABLED after its end. */
export type ConnectionStatus = 'PENDING' | 'CONNECTED' | 'ERROR' | 'DISABLED';

/** The token of one company in one environment (specification 2.11). */
export interface Connection {
  /** Derived: {@link connectionId}. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** The taxpayer in whose name KSeF is called, ten digits; shown masked alone. */
  readonly contextNip: string;
  /** Absent after the end of a connection, when no sent submission must be followed any longer. */
  readonly token: SealedValue | undefined;
  /** When a person stored the token, also the same one again; what was learned before says nothing about it. */
  readonly tokenSavedAt?: Date | undefined;
  readonly status: ConnectionStatus;
  /** Time when people were told that KSeF refuses the token of a disabled connection. */
  readonly refusalToldAt?: Date | undefined;
  readonly lastTestedAt: Date | undefined;
  /** Reason of the last failed test, without text of KSeF. */
  readonly lastErrorMessage: string | undefined;
  readonly createdAt: Date;
}

/** The same for each company and environment, so that parallel first posts make one connection. */
export function connectionId(organizationId: string, companyId: string, environment: Environment): string {
  return uuidV5(JSON.stringify([organizationId, companyId, environment]), CONNECTION_NAMESPACE);
}

const CONNECTION_NAMESPACE = '3d1f3c0e-70e3-4b57-9d4e-8f2f1c6a5b20';

/** Tells whether both have the token that was stored at the same time. */
export function isSameToken(one: Connection, other: Connection): boolean {
  return one.tokenSavedAt?.getTime() === other.tokenSavedAt?.getTime();
}

/** Six asterisks and the last four digits. */
export function maskNip(nip: string): string {
  return `******${nip.slice(-4)}`;
}

/** Ten ASCII digits. The check digit is not examined: the TEST environment has numbers without one. */
export function isNip(text: string): boolean {
  return /^[0-9]{10}$/.test(text);
}
