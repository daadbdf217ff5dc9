import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseXml } from '@invoicecontrol/compliance/parse-xml';
import { schemaErrors } from '@invoicecontrol/compliance/schemas';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ContractClient } from './contract-client.js';
import {
  downloadPart,
  endExport,
  exportRequest,
  openPackage,
  pollExport,
  purchases,
  receive,
  startExport,
} from './export-client.js';
import type { ListedPackage, OpenedPackage } from './export-client.js';
import { fa3Document, SELLER } from './fa3-document.js';
import { crc8 } from './numbers.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { hashOf, json } from './testing.js';

type Json = Readonly<Record<string, unknown>>;

const DAY_MS = 86_400_000;
const SETTINGS = {
  limitFactor: 0,
  authPolls: 0,
  invoicePolls: 0,
  exportPolls: 1,
  exportInvoicesMax: 10_000,
  partBytesMax: 50_000_000,
  highWaterLagSeconds: 0,
};

let simulator: KsefSimulator;
let buyer: ContractClient;
let last = 0;
const newNumber = (): string => `FV/${(last += 1)}/2026`;
let nips = 5_111_000_000;
/** Current time of the simulator, which tests move forward. */
let now: Date;
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

beforeAll(async () => {
  simulator = await startKsefSimulator();
});
beforeEach(async () => {
  buyer = new ContractClient(`${simulator.url}/test`, String((nips += 1)), `token of ${nips}`);
  await buyer.control('DELETE faults');
  await buyer.control('PUT settings', SETTINGS);
  await buyer.control(`PUT contexts/${buyer.nip}`, { tokens: [{ token: buyer.token }] });
  await buyer.login();
  now = new Date(String(json(await buyer.control('POST clock', { advanceSeconds: 0 }))['now']));
});
afterAll(async () => simulator.stop());

/**
 * Registers an invoice for the buyer in the simulated KSeF.
 * @returns its KSeF number
 */
async function register(request: Json = {}): Promise<string> {
  const given = { sellerNip: SELLER, number: newNumber(), buyerNip: buyer.nip, ...request };
  const answer = await buyer.control('POST invoices', given);
  if (answer.status !== 201) throw new Error(answer.text);
  return String(json(answer)['ksefNumber']);
}

/** Registers the given number of invoices in the simulated KSeF, one after the other. */
async function registerMany(count: number): Promise<readonly string[]> {
  const numbers: string[] = [];
  for (let n = 0; n < count; n++) numbers.push(await register());
  return numbers;
}

/** Advances the simulated time and logs in to KSeF again, because the access token may have expired. */
async function advance(advanceSeconds: number): Promise<void> {
  await buyer.control('POST clock', { advanceSeconds });
  await buyer.login();
}

const numbersOf = ({ metadata }: OpenedPackage): readonly unknown[] => metadata.map(({ ksefNumber }) => ksefNumber);
const errorOf = (answer: { readonly json: unknown }): unknown =>
  (answer.json as { errors: readonly { code: number }[] }).errors[0]?.code;

