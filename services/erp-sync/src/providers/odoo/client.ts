import { BudgetSpent, ErpFault, Outage } from '../../domain/faults.js';
import { fieldOf, isObject } from '../json.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';
import {
  databaseClosed,
  faultOfJson2,
  faultOfRpc,
  loginRequired,
  noSuchDatabase,
  nothingFound,
  severalDatabases,
} from './answers.js';

/** First version of Odoo that has the JSON-2 interface. */
const JSON2_SINCE = 19;

/** Configuration of an Odoo connection, in its stored form (ERP reference, section 12). */
export interface OdooConfig {
  /** Base URL of the Odoo server, without a trailing slash. */
  readonly baseUrl: string;
  readonly database?: string;
  readonly erpCompanyId?: number;
  readonly login?: string;
}

/** Named arguments of an Odoo method. `ids` are the records on which it is called. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface OdooClient {
  /**
   * Calls a method of an Odoo model.
   * @throws ErpFault
   */
  call(model: string, method: string, named: Arguments): Promise<unknown>;
  /**
   * Checks whether an Odoo instance supports only JSON-RPC. Such an instance is older than Odoo 20, in which the fields
   * of bank accounts were renamed.
   */
  isBeforeJson2(): boolean;
}

type Transport = (model: string, method: string, named: Arguments) => Promise<unknown>;

/**
 * Calls Odoo through JSON-2 (version 19 and later), or through JSON-RPC if a login is configured (ERP reference,
 * section 4). The first call in a session decides which one is used.
 */
