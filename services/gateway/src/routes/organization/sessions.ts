import type { CreateSessionResponse, Session } from '@invoicecontrol/contracts/organization/v1/session_service';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import * as shown from '../../http/description/shown.js';
import { refused } from '../../http/access/authenticate.js';
import { NO_SESSION_COOKIE, sessionCookie } from '../../http/access/session-cookie.js';
import { role } from './api-keys.js';

/** Fields with the times at which a session of the app ends. Several schemas contain these fields. */
export const sessionEnds = {
  expiresAt: shown.instant(
    '2026-03-14T21:30:00.000Z',
    'The time when the session of the app ends, even if the session is in use.',
    'expiresTime',
  ),
  idleExpiresAt: shown.instant(
    '2026-03-14T10:00:00.000Z',
    'The time when the session of the app ends unless the session is used before.',
    'idleExpiresTime',
  ),
};

const session = shown.record<Session>('Session')({
  id: shown.id(EXAMPLE_IDS.session, 'The id of the session of the app.', 'sessionId'),
  apiKeyId: shown.text(EXAMPLE_KEY_ID, 'The id of the API key whose rights the session has.'),
  userId: shown.idOrNull(
    EXAMPLE_IDS.assignee,
    'The id of the member who signed in, or null if the API key belongs to no member.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the person signed in to the app.', 'createdTime'),
  lastSeenAt: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the session of the app was last used, exact to the minute.',
    'lastSeenTime',
  ),
  ...sessionEnds,
});

const openedSession = shown.record<Session & { readonly role: string }>('OpenedSession')({
  id: shown.id(EXAMPLE_IDS.session, 'The id of the session of the app.', 'sessionId'),
  role: shown.word(role, 'ANALYST'),
  userId: shown.idOrNull(
    EXAMPLE_IDS.assignee,
    'The id of the member who signed in, or null if the API key belongs to no member.',
  ),
  ...sessionEnds,
});

export const createSession = route({
  operation: 'createSession',
  method: 'post',
  path: '/sessions',
  summary: 'Sign in to the app with an API key',
  description:
    'Exchanges an API key for a session, whose token is in a cookie that scripts cannot read. The session has the rights of the key. The session ends after 30 minutes without a request, after 12 hours, and with its key, member or organization. A key has at most 20 sessions; a further session ends the session that was used least recently. A session cannot open another session. A repeated request opens another session.',
  rpc: 'invoicecontrol.organization.v1.SessionService/CreateSession',
  access: {},
  responses: {
    201: { description: 'The new session of the app.', schema: openedSession.schema, headers: ['Set-Cookie'] },
  },
  async handle({ principal }, { sessions }) {
    if (principal.session !== undefined) throw refused();
    const reply: CreateSessionResponse = await sessions.createSession({ apiKeyId: principal.apiKeyId });
    const body = openedSession.present({ ...stated(reply.session), role: principal.role });
    return { status: 201, body, headers: { 'Set-Cookie': sessionCookie(reply.token) } };
  },
});

export const listSessions = route({
  operation: 'listSessions',
  method: 'get',
  path: '/sessions',
  summary: 'List sessions of the app that have not ended, newest first',
  rpc: 'invoicecontrol.organization.v1.SessionService/ListSessions',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery,
  responses: { 200: { description: 'A page of sessions.', schema: pageOf('sessions', session.schema) } },
  async handle({ query }, { sessions }) {
    const list = listRequest('listSessions', query);
    const reply = await sessions.listSessions(list.request);
    return { status: 200, body: list.page(reply.sessions.map(session.present), reply.nextPageToken) };
  },
});

export const endCurrentSession = route({
  operation: 'endCurrentSession',
  method: 'delete',
  path: '/sessions/current',
  summary: 'Sign out of the app',
  description: 'Ends the session of the cookie and removes the cookie. A request with an API key has no session.',
  rpc: 'invoicecontrol.organization.v1.SessionService/EndSession',
  access: {},
  endsSession: true,
  resourceName: 'session',
  responses: { 204: { description: 'The session of the app has ended.', headers: ['Set-Cookie'] } },
  refusals: [404],
  async handle({ principal }, { sessions }) {
    // A request with an API key has no session of the app, and is refused like a request with an unknown session.
    await sessions.endSession({ sessionId: principal.session?.sessionId ?? '' });
    return {
      status: 204,
      headers: { 'Set-Cookie': NO_SESSION_COOKIE, 'Clear-Site-Data': '"cache", "storage"' },
    };
  },
});
