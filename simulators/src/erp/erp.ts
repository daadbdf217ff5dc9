import type { Answer, Call, Row } from './call.js';
import type { Clock } from './clock.js';

/** Kinds of rights and tokens of a simulated ERP that `POST /control/tenants/{tenant}/expire` ends. */
export const expirable = ['ACCESS', 'REFRESH', 'SECRET', 'RIGHTS'] as const;
export type Expirable = (typeof expirable)[number];

/** A simulated ERP behind the shared server, which has its tenants, request log, faults and clock. */
export interface Erp<Tenant> {
  /** Returns the tenant that a call to the simulated ERP is about, for the log and for faults. It need not exist. */
  readonly tenantOf: (call: Call) => string | undefined;
  /** Executes a call as the ERP vendor does. Never throws because of data from a client. */
  readonly handle: (call: Call) => Answer;
  /** Returns the ERP vendor's response for a status code, such as a throttled call (429) or an outage (503). */
  readonly refuse: (status: number, call: Call) => Answer;
  /**
   * Creates a company in the simulated ERP.
   * @throws ControlRefusal or ZodError for invalid settings
   */
  readonly createTenant: (id: string, settings: unknown) => Tenant;
  /**
   * Adds records to a company of the simulated ERP, and replaces records with the same id.
   * @throws ControlRefusal for an unknown entity or a record without an id, without changing anything
   */
  readonly putRecords: (tenant: Tenant, change: RecordChange) => void;
  /**
   * Ends the validity of tokens, consents or other credentials of a company in the simulated ERP.
   * @throws ControlRefusal for a kind that this ERP does not have
   */
  readonly expire: (tenant: Tenant, what: Expirable) => void;
  /**
   * Returns the number of OAuth tokens of the simulated ERP by state. Absent for an ERP vendor without refresh tokens.
   */
  readonly countTokens?: (tenant: Tenant) => Readonly<Record<string, unknown>>;
}

export interface RecordChange {
  readonly entity: string;
  readonly records: readonly Row[];
  /** Ids of the records to remove from the simulated ERP. */
  readonly remove: readonly (string | number)[];
}

export interface ErpDeps<Tenant> {
  readonly clock: Clock;
  readonly tenants: ReadonlyMap<string, Tenant>;
  /** Returns the URL of the simulated ERP, without a trailing slash. */
  readonly origin: () => string;
}

/** Error for a control request to the simulated ERP that cannot be executed. The message states what to change. */
export class ControlRefusal extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'ControlRefusal';
    this.status = status;
  }
}
