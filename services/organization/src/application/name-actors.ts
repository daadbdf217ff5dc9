import { invalidField } from '@invoicecontrol/errors';
import { isActive, shownNameOf } from '../domain/roster.js';
import type { ApiKeys } from './api-keys.js';
import type { Rosters } from './rosters.js';

/** Maximum number of actors that one request can name, as many as the history of a finding can have. */
const ACTORS_MAX = 200;

/** An actor of a stored change. Only members and API keys have names. */
export interface ActorReference {
  readonly type: string;
  readonly id: string;
}

export interface NamingDeps {
  readonly rosters: Pick<Rosters, 'find'>;
  readonly keys: Pick<ApiKeys, 'findMany'>;
}

/**
 * Returns the name of each actor, in the order of the actors. An API key of a member has the name of the member. Any
 * other API key has its own name, even if it is revoked. The result is undefined for an actor without a name, a member
 * who was removed, and an actor of another organization.
 * @throws DomainError invalid for more than {@link ACTORS_MAX} actors
 */
export const nameActors =
  ({ rosters, keys }: NamingDeps) =>
  async (organizationId: string, actors: readonly ActorReference[]): Promise<readonly (string | undefined)[]> => {
    if (actors.length > ACTORS_MAX) throw invalidField('actors', `must have at most ${ACTORS_MAX} entries.`);
    const keyIds = idsOf('API_KEY', actors);
    const found = keyIds.length === 0 ? [] : await keys.findMany(organizationId, keyIds);
    const userIds = [...idsOf('USER', actors), ...found.flatMap(({ userId }) => userId ?? [])];
    const roster = userIds.length === 0 ? undefined : await rosters.find(organizationId);
    const members = new Map(roster?.members.filter(isActive).map((member) => [member.userId, shownNameOf(member)]));
    const ofKeys = new Map(found.map(({ id, userId = '', name }) => [id, members.get(userId) ?? name]));
    return actors.map(({ type, id }) => {
      if (type === 'USER') return members.get(id);
      return type === 'API_KEY' ? ofKeys.get(id) : undefined;
    });
  };

function idsOf(type: string, actors: readonly ActorReference[]): readonly string[] {
  return [...new Set(actors.filter((actor) => actor.type === type).map(({ id }) => id))];
}
