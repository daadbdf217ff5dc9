import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';

/** The dependencies of every room. */
export interface Foundation extends Pick<TenantConnections, 'db' | 'clock' | 'logger' | 'onStop'> {
  readonly outbox: Outbox;
  readonly audit: AuditBuffer;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
}

/** The rpcs and jobs of a room. */
export type RoomParts = Required<Pick<TenantParts, 'rpcGroups' | 'jobs'>>;

/** Interval at which each replica searches for work that a crash interrupted. */
export const SWEEP_EACH_MS = 5_000;
/**
 * Values that every decision of an organization needs are cached, so that they cost no step of the flow; this process invalidates the ones
 * that it changes.
 */
export const CACHED_BY_ORGANIZATION = { freshMs: 2_000, entriesMax: 10_000 };
