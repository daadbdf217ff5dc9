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
import { entities, maskSecrets } from './entities.js';
import { PAGE_SIZE_MAX, parseStatement, project, select, StatementRefusal } from './query.js';
import { pacificTime } from './pacific-time.js';

const settingsSchema = z.strictObject({
  companyName: z.string().default('Sandbox Company_US_1'),
  homeCurrency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('USD'),
  limits: z.strictObject({ minute: limitSchema, second: limitSchema }).default({}),
});

interface Tenant {
  readonly realmId: string;
  readonly companyName: string;
  readonly homeCurrency: string;
  readonly tables: ReadonlyMap<string, Table<string>>;
  readonly deleted: Deleted[];
  readonly windows: readonly CallWindow[];
  hasRights: boolean;
  hasExpiredSecret: boolean;
  isConnected: boolean;
}

interface Deleted {
  readonly entity: string;
  readonly id: string;
  readonly at: Date;
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
/** How far back changes and deletions are known. */
const CHANGES_SECONDS = 30 * DAY_SECONDS;
/** Of one answer with changes, over all entities; there is no second page. */
const CHANGES_MAX = 1_000;

/** QuickBooks Online: consent, tokens and the API version 3, read only (ERP reference, section 5). */
export function quickBooks(client: OAuthClient) {
  return ({ clock, tenants }: ErpDeps<Tenant>): Erp<Tenant> => {
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
        // Whoever connects is an administrator of the company.
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
      // A token of another company, or keys of another environment.
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
      if (path === `companyinfo/${realmId}`) return companyInfo(tenant);
      if (!tenant.hasRights) return refuseOf(403);
      if (path === 'preferences') return preferences(tenant);
      if (path === 'query') return query(call, tenant);
      if (path === 'cdc') return changes(call, tenant);
      return fault(400, 'ValidationFault', '500', 'Unsupported Operation');
    };

    const time = (): string => pacificTime(clock.now());
    const companyInfo = ({ companyName, realmId }: Tenant): Answer => ({
      status: 200,
      body: {
        CompanyInfo: {
          CompanyName: companyName,
          LegalName: companyName,
          Country: 'US',
          Id: '1',
          SyncToken: '4',
          domain: 'QBO',
          sparse: false,
          NameValue: [{ Name: 'RealmId', Value: realmId }],
        },
        time: time(),
      },
    });
    const preferences = ({ homeCurrency }: Tenant): Answer => ({
      status: 200,
      body: {
        Preferences: {
          CurrencyPrefs: { MultiCurrencyEnabled: true, HomeCurrency: { value: homeCurrency } },
          Id: '1',
          domain: 'QBO',
          sparse: false,
        },
        time: time(),
      },
    });

    const query = (call: Call, tenant: Tenant): Answer => {
      try {
        const statement = parseStatement(call.query['query'] ?? '', entities);
        const entity = entities[statement.entity];
        const table = tenant.tables.get(statement.entity);
        if (entity === undefined || table === undefined) return refuseOf(400);
        const selected = select(table.all(), statement, entity);
        if (statement.isCount) {
          return { status: 200, body: { QueryResponse: { totalCount: selected.length }, time: time() } };
        }
        const { startPosition, maxResults, fields } = statement;
        const page = selected.slice(startPosition - 1, startPosition - 1 + maxResults);
        return {
          status: 200,
          headers: tid(),
          page: {
            rows: page.map((row) => project(row, fields)),
            render(rows, { isEndless }) {
              const shown = isEndless ? repeated(rows, maxResults) : rows;
              if (shown.length === 0) return { QueryResponse: {}, time: time() };
              return {
                QueryResponse: { [statement.entity]: shown, startPosition, maxResults: shown.length },
                time: time(),
              };
            },
          },
        };
      } catch (error) {
        if (!(error instanceof StatementRefusal)) throw error;
        const message = error.code === '4000' ? 'Error parsing query' : 'Invalid query';
        return fault(400, 'ValidationFault', error.code, message, error.message);
      }
    };

    const changes = ({ query: { entities: list = '', changedSince = '' } }: Call, tenant: Tenant): Answer => {
      const names = list.split(',').map((name) => name.trim());
      const since = Date.parse(changedSince);
      if (Number.isNaN(since)) return fault(400, 'ValidationFault', '2010', 'changedSince is invalid');
      if (clock.now().getTime() - since > CHANGES_SECONDS * 1_000) {
        return fault(400, 'ValidationFault', '2010', 'changedSince is more than 30 days ago');
      }
      let left = CHANGES_MAX;
      const found: ChangedRow[] = [];
      for (const name of names) {
        const table = tenant.tables.get(name);
        if (table === undefined) return fault(400, 'ValidationFault', '2020', `Unknown entity ${name}`);
        const changed = table.all().filter((row) => Date.parse(modifiedOf(row)) >= since);
        const gone = tenant.deleted
          .filter(({ entity, at }) => entity === name && at.getTime() >= since)
          .map(({ id, at }) => ({
            domain: 'QBO',
            status: 'Deleted',
            Id: id,
            MetaData: { LastUpdatedTime: pacificTime(at) },
          }));
        const rows = [...gone, ...changed].slice(0, left);
        left -= rows.length;
        found.push(...rows.map((row) => ({ ...row, [ENTITY]: name })));
      }
      return {
        status: 200,
        headers: tid(),
        page: {
          rows: found,
          render(rows, { isEndless }) {
            const shown: readonly ChangedRow[] = isEndless ? repeated(rows, CHANGES_MAX) : rows;
            const responses = names.map((name) => {
              const own = shown.filter((row) => row[ENTITY] === name);
              return own.length === 0 ? {} : { [name]: own, startPosition: 1, maxResults: own.length };
            });
            return { CDCResponse: [{ QueryResponse: responses }], time: time() };
          },
        },
      };
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
        const today = time().slice(0, 10);
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
            MetaData: metaData(known, record, time()),
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

/** The token is sent as JSON or as a form field. */
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

function modifiedOf(row: Row): string {
  return String((row['MetaData'] as Row | undefined)?.['LastUpdatedTime']);
}

/** As many rows as a full page has. */
/** Of a row among changes: which list it belongs to. A symbol, so that faults keep it and no answer shows it. */
const ENTITY = Symbol('entity');
type ChangedRow = Row & { readonly [ENTITY]?: string };

function repeated(rows: readonly Row[], size: number): readonly Row[] {
  if (rows.length === 0) return rows;
  return Array.from({ length: Math.min(size, PAGE_SIZE_MAX) }, (_, at) => rows[at % rows.length] ?? {});
}

function compareIds(left: string, right: string): number {
  return compareNumbers(Number(left), Number(right)) || (left < right ? -1 : left > right ? 1 : 0);
}

function tid(): Readonly<Record<string, string>> {
  return { intuit_tid: `1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}` };
}

function fault(status: number, type: string, code: string, message: string, detail?: string): Answer {
  const error = { Message: message, ...(detail === undefined ? {} : { Detail: detail }), code };
  return { status, headers: tid(), body: { Fault: { Error: [error], type }, time: new Date().toISOString() } };
}

function oauthErrorOf(status: number): string {
  return status === 401 ? 'invalid_client' : status < 500 ? 'invalid_request' : 'server_error';
}

/** 401 has its names in lower case, unlike all others. */
function refuseOf(status: number): Answer {
  switch (status) {
    case 401: {
      const message = 'message=AuthenticationFailed; errorCode=003200; statusCode=401';
      const error = { message, detail: 'Token expired or revoked', code: '3200' };
      return {
        status,
        headers: tid(),
        body: {
          warnings: null,
          intuitObject: null,
          fault: { error: [{ ...error, element: null }], type: 'AUTHENTICATION' },
          report: null,
          queryResponse: null,
          batchItemResponse: [],
          attachableResponse: [],
          syncErrorResponse: null,
          requestId: null,
          time: Date.now(),
          status: null,
          cdcresponse: [],
        },
      };
    }
    case 403:
      return fault(
        403,
        'ValidationFault',
        '5020',
        'Permission Denied Error',
        'You need permission to access this feature.',
      );
    case 429:
      return fault(429, 'ThrottleExceeded', '003001', 'message=ThrottleExceeded; errorCode=003001; statusCode=429');
    default:
      return status < 500
        ? fault(status, 'ValidationFault', '2010', 'Request has invalid or unsupported property')
        : fault(status, 'SystemFault', '10000', 'An application error has occurred while processing your request');
  }
}
