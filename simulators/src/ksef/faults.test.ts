import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { fa3Document, SELLER } from './fa3-document.js';
import { hashOf, json, TestClient } from './testing.js';
import type { TestSession } from './testing.js';

const LIST = 'GET sessions?sessionType=Online&pageSize=10';

let simulator: KsefSimulator;
let client: TestClient;
let session: TestSession;
let last = 0;
const newInvoice = (): string => fa3Document({ number: `FV/${(last += 1)}/2026` });

beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new TestClient(`${simulator.url}/test`, SELLER, 'token');
  await client.control('PUT settings', { limitFactor: 0, authPolls: 0, invoicePolls: 0, sessionPolls: 0 });
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }] });
});
beforeEach(async () => {
  await client.control('DELETE faults');
  await client.login();
  session = await client.open();
});
afterAll(async () => simulator.stop());

const codeOf = (status: unknown): number => (status as { code: number }).code;
const fault = async (spec: object): Promise<string> => {
  const answer = await client.control('POST faults', spec);
  if (answer.status !== 201) throw new Error(answer.text);
  return String(json(answer)['id']);
};
const hits = async (id: string): Promise<unknown> => {
  const { items } = json(await client.control('GET faults')) as { items: readonly { id: string; hits: number }[] };
  return items.find((one) => one.id === id)?.hits;
};
const invoiceCount = async (): Promise<unknown> =>
  json(await client.api(`GET sessions/${session.reference}`))['invoiceCount'];
/** Returns the status of an operation's last request. */
const loggedStatus = async (operation: string): Promise<unknown> => {
  const { items } = json(await client.control('GET requests')) as {
    items: readonly { operation: string; status: number | null }[];
  };
  return items.filter((one) => one.operation === operation).at(-1)?.status;
};

describe('a fault', () => {
  test('applies to the given number of matching calls after those that are skipped', async () => {
    const id = await fault({ operation: 'S9', kind: 'STATUS', status: 503, times: 2, skip: 1 });
    const statuses: number[] = [];
    for (let sent = 0; sent < 5; sent++) statuses.push((await client.api(LIST)).status);
    expect(statuses).toEqual([200, 503, 503, 200, 200]);
    expect(await hits(id)).toBe(2);
  });

  test('applies once without a number, with 0 until it is removed, with * for each call', async () => {
    await fault({ operation: '*', kind: 'STATUS', status: 502 });
    expect([(await client.api(LIST)).status, (await client.api(LIST)).status]).toEqual([502, 200]);
    const id = await fault({ operation: '*', kind: 'STATUS', status: 504, times: 0 });
    expect([(await client.api(LIST)).status, (await client.api('POST auth/challenge')).status]).toEqual([504, 504]);
    expect((await client.control(`DELETE faults/${id}`)).status).toBe(204);
    expect((await client.api(LIST)).status).toBe(200);
  });

  test('may apply to only one context', async () => {
    await fault({ operation: '*', kind: 'STATUS', status: 503, times: 0, context: '1111111111' });
    expect((await client.api(LIST)).status).toBe(200);
    await fault({ operation: '*', kind: 'STATUS', status: 503, times: 0, context: SELLER });
    expect((await client.api(LIST)).status).toBe(503);
    expect((await client.api('POST auth/challenge', undefined, null)).status).toBe(200);
  });

  test('may be an answer without a body, which has no type either', async () => {
    await fault({ operation: 'A7', kind: 'STATUS', status: 403, body: '' });
    const { status, text, headers } = await client.api('DELETE auth/sessions/current');
    expect([status, text, headers.get('content-type')]).toEqual([403, '', null]);
  });

  test.each([
    [{ operation: 'S11', kind: 'DROP' }],
    [{ operation: 'S1', kind: 'UNKNOWN' }],
    [{ operation: 'S1', kind: 'STATUS' }],
    [{ operation: 'S1', kind: 'DROP', sconds: 1 }],
  ])('is refused as %j', async (spec) => {
    expect((await client.control('POST faults', spec)).status).toBe(400);
  });
});

