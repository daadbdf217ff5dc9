import { DomainError } from '@invoicecontrol/errors';
import { takePlace } from '@invoicecontrol/metering/places';
import type { Places } from '@invoicecontrol/metering/places';
import type { ConnectionStore } from './stores.js';

/** Connections of one organization, whatever its plan allows. */
const CONNECTIONS_MAX = 1_000;

export interface PlaceDeps {
  readonly connections: Pick<ConnectionStore, 'live'>;
  readonly places: Places;
}

/**
 * Takes one of the places that the plan allows, before the connection is stored; exact under parallel requests.
 * @param connectionId a UUIDv7 of now
 * @param planLimit undefined: no limit
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

/** The plan allows no further connection. */
export function planIsUsedUp(limit: number): DomainError {
  return new DomainError(
    'usage_exceeded',
    `The plan allows ${limit} ERP ${limit === 1 ? 'connection' : 'connections'}, and all are in use. Delete one, or change the plan.`,
  );
}
