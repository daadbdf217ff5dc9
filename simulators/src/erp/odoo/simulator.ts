import { z } from 'zod';
import type { Answer, Call, Page, Row } from '../call.js';
import { ControlRefusal } from '../erp.js';
import type { Erp, ErpDeps } from '../erp.js';
import { accessDenied, invalidApiKey, notFound, OdooFault, unprocessable, valueError } from './fault.js';
import { callMethod, signatures } from './methods.js';
import type { MethodCall, MethodResult } from './methods.js';
import { modelsOf } from './models.js';
import type { Model } from './models.js';
import { putRecords, seedTables } from './records.js';
import type { Tables } from './records.js';

const settingsSchema = z.strictObject({
  apiKey: z.string().min(1),
  version: z.enum(['18.0', '19.0', '20.0']).default('19.0'),
  databases: z.array(z.string().min(1)).min(1).default(['main']),
  login: z.string().min(1).optional(),
});

interface Tenant {
  readonly apiKey: string;
  readonly version: string;
  readonly major: number;
  readonly databases: readonly string[];
  readonly login: string | undefined;
  isKeyRevoked: boolean;
  hasRights: boolean;
  readonly models: Readonly<Record<string, Model>>;
  readonly tables: Tables;
}

const USER_ID = 2;
/** First version of Odoo with JSON-2 and `/web/version`. */
const JSON_2_SINCE = 19;

const NOT_FOUND_HTML =
  '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server.</p>\n';
const NO_DATABASE_HTML =
  '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>No database is selected and the requested URL was not found in the server-wide controllers.</p>\n';

/** Simulator of Odoo 18, 19 and 20: JSON-2, JSON-RPC and the version request (ERP reference, section 4). */
export function odoo({ clock, tenants }: ErpDeps<Tenant>): Erp<Tenant> {
  const json2 = (call: Call, tenant: Tenant, model: string, method: string): Answer => {
    if (tenant.major < JSON_2_SINCE) return html(404, NOT_FOUND_HTML);
    const database = call.headers['x-odoo-database'];
    const isSelected = database === undefined ? tenant.databases.length === 1 : tenant.databases.includes(database);
    if (!isSelected) return html(404, NO_DATABASE_HTML);
    try {
      const [, key = ''] = /^bearer (.+)$/i.exec(call.headers['authorization'] ?? '') ?? [];
      if (!isKey(tenant, key)) throw invalidApiKey();
      if (!/^application\/json\b/i.test(call.headers['content-type'] ?? '')) {
        return html(415, '<!doctype html>\n<html lang=en>\n<title>415 Unsupported Media Type</title>\n');
      }
      return { status: 200, ...bodyOf(run(tenant, readNamedCall(call.body, model, method)), (result) => result) };
    } catch (error) {
      if (error instanceof OdooFault) return { status: error.status, body: error.toJson() };
      throw error;
    }
  };

  const jsonRpc = (call: Call, tenant: Tenant): Answer => {
    let id: unknown = null;
    const envelope = (content: Row): Row => ({ jsonrpc: '2.0', id, ...content });
    try {
      const request = rpcSchema.safeParse(readJson(call.body));
      if (!request.success) throw valueError('Invalid JSON-RPC request');
      ({ id } = request.data);
      const { service, method, args } = request.data.params;
      return { status: 200, ...bodyOf(runRpc(tenant, service, method, args), (result) => envelope({ result })) };
    } catch (error) {
      if (!(error instanceof OdooFault)) throw error;
      return {
        status: 200,
        body: envelope({ error: { code: 200, message: 'Odoo Server Error', data: error.toJson() } }),
      };
    }
  };

  const runRpc = (tenant: Tenant, service: string, method: string, args: readonly unknown[]): MethodResult => {
    if (service === 'common' && method === 'version') {
      const info = [tenant.major, 0, 0, 'final', 0, ''];
      return {
        value: {
          server_version: tenant.version,
          server_version_info: info,
          server_serie: tenant.version,
          protocol_version: 1,
        },
      };
    }
    if (service === 'common' && (method === 'authenticate' || method === 'login')) {
      const [database, login, key] = args;
      requireDatabase(tenant, database);
      return { value: login === tenant.login && isKey(tenant, key) ? USER_ID : false };
    }
    if (service !== 'object' || method !== 'execute_kw') throw valueError(`Method not found: ${service}.${method}`);
    const [database, userId, key, model, name, positional = [], named = {}] = args;
    requireDatabase(tenant, database);
    if (userId !== USER_ID || tenant.login === undefined || !isKey(tenant, key)) {
      throw new OdooFault(403, 'odoo.exceptions.AccessDenied', 'Access Denied');
    }
    return run(tenant, readPositionalCall(String(model), String(name), positional, named));
  };

  const run = (tenant: Tenant, call: MethodCall): MethodResult => {
    if (!tenant.hasRights) throw accessDenied(call.model);
    return callMethod({ models: tenant.models, tables: tenant.tables, userId: USER_ID }, call);
  };

  return {
    tenantOf: ({ path }) => path.split('/')[1],
    handle(call) {
      const [, instance = '', ...rest] = call.path.split('/');
      const tenant = tenants.get(instance);
      if (tenant === undefined) return html(404, NOT_FOUND_HTML);
      const target = `${call.method} /${rest.join('/')}`;
      if (target === 'GET /web/version' && tenant.major >= JSON_2_SINCE) {
        return { status: 200, body: { version_info: [tenant.major, 0, 0, 'final', 0, ''], version: tenant.version } };
      }
      if (target === 'POST /web/database/list') return { status: 200, body: listDatabases(call, tenant) };
      if (target === 'POST /jsonrpc') return jsonRpc(call, tenant);
      const [, model, method] = /^POST \/json\/2\/([^/]+)\/([^/]+)$/.exec(target) ?? [];
      return model === undefined || method === undefined
        ? html(404, tenant.databases.length === 1 ? NOT_FOUND_HTML : NO_DATABASE_HTML)
        : json2(call, tenant, model, method);
    },
    refuse: refuseOf,
    createTenant(id, settings) {
      if (id === 'control') throw new ControlRefusal(400, 'An instance cannot be called control. Choose another name.');
      const { apiKey, version, databases, login } = settingsSchema.parse(settings);
      const major = Number.parseInt(version, 10);
      const models = modelsOf(major);
      return {
        apiKey,
        version,
        major,
        databases,
        login,
        isKeyRevoked: false,
        hasRights: true,
        models,
        tables: seedTables(models, clock),
      };
    },
    putRecords: ({ models, tables }, change) => putRecords({ models, tables, clock }, change),
    expire(target, what) {
      const tenant = target;
      if (what === 'SECRET') tenant.isKeyRevoked = true;
      else if (what === 'RIGHTS') tenant.hasRights = false;
      else throw new ControlRefusal(400, 'Odoo has no tokens. SECRET revokes the API key.');
    },
  };
}