describe('an export', () => {
  test('gives a buyer the document byte for byte, with its metadata', async () => {
    const xml = fa3Document({ number: newNumber(), buyer: buyer.nip, item: 'Zażółć gęślą jaźń' });
    const ksefNumber = await register({ xml, number: undefined, sellerNip: undefined, buyerNip: undefined });
    const { files, metadata, invoiceCount, isTruncated } = await receive(buyer);
    expect([...files]).toEqual([[`${ksefNumber}.xml`, xml]]);
    expect([invoiceCount, isTruncated]).toEqual([1, false]);
    expect(metadata).toMatchObject([
      {
        ksefNumber,
        invoiceHash: hashOf(xml),
        seller: { nip: SELLER },
        buyer: { identifier: { type: 'Nip', value: buyer.nip } },
        grossAmount: 2_049.99,
        invoiceType: 'Vat',
      },
    ]);
    expect(ksefNumber.slice(-2)).toBe(crc8(ksefNumber.slice(0, -3)));
  });

  test('gives a buyer what a seller sent in a session, a second after it has its number', async () => {
    const seller = new ContractClient(`${simulator.url}/test`, SELLER, 'token of the seller');
    await seller.control(`PUT contexts/${SELLER}`, { tokens: [{ token: seller.token }] });
    await seller.login();
    const xml = fa3Document({ number: newNumber(), buyer: buyer.nip });
    const { ksefNumber } = await seller.sendAndWait(await seller.open(), xml);
    await advance(2);
    expect([...(await receive(buyer)).files]).toEqual([[`${String(ksefNumber)}.xml`, xml]]);
  });

  test.each([
    ['Subject2', { buyerNip: 'own' }],
    ['Subject3', { thirdNips: ['own'] }],
    ['SubjectAuthorized', { authorizedNip: 'own' }],
    ['Subject1', { sellerNip: 'own' }],
  ])('finds the invoices in which the company is %s, and those alone', async (role, parties) => {
    const own = JSON.parse(JSON.stringify(parties).replaceAll('own', buyer.nip)) as Json;
    const ksefNumber = await register({ buyerNip: '9999999999', ...own });
    await register({ buyerNip: '9999999999' });
    for (const subject of ['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized']) {
      expect(numbersOf(await receive(buyer, purchases({}, subject)))).toEqual(subject === role ? [ksefNumber] : []);
    }
  });

  test('reads from the XML who receives it', async () => {
    const parties = { recipients: [buyer.nip], authorized: buyer.nip };
    const xml = fa3Document({ number: newNumber(), buyer: null, ...parties });
    expect(errorsOf(xml)).toEqual([]);
    const ksefNumber = await register({ xml, buyerNip: undefined });
    for (const subject of ['Subject3', 'SubjectAuthorized']) {
      expect(numbersOf(await receive(buyer, purchases({}, subject)))).toEqual([ksefNumber]);
    }
  });

  test('delivers a document that is not XML as it is', async () => {
    const xml = '\uFEFF{ "not": "XML" }';
    const ksefNumber = await register({ xml });
    const { files, metadata } = await receive(buyer);
    expect(files.get(`${ksefNumber}.xml`)).toBe(xml);
    expect(metadata).toMatchObject([{ invoiceHash: hashOf(xml) }]);
  });

  test('delivers a document under the hash that a test wants for it', async () => {
    await register({ xml: fa3Document({ number: newNumber() }), invoiceHash: hashOf('another document') });
    expect((await receive(buyer)).metadata).toMatchObject([{ invoiceHash: hashOf('another document') }]);
  });

  test('writes a valid document where the registration has none', async () => {
    const ksefNumber = await register({ number: 'a & b <1>', thirdNips: ['9999999999'], authorizedNip: '8888888888' });
    const { files, metadata } = await receive(buyer);
    const xml = files.get(`${ksefNumber}.xml`) ?? '';
    expect(errorsOf(xml)).toEqual([]);
    expect(xml).toContain('<P_2>a &amp; b &lt;1&gt;</P_2>');
    expect(metadata).toMatchObject([{ invoiceHash: hashOf(xml), invoiceNumber: 'a & b <1>', grossAmount: 123 }]);
  });

  test('is in progress for the requested number of polls', async () => {
    await buyer.control('PUT settings', { exportPolls: 2 });
    const session = await startExport(buyer);
    const shown = [];
    for (let polls = 0; polls < 3; polls++) shown.push(await pollExport(buyer, session));
    expect(shown.map(({ status }) => status.code)).toEqual([100, 100, 200]);
    expect(shown.map((one) => one.package === null)).toEqual([true, true, false]);
  });

  test('of nothing has no parts', async () => {
    const { status, package: listed } = await endExport(buyer, await startExport(buyer));
    expect(status.code).toBe(200);
    expect(listed).toMatchObject({ invoiceCount: 0, size: 0, parts: [], isTruncated: false });
  });

  test('of metadata alone has no documents', async () => {
    const ksefNumber = await register();
    const opened = await receive(buyer, undefined, { onlyMetadata: true });
    expect([opened.files.size, opened.invoiceCount, numbersOf(opened)]).toEqual([0, 1, [ksefNumber]]);
  });
});

