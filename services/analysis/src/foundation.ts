import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';

/** Dependencies that every module of the analysis service is given. */
export interface Foundation extends Pick<TenantConnections, 'db' | 'clock' | 'logger' | 'onStop'> {
  readonly outbox: Outbox;
  readonly audit: AuditBuffer;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
}

/** The gRPC services and jobs that a module provides. */
export type RoomParts = Required<Pick<TenantParts, 'rpcGroups' | 'jobs'>>;

/** Interval at which each replica searches for analyses and other work that a crash interrupted. */
export const SWEEP_EACH_MS = 10_000;
/**
 * Cache settings for values that every invoice decision of an organization needs. With the cache, a decision needs no
 * database command for these values. A process removes values from its cache when it changes them.
 */
export const CACHED_BY_ORGANIZATION = { freshMs: 2_000, entriesMax: 10_000 };
