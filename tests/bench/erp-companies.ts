// Creates simulated companies with many records, and connects each through the REST API.
import { randomInt, randomUUID } from 'node:crypto';
import { createClient } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import { booksOf } from './erp-books.js';
import type { Books, BooksSize, ErpName } from './erp-books.js';

/** Number of rows in one control request to a simulated ERP, well below the limit on the size of its body. */
const ROWS_PER_REQUEST = 5_000;
const SECRET = 'bench~secret.1';

/** A request to which an ERP simulator has responded. */
export interface LoggedRequest {
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Company {
  readonly erp: ErpName;
  readonly url: string;
  /**
   * Connects the simulated ERP company to the product, which queues its first synchronisation.
   * @returns the id of the connection
   */
  connect(api: Client, callApi: (path: string) => Promise<Response>): Promise<string>;
  requestsAfter(n: number): Promise<readonly LoggedRequest[]>;
  advanceClock(seconds: number): Promise<void>;
  /** Enters further bills of the known vendors now, with the indexes `first` to `first + count - 1`. */
  enterBills(first: number, count: number): Promise<void>;
}

/** Creates a company in the ERP simulator and adds the records of the company. */
export async function openCompany(erp: ErpName, url: string, size: BooksSize): Promise<Company> {
  const [tenantId, companyId, clientId, realmId] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    String(randomInt(1e9, 1e12)),
  ];
  const tenant = { businessCentral: tenantId, odoo: 'bench', quickBooks: realmId, xero: tenantId }[erp];
  const settings = {
    businessCentral: { environmentName: 'Production', companyId, companyName: 'Bench', clientId, clientSecret: SECRET },
    odoo: { apiKey: SECRET },
    quickBooks: { companyName: 'Bench' },
    xero: { tenantName: 'Bench' },
  }[erp];
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  await control('PUT', `/tenants/${tenant}`, settings);
  const enter = async ([entity, rowAt]: Books[number], first: number, count: number): Promise<void> => {
    const records = Array.from({ length: count }, (_, index) => rowAt(first + index));
    await control('POST', `/tenants/${tenant}/records`, { entity, records });
  };
  for (const records of booksOf(erp, size)) {
    const [, , count] = records;
    for (let from = 0; from < count; from += ROWS_PER_REQUEST) {
      await enter(records, from, Math.min(ROWS_PER_REQUEST, count - from));
    }
  }
  return {
    erp,
    url,
    async connect(api, callApi) {
      if (erp === 'businessCentral') {
        const config = { tenantId, environmentName: 'Production', companyId, clientId };
        const { data } = await api.post('/erp-connections', {
          body: { provider: 'BUSINESS_CENTRAL', config, client_secret: SECRET },
        });
        return data.id;
      }
      if (erp === 'odoo') {
        const config = { baseUrl: `${url}/${tenant}` };
        const { data } = await api.post('/erp-connections', { body: { provider: 'ODOO', config, api_key: SECRET } });
        return data.id;
      }
      const provider = erp === 'xero' ? 'XERO' : 'QUICKBOOKS_ONLINE';
      const { data } = await api.post('/erp-connections/oauth/start', { body: { provider } });
      const consent = await fetch(`${data.authorize_url}&simulate=allow&tenant=${tenant}`, { redirect: 'manual' });
      const back = new URL(consent.headers.get('location') ?? 'none:');
      const answer = await callApi(`${back.pathname}${back.search}`);
      const id = new URL(answer.headers.get('location') ?? 'none:').searchParams.get('connection_id');
      if (id === null) throw new Error(`${erp} was not connected: ${answer.status} ${await answer.text()}`);
      return id;
    },
    async requestsAfter(n) {
      return (await control<{ items: LoggedRequest[] }>('GET', `/tenants/${tenant}/requests?after=${n}`)).items;
    },
    async advanceClock(seconds) {
      await control('POST', '/clock', { advanceSeconds: seconds });
    },
    async enterBills(first, count) {
      // The simulated records of every ERP are grouped by kind, and the bills are the last group.
      const bills = booksOf(erp, size, new Date()).at(-1);
      if (bills !== undefined) await enter(bills, first, count);
    },
  };
}

export const apiOf = (gateway: string, apiKey: string): Client =>
  createClient({ baseUrl: `http://${gateway}/v1`, apiKey });
