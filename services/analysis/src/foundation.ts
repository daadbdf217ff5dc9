import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';

/** What every room is built on. */
export interface Foundation extends Pick<TenantConnections, 'db' | 'clock' | 'logger' | 'onStop'> {
  readonly outbox: Outbox;
  readonly audit: AuditBuffer;
  readonly usage: UsageCounters;
  readonly tenants: Tenants;
}

/** What a room does for callers and by itself. */
export type RoomParts = Required<Pick<TenantParts, 'rpcGroups' | 'jobs'>>;

/** How often each replica searches for work that a crash interrupted. */
export const SWEEP_EACH_MS = 5_000;
/** What every decision of an organization needs costs no step of the flow; this process invalidates what it changes. */
export const CACHED_BY_ORGANIZATION = { freshMs: 2_000, entriesMax: 10_000 };
