import type { Answer, Call, Row } from './call.js';
import type { Clock } from './clock.js';

/** Rights and tokens that `POST /control/tenants/{tenant}/expire` ends. */
export const expirable = ['ACCESS', 'REFRESH', 'SECRET', 'RIGHTS'] as const;
export type Expirable = (typeof expirable)[number];

/** One ERP behind the shared server, which keeps its tenants, its log of requests, its faults and its clock. */
export interface Erp<Tenant> {
  /** The tenant that a call is about, for the log and for faults; it need not exist. */
  readonly tenantOf: (call: Call) => string | undefined;
  /** Does what the call asks, as the vendor does. Never throws for what a client sends. */
  readonly handle: (call: Call) => Answer;
  /** The vendor's own answer of a status code: of a throttled call (429), of an outage (503). */
  readonly refuse: (status: number, call: Call) => Answer;
  /** @throws ControlRefusal or ZodError for settings that no tenant can have */
  readonly createTenant: (id: string, settings: unknown) => Tenant;
  /** @throws ControlRefusal for an unknown entity or a record without an id; then nothing changed */
  readonly putRecords: (tenant: Tenant, change: RecordChange) => void;
  /** @throws ControlRefusal for what this ERP does not have */
  readonly expire: (tenant: Tenant, what: Expirable) => void;
  /** Counts of the tokens by their state; absent for a vendor without refresh tokens. */
  readonly countTokens?: (tenant: Tenant) => Readonly<Record<string, unknown>>;
}

export interface RecordChange {
  readonly entity: string;
  readonly records: readonly Row[];
  /** Ids. */
  readonly remove: readonly (string | number)[];
}

export interface ErpDeps<Tenant> {
  readonly clock: Clock;
  readonly tenants: ReadonlyMap<string, Tenant>;
  /** The URL of this ERP without a trailing slash. */
  readonly origin: () => string;
}

/** A control request that cannot be done; the message says what to change. */
export class ControlRefusal extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'ControlRefusal';
    this.status = status;
  }
}