describe('answers', () => {
  test('DROP does nothing, LOSE_ANSWER does all', async () => {
    await fault({ operation: 'S2', kind: 'DROP' });
    await expect(client.send(session, newInvoice())).rejects.toThrow('fetch failed');
    expect(await invoiceCount()).toBe(0);
    expect(await loggedStatus('S2')).toBeNull();
    const xml = newInvoice();
    await fault({ operation: 'S2', kind: 'LOSE_ANSWER' });
    await expect(client.send(session, xml)).rejects.toThrow('fetch failed');
    expect(await invoiceCount()).toBe(1);
    const counters = json(await client.control('GET counters')) as { sends: Readonly<Record<string, number>> };
    expect(counters.sends[hashOf(xml)]).toBe(1);
  });

  test.each([
    [false, 0],
    [true, 1],
  ])('STATUS with processed %s leaves %i invoices', async (processed, count) => {
    await fault({ operation: 'S2', kind: 'STATUS', status: 504, processed });
    const answer = await client.send(session, newInvoice());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([504, 'text/html']);
    expect(await invoiceCount()).toBe(count);
  });

  test('STATUS may have headers and a body of its own, also an empty one', async () => {
    await fault({ operation: 'S9', kind: 'STATUS', status: 404, body: '', headers: { 'X-Custom': 'a' } });
    const empty = await client.api(LIST);
    expect([empty.status, empty.text, empty.headers.get('x-custom')]).toEqual([404, '', 'a']);
    await fault({ operation: 'S9', kind: 'STATUS', status: 500, body: { a: 1 }, contentType: 'application/json' });
    expect(json(await client.api(LIST))).toEqual({ a: 1 });
  });

  test('HANG waits and closes, DELAY answers late', async () => {
    await fault({ operation: 'S2', kind: 'HANG', seconds: 0.2, processed: true });
    const began = Date.now();
    await expect(client.send(session, newInvoice())).rejects.toThrow('fetch failed');
    expect(Date.now() - began).toBeGreaterThanOrEqual(190);
    expect(await invoiceCount()).toBe(1);
    await fault({ operation: 'S2', kind: 'DELAY', seconds: 0.2 });
    const late = Date.now();
    expect((await client.send(session, newInvoice())).status).toBe(202);
    expect(Date.now() - late).toBeGreaterThanOrEqual(190);
  });

  test.each([
    [false, 0],
    [true, 1],
  ])('HOLD with processed %s waits until it is removed', async (processed, count) => {
    const id = await fault({ operation: 'S2', kind: 'HOLD', processed });
    const answer = client.send(session, newInvoice());
    await eventually(async () => {
      expect(await hits(id)).toBe(1);
      expect(await invoiceCount()).toBe(count);
    });
    expect(await loggedStatus('S2')).toBeNull();
    await client.control(`DELETE faults/${id}`);
    expect((await answer).status).toBe(202);
    expect(await invoiceCount()).toBe(1);
  });

  test('THROTTLE, UNAUTHORIZED and BLOCKED answer as KSeF does', async () => {
    await fault({ operation: 'S9', kind: 'THROTTLE', retryAfter: 7 });
    const throttled = await client.api(LIST);
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
    await fault({ operation: 'S9', kind: 'BLOCKED' });
    const blocked = await client.api(LIST);
    expect(blocked.status).toBe(403);
    expect(json(blocked)).toMatchObject({ title: 'Request blocked', security: { incidentId: expect.any(String) } });
    expect(json(blocked)).not.toHaveProperty('reasonCode');
    await fault({ operation: 'S9', kind: 'UNAUTHORIZED' });
    expect([(await client.api(LIST)).status, (await client.api(LIST)).status]).toEqual([401, 401]);
    const refreshed = json(await client.api('POST auth/token/refresh', undefined, client.refreshToken));
    const { token } = refreshed['accessToken'] as { token: string };
    expect((await client.api(LIST, undefined, token)).status).toBe(200);
  });

  test('PROBLEM has the form that was asked for', async () => {
    const spec = { operation: 'S2', kind: 'PROBLEM', status: 400, code: 21_184, details: ['later'], times: 2 };
    await fault(spec);
    expect(json(await client.send(session, newInvoice()))).toMatchObject({
      errors: [{ code: 21_184, details: ['later'] }],
    });
    const legacy = await fetch(`${simulator.url}/test/v2/sessions/online/${session.reference}/invoices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.accessToken}` },
    });
    expect(await legacy.json()).toMatchObject({
      exception: { exceptionDetailList: [{ exceptionCode: 21_184, details: ['later'] }] },
    });
    await fault({ operation: 'S1', kind: 'PROBLEM', status: 403, reasonCode: 'missing-permissions' });
    const forbidden = await client.api('POST sessions/online', (await client.openRequest()).body);
    expect([forbidden.status, json(forbidden)['reasonCode']]).toEqual([403, 'missing-permissions']);
  });

  test('BODY replaces the answer, PATCH its members', async () => {
    await fault({ operation: 'S9', kind: 'BODY', body: '<html>', contentType: 'text/html' });
    expect((await client.api(LIST)).text).toBe('<html>');
    await fault({ operation: 'S9', kind: 'PATCH', patch: { sessions: 'none', more: 1, continuationToken: null } });
    expect(json(await client.api(LIST))).toMatchObject({ continuationToken: null, sessions: 'none', more: 1 });
  });
});

