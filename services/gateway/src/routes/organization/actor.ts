import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import * as shown from '../../http/description/shown.js';

/**
 * Declares the response field with the name of an actor. The gRPC message has the name as `actorName`, which is empty
 * if the actor has no name.
 */
export const actorName = shown.made(
  z
    .string()
    .nullable()
    .describe(
      'The name of the member who acted, or of an API key that belongs to no member. Null for other actors and for removed members.',
    ),
  ({ actorName: name }: { readonly actorName: string }) => (name === '' ? null : name),
  'Ann Example',
);

/** Maximum number of actors that the organization service names in one call. */
const NAMED_MAX = 200;

interface Acted {
  readonly actorType: string;
  readonly actorId: string;
}

/** A stored change with the name of its actor. The name comes from the organization service. */
export type Named<Change extends Acted> = Change & { readonly actorName: string };

/**
 * Adds to each change the name of the person or API key that made it, with one call to the organization service. At
 * most {@link NAMED_MAX} actors get a name: the actors of the last changes in the list.
 */
export async function nameActorsOf<Change extends Acted>(
  changes: readonly Change[],
  members: TenantClients['members'],
): Promise<Named<Change>[]> {
  const acting = changes.filter(({ actorType }) => actorType === 'USER' || actorType === 'API_KEY').toReversed();
  const actors = new Map(acting.map((one) => [keyOf(one), { actorType: one.actorType, actorId: one.actorId }]));
  const asked = [...actors].slice(0, NAMED_MAX).toReversed();
  const { names } =
    asked.length === 0 ? { names: [] } : await members.nameActors({ actors: asked.map(([, one]) => one) });
  const byKey = new Map(asked.map(([key], index) => [key, names[index] ?? '']));
  return changes.map((one) => ({ ...one, actorName: byKey.get(keyOf(one)) ?? '' }));
}

function keyOf({ actorType, actorId }: Acted): string {
  return `${actorType}:${actorId}`;
}
