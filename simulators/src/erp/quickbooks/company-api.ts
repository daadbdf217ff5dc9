import type { Answer, Call, Row } from '../call.js';
import type { Clock } from '../clock.js';
import type { Table } from '../table.js';
import { fault, refuseOf, tid } from './answers.js';
import { entities } from './entities.js';
import { pacificTime } from './pacific-time.js';
import { PAGE_SIZE_MAX, parseStatement, project, select, StatementRefusal } from './query.js';

/** A company of QuickBooks Online with its records. */
export interface Company {
  readonly realmId: string;
  readonly companyName: string;
  readonly homeCurrency: string;
  readonly tables: ReadonlyMap<string, Table<string>>;
  readonly deleted: readonly Deleted[];
  readonly hasRights: boolean;
}

export interface Deleted {
  readonly entity: string;
  readonly id: string;
  readonly at: Date;
}

/** Age in seconds up to which QuickBooks Online reports changes and deletions of records. */
const CHANGES_SECONDS = 30 * 86_400;
/** Maximum number of rows in one QuickBooks response with changes, over all entities; there is no second page. */
const CHANGES_MAX = 1_000;
/**
 * Key under which a row of a QuickBooks change response stores the name of its entity. The key is a symbol, so
 * simulated faults keep the name and no response contains it.
 */
const ENTITY = Symbol('entity');
type ChangedRow = Row & { readonly [ENTITY]?: string };

/** Simulates the read-only API version 3 of QuickBooks: company, preferences, queries and changes. */
export function companyApi(clock: Clock) {
  const time = (): string => pacificTime(clock.now());

  const companyInfo = ({ companyName, realmId }: Company): Answer => ({
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

  const preferences = ({ homeCurrency }: Company): Answer => ({
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

  const query = (call: Call, company: Company): Answer => {
    try {
      const statement = parseStatement(call.query['query'] ?? '', entities);
      const entity = entities[statement.entity];
      const table = company.tables.get(statement.entity);
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

  const changes = ({ query: { entities: list = '', changedSince = '' } }: Call, company: Company): Answer => {
    const names = list.split(',').map((name) => name.trim());
    const since = Date.parse(changedSince);
    if (Number.isNaN(since)) return fault(400, 'ValidationFault', '2010', 'changedSince is invalid');
    if (clock.now().getTime() - since > CHANGES_SECONDS * 1_000) {
      return fault(400, 'ValidationFault', '2010', 'changedSince is more than 30 days ago');
    }
    let left = CHANGES_MAX;
    const found: ChangedRow[] = [];
    for (const name of names) {
      const table = company.tables.get(name);
      if (table === undefined) return fault(400, 'ValidationFault', '2020', `Unknown entity ${name}`);
      const changed = table.all().filter((row) => Date.parse(modifiedOf(row)) >= since);
      const gone = company.deleted
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

  /** Handles `GET /v3/company/{realmId}/{path}` for one simulated company. */
  return (call: Call, company: Company, path: string): Answer => {
    if (path === `companyinfo/${company.realmId}`) return companyInfo(company);
    if (!company.hasRights) return refuseOf(403);
    if (path === 'preferences') return preferences(company);
    if (path === 'query') return query(call, company);
    if (path === 'cdc') return changes(call, company);
    return fault(400, 'ValidationFault', '500', 'Unsupported Operation');
  };
}

/** Repeats the QuickBooks rows until they fill a result page of the given size. */
function repeated(rows: readonly Row[], size: number): readonly Row[] {
  if (rows.length === 0) return rows;
  return Array.from({ length: Math.min(size, PAGE_SIZE_MAX) }, (_, at) => rows[at % rows.length] ?? {});
}

function modifiedOf(row: Row): string {
  return String((row['MetaData'] as Row | undefined)?.['LastUpdatedTime']);
}
