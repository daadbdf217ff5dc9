import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { ContractClient } from './contract-client.js';
import { crc8 } from './numbers.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { BUYER, fa3Document, SELLER } from './fa3-document.js';
import { hashOf, json, sendRequest } from './testing.js';

const TOKEN = `20261123-EC-0123456789-ABCDEF0123-5C|nip-${SELLER}|${'a'.repeat(64)}`;

let simulator: KsefSimulator;
let client: ContractClient;
let last = 0;
const newNumber = (): string => `FV/${(last += 1)}/2026`;

beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new ContractClient(`${simulator.url}/test`, SELLER, TOKEN);
  await client.control('PUT settings', { limitFactor: 0 });
});
beforeEach(async () => {
  await client.control('DELETE faults');
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN }] });
  await client.control('PUT settings', { authPolls: 0, invoicePolls: 0, sessionPolls: 0, systemWarning: null });
  await client.login();
});
afterAll(async () => simulator.stop());

const codeOf = (status: unknown): number => (status as { code: number }).code;
const errorOf = (answer: { readonly json: unknown }): unknown =>
  (answer.json as { errors: readonly { code: number }[] }).errors[0]?.code;

describe('authentication', () => {
  test('takes the requested number of polls, and gives tokens once', async () => {
    await client.control('PUT settings', { authPolls: 2 });
    const begun = await client.begin();
    const { referenceNumber, authenticationToken } = json(begun) as {
      referenceNumber: string;
      authenticationToken: { token: string };
    };
    const codes: number[] = [];
    for (let looks = 0; looks < 3; looks++) {
      const answer = await client.api(`GET auth/${referenceNumber}`, undefined, authenticationToken.token);
      codes.push(codeOf(json(answer)['status']));
      if (looks < 2) {
        const early = await client.api('POST auth/token/redeem', undefined, authenticationToken.token);
        expect([early.status, errorOf(early)]).toEqual([400, 21_301]);
      }
    }
    expect(codes).toEqual([100, 100, 200]);
    expect((await client.api('POST auth/token/redeem', undefined, authenticationToken.token)).status).toBe(200);
    const again = await client.api('POST auth/token/redeem', undefined, authenticationToken.token);
    expect([again.status, errorOf(again)]).toEqual([400, 21_301]);
  });

  test('refuses a challenge that was used or is older than ten minutes', async () => {
    const { challenge, timestampMs } = json(await client.api('POST auth/challenge', undefined, null));
    const { data, publicKeyId } = await client.encrypt(
      'KsefTokenEncryption',
      Buffer.from(`${TOKEN}|${String(timestampMs)}`),
    );
    const body = { challenge, contextIdentifier: { type: 'Nip', value: SELLER }, encryptedToken: data, publicKeyId };
    expect((await client.api('POST auth/ksef-token', body, null)).status).toBe(202);
    expect(errorOf(await client.api('POST auth/ksef-token', body, null))).toBe(21_111);
    const old = json(await client.api('POST auth/challenge', undefined, null));
    await client.control('POST clock', { advanceSeconds: 601 });
    expect(errorOf(await client.api('POST auth/ksef-token', { ...body, challenge: old['challenge'] }, null))).toBe(
      21_111,
    );
  });

  test('distinguishes a rounded timestamp, a wrong token, another context and a key of the wrong usage', async () => {
    const outcome = async (changes: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const status = await client.outcome(await client.begin(changes));
      return [status['code'], ...(status['details'] as readonly string[])];
    };
    const at = async (text: (timestampMs: number) => string, usage = 'KsefTokenEncryption'): Promise<unknown> => {
      const { challenge, timestampMs } = json(await client.api('POST auth/challenge', undefined, null));
      const { data, publicKeyId } = await client.encrypt(usage, Buffer.from(text(Number(timestampMs))));
      return outcome({ challenge, encryptedToken: data, publicKeyId });
    };
    expect(await at((ms) => `${TOKEN}|${ms + 1}`)).toEqual([450, 'Nieprawidłowy czas tokena']);
    expect(await at((ms) => `unknown|${ms}`)).toEqual([450, 'Nieprawidłowy token']);
    expect(await at((ms) => `${TOKEN}|${ms}`, 'SymmetricKeyEncryption')).toEqual([
      450,
      'Nieprawidłowe szyfrowanie tokena',
    ]);
    const contextIdentifier = { type: 'Nip', value: BUYER };
    expect(await outcome({ contextIdentifier })).toEqual([450, `Token nie może być użyty w kontekście ${BUYER}`]);
  });

  test.each([
    [{ state: 'REVOKED' }, 450],
    [{ state: 'INACTIVE' }, 450],
    [{ permissions: [] }, 415],
  ])('a token with %j ends with %i', async (changes, code) => {
    await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN, ...changes }] });
    expect(codeOf(await client.outcome(await client.begin()))).toBe(code);
  });

  test('a withdrawn key is refused, and a rotated one is taken', async () => {
    const { challenge } = json(await client.api('POST auth/challenge', undefined, null));
    const { data, publicKeyId } = await client.encrypt('KsefTokenEncryption', Buffer.from('any'));
    expect((await client.control('POST keys', { action: 'ROTATE' })).status).toBe(200);
    expect((await client.control('POST keys', { action: 'WITHDRAW' })).status).toBe(200);
    const contextIdentifier = { type: 'Nip', value: SELLER };
    const body = { challenge, contextIdentifier, encryptedToken: data, publicKeyId };
    const refused = await client.api('POST auth/ksef-token', body, null);
    expect([refused.status, errorOf(refused)]).toEqual([400, 21_470]);
    await client.login();
  });

  test('tokens are valid only for their own calls, and only until they expire', async () => {
    const list = 'GET sessions?sessionType=Online&pageSize=10';
    expect((await client.api(list, undefined, client.refreshToken)).status).toBe(401);
    expect((await client.api('POST auth/token/refresh')).status).toBe(401);
    await client.control('POST clock', { advanceSeconds: 15 * 60 + 1 });
    expect((await client.api(list)).status).toBe(401);
    const refreshed = json(await client.api('POST auth/token/refresh', undefined, client.refreshToken));
    client.accessToken = (refreshed['accessToken'] as { token: string }).token;
    expect((await client.api(list)).status).toBe(200);
    expect((await client.api('DELETE auth/sessions/current')).status).toBe(204);
    expect((await client.api('POST auth/token/refresh', undefined, client.refreshToken)).status).toBe(401);
    expect((await client.api(list)).status).toBe(200);
  });

  test('permissions and tokens that are replaced hold at once', async () => {
    const read = [{ token: TOKEN, permissions: ['InvoiceRead'] }];
    await client.control(`PUT contexts/${SELLER}`, { tokens: read });
    const forbidden = await client.api('POST sessions/online', (await client.openRequest()).body);
    expect(forbidden.status).toBe(403);
    expect(json(forbidden)['reasonCode']).toBe('missing-permissions');
    await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN, state: 'REVOKED' }] });
    expect((await client.api('POST sessions/online', (await client.openRequest()).body)).status).toBe(401);
    expect(errorOf(await client.api('POST auth/token/refresh', undefined, client.refreshToken))).toBe(21_301);
  });

  test('production checks the check digit of a NIP', async () => {
    const production = new ContractClient(`${simulator.url}/production`, '5265877636', TOKEN);
    expect(errorOf(await production.begin())).toBe(21_405);
    expect((await new ContractClient(`${simulator.url}/production`, SELLER, TOKEN).begin()).status).toBe(202);
  });
});

