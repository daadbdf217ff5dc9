import { ErpFault } from '../../domain/faults.js';
import { chunksOf } from '../chunks.js';
import type { RowsPage } from '../define-provider.js';
import { fieldOf } from '../json.js';
import { readRows } from '../row.js';
import type { Row } from '../row.js';
import type { OdooClient } from './client.js';
import { linkOf } from './records.js';

/** A search condition of Odoo such as `["id", ">", 5]`, or an operator that combines two conditions. */
export type Domain = readonly (string | readonly [field: string, operator: string, value: unknown])[];

export interface Company {
  readonly id: number;
  readonly name: string;
  readonly currency: string | undefined;
}

/** Maximum number of record ids in one search condition of Odoo. */
const IDS_MAX = 500;

/** Reads the Odoo records of one company, including archived ones. */
export interface OdooReader {
  /**
   * Returns the configured Odoo company, the only company, or the user's default company.
   * @throws ErpFault TENANT_NOT_FOUND
   */
  company(): Promise<Company>;
  /**
   * Yields pages of Odoo records sorted by id, each page beginning after the last id on the previous page. Records that
   * change in the meantime may be repeated, but none is skipped.
   */
  pages(model: string, domain: Domain, fields: readonly string[], after?: number): AsyncIterable<RowsPage>;
  /**
   * Reads the Odoo records with the given ids.
   * @param more additional search condition of Odoo
   */
  readByIds(model: string, ids: Iterable<string>, fields: readonly string[]): Promise<readonly unknown[]>;
  /**
   * Returns all Odoo records that match a condition, without pagination. It is used for conditions that few records
   * match.
   */
  readAll(model: string, domain: Domain, fields: readonly string[]): Promise<readonly unknown[]>;
  /**
   * Counts Odoo records to check the permission to read them: without the permission, lists are empty but counts are
   * refused.
   * @throws ErpFault PERMISSION_DENIED
   */
  tryCount(model: string): Promise<unknown>;
}

export function odooReader(client: OdooClient, companyId: number | undefined, pageSize: number): OdooReader {
  let opened: Company | undefined;

  const contextOf = (): object => ({
    lang: 'en_US',
    active_test: false,
    ...(opened === undefined ? {} : { allowed_company_ids: [opened.id] }),
  });
  const search = async (model: string, query: object): Promise<readonly unknown[]> => {
    const rows = await client.call(model, 'search_read', { order: 'id asc', context: contextOf(), ...query });
    if (!Array.isArray(rows)) throw new ErpFault('BAD_RESPONSE', 'Odoo responded without a list.');
    return rows as readonly unknown[];
  };

  const findCompanies = async (domain: Domain): Promise<readonly Company[]> =>
    readAll(await search('res.company', { domain, fields: ['id', 'name', 'currency_id'], limit: 2 }), (row) => ({
      id: Number(row.requiredText('id')),
      name: row.requiredText('name'),
      currency: linkOf(row, 'currency_id')?.label,
    }));
  const findCompanyOfUser = async (): Promise<readonly Company[]> => {
    const userId = fieldOf(await client.call('res.users', 'context_get', {}), 'uid');
    const users = await search('res.users', { domain: [['id', '=', userId]], fields: ['company_id'] });
    const [id] = readAll(users, (row) => linkOf(row, 'company_id')?.id);
    return findCompanies([['id', '=', Number(id)]]);
  };
  const company = async (): Promise<Company> => {
    if (opened !== undefined) return opened;
    const found = await findCompanies(companyId === undefined ? [] : [['id', '=', companyId]]);
    [opened] = found.length > 1 ? await findCompanyOfUser() : found;
    if (opened === undefined) {
      throw new ErpFault(
        'TENANT_NOT_FOUND',
        'The user of the API key cannot see this company in Odoo. Delete this connection and connect Odoo with the right erpCompanyId, or give the user access to the company.',
      );
    }
    return opened;
  };

  return {
    company,
    async *pages(model, domain, fields, after = 0) {
      await company();
      for (let lastId = after; ;) {
        const rows = await search(model, { domain: [...domain, ['id', '>', lastId]], fields, limit: pageSize });
        const greatest = rows.reduce<number>((max, row) => Math.max(max, Number(fieldOf(row, 'id')) || 0), lastId);
        const isLast = rows.length < pageSize;
        if (!isLast && greatest <= lastId) throw new ErpFault('BAD_RESPONSE', 'Odoo returned the same page again.');
        lastId = greatest;
        yield { rows, position: String(lastId) };
        if (isLast) return;
      }
    },
    readAll: (model, domain, fields) => search(model, { domain, fields }),
    async readByIds(model, ids, fields) {
      const rows: unknown[] = [];
      for (const chunk of chunksOf(ids, IDS_MAX)) {
        rows.push(...(await search(model, { domain: [['id', 'in', chunk.map(Number)]], fields })));
      }
      return rows;
    },
    tryCount: (model) => client.call(model, 'search_count', { domain: [], limit: 1, context: contextOf() }),
  };
}

/**
 * Reads every row of an Odoo response.
 * @throws ErpFault if a record cannot be read
 */
function readAll<T>(rows: readonly unknown[], read: (row: Row) => T | undefined): readonly T[] {
  const { records, invalid } = readRows(rows, 'id', read);
  if (invalid.length > 0) throw new ErpFault('BAD_RESPONSE', 'Odoo responded with a record that cannot be read.');
  return records;
}
