import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startLoad } from './clients.js';
import { openLedger } from './ledger.js';
import type { Ledger } from './ledger.js';

interface Heard {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
}

const members = { owner: 'owner', admin: 'admin', analyst: 'analyst', viewer: 'viewer' } as const;
const tenant: Tenant = { organizationId: 'organization', companyId: 'company', keys: members, users: members };
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => {
      server.close(closed);
    });
  }
});

/** Starts a server that replaces the API. @param statusOf the status for the n-th request under its key, from 0 */
async function serve(
  statusOf: (heard: Heard, times: number) => number,
  body: object = {},
): Promise<{ ledger: Ledger; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const key = request.headers['idempotency-key'];
      const one: Heard = {
        path: request.url ?? '',
        key: typeof key === 'string' ? key : undefined,
        body: Buffer.concat(chunks).toString(),
      };
      const times = heard.filter((earlier) => earlier.key === one.key).length;
      heard.push(one);
      response.statusCode = statusOf(one, times);
      const answer = { id: one.key, decision: 'PASS', risk_score: 0, findings: [], skippedRows: [], ...body };
      response.end(JSON.stringify(answer));
    });
  });
  servers.push(server);
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  return { ledger: openLedger(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`), heard };
}

/** Returns the requests of the clients with this seed, by key. Invoices without a key cannot be distinguished. */
async function sentWith(seed: number, requests: number, rowsMax = 300): Promise<ReadonlyMap<string, string>> {
  const { ledger, heard } = await serve(() => 200);
  const load = startLoad(ledger, { seed, tenants: [tenant], clients: 2, rowsMax, pauseMs: 1, scanPauseMs: 1 });
  await eventually(() => expect(heard.length).toBeGreaterThanOrEqual(requests));
  load.stop();
  await load.finished();
  return new Map(heard.flatMap(({ key, body }) => (key === undefined ? [] : [[key, body] as const])));
}

/** Returns the invoices of one client and the files, each up to the number that both runs have reached. */
function shared(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  return [...one.keys()].filter((key) => other.has(key));
}

test('clients of one seed send the same invoices and files under the same keys', async () => {
  const [first, second] = [await sentWith(1, 60), await sentWith(1, 60)];
  const keys = shared(first, second);
  expect(keys.some((key) => key.startsWith('scan-'))).toBe(true);
  expect(keys.filter((key) => key.startsWith('invoice-')).length).toBeGreaterThan(5);
  for (const key of keys) expect(first.get(key)).toBe(second.get(key));
});

test('clients of another seed send others', async () => {
  const [first, second] = [await sentWith(1, 30), await sentWith(2, 30)];
  const keys = shared(first, second);
  expect(keys.length).toBeGreaterThan(5);
  for (const key of keys) expect(first.get(key)).not.toBe(second.get(key));
});

test('clients that scan no rows send only invoices', async () => {
  const keys = [...(await sentWith(1, 40, 0)).keys()];
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => !key.startsWith('invoice-'))).toEqual([]);
});

test('a request without a definite answer is repeated under its key until it has one', async () => {
  const statuses = [503, 409, 429, 202];
  const { ledger, heard } = await serve((_, times) => statuses[times] ?? 500);
  const entry = { ...entryOf('again'), idempotencyKey: 'again' };
  expect(await ledger.untilKnown(() => ledger.postInvoice(tenant, entry, {}))).toBe('ACKNOWLEDGED');
  expect(heard.map(({ key }) => key)).toEqual(statuses.map(() => 'again'));
  expect(ledger.books.invoices).toEqual([expect.objectContaining({ outcome: 'ACKNOWLEDGED' })]);
});

test('a document is reserved, stored and analyzed once each, whatever was answered to the attempts before', async () => {
  const answers: Record<string, number[]> = {
    '/v1/uploads': [503, 201],
    '/v1/uploads/n/content': [500, 409],
    '/v1/invoices/from-upload': [504, 200],
  };
  const { ledger, heard } = await serve(({ path }) => answers[path]?.shift() ?? 500, { upload_id: 'n' });
  const entry = { ...entryOf('document'), upload: {} };
  const document = Buffer.from('<Invoice/>');
  expect(await ledger.untilKnown(() => ledger.uploadInvoice(tenant, entry, document))).toBe('ACKNOWLEDGED');
  expect(heard.map(({ path }) => path.slice('/v1'.length))).toEqual([
    '/uploads',
    '/uploads',
    '/uploads/n/content',
    '/uploads/n/content',
    '/invoices/from-upload',
    '/invoices/from-upload',
  ]);
  expect(entry).toMatchObject({ upload: { id: 'n', isStored: true }, answers: [{ decision: 'PASS' }] });
});

test('a refusal is final, and a refusal after an acknowledgement is recorded', async () => {
  const { ledger } = await serve(({ key }, times) => (key === 'kept' && times === 0 ? 202 : 422));
  const [refused, kept] = [entryOf('refused'), entryOf('kept')];
  expect(await ledger.untilKnown(() => ledger.postInvoice(tenant, refused, {}))).toBe('REFUSED');
  expect(refused.outcome).toBe('REFUSED');
  await ledger.postInvoice(tenant, kept, {});
  await ledger.postInvoice(tenant, kept, {});
  expect(kept.outcome).toBe('ACKNOWLEDGED');
  expect(ledger.books.wrongReads).toHaveLength(1);
});

function entryOf(name: string): Parameters<Ledger['postInvoice']>[1] {
  const { organizationId } = tenant;
  return { organizationId, idempotencyKey: name, sentAs: name, outcome: 'UNKNOWN', isRetried: true, answers: [] };
}
