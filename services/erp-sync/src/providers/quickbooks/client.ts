import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';

/** What statements and changes name. */
export type EntityName = 'Vendor' | 'Bill' | 'VendorCredit' | 'BillPayment' | 'PurchaseOrder';

export interface Changes {
  /** Ids that were deleted. */
  readonly deletedIds: readonly string[];
  /** Whether the answer was not full: a full one may lack some. */
  readonly isComplete: boolean;
}

export interface QuickBooksClient {
  /** @throws ErpFault TENANT_NOT_FOUND */
  readCompanyName(): Promise<string | undefined>;
  /** ISO 4217; undefined where the company does not tell. */
  readHomeCurrency(): Promise<unknown>;
  query(entity: EntityName, statement: string): Promise<readonly unknown[]>;
  /** What was deleted since then, by entity. */
  readChanges(entities: readonly EntityName[], since: string): Promise<ReadonlyMap<EntityName, Changes>>;
  /** RFC 3339, of the last answer. */
  serverTime(): string | undefined;
}

const MINOR_VERSION = 75;
/** Objects of one answer with changes, over all entities. */
const CHANGES_MAX = 1_000;
/** What people call them. */
const nouns: Readonly<Record<EntityName, string>> = {
  Vendor: 'vendors',
  Bill: 'bills',
  VendorCredit: 'vendor credits',
  BillPayment: 'bill payments',
  PurchaseOrder: 'purchase orders',
};
/** Numbers of Intuit, without zeros before them. */
const THROTTLED = '3001';
/** Intuit sends no `Retry-After`, and asks to wait for a minute. */
const THROTTLED_PAUSES = 60;
const OTHER_ENVIRONMENT = '3100';
const COMPANY_CLOSED = '6190';
const FEATURE_MISSING: ReadonlySet<string> = new Set(['5020', '5030']);

/** The API version 3 of QuickBooks Online, read only (ERP reference, section 5). */
export function quickBooksClient(apiUrl: string, realmId: string, deps: SessionDeps): QuickBooksClient {
  const base = `${apiUrl}/v3/company/${encodeURIComponent(realmId)}`;
  let date: string | undefined;

  const get = async (
    path: string,
    query: Readonly<Record<string, string>>,
    noun: string,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const parameters = Object.entries({ ...query, minorversion: String(MINOR_VERSION) });
    const text = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const answer = await sendWithToken(
      deps,
      {
        method: 'GET',
        url: `${base}/${path}?${text}`,
        headers: { accept: 'application/json' },
        // A status of success may carry a fault.
        throttledPauses: THROTTLED_PAUSES,
        retries: (status, body) => status === 408 || status === 429 || status >= 500 || faultCodes(body).has(THROTTLED),
      },
      ({ status }) => status === 401,
    );
    const at = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(at)) date = new Date(at).toISOString();
    return readBody(answer, noun);
  };

  return {
    async readCompanyName() {
      const { CompanyInfo: company } = await get(`companyinfo/${encodeURIComponent(realmId)}`, {}, COMPANY);
      const name = fieldOf(company, 'CompanyName');
      return typeof name === 'string' && name !== '' ? name : undefined;
    },
    async readHomeCurrency() {
      const { Preferences: preferences } = await get('preferences', {}, 'preferences');
      return fieldOf(fieldOf(fieldOf(preferences, 'CurrencyPrefs'), 'HomeCurrency'), 'value');
    },
    async query(entity, statement) {
      const { QueryResponse: response } = await get('query', { query: statement }, nouns[entity]);
      if (!isObject(response)) throw badResponse(nouns[entity]);
      const rows = response[entity] ?? [];
      if (!Array.isArray(rows)) throw badResponse(nouns[entity]);
      return rows as readonly unknown[];
    },
    async readChanges(entities, since) {
      const noun = entities.map((entity) => nouns[entity]).join(', ');
      const { CDCResponse: responses } = await get('cdc', { entities: entities.join(','), changedSince: since }, noun);
      const [first] = Array.isArray(responses) ? (responses as readonly unknown[]) : [];
      const parts = fieldOf(first, 'QueryResponse');
      if (!Array.isArray(parts)) throw badResponse(noun);
      const rowsOf = (entity: EntityName): readonly unknown[] =>
        (parts as readonly unknown[]).flatMap((part) => fieldOf(part, entity) ?? []);
      const count = entities.reduce((sum, entity) => sum + rowsOf(entity).length, 0);
      return new Map(
        entities.map((entity) => [
          entity,
          {
            deletedIds: rowsOf(entity).flatMap((row) => {
              const id = fieldOf(row, 'Id');
              return fieldOf(row, 'status') === 'Deleted' && typeof id === 'string' && id !== '' ? [id] : [];
            }),
            isComplete: count < CHANGES_MAX,
          },
        ]),
      );
    },
    serverTime: () => date,
  };
}

