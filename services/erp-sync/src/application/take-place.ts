import { DomainError } from '@invoicecontrol/errors';
import type { ConnectionStore, Places } from './stores.js';

/** Connections of one organization, whatever its plan allows. */
const CONNECTIONS_MAX = 1_000;
/** A place that was taken so long ago belongs to a connection, or to a request that died before it stored one. */
const ABANDONED_AFTER_MS = 60_000;

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
export async function takePlace(
  { connections, places }: PlaceDeps,
  organizationId: string,
  connectionId: string,
  planLimit: number | undefined,
): Promise<void> {
  const limit = Math.min(planLimit ?? CONNECTIONS_MAX, CONNECTIONS_MAX);
  if (await places.take(organizationId, connectionId, limit)) return;
  await giveBackAbandoned({ connections, places }, organizationId);
  if (await places.take(organizationId, connectionId, limit)) return;
  throw planIsUsedUp(limit);
}

async function giveBackAbandoned({ connections, places }: PlaceDeps, organizationId: string): Promise<void> {
  const old = (await places.taken(organizationId)).filter((id) => Date.now() - takenAt(id) >= ABANDONED_AFTER_MS);
  if (old.length === 0) return;
  // With one query: each request over the limit comes here.
  const live = await connections.live(organizationId, old);
  for (const id of old) if (!live.has(id)) await places.giveBack(organizationId, id);
}

/** The time in a UUIDv7. */
function takenAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** The plan allows no further connection. */
export function planIsUsedUp(limit: number): DomainError {
  return new DomainError(
    'usage_exceeded',
    `The plan allows ${limit} ERP ${limit === 1 ? 'connection' : 'connections'}, and all are in use. Delete one, or change the plan.`,
  );
}