describe('sessions', () => {
  test('an invoice goes through 100 and 150 and gets a number with a right checksum', async () => {
    await client.control('PUT settings', { invoicePolls: 2 });
    const session = await client.open();
    const xml = fa3Document({ number: newNumber() });
    const { referenceNumber } = json(await client.send(session, xml));
    const codes: number[] = [];
    let shown: Readonly<Record<string, unknown>> = {};
    for (let looks = 0; looks < 3; looks++) {
      shown = json(await client.api(`GET sessions/${session.reference}/invoices/${String(referenceNumber)}`));
      codes.push(codeOf(shown['status']));
    }
    expect(codes).toEqual([100, 150, 200]);
    const ksefNumber = String(shown['ksefNumber']);
    expect(ksefNumber).toHaveLength(35);
    expect(crc8(ksefNumber.slice(0, -3))).toBe(ksefNumber.slice(-2));
    expect(shown).toMatchObject({ invoiceHash: hashOf(xml), invoicingMode: 'Offline', ordinalNumber: 1 });
  });

  test('a closed session has a signed confirmation of each accepted invoice', async () => {
    await client.control('PUT settings', { sessionPolls: 2, invoicePolls: 1 });
    const session = await client.open();
    const xml = fa3Document({ number: 'A&amp;B &lt;1&gt;' });
    await client.send(session, xml);
    await client.send(session, 'no invoice');
    const closed = await client.closeAndWait(session);
    expect(closed).toMatchObject({
      status: { code: 200 },
      invoiceCount: 2,
      successfulInvoiceCount: 1,
      failedInvoiceCount: 1,
    });
    const [page] = (closed['upo'] as { pages: readonly { referenceNumber: string; downloadUrl: string }[] }).pages;
    const upo = await client.api(`GET sessions/${session.reference}/upo/${page?.referenceNumber}`);
    expect(upo.headers.get('content-type')).toContain('application/xml');
    expect(upo.headers.get('x-ms-meta-hash')).toBe(hashOf(upo.text));
    expect(upo.text).toContain('http://upo.schematy.mf.gov.pl/KSeF/v4-3');
    expect(upo.text).toContain('<NumerFaktury>A&amp;B &lt;1&gt;</NumerFaktury>');
    expect(upo.text).toContain(`<SkrotDokumentu>${hashOf(xml)}</SkrotDokumentu>`);
    expect(isSigned(upo.text)).toBe(true);
    expect(isSigned(upo.text.replace('A&amp;B', 'A&amp;C'))).toBe(false);
    const download = await fetch(page?.downloadUrl ?? '');
    expect([download.status, await download.text()]).toEqual([200, upo.text]);
    const forged = (page?.downloadUrl ?? '').replace(
      /signature=(.)/,
      (_, first) => `signature=${first === '_' ? 'A' : '_'}`,
    );
    expect((await fetch(forged)).status).toBe(403);
  });

  test('an invoice has a confirmation of its own before the session is closed', async () => {
    const session = await client.open();
    const { ksefNumber, referenceNumber } = await client.sendAndWait(session, fa3Document({ number: newNumber() }));
    const byReference = await client.api(`GET sessions/${session.reference}/invoices/${String(referenceNumber)}/upo`);
    const byNumber = await client.api(`GET sessions/${session.reference}/invoices/ksef/${String(ksefNumber)}/upo`);
    expect(byReference.text).toBe(byNumber.text);
    expect(isSigned(byNumber.text)).toBe(true);
    expect(errorOf(await client.api(`GET sessions/${session.reference}/upo/20261123-EU-0-0-00`))).toBe(21_178);
  });

  test('without an invoice it is cancelled, without a valid one it fails, and it is closed once', async () => {
    const empty = await client.open();
    expect(codeOf((await client.closeAndWait(empty))['status'])).toBe(440);
    expect(errorOf(await client.api(`POST sessions/online/${empty.reference}/close`))).toBe(21_180);
    const invalid = await client.open();
    await client.send(invalid, 'no invoice');
    expect(codeOf((await client.closeAndWait(invalid))['status'])).toBe(445);
    expect(errorOf(await client.send(invalid, fa3Document({ number: newNumber() })))).toBe(21_180);
  });

  test('closes itself after twelve hours', async () => {
    const session = await client.open();
    await client.send(session, fa3Document({ number: newNumber() }));
    await client.control('POST clock', { advanceSeconds: 12 * 3_600 + 1 });
    await client.login();
    expect(errorOf(await client.send(session, fa3Document({ number: newNumber() })))).toBe(21_180);
    expect(codeOf((await client.closeAndWait(session))['status'])).toBe(200);
  });

  test('refuses sizes and hashes that do not fit what was sent', async () => {
    const session = await client.open();
    const xml = fa3Document({ number: newNumber() });
    expect(errorOf(await client.send(session, xml, { encryptedInvoiceSize: 16 }))).toBe(21_402);
    expect(errorOf(await client.send(session, xml, { encryptedInvoiceHash: hashOf('other') }))).toBe(21_403);
    expect(errorOf(await client.send(session, xml, { invoiceHash: 'short' }))).toBe(21_405);
    const wrongKey = { ...session, key: Buffer.alloc(32) };
    expect(await client.sendAndWait(wrongKey, xml)).toMatchObject({ status: { code: 435 } });
    const sent = json(await client.send(session, xml, { invoiceSize: xml.length }));
    expect(await client.waitFor(session, String(sent['referenceNumber']))).toMatchObject({ status: { code: 430 } });
  });

  test.each<readonly [string, string, number]>([
    ['a BOM', `\uFEFF${fa3Document({ number: 'BOM' })}`, 430],
    ['another encoding', fa3Document({ number: 'E' }).replace('UTF-8', 'ISO-8859-2'), 430],
    ['an instruction', fa3Document({ number: 'PI' }).replace('<Faktura', '<?xml-stylesheet href="a"?><Faktura'), 450],
    ['a refused character', fa3Document({ number: 'C\u0086' }), 450],
    ['a document type', fa3Document({ number: 'D' }).replace('<Faktura', '<!DOCTYPE Faktura><Faktura'), 450],
    ['a missing element', fa3Document({ number: 'X' }).replace('<P_15>2049.99</P_15>', ''), 450],
    ['an end that is missing', fa3Document({ number: 'W' }).replace('</Faktura>', ''), 450],
    ['a date in the future', fa3Document({ number: 'F', issueDate: '2049-12-31' }), 450],
    ['another seller', fa3Document({ number: 'S', seller: BUYER }), 410],
  ])('a document with %s ends with its code and no number', async (_, xml, code) => {
    const session = await client.open();
    const shown = await client.sendAndWait(session, xml);
    expect(shown).toMatchObject({ status: { code }, ksefNumber: null, invoiceHash: hashOf(xml) });
  });

  test.each([[[BUYER]], [['*']]])('a grant of %j lets a context send invoices of another seller', async (grants) => {
    await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN }], grants });
    const shown = await client.sendAndWait(await client.open(), fa3Document({ number: newNumber(), seller: BUYER }));
    expect(shown).toMatchObject({ status: { code: 200 } });
  });

  test('a second document of the same seller, kind and number is a duplicate, also of another context', async () => {
    const number = newNumber();
    const first = await client.open();
    const { ksefNumber } = await client.sendAndWait(first, fa3Document({ number }));
    const other = new ContractClient(`${simulator.url}/test`, BUYER, 'token of the buyer');
    await other.control(`PUT contexts/${BUYER}`, { tokens: [{ token: other.token }], grants: [SELLER] });
    await other.login();
    const shown = await other.sendAndWait(await other.open(), fa3Document({ number, issueDate: '2026-03-01' }));
    expect(shown).toMatchObject({
      ksefNumber: null,
      status: {
        code: 440,
        extensions: { originalKsefNumber: ksefNumber, originalSessionReferenceNumber: first.reference },
      },
    });
    const foreign = await other.api(`GET sessions/${first.reference}/invoices?pageSize=10`);
    expect([foreign.status, json(foreign)['reasonCode']]).toEqual([403, 'insufficient-resource-access']);
    const correction = fa3Document({ number, kind: 'UPR' });
    expect(await client.sendAndWait(await client.open(), correction)).toMatchObject({ status: { code: 200 } });
  });

  test('one of several copies that wait at the same time is registered', async () => {
    await client.control('PUT settings', { invoicePolls: 1 });
    const session = await client.open();
    const xml = fa3Document({ number: newNumber() });
    const sent = await Promise.all(Array.from({ length: 5 }, async () => client.send(session, xml)));
    const ended = await Promise.all(
      sent.map(async (answer) => client.waitFor(session, String(json(answer)['referenceNumber']))),
    );
    expect(ended.map(({ status }) => codeOf(status)).sort((a, b) => a - b)).toEqual([200, 440, 440, 440, 440]);
    const { sends, registered } = json(await client.control(`GET counters?context=${SELLER}`)) as {
      sends: Readonly<Record<string, number>>;
      registered: readonly { invoiceHash: string }[];
    };
    expect(sends[hashOf(xml)]).toBe(5);
    expect(registered.filter(({ invoiceHash }) => invoiceHash === hashOf(xml))).toHaveLength(1);
  });

  test('a document that somebody else has registered is a duplicate, and found by its number', async () => {
    const number = newNumber();
    const invoice = { context: SELLER, sellerNip: SELLER, number, invoiceHash: hashOf('original') };
    const made = await client.control('POST invoices', invoice);
    expect(made.status).toBe(201);
    const { ksefNumber, sessionReferenceNumber } = json(made);
    const shown = await client.sendAndWait(await client.open(), fa3Document({ number }));
    expect(shown['status']).toMatchObject({ code: 440, extensions: { originalKsefNumber: ksefNumber } });
    const original = json(await client.api(`GET sessions/${String(sessionReferenceNumber)}/invoices?pageSize=10`));
    expect(original['invoices']).toMatchObject([{ ksefNumber, invoiceHash: hashOf('original') }]);
    const dateRange = { dateType: 'PermanentStorage', from: new Date(Date.now() - 86_400_000).toISOString() };
    const found = await client.api('POST invoices/query/metadata', { subjectType: 'Subject1', dateRange, ksefNumber });
    expect(json(found)['invoices']).toMatchObject([
      { ksefNumber, invoiceNumber: number, invoiceHash: hashOf('original') },
    ]);
    expect((await client.control('POST invoices', invoice)).status).toBe(400);
  });

  test('a document that somebody else has registered may be part of an open session, and of no other', async () => {
    const [number, session] = [newNumber(), await client.open()];
    const { reference: sessionReferenceNumber } = session;
    const invoice = { context: SELLER, sellerNip: SELLER, number, sessionReferenceNumber };
    const made = await client.control('POST invoices', invoice);
    expect([made.status, json(made)['sessionReferenceNumber']]).toEqual([201, sessionReferenceNumber]);
    const { ksefNumber } = json(made);
    const xml = fa3Document({ number });
    const shown = await client.sendAndWait(session, xml);
    expect(shown['status']).toMatchObject({
      code: 440,
      extensions: { originalKsefNumber: ksefNumber, originalSessionReferenceNumber: sessionReferenceNumber },
    });
    const listed = json(await client.api(`GET sessions/${sessionReferenceNumber}/invoices?pageSize=10`));
    expect(listed['invoices']).toMatchObject([{ ksefNumber }, { ksefNumber: null, invoiceHash: hashOf(xml) }]);
    await client.api(`POST sessions/online/${sessionReferenceNumber}/close`);
    const others = [sessionReferenceNumber, '20260101-SO-0000000000-0000000000-00'];
    for (const other of others) {
      const refused = { ...invoice, number: newNumber(), sessionReferenceNumber: other };
      expect((await client.control('POST invoices', refused)).status).toBe(400);
    }
    const foreign = { ...invoice, context: '1111111111', sessionReferenceNumber: (await client.open()).reference };
    expect((await client.control('POST invoices', foreign)).status).toBe(400);
  });

  test('lists invoices and sessions page by page', async () => {
    const session = await client.open();
    for (let sent = 0; sent < 11; sent++) await client.send(session, fa3Document({ number: newNumber() }));
    const path = `${simulator.url}/test/v2/sessions/${session.reference}/invoices?pageSize=10`;
    const authorization = `Bearer ${client.accessToken}`;
    const first = (await (await fetch(path, { headers: { authorization } })).json()) as {
      invoices: readonly unknown[];
      continuationToken: string;
    };
    expect(first.invoices).toHaveLength(10);
    const headers = { authorization, 'x-continuation-token': first.continuationToken };
    expect(await (await fetch(path, { headers })).json()).toMatchObject({
      invoices: [{ ordinalNumber: 11 }],
      continuationToken: null,
    });
    expect(errorOf(await client.api(`GET sessions/${session.reference}/invoices?pageSize=9`))).toBe(21_405);
    expect(errorOf(await client.api(`GET sessions/${session.reference}/invoices?pageSize=1001`))).toBe(21_405);
    const sessions = json(await client.api('GET sessions?sessionType=Online&pageSize=10'));
    expect(sessions['sessions']).toMatchObject([
      { referenceNumber: session.reference, totalInvoiceCount: 11 },
      ...Array(9).fill({}),
    ]);
  });

  test('counts sessions that are open, and those without an invoice', async () => {
    const count = async (): Promise<Readonly<Record<string, number>>> =>
      json(await client.control(`GET counters?context=${SELLER}`))['sessions'] as Readonly<Record<string, number>>;
    const before = await count();
    const session = await client.open();
    expect(await count()).toEqual({
      opened: (before['opened'] ?? 0) + 1,
      open: (before['open'] ?? 0) + 1,
      empty: (before['empty'] ?? 0) + 1,
    });
    await client.send(session, fa3Document({ number: newNumber() }));
    await client.closeAndWait(session);
    expect(await count()).toEqual({ ...before, opened: (before['opened'] ?? 0) + 1 });
  });
});