describe('a window', () => {
  test.each([
    [3, false],
    [4, true],
  ])('of %i invoices with a maximum of 3 is truncated: %s', async (count, isTruncated) => {
    await buyer.control('PUT settings', { exportInvoicesMax: 3 });
    const registered = await registerMany(count);
    const first = await receive(buyer);
    expect([first.isTruncated, numbersOf(first)]).toEqual([isTruncated, registered.slice(0, 3)]);
    const stored = first.metadata.map(({ permanentStorageDate }) => String(permanentStorageDate));
    expect(stored).toEqual(stored.toSorted());
    expect(first.lastPermanentStorageDate ?? null).toBe(isTruncated ? stored[2] : null);
  });

  test('begins with the last invoice of the truncated one before it', async () => {
    await buyer.control('PUT settings', { exportInvoicesMax: 3 });
    const registered = await registerMany(4);
    const { lastPermanentStorageDate } = await receive(buyer);
    const next = await receive(buyer, purchases({ from: lastPermanentStorageDate }));
    expect([next.isTruncated, numbersOf(next)]).toEqual([false, registered.slice(2)]);
  });

  test('ends at the high water mark, where the next one begins', async () => {
    await buyer.control('PUT settings', { highWaterLagSeconds: 60 });
    const early = await register();
    await advance(61);
    const late = await register();
    const first = await receive(buyer);
    expect(numbersOf(first)).toEqual([early]);
    await advance(61);
    const next = await receive(buyer, purchases({ from: first.permanentStorageHwmDate }));
    expect(numbersOf(next)).toEqual([late]);
    const whole = await receive(buyer, purchases({ restrictToPermanentStorageHwmDate: false }));
    expect(numbersOf(whole)).toEqual([early, late]);
  });

  test('that begins after the high water mark ends with 420', async () => {
    await buyer.control('PUT settings', { highWaterLagSeconds: 60 });
    const { permanentStorageHwmDate } = await receive(buyer);
    const from = new Date(Date.parse(permanentStorageHwmDate) + 30_000).toISOString();
    const shown = await endExport(buyer, await startExport(buyer, purchases({ from })));
    expect([shown.status.code, shown.package]).toEqual([420, null]);
    const query = await buyer.api('POST invoices/query/metadata', purchases({ from }));
    expect(errorOf(query)).toBe(21_183);
  });

  test('in the past is complete until its own end', async () => {
    const to = '2026-11-01T00:00:00.5+01:00';
    const shown = await receive(buyer, purchases({ from: '2026-10-01T00:00:00', to }));
    expect(shown.permanentStorageHwmDate).toBe('2026-10-31T23:00:00.5000000+00:00');
    const ksefNumber = await register({ storedSecondsAgo: 5_400 });
    const range = { from: ago(7_200_000), to: ago(3_600_000) };
    expect(numbersOf(await receive(buyer, purchases(range)))).toEqual([ksefNumber]);
  });

  test('misses what appears below a mark that was stated before', async () => {
    const { permanentStorageHwmDate: from } = await receive(buyer);
    const ksefNumber = await register({ storedSecondsAgo: 600 });
    expect(numbersOf(await receive(buyer, purchases({ from })))).toEqual([]);
    expect(numbersOf(await receive(buyer))).toEqual([ksefNumber]);
  });
});

describe('a package', () => {
  test('comes in parts of the size that was set, each encrypted by itself', async () => {
    await buyer.control('PUT settings', { partBytesMax: 500 });
    await registerMany(2);
    const session = await startExport(buyer);
    const { package: listed } = await endExport(buyer, session);
    const { parts, size } = listed as ListedPackage;
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ ordinalNumber }) => ordinalNumber)).toEqual(parts.map((_, index) => index + 1));
    expect(parts.slice(0, -1).map(({ partSize }) => partSize)).toEqual(parts.slice(1).map(() => 500));
    expect(parts.reduce((total, { partSize }) => total + partSize, 0)).toBe(size);
    for (const part of parts) expect((await downloadPart(session, part)).length).toBe(part.partSize);
    expect((await openPackage(session, listed as ListedPackage)).files.size).toBe(2);
  });

  test('has at most 10,000 invoices, and the next window has those above', async () => {
    const request = { sellerNip: SELLER, number: newNumber(), buyerNip: buyer.nip, count: 10_000 };
    const { ksefNumbers } = json(await buyer.control('POST invoices', request)) as { ksefNumbers: readonly string[] };
    const above = await register();
    const first = await receive(buyer);
    expect([first.isTruncated, first.invoiceCount, first.files.size]).toEqual([true, 10_000, 10_000]);
    expect(numbersOf(first)).toEqual(ksefNumbers);
    const next = await receive(buyer, purchases({ from: first.lastPermanentStorageDate }));
    expect(numbersOf(next)).toEqual([ksefNumbers.at(-1), above]);
  });

  test('has the same bytes when it is made again, for later packages have taken its place', async () => {
    await register();
    const session = await startExport(buyer);
    const { package: listed } = await endExport(buyer, session);
    for (let others = 0; others < 5; others++) await endExport(buyer, await startExport(buyer));
    expect((await openPackage(session, listed as ListedPackage)).files.size).toBe(1);
  });

  test('survives a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ksef-exports-'));
    try {
      const first = await startKsefSimulator({ directory });
      const before = new ContractClient(`${first.url}/test`, buyer.nip, buyer.token);
      await before.control(`PUT contexts/${buyer.nip}`, { tokens: [{ token: buyer.token }] });
      await before.login();
      const xml = fa3Document({ number: newNumber(), buyer: buyer.nip });
      await before.control('POST invoices', { xml });
      const session = await startExport(before);
      await first.stop();

      const second = await startKsefSimulator({ directory });
      const after = new ContractClient(`${second.url}/test`, buyer.nip, buyer.token);
      after.accessToken = before.accessToken;
      const { package: listed } = await endExport(after, session);
      const { files } = await openPackage(session, listed as ListedPackage);
      expect([...files.values()]).toEqual([xml]);
      await second.stop();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('is gone after seven days', async () => {
    const session = await startExport(buyer);
    await endExport(buyer, session);
    await advance(7 * 86_400 - 60);
    expect((await pollExport(buyer, session)).status.code).toBe(200);
    await advance(120);
    const gone = await buyer.api(`GET invoices/exports/${session.reference}`);
    expect([gone.status, gone.headers.get('content-type')]).toEqual([410, 'application/problem+json']);
  });
});

