import { events } from '@invoicecontrol/contracts/events';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { handler, startServiceShell } from '@invoicecontrol/runtime/service-shell';
import type { Connections, ServiceParts, ServiceShell, StartOverrides } from '@invoicecontrol/runtime/service-shell';
import type { Db } from 'mongodb';
import { AUDIT_LINES } from './audit.js';
import { refusedCallPublisher } from './refused-calls.js';
import { purgedOrganizations } from './purged-organizations.js';
import { openPurges } from './purges.js';
import { deadLettersOf, ownedDocuments } from './tenant-data.js';
import type { TenantData } from './tenant-data.js';

/** The connections of a service that stores data of organizations. */
export interface TenantConnections extends Connections {
  /**
   * Checks whether an organization was purged. A service must call this before it stores data about an organization
   * that an external system names, because external systems may name an organization long after its purge (ADR 0093).
   */
  wasPurged(organizationId: string): Promise<boolean>;
}

/** Declarations that a service must make if it stores data of organizations. */
export interface TenantParts extends ServiceParts {
  /**
   * All data that the service stores about organizations, except audit events and dead letters, which every service may
   * have. Data that is not listed here is not removed by a purge.
   */
  readonly tenantData: readonly TenantData[];
  /**
   * Function that is called before anything of a purged organization is removed. Only the service that decides about
   * purges sets it, because its database may have been restored to an earlier time.
   */
  readonly isPurged?: (organizationId: string) => Promise<boolean>;
}

interface TenantService extends Omit<ServiceShell, 'compose'> {
  readonly compose: (connections: TenantConnections) => Promise<TenantParts>;
}

/** Starts a service that removes the data of an organization when the organization is purged. */
export function startTenantService(
  { compose, ...service }: TenantService,
  overrides?: StartOverrides,
): Promise<RunningService> {
  const shell = {
    ...service,
    async compose(connections: Connections): Promise<ServiceParts> {
      const { db, bus, clock, logger } = connections;
      const purged = purgedOrganizations(db, clock);
      const { tenantData, isPurged, ...parts } = await compose({ ...connections, wasPurged: purged.has });
      const kinds = [...tenantData, ...keptByEvery(db)];
      const purges = await openPurges({ db, service: service.name, purged, clock, logger }, kinds);
      const recordRefusedCall = parts.recordRefusedCall ?? refusedCallPublisher(service.name, { bus, clock });
      return {
        ...parts,
        ...(recordRefusedCall === undefined ? {} : { recordRefusedCall }),
        tenantData: purges.data,
        eventHandlers: [
          ...(parts.eventHandlers ?? []),
          handler(events.organizationPurged, async ({ organizationId }) => {
            if (await (isPurged?.(organizationId) ?? true)) await purges.request(organizationId);
          }),
        ],
        jobs: [...(parts.jobs ?? []), purges.job],
        stuckWork: [purges.findStuck, ...(parts.stuckWork ?? [])],
      };
    },
  };
  return startServiceShell(shell, overrides);
}

function keptByEvery(db: Db): readonly TenantData[] {
  return [
    ownedDocuments(db.collection<{ _id: string; organizationId: string }>(AUDIT_LINES)),
    deadLettersOf(db.collection('dead_letters')),
  ];
}