/** Collects what may not be read, so that all of it is named at once. */
export async function testReading(client: QuickBooksClient, entities: readonly EntityName[]): Promise<void> {
  const missing: string[] = [];
  for (const entity of entities) {
    try {
      await client.query(entity, `select Id from ${entity} startposition 1 maxresults 1`);
    } catch (error) {
      if (!(error instanceof ErpFault) || error.code !== 'PERMISSION_DENIED') throw error;
      missing.push(nouns[entity]);
    }
  }
  if (missing.length > 0) throw permissionDenied(missing.join(', '));
}

const COMPANY = 'the company';

function readBody(answer: ErpAnswer, noun: string): Readonly<Record<string, unknown>> {
  const { status, json } = answer;
  const codes = faultCodes(json);
  if (status === 200 && codes.size === 0) {
    if (!isObject(json)) throw badResponse(noun);
    return json;
  }
  throw faultOf(status, codes, noun);
}

function faultOf(status: number, codes: ReadonlySet<string>, noun: string): ErpFault {
  if (status === 401) {
    return new ErpFault('REAUTH_REQUIRED', 'QuickBooks Online does not accept the access any more. Connect it again.');
  }
  if (codes.has(THROTTLED)) {
    return new ErpFault('RATE_LIMITED', 'QuickBooks Online takes no more calls at the moment.', 60_000);
  }
  if (codes.has(OTHER_ENVIRONMENT)) {
    return new ErpFault(
      'AUTH_FAILED',
      'QuickBooks Online does not let this application into the company. Connect it again; if that does not help, the keys of the application belong to another environment (sandbox or production) than the company.',
    );
  }
  if (codes.has(COMPANY_CLOSED)) {
    return new ErpFault(
      'TENANT_NOT_FOUND',
      'The QuickBooks Online subscription of the company has ended. Renew it, or disconnect the company.',
    );
  }
  if (status === 403 || [...codes].some((code) => FEATURE_MISSING.has(code))) return permissionDenied(noun);
  if (status === 404 && noun === COMPANY) {
    return new ErpFault('TENANT_NOT_FOUND', 'QuickBooks Online has no such company. Connect the company again.');
  }
  return new ErpFault('BAD_RESPONSE', `QuickBooks Online does not answer a request for ${noun} (status ${status}).`);
}

function permissionDenied(nouns: string): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `QuickBooks Online does not let this connection read: ${nouns}. Connect it again as an administrator of the company.`,
  );
}

function badResponse(noun: string): ErpFault {
  return new ErpFault('BAD_RESPONSE', `QuickBooks Online sent something else than ${noun}.`);
}

/** `Fault.Error[].code`, or `fault.error[].code` of refused tokens. */
function faultCodes(body: unknown): ReadonlySet<string> {
  const fault = fieldOf(body, 'Fault') ?? fieldOf(body, 'fault');
  if (fault === undefined || fault === null) return new Set();
  const errors = fieldOf(fault, 'Error') ?? fieldOf(fault, 'error');
  const codes = Array.isArray(errors) ? errors.map((error) => fieldOf(error, 'code')) : [];
  return new Set(['', ...codes.map((code) => (typeof code === 'string' ? code.replace(/^0+/, '') : ''))]);
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
