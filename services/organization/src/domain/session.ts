/** Time after its last use at which a session of the app ends. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** Time after which a session of the app ends, even if it is used. */
export const SESSION_MS = 12 * 3_600_000;
/**
 * Maximum number of sessions that an API key has at the same time. A browser that is closed leaves its session behind,
 * so a further sign-in is not refused but ends the session that was used least recently.
 */
export const SESSIONS_PER_KEY_MAX = 20;
/**
 * Precision of the time at which a session of the app was last used. Because of this precision, at most one request a
 * minute writes the time.
 */
export const LAST_SEEN_STEP_MS = 60_000;

/** A session of a person in the app. Its token is shown once and never stored. */
export interface Session {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  /**
   * API key that the session was opened with. The session has the rights of the API key, and ends when the key ends.
   */
  readonly apiKeyId: string;
  readonly userId: string | undefined;
  readonly hash: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | undefined;
}

/**
 * Returns the time at which a session of the app ends unless it is used before. This time is never later than the
 * absolute end of the session.
 */
export function idleEndOf({ lastSeenAt, expiresAt }: Pick<Session, 'lastSeenAt' | 'expiresAt'>): Date {
  return new Date(Math.min(lastSeenAt.getTime() + SESSION_IDLE_MS, expiresAt.getTime()));
}

/** Checks whether the session of the app has not ended. Its API key is checked separately. */
export function isActiveSession(session: Pick<Session, 'lastSeenAt' | 'expiresAt' | 'endedAt'>, now: Date): boolean {
  return session.endedAt === undefined && now < idleEndOf(session);
}
