import { DomainError } from '@invoicecontrol/errors';
import { takePlace } from '@invoicecontrol/metering/places';
import type { Places } from '@invoicecontrol/metering/places';
import type { ConnectionStore } from './stores.js';

/** Maximum number of ERP connections for one organization, regardless of its plan. */
const CONNECTIONS_MAX = 1_000;

export interface PlaceDeps {
  readonly connections: Pick<ConnectionStore, 'live'>;
  readonly places: Places;
}

/**
 * Reserves a quota unit in the plan of the organization before the ERP connection is stored, so that the limit of the
 * plan is exact even for concurrent requests.
 * @param connectionId a new UUIDv7
 * @param planLimit undefined if there is no limit
 * @throws DomainError usage_exceeded
 */
export async function takeConnectionPlace(
  { connections, places }: PlaceDeps,
  organizationId: string,
  connectionId: string,
  planLimit: number | undefined,
): Promise<void> {
  const limit = Math.min(planLimit ?? CONNECTIONS_MAX, CONNECTIONS_MAX);
  const existing = (ids: readonly string[]) => connections.live(organizationId, ids);
  if (!(await takePlace({ places, existing }, organizationId, connectionId, limit))) throw planIsUsedUp(limit);
}

/** Returns the refusal for a plan that allows no further ERP connection. */
export function planIsUsedUp(limit: number): DomainError {
  return new DomainError(
    'usage_exceeded',
    `The plan allows ${limit} ERP ${limit === 1 ? 'connection' : 'connections'}, and all are in use. Delete a connection, or change the plan.`,
  );
}
