import type { ErpFault } from '../../domain/faults.js';
import { sendWithToken } from '../access-token.js';
import type { TokenCalls } from '../access-token.js';
import { fieldOf, isObject, textOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';
import { readRows } from '../row.js';
import { withQuery } from '../url.js';
import { COMPANY, deniedFault, faultOfAnswer } from './answers.js';

/** QuickBooks entities in queries and changes, with names for users. */
const nouns = {
  Vendor: 'vendors',
  Bill: 'bills',
  VendorCredit: 'vendor credits',
  BillPayment: 'bill payments',
  PurchaseOrder: 'purchase orders',
} as const;
export type EntityName = keyof typeof nouns;

export interface Changes {
  /** Ids of the rows that were deleted in QuickBooks. */
  readonly deletedIds: readonly string[];
  /**
   * True if the list of rows deleted in QuickBooks is complete. A response with the maximum number of rows may lack
   * some deletions, and so may a response with an unreadable row.
   */
  readonly isComplete: boolean;
}

const MINOR_VERSION = '75';
/** Maximum number of objects in one QuickBooks response with changes, for all entities together. */
const CHANGES_MAX = 1_000;
/**
 * Length of the pause after QuickBooks reports a rate limit. Intuit sends no `Retry-After` but asks clients to wait for
 * a minute.
 */
const THROTTLED_PAUSES = 60;

export type QuickBooksClient = ReturnType<typeof quickBooksClient>;

/** Read-only client for version 3 of the QuickBooks Online API (ERP reference, section 5). */
export function quickBooksClient(apiUrl: string, realmId: string, calls: TokenCalls) {
  const realm = encodeURIComponent(realmId);

  const get = async (
    path: string,
    query: Readonly<Record<string, string>>,
    noun: string,
    isGood: (json: unknown) => boolean,
  ): Promise<unknown> => {
    const faultOf = (answer: ErpAnswer) => faultOfAnswer(answer, noun, isGood);
    const answer = await sendWithToken(
      calls,
      {
        method: 'GET',
        url: withQuery(`${apiUrl}/v3/company/${realm}/${path}`, { ...query, minorversion: MINOR_VERSION }),
        headers: { accept: 'application/json' },
        throttledPauses: THROTTLED_PAUSES,
        faultOf,
      },
      ({ status }) => status === 401,
    );
    const fault = faultOf(answer);
    if (fault !== undefined) throw fault;
    return answer.json;
  };

  const query = async (entity: EntityName, statement: string): Promise<readonly unknown[]> => {
    const rowsOf = (json: unknown): unknown => {
      const response = fieldOf(json, 'QueryResponse');
      return isObject(response) ? (response[entity] ?? []) : undefined;
    };
    const json = await get('query', { query: statement }, nouns[entity], (one) => Array.isArray(rowsOf(one)));
    return rowsOf(json) as readonly unknown[];
  };

  return {
    query,
    /**
     * Checks the permission to read an entity of QuickBooks Online.
     * @throws ErpFault PERMISSION_DENIED
     */
    tryQuery: (entity: EntityName) => query(entity, `select Id from ${entity} startposition 1 maxresults 1`),
    /**
     * Reads the name of the QuickBooks company.
     * @throws ErpFault TENANT_NOT_FOUND
     */
    readCompanyName: async () =>
      textOf(
        await get(`companyinfo/${realm}`, {}, COMPANY, (json) => isObject(fieldOf(json, 'CompanyInfo'))),
        'CompanyInfo',
        'CompanyName',
      ),
    /**
     * Reads the ISO 4217 currency code of the QuickBooks company, or returns undefined if the company does not state
     * it.
     */
    readHomeCurrency: async () =>
      textOf(
        await get('preferences', {}, 'preferences', (json) => isObject(fieldOf(json, 'Preferences'))),
        'Preferences',
        'CurrencyPrefs',
        'HomeCurrency',
        'value',
      ),
    /** Reads the ids of the rows that were deleted from each QuickBooks entity since the given time. */
    async readChanges(entities: readonly EntityName[], since: string): Promise<ReadonlyMap<EntityName, Changes>> {
      const noun = entities.map((entity) => nouns[entity]).join(', ');
      const partsOf = (json: unknown): unknown => {
        const responses = fieldOf(json, 'CDCResponse');
        return fieldOf(Array.isArray(responses) ? responses[0] : undefined, 'QueryResponse');
      };
      const hasParts = (json: unknown): boolean => Array.isArray(partsOf(json));
      const json = await get('cdc', { entities: entities.join(','), changedSince: since }, noun, hasParts);
      const parts = partsOf(json) as readonly unknown[];
      const rowsOf = (entity: EntityName): readonly unknown[] => parts.flatMap((part) => fieldOf(part, entity) ?? []);
      const isWhole = entities.flatMap(rowsOf).length < CHANGES_MAX;
      return new Map(
        entities.map((entity) => {
          const { records: deletedIds, invalid } = readRows(rowsOf(entity), 'Id', (row) => {
            const id = row.requiredText('Id');
            return row.text('status') === 'Deleted' ? id : undefined;
          });
          // A deletion in QuickBooks whose row cannot be read is found later, when all ids are compared.
          return [entity, { deletedIds, isComplete: isWhole && invalid.length === 0 }];
        }),
      );
    },
  };
}

export function permissionDenied(entities: readonly EntityName[]): ErpFault {
  return deniedFault(entities.map((entity) => nouns[entity]).join(', '));
}
