import { ErpFault } from '../../domain/faults.js';
import type { RecordsOf } from '../../domain/streams.js';
import { deniedAmong, idsOf } from '../define-provider.js';
import type { RowsPage, StreamSource } from '../define-provider.js';
import { isObject } from '../json.js';
import type { Window } from '../provider.js';
import { withQuery } from '../url.js';
import { QueryRefused } from './answers.js';
import type { BusinessCentralClient, BusinessCentralConfig } from './client.js';
import { accountIdOf, changedSince, readVendorAccount } from './records.js';

const name = 'the bank account page';

/**
 * The custom API page of Business Central that contains the bank accounts of vendors. The customer publishes it,
 * because the standard API has no such page.
 */
export interface BankPage {
  readonly accounts: StreamSource<RecordsOf['bankAccounts']>;
  /**
   * Returns a list with the name of the custom page with bank accounts if Business Central refuses access to the page,
   * and otherwise an empty list.
   */
  denied(): Promise<readonly string[]>;
  /** Reads the custom page with bank accounts for a connection test, and fails in the same way as an import run. */
  test(): Promise<void>;
}

/**
 * Creates the reader for the custom page with bank accounts.
 * @returns undefined if no custom page is configured
 */
export function bankPage(client: BusinessCentralClient, config: BusinessCentralConfig): BankPage | undefined {
  const url = config.bankAccountEndpoint?.replaceAll('{companyId}', config.companyId);
  if (url === undefined) return undefined;
  const { bankAccountVendorIdField: vendorField = '', bankAccountIbanField: ibanField = '' } = config;
  const readFirst = () => client.readRows({ name, url: withQuery(url, { $top: '1' }) }, 1);
  const requireFields = (rows: readonly unknown[]): void => {
    if (rows.length === 0 || rows.some((row) => isObject(row) && vendorField in row && ibanField in row)) return;
    throw new ErpFault(
      'BANK_FIELD_MISSING',
      `The rows of the bank account page do not have the fields ${vendorField} and ${ibanField}. Add them to the page, or delete this connection and connect with the right bankAccountVendorIdField and bankAccountIbanField.`,
    );
  };

  /**
   * Reads only the changed rows of the custom page with bank accounts if the page states modification times, and
   * otherwise all rows.
   */
  async function* changedPages(window: Window): AsyncGenerator<RowsPage> {
    const { from, after } = window;
    if (from !== undefined && after === undefined) {
      try {
        return yield* client.pages({
          name,
          url: withQuery(url ?? '', { $filter: changedSince(window, 'systemModifiedAt') }),
        });
      } catch (error) {
        if (!(error instanceof QueryRefused)) throw error;
      }
    }
    yield* client.pages({ name, url: url ?? '' }, after);
  }

  return {
    accounts: {
      idName: 'id',
      async *pages(window) {
        let isFirst = true;
        for await (const page of withoutPerson(changedPages(window))) {
          if (isFirst) requireFields(page.rows);
          isFirst = false;
          yield page;
        }
      },
      idOf: (row) => accountIdOf(row, config),
      read: (row) => readVendorAccount(row, config),
      ids: (after) =>
        idsOf(withoutPerson(client.pages({ name, url }, after)), (row) =>
          row.text(ibanField) === undefined ? undefined : accountIdOf(row, config),
        ),
    },
    denied: () => deniedAmong([[name, readFirst]]).catch(() => []),
    async test() {
      requireFields(await readFirst().catch(failWithoutPerson));
    },
  };
}

/**
 * Yields the pages of rows of the custom page with bank accounts. The page belongs to the customer, so a fault on this
 * page ends neither the import run nor the ERP connection.
 */
async function* withoutPerson(pages: AsyncIterable<RowsPage>): AsyncGenerator<RowsPage> {
  try {
    yield* pages;
  } catch (error) {
    failWithoutPerson(error);
  }
}

function failWithoutPerson(error: unknown): never {
  if (!(error instanceof ErpFault) || !error.needsAPerson) throw error;
  throw new ErpFault('BAD_RESPONSE', `Bank accounts of vendors are missing: ${error.message}`);
}
