import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Call, Row } from '../call.js';
import { ControlRefusal } from '../erp.js';
import type { Erp, ErpDeps } from '../erp.js';
import { compareStrings, Table } from '../table.js';
import { encodeOption, entityOf, publishedEntities, standardEntities } from './entities.js';
import type { Entity } from './entities.js';
import { QueryRefusal } from './filter.js';
import { PageTooLarge, readPage } from './query.js';
import { isAuthorized, issueToken } from './tokens.js';
import type { Application } from './tokens.js';

const settingsSchema = z.strictObject({
  environmentName: z.string().min(1),
  companyId: z.guid(),
  companyName: z.string().default('CRONUS International Ltd.'),
  clientId: z.guid(),
  clientSecret: z.string().min(1),
});

interface Tenant {
  readonly environmentName: string;
  readonly company: Row & { readonly id: string };
  readonly application: Application;
  hasRights: boolean;
  readonly tables: Map<string, Table<string>>;
}

const API = /^\/v2\.0\/([^/]+)\/([^/]+)\/api\/(.+)$/;
const TOKEN = /^\/([^/]+)\/oauth2\/v2\.0\/token$/;
const BY_ID = /^([A-Za-z]+)(?:\(([^)]*)\))?$/;

/** Simulator of Dynamics 365 Business Central online: login and API v2.0, read only (ERP reference, section 3). */
export function businessCentral({ clock, tenants, origin }: ErpDeps<Tenant>): Erp<Tenant> {
  /**
   * Responds to a call of an API of the simulated Business Central. The path of the call names an entity set, such as
   * `companies(id)/vendors`.
   */
  const handleApi = (call: Call, tenant: Tenant, environment: string, path: string): Answer => {
    if (environment.toLowerCase() !== tenant.environmentName.toLowerCase()) {
      return refuse(404, 'NoEnvironment', `The environment '${environment}' does not exist.`);
    }
    if (!isAuthorized(call, tenant.application, clock)) return refuseOf(401);
    if (!tenant.hasRights) return refuseOf(403);
    if (call.method !== 'GET') return refuse(405, 'BadRequest_MethodNotAllowed', 'This operation is not supported.');
    const { sets, segments } = readPath(path);
    const [first = '', second] = segments;
    const named = BY_ID.exec(first);
    if (named?.[1] === 'companies' && sets === standardEntities && second === undefined) {
      if (named[2] === undefined) {
        return { status: 200, body: { '@odata.context': contextOf('companies'), value: [tenant.company] } };
      }
      if (!isCompany(tenant, named[2])) return unknownCompany();
      return { status: 200, body: { '@odata.context': contextOf('companies/$entity'), ...tenant.company } };
    }
    const isBelowCompany = named?.[1] === 'companies' && second !== undefined;
    const companyId = isBelowCompany ? named?.[2] : call.query['company'];
    if (companyId === undefined) {
      return refuse(400, 'BadRequest', 'You must choose a company by companies({id}) or the parameter company.');
    }
    if (!isCompany(tenant, companyId)) return unknownCompany();
    const [, set = '', id] = BY_ID.exec(isBelowCompany ? (second ?? '') : first) ?? [];
    const entity = sets?.[set];
    if (entity === undefined || segments.length > 2) {
      return refuse(404, 'BadRequest_NotFound', `No HTTP resource was found that matches the request: '${set}'.`);
    }
    const table = tenant.tables.get(set) ?? newTable();
    if (id !== undefined) {
      const row = table.get(id.toLowerCase());
      return row === undefined
        ? refuse(404, 'Internal_RecordNotFound', 'The record was not found in the table.')
        : { status: 200, body: row };
    }
    return listAnswer(call, entity, table, contextOf(`companies(${companyId})/${set}`));
  };

  const listAnswer = (call: Call, entity: Entity, table: Table<string>, context: string): Answer => {
    try {
      const { rows, nextSkipToken } = readPage(call, entity, table);
      const link = (token: string): string => {
        const query = Object.entries({ ...call.query, $skiptoken: token });
        const encoded = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
        return `${origin()}${encodeURI(call.path)}?${encoded}`;
      };
      return {
        status: 200,
        headers: { 'content-type': 'application/json; odata.metadata=minimal; odata.streaming=true' },
        page: {
          rows,
          render: (value, { isEndless, nextLink }) => {
            const own = nextSkipToken ?? (isEndless ? (call.query['$skiptoken'] ?? '') : undefined);
            const next = nextLink ?? (own === undefined ? undefined : link(own));
            return { '@odata.context': context, value, ...(next === undefined ? {} : { '@odata.nextLink': next }) };
          },
        },
      };
    } catch (error) {
      if (error instanceof PageTooLarge) return refuseOf(413);
      if (error instanceof QueryRefusal) return refuse(400, 'BadRequest', error.message);
      throw error;
    }
  };

  const contextOf = (of: string): string => `${origin()}/v2.0/$metadata#${of}`;

  return {
    tenantOf: ({ path }) => (TOKEN.exec(path) ?? API.exec(path))?.[1],
    handle(call) {
      const [, loginTenant] = TOKEN.exec(call.path) ?? [];
      if (loginTenant !== undefined && call.method === 'POST') {
        return issueToken(call, loginTenant, tenants.get(loginTenant)?.application, clock);
      }
      const [, id, environment = '', path = ''] = API.exec(call.path) ?? [];
      const tenant = id === undefined ? undefined : tenants.get(id);
      if (id === undefined) return refuse(404, 'BadRequest_NotFound', 'The resource was not found.');
      return tenant === undefined ? refuseOf(401) : handleApi(call, tenant, environment, path);
    },
    refuse: refuseOf,
    createTenant(_, settings) {
      const { environmentName, companyId, companyName, clientId, clientSecret } = settingsSchema.parse(settings);
      const information = newTable();
      information.put(companyId, {
        ...standardEntities['companyInformation']?.defaults,
        id: companyId,
        displayName: companyName,
        lastModifiedDateTime: clock.now().toISOString(),
      });
      return {
        environmentName,
        company: {
          id: companyId.toLowerCase(),
          systemVersion: '26.0.0.0',
          timestamp: 0,
          name: companyName,
          displayName: companyName,
          businessProfileId: '',
        },
        application: { clientId, clientSecret, isSecretExpired: false, tokens: new Map() },
        hasRights: true,
        tables: new Map([['companyInformation', information]]),
      };
    },
    putRecords(tenant, { entity: name, records, remove }) {
      const entity = entityOf(name);
      if (entity === undefined) {
        const known = [...Object.keys(standardEntities), ...Object.values(publishedEntities).flatMap(Object.keys)];
        throw new ControlRefusal(400, `There is no entity ${name}. There are: ${known.join(', ')}.`);
      }
      for (const { id } of records) {
        if (typeof id !== 'string' || id === '') throw new ControlRefusal(400, 'Each record needs an id, a text.');
      }
      const table = tenant.tables.get(name) ?? newTable();
      tenant.tables.set(name, table);
      const vendors = tenant.tables.get('vendors') ?? newTable();
      for (const record of records) {
        const id = String(record['id']).toLowerCase();
        const known = table.get(id) ?? { ...entity.defaults, ...defaultsOf(name, table.size, record, vendors) };
        const stamped = { ...known, [entity.modified]: clock.now().toISOString(), ...record, id };
        table.put(id, { '@odata.etag': `W/"${randomUUID()}"`, ...encodeOptions(stamped, entity) });
      }
      for (const id of remove) table.remove(String(id).toLowerCase());
    },
    expire(tenant, what) {
      if (what === 'REFRESH') throw new ControlRefusal(400, 'Business Central has no refresh tokens.');
      if (what === 'ACCESS') tenant.application.tokens.clear();
      if (what === 'SECRET') tenant.application.isSecretExpired = true;
      if (what === 'RIGHTS') tenant.hasRights = false;
    },
  };
}

