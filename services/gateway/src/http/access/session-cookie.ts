import type { IncomingMessage } from 'node:http';
import { isSessionToken } from '@invoicecontrol/api-key/session-token';

/**
 * Name of the cookie that holds the token of a session. Browsers accept the prefix `__Host-` only from this very host,
 * over a secure connection and for all paths, so that no other host of the domain can set the cookie.
 */
const SESSION_COOKIE = '__Host-ic_session';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** HTTP methods that change nothing, for which browsers send no header Origin. */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Returns the Set-Cookie value that stores the session token until the browser is closed. */
export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}`;
}

/** The Set-Cookie value that removes the session cookie. */
export const NO_SESSION_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/**
 * Returns the session token of a request that a page of this origin sent. The browser also sends the cookie with
 * requests that another site causes, and these count as requests without a session. The headers Sec-Fetch-Site and
 * Origin, which no page can set, show where a request comes from.
 */
export function sessionToken(request: IncomingMessage): string | undefined {
  if (request.headers['sec-fetch-site'] !== 'same-origin') return undefined;
  if (!SAFE_METHODS.has(request.method) && !isOwnOrigin(request)) return undefined;
  const tokens = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1));
  const [token = '', ...others] = tokens;
  return others.length === 0 && isSessionToken(token) ? token : undefined;
}

/**
 * Compares the host of a request's Origin header with the host of the request. The scheme is not compared, because a
 * proxy that terminates TLS hides it, and because the attribute `Secure` of the cookie already requires HTTPS.
 */
function isOwnOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  const match = /^https?:\/\/([^/?#]+)$/.exec(origin ?? '');
  return match?.[1] !== undefined && match[1].toLowerCase() === host?.toLowerCase();
}
