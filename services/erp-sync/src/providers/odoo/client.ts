import { ErpFault } from '../../domain/faults.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';

/** Of a connection, as it is stored (ERP reference, section 12). */
export interface OdooConfig {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly database?: string;
  readonly erpCompanyId?: number;
  readonly login?: string;
}

/** Named arguments of a method; `ids` are the records that it is called on. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface OdooClient {
  /** @throws ErpFault */
  call(model: string, method: string, named: Arguments): Promise<unknown>;
  /** Names of bank accounts changed with 20; an instance that has JSON-RPC alone is older. */
  isBeforeJson2(): boolean;
}

/** Models of apps that not every Odoo has. */
const OPTIONAL: ReadonlySet<string> = new Set(['account.payment', 'purchase.order']);

type Transport = (model: string, method: string, named: Arguments) => Promise<unknown>;

/**
 * Calls Odoo by JSON-2 (19 and later), else by JSON-RPC where a login is configured (ERP reference, section 4). The first call
 * of a session finds out which.
 */
export function odooClient(
  config: OdooConfig,
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
): OdooClient {
  const { baseUrl, login } = config;
  let transport: Transport | undefined;
  let isOld = false;

  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ErpAnswer> =>
    http.send({
      method: 'POST',
      url: `${baseUrl}${path}`,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
        'user-agent': 'invoice-control',
        ...headers,
      },
      body: JSON.stringify(body),
      // An exception of Odoo itself repeats with the same call; what a proxy answers in its place does not.
      retries: (status, text) =>
        status === 408 || status === 429 || (status >= 500 && (status !== 500 || exceptionOf(text) === undefined)),
    });

  const json2 =
    (database: string | undefined): Transport =>
    async (model, method, named) =>
      readJson2(await postJson2(database, model, method, named), model);
  const postJson2 = async (
    database: string | undefined,
    model: string,
    method: string,
    named: Arguments,
  ): Promise<ErpAnswer> =>
    post(`/json/2/${model}/${method}`, named, {
      authorization: `bearer ${await credentials.secret()}`,
      ...(database === undefined ? {} : { 'x-odoo-database': database }),
    });

  const rpc = async (service: string, method: string, args: readonly unknown[], model: string): Promise<unknown> => {
    const answer = await post('/jsonrpc', { jsonrpc: '2.0', method: 'call', id: 1, params: { service, method, args } });
    if (answer.status === 404) throw notFound();
    if (answer.status !== 200) throw unexpected(answer.status);
    const [result, error] = [fieldOf(answer.json, 'result'), fieldOf(answer.json, 'error')];
    if (error !== undefined) throw faultOfException(exceptionOf(fieldOf(error, 'data')) ?? '', model);
    if (result === undefined) throw new ErpFault('BAD_RESPONSE', 'Odoo answered without a result.');
    return result;
  };

  const openJsonRpc = async (): Promise<Transport> => {
    const database = await findDatabase();
    const key = await credentials.secret();
    const userId = await rpc('common', 'authenticate', [database, login, key, {}], 'res.users');
    if (typeof userId !== 'number') {
      throw new ErpFault(
        'AUTH_FAILED',
        'Odoo does not accept the API key for this login. Make a new key of that user and send it with PATCH; for another login, delete this connection and connect Odoo with it.',
      );
    }
    isOld = true;
    return async (model, method, { ids, ...named }) =>
      rpc('object', 'execute_kw', [database, userId, key, model, method, ids === undefined ? [] : [ids], named], model);
  };

  /** The configured one, the name of a host at odoo.com, or the only one that there is. */
  const findDatabase = async (): Promise<string> => {
    if (config.database !== undefined) return config.database;
    const [, hosted] = /^([^.]+)\.(?:[^.]+\.)?odoo\.com$/i.exec(new URL(baseUrl).hostname) ?? [];
    if (hosted !== undefined) return hosted;
    const { json } = await post('/web/database/list', { jsonrpc: '2.0', method: 'call', id: 1, params: {} });
    const result = fieldOf(json, 'result');
    const [only, ...others] = Array.isArray(result) ? (result as readonly unknown[]) : [];
    if (typeof only !== 'string' || others.length > 0) throw databaseRequired(config);
    return only;
  };

  /** The first call by JSON-2; what is not JSON comes from an Odoo that has none, or that does not know which database. */
  const callFirst = async (model: string, method: string, named: Arguments): Promise<unknown> => {
    const answer = await postJson2(config.database, model, method, named);
    const isPage = answer.status === 404 && answer.json === undefined;
    if (!isPage) {
      transport = json2(config.database);
      return readJson2(answer, model);
    }
    if (answer.text.includes('No database is selected')) {
      if (config.database !== undefined) throw databaseRequired(config);
      transport = json2(await findDatabase());
    } else if (login === undefined) {
      throw new ErpFault(
        'TENANT_NOT_FOUND',
        'There is no Odoo 19 or later at baseUrl. Delete this connection and connect Odoo with the right baseUrl; for an older Odoo add login, the user that the API key belongs to.',
      );
    } else {
      transport = await openJsonRpc();
    }
    return transport(model, method, named);
  };

  return {
    call: async (model, method, named) => (transport ?? callFirst)(model, method, named),
    isBeforeJson2: () => isOld,
  };
}