function isKey({ apiKey, isKeyRevoked }: Tenant, key: unknown): boolean {
  return key === apiKey && !isKeyRevoked;
}

function requireDatabase({ databases }: Tenant, database: unknown): void {
  if (!databases.includes(String(database))) {
    throw new OdooFault(500, 'psycopg2.OperationalError', `FATAL:  database "${String(database)}" does not exist`);
  }
}

function listDatabases({ body }: Call, { databases }: Tenant): Row {
  const [, id] = /"id"\s*:\s*(\d+)/.exec(body) ?? [];
  return { jsonrpc: '2.0', id: id === undefined ? null : Number(id), result: databases };
}

const rpcSchema = z.object({
  id: z.unknown(),
  params: z.object({ service: z.string(), method: z.string(), args: z.array(z.unknown()).default([]) }),
});

/** Reads a JSON-2 body of an Odoo call, which has only named arguments, next to `ids` and `context`. */
function readNamedCall(body: string, model: string, method: string): MethodCall {
  const sent = body === '' ? {} : readJson(body);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw unprocessable('the body must be a JSON object');
  }
  const { ids = [], context = {}, ...named } = sent as Record<string, unknown>;
  return { model, method, ids: readIds(ids), context: readContext(context), named };
}

/**
 * Reads the arguments of the Odoo call `execute_kw`: first the positional ones, and then the named ones. Record ids
 * come first if the method needs them.
 */
function readPositionalCall(model: string, method: string, positional: unknown, keywords: unknown): MethodCall {
  if (!Array.isArray(positional)) throw valueError('args must be a list');
  const { context = {}, ...named } = readContext(keywords);
  const isOnRecords = method === 'read';
  const [ids, values] = isOnRecords ? [positional[0], positional.slice(1)] : [[], positional];
  const names = signatures[method] ?? [];
  const ofOrder = Object.fromEntries(
    (values as readonly unknown[]).map((value, index) => [names[index] ?? `arg${index}`, value]),
  );
  return { model, method, ids: readIds(ids), context: readContext(context), named: { ...ofOrder, ...named } };
}

function readIds(ids: unknown): readonly number[] {
  if (!Array.isArray(ids) || !ids.every((id) => Number.isInteger(id)))
    throw unprocessable('ids must be a list of numbers');
  return ids as readonly number[];
}

function readContext(context: unknown): Readonly<Record<string, unknown>> {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw unprocessable('context must be an object');
  }
  return context as Readonly<Record<string, unknown>>;
}

/** A list in an Odoo response counts as a page, so that simulated faults can change its rows. */
function bodyOf(result: MethodResult, render: (result: unknown) => unknown): { body: unknown } | { page: Page } {
  if ('value' in result) return { body: render(result.value) };
  const { rows: own, limit } = result;
  return {
    page: {
      rows: own,
      // An Odoo client that pages by id requests further pages as long as pages are full. For an endless list, the rows
      // are therefore repeated until the page is full.
      render: (rows, { isEndless }) => render(isEndless && limit !== undefined ? repeatRows(rows, limit) : rows),
    },
  };
}

function repeatRows(rows: readonly Row[], count: number): readonly Row[] {
  return rows.length === 0 ? rows : Array.from({ length: count }, (_, at) => rows[at % rows.length] as Row);
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new OdooFault(400, 'werkzeug.exceptions.BadRequest', 'could not parse the body as json');
  }
}

function html(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

/**
 * Returns the response with which the simulated Odoo refuses a call. A refusal by the proxy in front of Odoo (429, 5xx)
 * is HTML; JSON-RPC returns every fault of Odoo itself with status 200.
 */
function refuseOf(status: number, call: Call): Answer {
  if (status === 429 || status >= 500) {
    return html(
      status,
      `<html>\r\n<head><title>${status}</title></head>\r\n<body><center><h1>${status}</h1></center><hr><center>nginx</center></body>\r\n</html>\r\n`,
    );
  }
  return { status, body: faultOf(status, call).toJson() };
}

function faultOf(status: number, { path }: Call): OdooFault {
  const [, model = 'account.move'] = /\/json\/2\/([^/]+)\//.exec(path) ?? [];
  switch (status) {
    case 401:
      return invalidApiKey();
    case 403:
      return accessDenied(model);
    case 404:
      return notFound(`the model '${model}' does not exist`);
    default:
      return new OdooFault(status, 'odoo.exceptions.UserError', 'The operation cannot be completed.');
  }
}
