import { isSessionToken } from '@invoicecontrol/api-key/session-token';
import { DomainError } from '@invoicecontrol/errors';
import { hashKey } from '../domain/api-key.js';
import { idleEndOf, isActiveSession, LAST_SEEN_STEP_MS } from '../domain/session.js';
import type { Session } from '../domain/session.js';
import { countRefusedSession } from '../telemetry.js';
import { principalOf } from './authenticate-key.js';
import type { AuthenticationDeps, Principal } from './authenticate-key.js';

export interface SessionAuthenticationDeps extends AuthenticationDeps {
  readonly sessions: {
    /** Finds a session of the app by its token alone, because the token shows which organization it belongs to. */
    findByHashOfAnyOrganization(hashes: readonly string[]): Promise<Session | undefined>;
    /** Stores the time at which a session of the app was last used. */
    see(session: Session, at: Date): Promise<void>;
  };
}

/** A caller that was authenticated by a session of the app. */
export interface SessionPrincipal extends Principal {
  readonly session: { readonly sessionId: string; readonly expiresTime: Date; readonly idleExpiresTime: Date };
}

/**
 * Authenticates the token of a session and returns the principal of its API key.
 * @throws DomainError unauthenticated, with the same message for every cause
 */
export const authenticateSession =
  (deps: SessionAuthenticationDeps) =>
  async (token: string): Promise<SessionPrincipal> => {
    if (!isSessionToken(token)) throw refused('malformed');
    const hashes = deps.peppers.map((pepper) => hashKey(token, pepper));
    const session = await deps.sessions.findByHashOfAnyOrganization(hashes);
    if (session === undefined) throw refused('unknown');
    const now = deps.clock.now();
    const key = isActiveSession(session, now) ? await deps.keys.findOfAnyOrganization(session.apiKeyId) : undefined;
    if (key === undefined || key.organizationId !== session.organizationId) throw refused('dead');
    const principal = await principalOf(key, deps, () => refused('dead'));
    const isSeen = now.getTime() - session.lastSeenAt.getTime() < LAST_SEEN_STEP_MS;
    if (!isSeen) await deps.sessions.see(session, now);
    const lastSeenAt = isSeen ? session.lastSeenAt : now;
    return {
      ...principal,
      session: {
        sessionId: session.id,
        expiresTime: session.expiresAt,
        idleExpiresTime: idleEndOf({ ...session, lastSeenAt }),
      },
    };
  };

function refused(reason: 'malformed' | 'unknown' | 'dead'): DomainError {
  countRefusedSession(reason);
  return new DomainError('unauthenticated', 'The session is missing or has ended. Sign in again.');
}