function readJson2({ status, json }: ErpAnswer, model: string): unknown {
  if (status === 200) {
    if (json === undefined) throw new ErpFault('BAD_RESPONSE', 'Odoo answered something else than JSON.');
    return json;
  }
  if (status === 401) {
    throw new ErpFault(
      'AUTH_FAILED',
      'Odoo does not accept the API key: it is wrong, was deleted or has expired. Make a new one in Odoo and send it with PATCH.',
    );
  }
  if (status === 403) throw permissionDenied([model]);
  if (status === 404) {
    if (json === undefined) throw notFound();
    throw noSuchModel(model);
  }
  throw unexpected(status);
}

/** The class of an exception: `odoo.exceptions.AccessError`. */
function exceptionOf(data: unknown): string | undefined {
  return textOf(data, 'name');
}

function faultOfException(exception: string, model: string): ErpFault {
  if (exception.endsWith('.AccessDenied')) {
    return new ErpFault(
      'AUTH_FAILED',
      'Odoo does not accept the API key. Make a new one in Odoo and send it with PATCH.',
    );
  }
  if (exception.endsWith('.AccessError')) return permissionDenied([model]);
  if (exception.endsWith('.OperationalError')) {
    return noSuchDatabase();
  }
  if (exception.endsWith('.NotFound') || exception.endsWith('KeyError')) return noSuchModel(model);
  return new ErpFault('BAD_RESPONSE', `Odoo cannot read ${nameOf(model)} as asked.`);
}

/** Without the app of an optional list there is nothing to read: the list is left out as one without a right is. */
function noSuchModel(model: string): ErpFault {
  if (OPTIONAL.has(model)) return permissionDenied([model]);
  return new ErpFault('BAD_RESPONSE', `Odoo does not have ${nameOf(model)}. Install the app that they belong to.`);
}

function databaseRequired({ database }: OdooConfig): ErpFault {
  if (database !== undefined) return noSuchDatabase();
  return new ErpFault(
    'DATABASE_REQUIRED',
    'The instance has several databases. Delete this connection and connect Odoo with database, the name of the one to read.',
  );
}

function noSuchDatabase(): ErpFault {
  return new ErpFault(
    'DATABASE_REQUIRED',
    'Odoo has no such database. Delete this connection and connect Odoo with the right database.',
  );
}

function notFound(): ErpFault {
  return new ErpFault(
    'TENANT_NOT_FOUND',
    'There is no Odoo at this address. Delete this connection and connect Odoo with the right baseUrl.',
  );
}

function unexpected(status: number): ErpFault {
  return new ErpFault('BAD_RESPONSE', `Odoo answered in an unexpected way (status ${status}).`);
}

const modelNames: Readonly<Record<string, string>> = {
  'res.company': 'companies',
  'res.country': 'countries',
  'res.partner': 'contacts',
  'res.partner.bank': 'bank accounts of contacts',
  'account.move': 'vendor bills',
  'account.payment': 'payments',
  'purchase.order': 'purchase orders',
  'res.users': 'users',
};

function nameOf(model: string): string {
  const name = modelNames[model];
  return name === undefined ? model : `${name} (${model})`;
}

/** Names every model that may not be read. */
export function permissionDenied(models: readonly string[]): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `The user of the API key may not read ${models.map(nameOf).join(', ')}. Give the user the right in Odoo, such as "Accounting: read-only".`,
  );
}
