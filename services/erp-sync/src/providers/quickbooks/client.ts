import { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { TokenCalls } from '../access-token.js';
import { fieldOf, isObject, textOf } from '../json.js';
import type { JsonObject } from '../json.js';
import { readRows } from '../row.js';
import { withQuery } from '../url.js';

/** What statements and changes name, and what people call it. */
const nouns = {
  Vendor: 'vendors',
  Bill: 'bills',
  VendorCredit: 'vendor credits',
  BillPayment: 'bill payments',
  PurchaseOrder: 'purchase orders',
} as const;
export type EntityName = keyof typeof nouns;

export interface Changes {
  /** Ids that were deleted. */
  readonly deletedIds: readonly string[];
  /** Whether it has all of them: a full answer may lack some, and so may one with a row that cannot be read. */
  readonly isComplete: boolean;
}

const MINOR_VERSION = '75';
/** Objects of one answer with changes, over all entities. */
const CHANGES_MAX = 1_000;
const COMPANY = 'the company';
/** Numbers of Intuit, without zeros before them. */
const THROTTLED = '3001';
/** Intuit sends no `Retry-After`, and asks to wait for a minute. */
const THROTTLED_PAUSES = 60;
const OTHER_ENVIRONMENT = '3100';
const COMPANY_CLOSED = '6190';
const FEATURE_MISSING: ReadonlySet<string> = new Set(['5020', '5030']);

export type QuickBooksClient = ReturnType<typeof quickBooksClient>;

/** The API version 3 of QuickBooks Online, read only (ERP reference, section 5). */
export function quickBooksClient(apiUrl: string, realmId: string, calls: TokenCalls) {
  const realm = encodeURIComponent(realmId);

  const get = async (path: string, query: Readonly<Record<string, string>>, noun: string): Promise<JsonObject> => {
    const { status, json } = await sendWithToken(
      calls,
      {
        method: 'GET',
        url: withQuery(`${apiUrl}/v3/company/${realm}/${path}`, { ...query, minorversion: MINOR_VERSION }),
        headers: { accept: 'application/json' },
        // A status of success may carry a fault.
        throttledPauses: THROTTLED_PAUSES,
        retries: (of, body) => of === 408 || of === 429 || of >= 500 || faultCodes(body).has(THROTTLED),
      },
      (answer) => answer.status === 401,
    );
    const codes = faultCodes(json);
    if (status !== 200 || codes.size > 0) throw faultOf(status, codes, noun);
    if (!isObject(json)) throw badResponse(noun);
    return json;
  };

  const query = async (entity: EntityName, statement: string): Promise<readonly unknown[]> => {
    const { QueryResponse: response } = await get('query', { query: statement }, nouns[entity]);
    const rows = isObject(response) ? (response[entity] ?? []) : undefined;
    if (!Array.isArray(rows)) throw badResponse(nouns[entity]);
    return rows as readonly unknown[];
  };

  return {
    query,
    /** Whether an entity may be read. @throws ErpFault PERMISSION_DENIED */
    tryQuery: (entity: EntityName) => query(entity, `select Id from ${entity} startposition 1 maxresults 1`),
    /** @throws ErpFault TENANT_NOT_FOUND */
    readCompanyName: async () => textOf(await get(`companyinfo/${realm}`, {}, COMPANY), 'CompanyInfo', 'CompanyName'),
    /** ISO 4217; undefined where the company does not tell. */
    readHomeCurrency: async () =>
      textOf(await get('preferences', {}, 'preferences'), 'Preferences', 'CurrencyPrefs', 'HomeCurrency', 'value'),
    /** What was deleted since then, by entity. */
    async readChanges(entities: readonly EntityName[], since: string): Promise<ReadonlyMap<EntityName, Changes>> {
      const noun = entities.map((entity) => nouns[entity]).join(', ');
      const { CDCResponse: responses } = await get('cdc', { entities: entities.join(','), changedSince: since }, noun);
      const parts = fieldOf(Array.isArray(responses) ? responses[0] : undefined, 'QueryResponse');
      if (!Array.isArray(parts)) throw badResponse(noun);
      const rowsOf = (entity: EntityName): readonly unknown[] => parts.flatMap((part) => fieldOf(part, entity) ?? []);
      const isWhole = entities.flatMap(rowsOf).length < CHANGES_MAX;
      return new Map(
        entities.map((entity) => {
          const { records: deletedIds, invalid } = readRows(rowsOf(entity), 'Id', (row) => {
            const id = row.requiredText('Id');
            return row.text('status') === 'Deleted' ? id : undefined;
          });
          // A deletion that cannot be read is found by comparing all ids.
          return [entity, { deletedIds, isComplete: isWhole && invalid.length === 0 }];
        }),
      );
    },
  };
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
  if (status === 403 || [...codes].some((code) => FEATURE_MISSING.has(code))) return deniedFault(noun);
  if (status === 404 && noun === COMPANY) {
    return new ErpFault('TENANT_NOT_FOUND', 'QuickBooks Online has no such company. Connect the company again.');
  }
  return new ErpFault('BAD_RESPONSE', `QuickBooks Online does not answer a request for ${noun} (status ${status}).`);
}

export function permissionDenied(entities: readonly EntityName[]): ErpFault {
  return deniedFault(entities.map((entity) => nouns[entity]).join(', '));
}

function deniedFault(named: string): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `QuickBooks Online does not let this connection read: ${named}. Connect it again as an administrator of the company.`,
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
  const codes = Array.isArray(errors) ? errors.map((error) => textOf(error, 'code') ?? '') : [];
  return new Set(['', ...codes.map((code) => code.replace(/^0+/, ''))]);
}