export function odooClient(
  config: OdooConfig,
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
): OdooClient {
  const { baseUrl, login } = config;
  let transport: Transport | undefined;
  let isOld = false;

  const post = (
    path: string,
    body: unknown,
    faultOf: (answer: ErpAnswer) => ErpFault | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ErpAnswer> =>
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
      faultOf,
    });

  const json2 =
    (database: string | undefined): Transport =>
    async (model, method, named) => {
      const faultOf = (answer: ErpAnswer) => faultOfJson2(answer, model, resultOf(method));
      return resultIn(await postJson2(database, model, method, named, faultOf), faultOf).json;
    };
  const postJson2 = async (
    database: string | undefined,
    model: string,
    method: string,
    named: Arguments,
    faultOf: (answer: ErpAnswer) => ErpFault | undefined,
  ): Promise<ErpAnswer> =>
    post(`/json/2/${model}/${method}`, named, faultOf, {
      authorization: `bearer ${await credentials.secret()}`,
      ...(database === undefined ? {} : { 'x-odoo-database': database }),
    });

  const rpc = async (service: string, method: string, args: readonly unknown[], model: string): Promise<unknown> => {
    const faultOf = (answer: ErpAnswer) => faultOfRpc(answer, model);
    const body = { jsonrpc: '2.0', method: 'call', id: 1, params: { service, method, args } };
    return fieldOf(resultIn(await post('/jsonrpc', body, faultOf), faultOf).json, 'result');
  };

  const openJsonRpc = async (): Promise<Transport> => {
    const database = config.database ?? hostedDatabase ?? (await findDatabase());
    const key = await credentials.secret();
    const userId = await rpc('common', 'authenticate', [database, login, key, {}], 'res.users');
    if (userId === false) {
      throw new ErpFault(
        'AUTH_FAILED',
        'Odoo does not accept the API key for this login. Create a new key of that user and send it with PATCH. To use another login, delete this connection and connect Odoo with that login.',
      );
    }
    if (typeof userId !== 'number') throw new Outage('BAD_RESPONSE', 'Odoo responded without the id of the user.');
    isOld = true;
    return async (model, method, { ids, ...named }) =>
      rpc('object', 'execute_kw', [database, userId, key, model, method, ids === undefined ? [] : [ids], named], model);
  };

  /** The name of an Odoo database is the first label of a host name at odoo.com. */
  const [, hostedDatabase] = /^([^.]+)\.(?:[^.]+\.)?odoo\.com$/i.exec(new URL(baseUrl).hostname) ?? [];

  /** Returns the names of all databases of an Odoo server, or undefined if Odoo does not list them. */
  const listDatabases = async (): Promise<readonly unknown[] | undefined> => {
    const faultOf = (answer: ErpAnswer) => faultOfRpc(answer, 'res.users');
    const answer = await post('/web/database/list', { jsonrpc: '2.0', method: 'call', id: 1, params: {} }, faultOf);
    const result = faultOf(answer) === undefined ? fieldOf(answer.json, 'result') : undefined;
    return Array.isArray(result) ? (result as readonly unknown[]) : undefined;
  };

  /**
   * Returns the name of the only database of the Odoo server.
   * @throws ErpFault DATABASE_REQUIRED if there are several
   */
  const findDatabase = async (): Promise<string> => {
    const [only, ...others] = (await listDatabases()) ?? [];
    if (others.length > 0) throw severalDatabases();
    if (typeof only !== 'string') throw databaseClosed();
    return only;
  };

  /**
   * Makes the first call to Odoo through JSON-2. A "not found" page means that this Odoo has no JSON-2 or cannot open a
   * database.
   */
  const callFirst = async (model: string, method: string, named: Arguments): Promise<unknown> => {
    const faultOf = (answer: ErpAnswer) => faultOfJson2(answer, model, resultOf(method));
    const isPage = ({ status, json }: ErpAnswer): boolean => status === 404 && json === undefined;
    const answer = await postJson2(config.database, model, method, named, (one) =>
      isPage(one) ? undefined : faultOf(one),
    );
    if (!isPage(answer)) {
      transport = json2(config.database);
      return resultIn(answer, faultOf).json;
    }
    if (answer.text.includes('No database is selected')) {
      if (config.database !== undefined) {
        const names = await listDatabases();
        throw names === undefined || names.includes(config.database) ? databaseClosed() : noSuchDatabase();
      }
      transport = json2(hostedDatabase ?? (await findDatabase()));
    } else if (login === undefined) {
      return callWithoutLogin(model, method, named);
    } else {
      transport = await openJsonRpc();
    }
    return transport(model, method, named);
  };

  /**
   * Calls Odoo for a connection without a login, which is possible only through the interface JSON-2. If Odoo states a
   * version without JSON-2, the call fails, because a login is required. If Odoo states no version, JSON-2 is tried,
   * because Odoo may be unavailable only for a short time.
   */
  const callWithoutLogin: Transport = async (model, method, named) => {
    const version = await rpc('common', 'version', [], 'res.users').catch((error: unknown) => {
      if (error instanceof BudgetSpent || !(error instanceof ErpFault)) throw error;
      return undefined;
    });
    const info = fieldOf(version, 'server_version_info');
    const major: unknown = Array.isArray(info) ? info[0] : undefined;
    if (typeof major === 'number' && major < JSON2_SINCE) throw loginRequired(major);
    try {
      return await json2(config.database)(model, method, named);
    } catch (error) {
      throw error instanceof Outage && error.code === 'UPSTREAM_ERROR' ? nothingFound() : error;
    }
  };

  return {
    call: async (model, method, named) => (transport ?? callFirst)(model, method, named),
    isBeforeJson2: () => isOld,
  };
}

/**
 * Returns the result that a response of Odoo contains.
 * @throws ErpFault for an unsuccessful response
 */
function resultIn(answer: ErpAnswer, faultOf: (answer: ErpAnswer) => ErpFault | undefined): ErpAnswer {
  const fault = faultOf(answer);
  if (fault !== undefined) throw fault;
  return answer;
}

/** Returns a function that checks the result of an Odoo method. */
function resultOf(method: string): (json: unknown) => boolean {
  if (method === 'search_read') return Array.isArray;
  return method === 'search_count' ? (json) => typeof json === 'number' : isObject;
}
