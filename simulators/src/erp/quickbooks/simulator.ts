import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Call, Row } from '../call.js';
import { ControlRefusal } from '../erp.js';
import type { Erp, ErpDeps } from '../erp.js';
import { authorizationServer } from '../oauth/authorization-server.js';
import type { OAuthClient } from '../oauth/authorization-server.js';
import { Grants } from '../oauth/grants.js';
import { CallWindow, limitSchema } from '../rate-limits.js';
import { compareNumbers, Table } from '../table.js';
import { fault, oauthErrorOf, refuseOf } from './answers.js';
import { companyApi } from './company-api.js';
import type { Company, Deleted } from './company-api.js';
import { entities, maskSecrets } from './entities.js';
import { pacificTime } from './pacific-time.js';

const settingsSchema = z.strictObject({
  companyName: z.string().default('Sandbox Company_US_1'),
  homeCurrency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('USD'),
  limits: z.strictObject({ minute: limitSchema, second: limitSchema }).default({}),
});

interface Tenant extends Company {
  readonly deleted: Deleted[];
  readonly windows: readonly CallWindow[];
  hasRights: boolean;
  hasExpiredSecret: boolean;
  isConnected: boolean;
}

const SCOPE = 'com.intuit.quickbooks.accounting';
const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  SCOPE,
  'com.intuit.quickbooks.payment',
  'openid',
  'profile',
  'email',
]);
const API = /^\/v3\/company\/([^/]+)\/(.+)$/;
const REALM = /^\d{1,19}$/;
const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 8_726_400;
const DAY_SECONDS = 86_400;

