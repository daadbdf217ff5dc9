import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Call } from '../call.js';
import { ControlRefusal } from '../erp.js';
import type { Erp, ErpDeps } from '../erp.js';
import { authorizationServer } from '../oauth/authorization-server.js';
import type { OAuthClient } from '../oauth/authorization-server.js';
import { Grants } from '../oauth/grants.js';
import { CallWindow, limitSchema } from '../rate-limits.js';
import { compareStrings, Table } from '../table.js';
import { accountingApi } from './accounting-api.js';
import type { Books } from './accounting-api.js';
import { problem } from './answers.js';
import { dateOf } from './dates.js';
import { completeDates, entities } from './entities.js';
import { ACCESS_SECONDS, newAccessToken } from './tokens.js';

const settingsSchema = z.strictObject({
  tenantName: z.string().default('Demo Company (UK)'),
  baseCurrency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('GBP'),
  countryCode: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('GB'),
  limits: z.strictObject({ minute: limitSchema, day: limitSchema }).default({}),
});

interface Tenant extends Books {
  readonly minute: CallWindow;
  readonly day: CallWindow;
  /** Checks whether calls beyond the limits of the simulated Xero are refused. */
  readonly isLimited: { readonly minute: boolean; readonly day: boolean };
  hasRights: boolean;
  hasExpiredSecret: boolean;
  connection: Connection | undefined;
}

/** Connection to an organisation that an OAuth consent created. It belongs to the app, not to a token. */
interface Connection {
  readonly id: string;
  /** Id of the last OAuth consent that created or renewed the connection. */
  readonly authEventId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  // Xero apps that were created since March 2026 do not have the OAuth scope accounting.transactions.
  ...['contacts', 'invoices', 'payments', 'banktransactions', 'manualjournals', 'settings', 'attachments'].flatMap(
    (name) => [`accounting.${name}`, `accounting.${name}.read`],
  ),
]);
const API = /^\/api\.xro\/2\.0\/(\w+)$/;
const CONNECTION = /^\/connections\/([0-9a-f-]{36})$/;
const MINUTE_LIMIT = 60;
const DAY_LIMIT = 5_000;
const DAY_SECONDS = 86_400;