describe('requests', () => {
  test('are logged without bearer tokens and contents, from a given number on', async () => {
    const { n } = (json(await client.control('GET requests'))['items'] as readonly { n: number }[]).at(-1) ?? { n: 0 };
    const session = await client.open();
    const xml = fa3Document({ number: newNumber() });
    await client.send(session, xml);
    const { items } = json(await client.control(`GET requests?after=${n}&context=${SELLER}`)) as {
      items: readonly Readonly<Record<string, unknown>>[];
    };
    expect(items.map(({ operation }) => operation)).toEqual(['S1', 'S2']);
    expect(items[1]).toMatchObject({
      method: 'POST',
      path: `/v2/sessions/online/${session.reference}/invoices`,
      status: 202,
      context: SELLER,
      sessionReferenceNumber: session.reference,
      invoiceHash: hashOf(xml),
    });
    const { encryptedInvoiceContent } = sendRequest(session, xml);
    expect(JSON.stringify(items)).not.toContain(client.accessToken);
    expect(JSON.stringify(items)).not.toContain(encryptedInvoiceContent);
  });

  test('with a token in plain are counted, wherever it is', async () => {
    const count = async (): Promise<unknown> => json(await client.control('GET counters'))['plaintextTokens'];
    const before = Number(await count());
    await client.api(`GET auth/${encodeURIComponent(TOKEN)}`);
    await client.api('POST auth/ksef-token', { encryptedToken: TOKEN });
    await client.api('GET sessions?sessionType=Online', undefined, TOKEN);
    expect(await count()).toBe(before + 3);
  });

  test('are refused in the form that was asked for', async () => {
    const session = await client.open();
    const target = `${simulator.url}/test/v2/sessions/online/20261123-SO-0-0-00/close`;
    const authorization = `Bearer ${client.accessToken}`;
    const legacy = await fetch(target, { method: 'POST', headers: { authorization } });
    expect(await legacy.json()).toMatchObject({ exception: { exceptionDetailList: [{ exceptionCode: 21_173 }] } });
    const problem = await client.api('POST sessions/online/20261123-SO-0-0-00/close');
    expect(problem.headers.get('content-type')).toBe('application/problem+json');
    expect(json(problem)).toMatchObject({ status: 400, errors: [{ code: 21_173 }] });
    const form = await fetch(`${simulator.url}/test/v2/sessions/online/${session.reference}/close`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ a: 'b' }),
    });
    expect(form.status).toBe(415);
  });

  test('beyond the limits are refused with the time to wait', async () => {
    const limited = new ContractClient(`${simulator.url}/test`, '1111111112', 'limited token');
    await limited.control('PUT contexts/1111111112', { tokens: [{ token: limited.token }], limitFactor: 0.05 });
    await limited.login();
    await limited.open();
    const refused = await limited.api('POST sessions/online', (await limited.openRequest()).body);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('are answered with the warning that was set', async () => {
    await client.control('PUT settings', { systemWarning: '[1]: soon' });
    expect((await client.api('POST auth/challenge', undefined, null)).headers.get('x-system-warning')).toBe(
      '[1]: soon',
    );
  });
});