function newTable(): Table<string> {
  return new Table(compareStrings);
}

/**
 * Returns default values of a Business Central record: numbers count up, and a document copies fields of its vendor.
 */
function defaultsOf(name: string, size: number, record: Row, vendors: Table<string>): Row {
  const number = String(name === 'vendors' ? 10_000 * (size + 1) : 100_001 + size);
  if (name === 'vendorLedgerEntries') return { entryNumber: size + 1 };
  if (name === 'vendorBankAccounts') return {};
  const vendor = vendors.get(String(record['vendorId']).toLowerCase());
  if (vendor === undefined) return { number };
  const { id, number: vendorNumber, displayName: vendorName, currencyCode } = vendor;
  return {
    number,
    vendorNumber,
    vendorName,
    payToVendorId: id,
    payToVendorNumber: vendorNumber,
    payToName: vendorName,
    currencyCode,
  };
}

function encodeOptions(row: Row, { fields }: Entity): Row {
  const encoded = Object.entries(row).map(([name, value]) => [
    name,
    fields[name] === 'enum' && typeof value === 'string' ? encodeOption(value) : value,
  ]);
  return Object.fromEntries(encoded) as Row;
}

/**
 * Parses the path of a call to Business Central, such as `v2.0/companies(id)/vendors` or `publisher/group/version/...`.
 */
function readPath(path: string): { sets: Readonly<Record<string, Entity>> | undefined; segments: readonly string[] } {
  const segments = path.split('/');
  if (segments[0] === 'v2.0') return { sets: standardEntities, segments: segments.slice(1) };
  return { sets: publishedEntities[segments.slice(0, 3).join('/')], segments: segments.slice(3) };
}

function isCompany({ company }: Tenant, id: string): boolean {
  return id.toLowerCase() === company.id;
}

function unknownCompany(): Answer {
  return refuse(404, 'Internal_CompanyNotFound', 'Cannot find company.');
}

function refuse(status: number, code: string, message: string): Answer {
  const headers = status === 502 || status === 503 ? { 'retry-after': '1' } : {};
  return { status, headers, body: { error: { code, message: `${message}  CorrelationId:  ${randomUUID()}.` } } };
}

function refuseOf(status: number): Answer {
  switch (status) {
    case 401:
      return refuse(401, 'Authentication_InvalidCredentials', 'The server has rejected the client credentials.');
    case 403:
      return refuse(403, 'Authorization_RequestDenied', 'You do not have the required permissions for this action.');
    case 404:
      return refuse(404, 'BadRequest_NotFound', 'The requested resource was not found.');
    case 408:
      return refuse(408, 'Application_RequestTimeout', 'The request took too long and was canceled.');
    case 413:
      return refuse(413, 'Request_EntityTooLarge', 'The page is too large.');
    case 429:
      return refuse(429, 'Application_TooManyRequests', 'Too many requests. Reduce the frequency of requests.');
    case 503:
      return refuse(503, 'Internal_TenantUnavailable', 'The tenant is not available.');
    default:
      return status < 500
        ? refuse(status, 'BadRequest', 'The request cannot be served.')
        : refuse(status, 'Internal_ServerError', 'An error occurred on the server.');
  }
}