describe('what KSeF does', () => {
  test('tokens whose answer was lost are not given again', async () => {
    const begun = await client.begin();
    expect((await client.outcome(begun))['code']).toBe(200);
    const { token } = json(begun)['authenticationToken'] as { token: string };
    await fault({ operation: 'A5', kind: 'LOSE_ANSWER' });
    await expect(client.api('POST auth/token/redeem', undefined, token)).rejects.toThrow('fetch failed');
    expect(json(await client.api('POST auth/token/redeem', undefined, token))).toMatchObject({
      errors: [{ code: 21_301 }],
    });
  });

  test('a session whose opening was not answered is open, and counted as empty', async () => {
    const sessions = async (): Promise<unknown> => json(await client.control('GET counters'))['sessions'];
    const before = (await sessions()) as { opened: number; open: number; empty: number };
    await fault({ operation: 'S1', kind: 'LOSE_ANSWER' });
    await expect(client.open()).rejects.toThrow('fetch failed');
    expect(await sessions()).toEqual({
      opened: before.opened + 1,
      open: before.open + 1,
      empty: before.empty + 1,
    });
  });

  test('AUTH_STATUS is the outcome instead of the real one', async () => {
    await fault({ operation: 'A4', kind: 'AUTH_STATUS', code: 480, details: ['incident'] });
    expect(await client.outcome(await client.begin())).toMatchObject({ code: 480, details: ['incident'] });
    expect((await client.outcome(await client.begin()))['code']).toBe(200);
  });

  test('SESSION_STATUS opens a session whose key cannot be decrypted', async () => {
    await fault({ operation: 'S1', kind: 'SESSION_STATUS', code: 415 });
    const broken = await client.open();
    const refused = await client.send(broken, newInvoice());
    expect(json(refused)).toMatchObject({ errors: [{ code: 21_180, details: [expect.stringContaining('415')] }] });
    expect(codeOf(json(await client.api(`GET sessions/${broken.reference}`))['status'])).toBe(415);
  });

  test('INVOICE_STATUS ends an invoice so, and it is not registered', async () => {
    const xml = newInvoice();
    await fault({ operation: 'S2', kind: 'INVOICE_STATUS', code: 550, details: ['again'] });
    expect(await client.sendAndWait(session, xml)).toMatchObject({
      status: { code: 550, details: ['again'] },
      ksefNumber: null,
    });
    expect(await client.sendAndWait(session, xml)).toMatchObject({ status: { code: 200 } });
  });

  test('INVOICE_STATUS below 200 stays until it is removed, and the real outcome follows', async () => {
    const id = await fault({ operation: 'S2', kind: 'INVOICE_STATUS', code: 150 });
    const { referenceNumber } = json(await client.send(session, newInvoice()));
    const look = async (): Promise<number> =>
      codeOf(json(await client.api(`GET sessions/${session.reference}/invoices/${String(referenceNumber)}`))['status']);
    expect([await look(), await look(), await look()]).toEqual([150, 150, 150]);
    await client.control(`DELETE faults/${id}`);
    expect(await look()).toBe(200);
  });

  test('HIDE takes an invoice, loses the answer and leaves it out of lists for so many looks', async () => {
    const xml = newInvoice();
    await fault({ operation: 'S2', kind: 'HIDE', polls: 2 });
    await expect(client.send(session, xml)).rejects.toThrow('fetch failed');
    const list = async (): Promise<unknown> =>
      json(await client.api(`GET sessions/${session.reference}/invoices?pageSize=10`))['invoices'];
    expect([await list(), await list()]).toEqual([[], []]);
    expect(await list()).toMatchObject([{ invoiceHash: hashOf(xml) }]);
  });

  test('UPO_LATE keeps a closed session at 170 for so many looks', async () => {
    await fault({ operation: 'S1', kind: 'UPO_LATE', polls: 2 });
    const late = await client.open();
    await client.send(late, newInvoice());
    await client.api(`POST sessions/online/${late.reference}/close`);
    const look = async (): Promise<number> =>
      codeOf(json(await client.api(`GET sessions/${late.reference}`))['status']);
    expect([await look(), await look(), await look()]).toEqual([170, 170, 200]);
  });

  test('BAD_HASH gives half of a confirmation under the hash of the whole', async () => {
    await client.send(session, newInvoice());
    const closed = await client.closeAndWait(session);
    const [page] = (closed['upo'] as { pages: readonly { referenceNumber: string }[] }).pages;
    const target = `GET sessions/${session.reference}/upo/${page?.referenceNumber}`;
    await fault({ operation: 'S7', kind: 'BAD_HASH' });
    const half = await client.api(target);
    const whole = await client.api(target);
    expect(half.headers.get('x-ms-meta-hash')).toBe(hashOf(whole.text));
    expect(whole.text.startsWith(half.text)).toBe(true);
    expect(half.text.length).toBe(Math.floor(whole.text.length / 2));
  });
});