test('environments are independent of each other', async () => {
  const demo = new ContractClient(`${simulator.url}/demo`, SELLER, TOKEN);
  expect(codeOf(await demo.outcome(await demo.begin()))).toBe(450);
  expect((await demo.api('GET sessions?sessionType=Online&pageSize=10', undefined, client.accessToken)).status).toBe(
    401,
  );
});

test('its state survives a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ksef-simulator-'));
  try {
    const first = await startKsefSimulator({ directory });
    const before = new ContractClient(`${first.url}/test`, SELLER, TOKEN);
    await before.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN }] });
    await before.control('PUT settings', { authPolls: 0, invoicePolls: 0 });
    await before.login();
    const session = await before.open();
    const xml = fa3Document({ number: newNumber() });
    const { ksefNumber } = await before.sendAndWait(session, xml);
    const counters = json(await before.control('GET counters'));
    const log = json(await before.control('GET requests'));
    await first.stop();

    const second = await startKsefSimulator({ directory });
    const after = new ContractClient(`${second.url}/test`, SELLER, TOKEN);
    after.accessToken = before.accessToken;
    expect(json(await after.control('GET counters'))).toEqual(counters);
    expect(json(await after.control('GET requests'))).toEqual(log);
    expect(await after.sendAndWait(session, xml)).toMatchObject({
      status: { code: 440, extensions: { originalKsefNumber: ksefNumber } },
    });
    expect(codeOf((await after.closeAndWait(session))['status'])).toBe(200);
    await after.login();
    await second.stop();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Returns true if the signature matches the document and the certificate in it. */
function isSigned(xml: string): boolean {
  const certificate = /<ds:X509Certificate>([^<]+)</.exec(xml)?.[1] ?? '';
  const signature = /<ds:Signature[^]*<\/ds:Signature>/.exec(xml)?.[0] ?? '';
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
  const verifier = new SignedXml({
    publicCert: publicKey.export({ format: 'pem', type: 'spki' }),
    getCertFromKeyInfo: () => null,
  });
  verifier.loadSignature(signature);
  try {
    return verifier.checkSignature(xml);
  } catch {
    return false;
  }
}