/** Simulator of QuickBooks Online: consent, tokens and the read-only API version 3 (ERP reference, section 5). */
export function quickBooks(client: OAuthClient) {
  return ({ clock, tenants }: ErpDeps<Tenant>): Erp<Tenant> => {
    const readCompany = companyApi(clock);
    const grants = new Grants({
      clock,
      policy: {
        codeSeconds: 600,
        accessSeconds: ACCESS_SECONDS,
        refreshIdleSeconds: REFRESH_SECONDS,
        rotateAfterSeconds: DAY_SECONDS,
        graceSeconds: 0,
      },
      newAccessToken: () => `eyJlbmMiOiJBMTI4Q0JDLUhTMjU2IiwiYWxnIjoiZGlyIn0..${randomBytes(48).toString('base64url')}`,
      newRefreshToken: () => `RT1-${randomBytes(24).toString('hex')}`,
      isOffline: () => true,
    });
    const oauth = authorizationServer({
      client,
      grants,
      vendor: 'Intuit QuickBooks',
      choices: () => [...tenants].map(([id, { companyName }]) => ({ id, name: companyName })),
      refuseScopes: (scopes) =>
        scopes.includes(SCOPE) && scopes.every((scope) => KNOWN_SCOPES.has(scope)) ? undefined : 'invalid_scope',
      consented(id) {
        const tenant = tenants.get(id);
        // In the simulated QuickBooks, the user who connects is an administrator of the company.
        if (tenant !== undefined) Object.assign(tenant, { hasRights: true, isConnected: true });
        return { realmId: id };
      },
      hasExpiredSecret: (id) => id !== undefined && tenants.get(id)?.hasExpiredSecret === true,
      takesSecretInBody: false,
      presentTokens: ({ accessToken, refreshToken }) => ({
        token_type: 'bearer',
        expires_in: ACCESS_SECONDS,
        refresh_token: refreshToken,
        x_refresh_token_expires_in: REFRESH_SECONDS,
        access_token: accessToken,
      }),
      invalidGrantDescription: 'Incorrect or invalid refresh token',
    });

    const revoke = (call: Call): Answer => {
      if (!oauth.isClient(call)) return { status: 401, body: { error: 'invalid_client' } };
      const grant = grants.revoke(tokenToRevoke(call) ?? '');
      if (grant === undefined) return { status: 400, body: { error: 'invalid_request' } };
      const tenant = tenants.get(grant.tenant);
      if (tenant !== undefined) tenant.isConnected = grants.count(grant.tenant).liveRefreshTokens > 0;
      return { status: 200 };
    };

    const handleApi = (call: Call, realmId: string, path: string): Answer => {
      const grant = oauth.grantOf(call);
      const tenant = tenants.get(realmId);
      if (grant === undefined) return refuseOf(401);
      // QuickBooks refuses the call if the token belongs to another company, or the app keys to another environment.
      if (tenant === undefined || grant.tenant !== realmId) {
        return fault(
          403,
          'AuthorizationFault',
          '3100',
          'message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403',
        );
      }
      const window = tenant.windows.find(({ remaining }) => remaining === 0);
      if (window !== undefined) return refuseOf(429);
      for (const each of tenant.windows) each.count();
      if (call.method !== 'GET')
        return fault(400, 'ValidationFault', '2010', 'Request has invalid or unsupported property');
      return readCompany(call, tenant, path);
    };

    return {
      tenantOf: (call) =>
        API.exec(call.path)?.[1] ?? oauth.tenantOf(call) ?? grants.tenantOf(tokenToRevoke(call) ?? ''),
      handle(call) {
        const route = `${call.method} ${call.path}`;
        if (route === 'GET /connect/oauth2') return oauth.authorize(call);
        if (route === 'POST /oauth2/v1/tokens/bearer') return oauth.token(call);
        if (route === 'POST /v2/oauth2/tokens/revoke') return revoke(call);
        const [, realmId, path = ''] = API.exec(call.path) ?? [];
        return realmId === undefined ? { status: 404, body: 'Not Found' } : handleApi(call, realmId, path);
      },
      refuse: (status, { path }) =>
        API.test(path) ? refuseOf(status) : { status, body: { error: oauthErrorOf(status) } },
      createTenant(realmId, settings) {
        if (!REALM.test(realmId)) throw new ControlRefusal(400, 'A realmId has 1 to 19 digits.');
        const { companyName, homeCurrency, limits } = settingsSchema.parse(settings);
        grants.remove(realmId);
        return {
          realmId,
          companyName,
          homeCurrency,
          tables: new Map(Object.keys(entities).map((name) => [name, new Table<string>(compareIds)])),
          deleted: [],
          windows: [
            ...(limits.minute === undefined ? [] : [new CallWindow(clock, { seconds: 60, limit: limits.minute })]),
            ...(limits.second === undefined ? [] : [new CallWindow(clock, { seconds: 1, limit: limits.second })]),
          ],
          hasRights: true,
          hasExpiredSecret: false,
          isConnected: false,
        };
      },
      putRecords(tenant, { entity: name, records, remove }) {
        const entity = entities[name];
        const table = tenant.tables.get(name);
        if (entity === undefined || table === undefined) {
          throw new ControlRefusal(400, `There is no entity ${name}. There are: ${Object.keys(entities).join(', ')}.`);
        }
        for (const { Id: id } of records) {
          if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
            throw new ControlRefusal(400, 'Each record needs an Id.');
          }
        }
        const nameOf = (id: string) => tenant.tables.get('Vendor')?.get(id)?.['DisplayName'] as string | undefined;
        const now = pacificTime(clock.now());
        const today = now.slice(0, 10);
        for (const record of records) {
          const id = String(record['Id']);
          const known = table.get(id) ?? {
            SyncToken: '-1',
            domain: 'QBO',
            sparse: false,
            ...entity.defaults({ id, today, homeCurrency: tenant.homeCurrency, record, nameOf }),
          };
          const row = { ...known, SyncToken: String(Number(known['SyncToken']) + 1), ...record };
          table.put(id, {
            ...maskSecrets(withVendorName(row, nameOf)),
            Id: id,
            MetaData: metaData(known, record, now),
          });
        }
        for (const id of remove.map(String)) {
          if (table.remove(id)) tenant.deleted.push({ entity: name, id, at: clock.now() });
        }
      },
      expire(tenant, what) {
        if (what === 'ACCESS') grants.expireAccessTokens(tenant.realmId);
        if (what === 'REFRESH') grants.expireRefreshTokens(tenant.realmId);
        if (what === 'SECRET') tenant.hasExpiredSecret = true;
        if (what === 'RIGHTS') tenant.hasRights = false;
      },
      countTokens: ({ realmId, isConnected }) => ({ ...grants.count(realmId), connected: isConnected }),
    };
  };
}

function metaData(known: Row, record: Row, now: string): Row {
  return {
    CreateTime: now,
    ...(known['MetaData'] as Row | undefined),
    LastUpdatedTime: now,
    ...(record['MetaData'] as Row | undefined),
  };
}

function withVendorName(row: Row, nameOf: (id: string) => string | undefined): Row {
  const reference = row['VendorRef'] as Row | undefined;
  if (typeof reference?.['value'] !== 'string' || reference['name'] !== undefined) return row;
  const name = nameOf(reference['value']);
  return name === undefined ? row : { ...row, VendorRef: { ...reference, name } };
}

/** Returns the QuickBooks token to revoke, which is sent as JSON or as a form field. */
function tokenToRevoke({ body, headers }: Call): string | undefined {
  if (headers['content-type']?.startsWith('application/json') !== true) {
    return new URLSearchParams(body).get('token') ?? undefined;
  }
  try {
    const { token } = JSON.parse(body) as { readonly token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

function compareIds(left: string, right: string): number {
  return compareNumbers(Number(left), Number(right)) || (left < right ? -1 : left > right ? 1 : 0);
}