/** Simulator of Xero: consent, tokens, connections and the read-only accounting API 2.0 (ERP reference, section 6). */
export function xero(client: OAuthClient) {
  return ({ clock, tenants }: ErpDeps<Tenant>): Erp<Tenant> => {
    const readRecords = accountingApi(clock);
    /** Id of the OAuth consent from which each Xero grant came. */
    const authEvents = new Map<string, string>();
    const grants = new Grants({
      clock,
      policy: {
        codeSeconds: 300,
        accessSeconds: ACCESS_SECONDS,
        refreshIdleSeconds: 60 * DAY_SECONDS,
        rotateAfterSeconds: 0,
        graceSeconds: 1_800,
      },
      newAccessToken(grant) {
        const authEventId =
          authEvents.get(grant.id) ?? tenants.get(grant.tenant)?.connection?.authEventId ?? randomUUID();
        authEvents.set(grant.id, authEventId);
        return newAccessToken(grant, { clock, authEventId, clientId: client.clientId });
      },
      newRefreshToken: () => randomBytes(32).toString('base64url'),
      isOffline: (scopes) => scopes.includes('offline_access'),
    });
    const oauth = authorizationServer({
      client,
      grants,
      vendor: 'Xero',
      choices: () => [...tenants].map(([id, { tenantName }]) => ({ id, name: tenantName })),
      refuseScopes(scopes) {
        if (scopes.includes('app.connections')) return 'access_denied';
        return scopes.length > 0 && scopes.every((scope) => KNOWN_SCOPES.has(scope)) ? undefined : 'invalid_scope';
      },
      consented(id) {
        const tenant = tenants.get(id);
        if (tenant !== undefined) {
          const now = clock.now();
          const { id: known = randomUUID(), createdAt = now } = tenant.connection ?? {};
          tenant.connection = { id: known, authEventId: randomUUID(), createdAt, updatedAt: now };
          tenant.hasRights = true;
        }
        return { session_state: randomBytes(16).toString('base64url') };
      },
      hasExpiredSecret: (id) => id !== undefined && tenants.get(id)?.hasExpiredSecret === true,
      takesSecretInBody: true,
      presentTokens: ({ grant, accessToken, refreshToken }) => ({
        access_token: accessToken,
        expires_in: ACCESS_SECONDS,
        token_type: 'Bearer',
        ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
        scope: grant.scopes.join(' '),
      }),
    });

    /** Revoking a Xero token also ends the connections of the grant. An unknown token is not a fault (RFC 7009). */
    const revoke = (call: Call): Answer => {
      if (!oauth.isClient(call)) return { status: 401, body: { error: 'invalid_client' } };
      const grant = grants.revoke(new URLSearchParams(call.body).get('token') ?? '');
      const tenant = grant === undefined ? undefined : tenants.get(grant.tenant);
      const isLast = grant !== undefined && tenant?.connection?.authEventId === authEvents.get(grant.id);
      if (tenant !== undefined && isLast) tenant.connection = undefined;
      return { status: 200 };
    };

    const listConnections = (call: Call): Answer => {
      if (oauth.grantOf(call) === undefined) return unauthorized();
      const { authEventId } = call.query;
      const items = [...tenants.values()].flatMap(({ connection, tenantId, tenantName }) =>
        connection === undefined || (authEventId !== undefined && authEventId !== connection.authEventId)
          ? []
          : [
              {
                id: connection.id,
                authEventId: connection.authEventId,
                tenantId,
                tenantType: 'ORGANISATION',
                tenantName,
                createdDateUtc: utc(connection.createdAt),
                updatedDateUtc: utc(connection.updatedAt),
              },
            ],
      );
      return { status: 200, body: items };
    };

    const removeConnection = (call: Call, id: string): Answer => {
      if (oauth.grantOf(call) === undefined) return unauthorized();
      const tenant = [...tenants.values()].find(({ connection }) => connection?.id === id);
      if (tenant === undefined) return problem(404, 'NotFound', 'Connection not found');
      tenant.connection = undefined;
      return { status: 204 };
    };

    const handleApi = (call: Call, name: string): Answer => {
      const grant = oauth.grantOf(call);
      if (grant === undefined) return unauthorized();
      const tenant = tenants.get(call.headers['xero-tenant-id'] ?? '');
      if (tenant?.connection === undefined) return problem(403, 'Forbidden', 'AuthenticationUnsuccessful');
      const { minute, day, isLimited } = tenant;
      const rates = () => ({
        'x-minlimit-remaining': String(minute.remaining),
        'x-daylimit-remaining': String(day.remaining),
        'x-appminlimit-remaining': '9999',
      });
      const reached =
        (isLimited.day && day.remaining === 0 && day) || (isLimited.minute && minute.remaining === 0 && minute);
      if (reached !== false) {
        const headers = {
          'retry-after': String(reached.secondsLeft),
          'x-rate-limit-problem': reached === day ? 'day' : 'minute',
        };
        return { status: 429, headers: { ...rates(), ...headers }, body: '' };
      }
      for (const window of [minute, day]) window.count();
      const answer = readRecords(call, { books: tenant, name, scopes: grant.scopes });
      return { ...answer, headers: { ...rates(), ...answer.headers } };
    };

    const unauthorized = (): Answer => {
      const at = clock.now().toLocaleString('en-US', { timeZone: 'UTC', hourCycle: 'h23' });
      return problem(401, 'Unauthorized', `TokenExpired: token expired at ${at}`);
    };

    return {
      tenantOf(call) {
        const named = call.headers['xero-tenant-id'];
        if (named !== undefined) return named;
        const [, id] = CONNECTION.exec(call.path) ?? [];
        const connected = [...tenants.values()].find(({ connection }) => id !== undefined && connection?.id === id);
        return connected?.tenantId ?? oauth.tenantOf(call);
      },
      handle(call) {
        const route = `${call.method} ${call.path}`;
        if (route === 'GET /identity/connect/authorize') return oauth.authorize(call);
        if (route === 'POST /connect/token') return oauth.token(call);
        if (route === 'POST /connect/revocation') return revoke(call);
        if (route === 'GET /connections') return listConnections(call);
        const [, connection] = CONNECTION.exec(call.path) ?? [];
        if (connection !== undefined && call.method === 'DELETE') return removeConnection(call, connection);
        const [, name] = API.exec(call.path) ?? [];
        return name === undefined
          ? problem(404, 'NotFound', 'The resource you are looking for cannot be found')
          : handleApi(call, name);
      },
      refuse(status, { path }) {
        if (path.startsWith('/connect/'))
          return { status, body: { error: status < 500 ? 'invalid_request' : 'server_error' } };
        if (status === 401) return unauthorized();
        if (status === 429)
          return { status, headers: { 'x-rate-limit-problem': 'minute', 'retry-after': '60' }, body: '' };
        return status < 500
          ? problem(status, 'Error', 'AuthorizationUnsuccessful')
          : problem(status, 'Error', 'An error occurred in Xero');
      },
      createTenant(tenantId, settings) {
        if (!z.guid().safeParse(tenantId).success) throw new ControlRefusal(400, 'A tenantId of Xero is a UUID.');
        const { tenantName, baseCurrency, countryCode, limits } = settingsSchema.parse(settings);
        grants.remove(tenantId);
        return {
          tenantId,
          tenantName,
          baseCurrency,
          countryCode,
          shortCode: `!${randomBytes(3).toString('hex').slice(0, 5)}`,
          tables: new Map(Object.keys(entities).map((name) => [name, new Table<string>(compareStrings)])),
          minute: new CallWindow(clock, { seconds: 60, limit: limits.minute ?? MINUTE_LIMIT }),
          day: new CallWindow(clock, { seconds: DAY_SECONDS, limit: limits.day ?? DAY_LIMIT }),
          isLimited: { minute: limits.minute !== undefined, day: limits.day !== undefined },
          hasRights: true,
          hasExpiredSecret: false,
          connection: undefined,
        };
      },
      putRecords(tenant, { entity: name, records, remove }) {
        const entity = entities[name];
        const table = tenant.tables.get(name);
        if (entity === undefined || table === undefined) {
          throw new ControlRefusal(400, `There is no entity ${name}. There are: ${Object.keys(entities).join(', ')}.`);
        }
        for (const record of records) {
          const id = record[entity.id];
          if (typeof id !== 'string' || id === '') throw new ControlRefusal(400, `Each record needs a ${entity.id}.`);
        }
        const { baseCurrency } = tenant;
        for (const record of records) {
          const id = String(record[entity.id]);
          const known = table.get(id) ?? entity.defaults({ now: clock.now(), baseCurrency });
          const stamped = { ...known, UpdatedDateUTC: dateOf(clock.now().getTime()), ...record };
          table.put(id, completeDates(stamped, record));
        }
        for (const id of remove.map(String)) {
          const row = table.get(id);
          if (row !== undefined) table.put(id, { ...entity.ended(row), UpdatedDateUTC: dateOf(clock.now().getTime()) });
        }
      },
      expire(tenant, what) {
        if (what === 'ACCESS') grants.expireAccessTokens(tenant.tenantId);
        if (what === 'REFRESH') grants.expireRefreshTokens(tenant.tenantId);
        if (what === 'SECRET') tenant.hasExpiredSecret = true;
        if (what === 'RIGHTS') tenant.hasRights = false;
      },
      countTokens: ({ tenantId, connection }) => ({ ...grants.count(tenantId), connected: connection !== undefined }),
    };
  };
}

function utc(instant: Date): string {
  return instant.toISOString().replace('Z', '0000');
}
