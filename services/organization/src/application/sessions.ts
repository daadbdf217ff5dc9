import { v7 as uuidv7 } from 'uuid';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { isActiveKey } from '../domain/api-key.js';
import type { ApiKey, Pepper } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';
import { isActive } from '../domain/roster.js';
import type { Member } from '../domain/roster.js';
import { isActiveSession, SESSION_MS, SESSIONS_PER_KEY_MAX } from '../domain/session.js';
import type { Session } from '../domain/session.js';
import type { ApiKeys } from './api-keys.js';
import type { Change } from './change.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { generateSessionToken } from './secrets.js';

/** Stores the sessions of people who signed in to the app. */
export interface Sessions {
  find(organizationId: string, sessionId: string): Promise<Session | undefined>;
  /** Lists the app sessions in an organization that have not ended. */
  list(organizationId: string, now: Date, page: PageRequest): Promise<Page<Session>>;
  /**
   * Lists the app sessions of an API key that have not ended, except the `after` sessions that were used most recently.
   */
  listLeastRecent(organizationId: string, apiKeyId: string, now: Date, after: number): Promise<readonly Session[]>;
  insert(session: Session, change: Change): Promise<void>;
  /**
   * Stores the end of a session of the app.
   * @throws VersionConflict if the session has ended since it was read
   */
  end(session: Session, endedAt: Date, change: Change): Promise<void>;
}

export interface SessionDeps {
  readonly organizations: Pick<Organizations, 'find'>;
  readonly rosters: Pick<Rosters, 'find' | 'findActiveMember'>;
  readonly keys: Pick<ApiKeys, 'find' | 'findMany'>;
  readonly sessions: Sessions;
  readonly pepper: Pepper;
  readonly clock: Clock;
}

/**
 * Opens a session of the app with the rights of an API key. Only this response contains the token. If the API key then
 * has too many sessions, the sessions that were used least recently end.
 * @throws DomainError unauthenticated if the API key is not valid any more
 */
export const createSession =
  (deps: SessionDeps) =>
  async (
    { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
    context: RequestContext,
  ): Promise<{ session: Session; token: string }> => {
    const now = deps.clock.now();
    const { key } = await requireKey(deps, organizationId, apiKeyId, now);
    const { token, hash } = generateSessionToken(deps.pepper);
    const session: Session = {
      id: uuidv7(),
      organizationId,
      version: 1,
      apiKeyId,
      userId: key.userId,
      hash,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + SESSION_MS),
      endedAt: undefined,
    };
    await deps.sessions.insert(session, {
      context,
      audit: [{ action: 'session.created', target: `session:${session.id}` }],
    });
    // The limit on sessions of a person is applied after the insert, so that concurrent sign-ins cannot exceed the
    // limit together.
    const excess = await deps.sessions.listLeastRecent(organizationId, apiKeyId, now, SESSIONS_PER_KEY_MAX);
    for (const one of excess) await endIfOpen(deps, one, context);
    return { session, token };
  };

/**
 * Lists the sessions of the app that have not ended. Sessions whose key or member has ended are left out, so a page may
 * have fewer sessions than requested.
 */
export const listSessions =
  ({ organizations, rosters, keys, sessions, clock }: Omit<SessionDeps, 'pepper'>) =>
  async (organizationId: string, page: PageRequest): Promise<Page<Session>> => {
    const now = clock.now();
    const { items, nextPageToken } = await sessions.list(organizationId, now, page);
    const organization = await requireOrganization(organizations, organizationId);
    const apiKeyIds = [...new Set(items.map(({ apiKeyId }) => apiKeyId))];
    const [roster, found] = await Promise.all([rosters.find(organizationId), keys.findMany(organizationId, apiKeyIds)]);
    const members = new Set(roster?.members.filter(isActive).map(({ userId }) => userId));
    const isAlive = (key: ApiKey): boolean =>
      isActiveKey(key, organization, now) && (key.userId === undefined || members.has(key.userId));
    const alive = new Set(found.filter(isAlive).map(({ id }) => id));
    return { items: items.filter(({ apiKeyId }) => alive.has(apiKeyId)), nextPageToken };
  };

/**
 * Ends a session of the app. A repeated call changes nothing.
 * @throws DomainError not_found if the organization has no such session
 */
export const endSession =
  (deps: Pick<SessionDeps, 'sessions' | 'clock'>) =>
  (
    { organizationId, sessionId }: { organizationId: string; sessionId: string },
    context: RequestContext,
  ): Promise<void> =>
    retryOnConflict(async () => {
      const session = await deps.sessions.find(organizationId, sessionId);
      if (session === undefined) throw notFound('session');
      const now = deps.clock.now();
      if (isActiveSession(session, now)) await deps.sessions.end(session, now, endOf(session, context));
    });

/** Stores from which the caller of a request is read. */
export type CallerDeps = Pick<SessionDeps, 'organizations' | 'rosters' | 'keys' | 'clock'>;

/** The organization, the API key and the member behind a caller. */
export interface Caller {
  readonly organization: Organization;
  readonly key: ApiKey;
  readonly member: Member | undefined;
}

/**
 * Returns the organization, the API key and the member behind the caller, so that the app can show them.
 * @throws DomainError unauthenticated if the API key is not valid any more
 */
export const describeCaller =
  (deps: CallerDeps) =>
  async ({ organizationId, apiKeyId }: { organizationId: string; apiKeyId: string }): Promise<Caller> => {
    const { organization, key } = await requireKey(deps, organizationId, apiKeyId, deps.clock.now());
    const member =
      key.userId === undefined ? undefined : await deps.rosters.findActiveMember(organizationId, key.userId);
    return { organization, key, member };
  };

async function endIfOpen(
  { sessions, clock }: Pick<SessionDeps, 'sessions' | 'clock'>,
  session: Session,
  context: RequestContext,
): Promise<void> {
  try {
    await sessions.end(session, clock.now(), endOf(session, context));
  } catch (error) {
    // A concurrent sign-in or the person has already ended this session of the app.
    if (!(error instanceof VersionConflict)) throw error;
  }
}

function endOf({ id }: Session, context: RequestContext): Change {
  return { context, audit: [{ action: 'session.ended', target: `session:${id}` }] };
}

/**
 * The API key of a caller who opens or reads a session of the app is checked again, because the gateway caches keys for
 * seconds.
 */
async function requireKey(
  { organizations, keys }: Pick<SessionDeps, 'organizations' | 'keys'>,
  organizationId: string,
  apiKeyId: string,
  now: Date,
): Promise<{ organization: Organization; key: ApiKey }> {
  const organization = await requireOrganization(organizations, organizationId);
  const key = await keys.find(organizationId, apiKeyId);
  if (key === undefined || !isActiveKey(key, organization, now)) {
    throw new DomainError('unauthenticated', 'The API key is missing or not valid.');
  }
  return { organization, key };
}