describe('the address of a part', () => {
  const listOne = async (): Promise<string> => {
    await register();
    const { package: listed } = await endExport(buyer, await startExport(buyer));
    return listed?.parts[0]?.url ?? '';
  };

  test('lies beside the API, and needs no token but its own signature', async () => {
    const url = await listOne();
    expect(url.startsWith(`${simulator.url}/test/storage/`)).toBe(true);
    expect((await fetch(url)).status).toBe(200);
    const forged = url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`);
    for (const other of [forged, url.replace('-001.', '-002.'), url.split('?')[0]]) {
      expect((await fetch(other ?? '')).status).toBe(403);
    }
  });

  test('is refused with a token of the API', async () => {
    const headers = { authorization: `Bearer ${buyer.accessToken}` };
    expect((await fetch(await listOne(), { headers })).status).toBe(403);
  });

  test('expires after an hour, and R2 makes another', async () => {
    await register();
    const session = await startExport(buyer);
    const first = (await endExport(buyer, session)).package?.parts[0];
    await advance(3_601);
    expect((await fetch(first?.url ?? '')).status).toBe(403);
    const second = (await endExport(buyer, session)).package?.parts[0];
    expect((await fetch(second?.url ?? '')).status).toBe(200);
  });
});

describe('a request', () => {
  test('without the permission to read is refused by each call', async () => {
    const writes = { tokens: [{ token: buyer.token, permissions: ['InvoiceWrite'] }] };
    await buyer.control(`PUT contexts/${buyer.nip}`, writes);
    const calls: readonly (readonly [string, Json?])[] = [
      ['POST invoices/exports', (await exportRequest(buyer)).body],
      ['GET invoices/exports/20261123-EH-0000000000-0000000000-00'],
      ['GET invoices/ksef/5265877635-20261123-000000000000-00'],
      ['POST invoices/query/metadata', purchases()],
    ];
    for (const [target, body] of calls) {
      const refused = await buyer.api(target, body);
      expect([target, refused.status, json(refused)['reasonCode']]).toEqual([target, 403, 'missing-permissions']);
    }
  });

  const faulty: readonly (readonly [string, () => Json | undefined, Json])[] = [
    ['with another subject', () => purchases({}, 'Subject4'), {}],
    ['without a date', () => purchases({ from: undefined }), {}],
    ['with a day instead of a time', () => purchases({ from: '2026-11-01' }), {}],
    ['that ends before it begins', () => purchases({ from: ago(1_000), to: ago(2_000) }), {}],
    ['of more than 100 days', () => purchases({ from: ago(100 * DAY_MS + 60_000) }), {}],
    ['that ends at the high water mark of another date', () => purchases({ dateType: 'Issue' }), {}],
    ['with an unknown kind of invoice', () => ({ ...purchases(), invoiceTypes: ['Invoice'] }), {}],
    ['with an unknown compression', () => purchases(), { compressionType: 'Rar' }],
    ['with a compression that the simulator does not have', () => purchases(), { compressionType: 'TarGz' }],
    ['without a key', () => purchases(), { encryption: undefined }],
    ['without filters', () => undefined, { filters: undefined }],
  ];
  test.each(faulty)('%s is refused with 21405', async (_, filters, changes) => {
    const { body } = await exportRequest(buyer, filters());
    expect(errorOf(await buyer.api('POST invoices/exports', { ...body, ...changes }))).toBe(21_405);
  });

  test('of 100 days is accepted', async () => {
    const { body } = await exportRequest(buyer, purchases({ from: ago(100 * DAY_MS - 60_000) }));
    expect((await buyer.api('POST invoices/exports', body)).status).toBe(201);
  });

  test('with a key of another vector length is refused, and one that nobody can decrypt ends with 415', async () => {
    const { body } = await exportRequest(buyer);
    const encryption = body['encryption'] as Json;
    const short = { ...encryption, initializationVector: Buffer.alloc(15).toString('base64') };
    expect(errorOf(await buyer.api('POST invoices/exports', { ...body, encryption: short }))).toBe(21_405);
    const unknown = { ...encryption, publicKeyId: hashOf('no key') };
    expect(errorOf(await buyer.api('POST invoices/exports', { ...body, encryption: unknown }))).toBe(21_470);
    const wrong = { ...encryption, encryptedSymmetricKey: Buffer.alloc(256, 1).toString('base64') };
    const shown = await endExport(buyer, await startExport(buyer, undefined, { encryption: wrong }));
    expect([shown.status.code, shown.package]).toEqual([415, null]);
  });

  test('is refused while ten exports of the context run, and accepted when one has ended', async () => {
    await buyer.control('PUT settings', { exportPolls: 0 });
    const sessions = [];
    for (let started = 0; started < 10; started++) sessions.push(await startExport(buyer));
    const { body } = await exportRequest(buyer);
    expect(errorOf(await buyer.api('POST invoices/exports', body))).toBe(21_182);
    for (const session of sessions.slice(0, 1)) await endExport(buyer, session);
    expect((await buyer.api('POST invoices/exports', body)).status).toBe(201);
    expect(errorOf(await buyer.api('POST invoices/exports', body))).toBe(21_182);
    await advance(601);
    expect((await buyer.api('POST invoices/exports', body)).status).toBe(201);
  });

  test('ends after the seconds of the setting, even if nobody polls it', async () => {
    await buyer.control('PUT settings', { exportSeconds: 600 });
    for (let started = 0; started < 10; started++) await startExport(buyer);
    const { body } = await exportRequest(buyer);
    // The simulated clock also runs by itself, so the time steps of the test leave room for a busy machine.
    await advance(500);
    expect(errorOf(await buyer.api('POST invoices/exports', body))).toBe(21_182);
    await advance(100);
    expect((await buyer.api('POST invoices/exports', body)).status).toBe(201);
  });

  test('about an export that does not exist, or is of another company, is refused', async () => {
    const unknown = await buyer.api('GET invoices/exports/20261123-EH-0000000000-0000000000-00');
    expect(errorOf(unknown)).toBe(21_175);
    const { reference } = await startExport(buyer);
    const other = new ContractClient(`${simulator.url}/test`, '5222000000', 'token of another');
    await other.control(`PUT contexts/${other.nip}`, { tokens: [{ token: other.token }] });
    await other.login();
    const refused = await other.api(`GET invoices/exports/${reference}`);
    expect([refused.status, json(refused)['reasonCode']]).toEqual([403, 'insufficient-resource-access']);
  });

  test.each([
    ['R1', 20],
    ['R2', 600],
    ['R5', 64],
  ])('%s is refused beyond %i calls in an hour', async (operation, hourly) => {
    const { body } = await exportRequest(buyer);
    const calls: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
      R1: async () => buyer.api('POST invoices/exports', body),
      R2: async () => buyer.api('GET invoices/exports/20261123-EH-0000000000-0000000000-00'),
      R5: async () => buyer.api('GET invoices/ksef/5265877635-20261123-000000000000-00'),
    };
    const send = calls[operation];
    // This limit factor reduces the limit of KSeF calls to one call in an hour.
    await buyer.control('PUT settings', { limitFactor: 1 / hourly });
    await send?.();
    expect((await send?.())?.status).toBe(429);
  });
});

describe('a single invoice (R5)', () => {
  test('is given to each company that takes part in it, as it was sent', async () => {
    const xml = fa3Document({ number: newNumber(), buyer: buyer.nip });
    const ksefNumber = await register({ xml });
    const answer = await buyer.api(`GET invoices/ksef/${ksefNumber}`);
    expect([answer.text, answer.headers.get('x-ms-meta-hash')]).toEqual([xml, hashOf(xml)]);
    const foreign = await register({ buyerNip: '9999999999' });
    expect(errorOf(await buyer.api(`GET invoices/ksef/${foreign}`))).toBe(21_164);
    expect(errorOf(await buyer.api('GET invoices/ksef/1'))).toBe(21_405);
  });

  test('is not available before it is stored', async () => {
    const seller = new ContractClient(`${simulator.url}/test`, SELLER, 'token of the seller');
    await seller.control(`PUT contexts/${SELLER}`, { tokens: [{ token: seller.token }] });
    await seller.login();
    const { ksefNumber } = await seller.sendAndWait(await seller.open(), fa3Document({ number: newNumber() }));
    expect(errorOf(await seller.api(`GET invoices/ksef/${String(ksefNumber)}`))).toBe(21_165);
    await seller.control('POST clock', { advanceSeconds: 2 });
    expect((await seller.api(`GET invoices/ksef/${String(ksefNumber)}`)).status).toBe(200);
  });
});

describe('a query of metadata (R4)', () => {
  const query = async (filters: Json, parameters = ''): Promise<Json> =>
    json(await buyer.api(`POST invoices/query/metadata${parameters}`, filters));
  const found = async (filters: Json, parameters?: string): Promise<readonly unknown[]> =>
    ((await query(filters, parameters))['invoices'] as readonly Json[]).map(({ ksefNumber }) => ksefNumber);

  test('is answered in either order, page by page', async () => {
    const registered = await registerMany(11);
    expect(await found(purchases(), '?sortOrder=Desc&pageSize=11')).toEqual(registered.toReversed());
    expect(await query(purchases())).toMatchObject({ hasMore: true, isTruncated: false });
    expect(await found(purchases(), '?pageOffset=1')).toEqual(registered.slice(10));
    expect(errorOf(await buyer.api('POST invoices/query/metadata?sortOrder=Up', purchases()))).toBe(21_405);
  });

  test.each([
    ['invoiceNumber', 'wanted', 'other'],
    ['sellerNip', SELLER, '1111111111'],
    ['buyerIdentifier', { type: 'Nip' }, { type: 'Other' }],
    ['buyerIdentifier', { type: 'Nip', value: null }, { type: 'Nip', value: '1111111111' }],
    ['amount', { type: 'Brutto', from: 123, to: 123 }, { type: 'Netto', from: 100.01 }],
    ['amount', { type: 'Vat', to: 23 }, { type: 'Vat', to: 22.99 }],
    ['currencyCodes', ['EUR', 'PLN'], ['EUR']],
    ['invoicingMode', 'Online', 'Offline'],
    ['isSelfInvoicing', false, true],
    ['formType', 'FA', 'PEF'],
    ['invoiceTypes', ['Kor', 'Vat'], ['Kor']],
    ['hasAttachment', false, true],
    ['ksefNumber', null, '5265877635-20261123-000000000000-00'],
  ])('filters by %s', async (name, matching, other) => {
    const number = name === 'invoiceNumber' ? `wanted ${newNumber()}` : newNumber();
    const ksefNumber = await register({ number });
    const wanted = matching === 'wanted' ? number : matching;
    expect(await found({ ...purchases(), [name]: wanted })).toEqual([ksefNumber]);
    expect(await found({ ...purchases(), [name]: other })).toEqual([]);
  });

  test('of a day of issue has the invoices of that Polish day', async () => {
    const xml = fa3Document({ number: newNumber(), buyer: buyer.nip, issueDate: '2026-11-20' });
    const ksefNumber = await register({ xml });
    const onDay = (from: string, to: string): Json => ({
      subjectType: 'Subject2',
      dateRange: { dateType: 'Issue', from, to },
    });
    expect(await found(onDay('2026-11-20T12:00:00', '2026-11-20T12:00:01'))).toEqual([ksefNumber]);
    expect(await found(onDay('2026-11-19T23:30:00Z', '2026-11-19T23:40:00Z'))).toEqual([ksefNumber]);
    expect(await found(onDay('2026-11-20T23:30:00Z', '2026-11-21T10:00:00Z'))).toEqual([]);
    expect(await query(onDay('2026-11-20T12:00:00', '2026-11-20T12:00:01'))).toMatchObject({
      permanentStorageHwmDate: null,
    });
  });
});

function errorsOf(xml: string): readonly string[] {
  const parsed = parseXml(Buffer.from(xml, 'utf8'));
  if ('fault' in parsed) return [parsed.fault];
  try {
    return schemaErrors(parsed.document, 'FA3').map(({ message }) => message);
  } finally {
    parsed.document.dispose();
  }
}
