import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ContractClient } from './contract-client.js';
import { endExport, openPackage, pollExport, purchases, receive, startExport } from './export-client.js';
import type { ListedPackage, ListedPart } from './export-client.js';
import { SELLER } from './fa3-document.js';
import { crc8 } from './numbers.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { hashOf, json } from './testing.js';

type Json = Readonly<Record<string, unknown>>;

let simulator: KsefSimulator;
let buyer: ContractClient;
let last = 0;
let nips = 5_111_000_000;

beforeAll(async () => {
  simulator = await startKsefSimulator();
});
beforeEach(async () => {
  buyer = new ContractClient(`${simulator.url}/test`, String((nips += 1)), `token of ${nips}`);
  await buyer.control('DELETE faults');
  await buyer.control('PUT settings', { limitFactor: 0, authPolls: 0, exportPolls: 0 });
  await buyer.control(`PUT contexts/${buyer.nip}`, { tokens: [{ token: buyer.token }] });
  await buyer.login();
});
afterAll(async () => simulator.stop());

/**
 * Adds a fault to the simulated KSeF.
 * @returns its id
 */
async function fault(spec: Json): Promise<string> {
  const answer = await buyer.control('POST faults', { context: buyer.nip, ...spec });
  if (answer.status !== 201) throw new Error(answer.text);
  return String(json(answer)['id']);
}

/**
 * Registers an invoice in the simulated KSeF.
 * @returns its KSeF number
 */
async function register(): Promise<string> {
  const invoice = { sellerNip: SELLER, number: `FV/${(last += 1)}`, buyerNip: buyer.nip };
  return String(json(await buyer.control('POST invoices', invoice))['ksefNumber']);
}

/** Registers an invoice and returns the invoice package that contains it. */
async function listPackage(): Promise<ListedPackage> {
  await register();
  const { package: listed } = await endExport(buyer, await startExport(buyer));
  return listed as ListedPackage;
}

describe('EXPORT_STATUS', () => {
  test.each([
    [210, 'Eksport faktur wygasł i nie jest już dostępny do pobrania'],
    [415, 'Błąd odszyfrowania dostarczonego klucza'],
    [500, 'Nieznany błąd (500)'],
    [550, 'Operacja została anulowana przez system'],
  ])('ends an export with %i and without a package', async (code, description) => {
    await register();
    await fault({ operation: 'R1', kind: 'EXPORT_STATUS', code, details: ['again'] });
    const shown = await endExport(buyer, await startExport(buyer));
    expect(shown).toMatchObject({ status: { code, description, details: ['again'] }, package: null });
    expect((await receive(buyer)).files.size).toBe(1);
  });

  test('100 keeps an export running for as long as the fault exists, and it counts as running', async () => {
    const ksefNumber = await register();
    const id = await fault({ operation: 'R1', kind: 'EXPORT_STATUS', code: 100, times: 10 });
    const sessions = [];
    for (let started = 0; started < 10; started++) sessions.push(await startExport(buyer));
    const [session] = sessions;
    if (session === undefined) throw new Error('No export was started.');
    await buyer.control('POST clock', { advanceSeconds: 3 * 3_600 });
    await buyer.login();
    expect((await pollExport(buyer, session)).status.code).toBe(100);
    await expect(startExport(buyer)).rejects.toThrow('21182');
    await buyer.control(`DELETE faults/${id}`);
    const { package: listed } = await pollExport(buyer, session);
    expect([...(await openPackage(session, listed as ListedPackage)).files.keys()]).toEqual([`${ksefNumber}.xml`]);
  });
});

describe('a part', () => {
  const partOf = ({ parts }: ListedPackage): ListedPart => {
    const [part] = parts;
    if (part === undefined) throw new Error('The package has no part.');
    return part;
  };

  test('is cut by BAD_HASH: half of it comes under the hash of the whole', async () => {
    const part = partOf(await listPackage());
    await fault({ operation: 'R3', kind: 'BAD_HASH' });
    const response = await fetch(part.url);
    expect((await response.arrayBuffer()).byteLength).toBe(part.encryptedPartSize / 2);
    expect(response.headers.get('x-ms-meta-hash')).toBe(part.encryptedPartHash);
    expect((await (await fetch(part.url)).arrayBuffer()).byteLength).toBe(part.encryptedPartSize);
  });

  test.each(['partHash', 'encryptedPartHash'] as const)('has another %s in R2 with PART_HASH', async (member) => {
    await register();
    const session = await startExport(buyer);
    const right = partOf((await endExport(buyer, session)).package as ListedPackage);
    await fault({ operation: 'R2', kind: 'PART_HASH', member });
    const wrong = partOf((await endExport(buyer, session)).package as ListedPackage);
    expect(wrong[member]).not.toBe(right[member]);
    const unchanged = member === 'partHash' ? 'encryptedPartHash' : 'partHash';
    expect(wrong[unchanged]).toBe(right[unchanged]);
  });

  test('has an address at another host with FOREIGN_LINK', async () => {
    await fault({ operation: 'R2', kind: 'FOREIGN_LINK', origin: 'https://storage.example' });
    expect(partOf(await listPackage()).url).toMatch(/^https:\/\/storage\.example\/storage\//);
  });

  test('takes the faults of each call, also of its context alone', async () => {
    const part = partOf(await listPackage());
    await fault({ operation: 'R3', kind: 'STATUS', status: 503 });
    expect([(await fetch(part.url)).status, (await fetch(part.url)).status]).toEqual([503, 200]);
    await fault({ operation: 'R3', kind: 'DROP' });
    await expect(fetch(part.url)).rejects.toThrow('fetch failed');
    const { items } = json(await buyer.control(`GET requests?context=${buyer.nip}`)) as { items: readonly Json[] };
    expect(items.slice(-3).map(({ operation, status }) => [operation, status])).toEqual([
      ['R3', 503],
      ['R3', 200],
      ['R3', null],
    ]);
  });
});

describe('a package', () => {
  test('has files of zeros under numbers of KSeF with ZIP_BOMB', async () => {
    const ksefNumber = await register();
    await fault({ operation: 'R1', kind: 'ZIP_BOMB', bytes: 3_000_000, entries: 2 });
    const { files, size, metadata } = await receive(buyer);
    const [own, ...bombs] = [...files];
    expect(own?.[0]).toBe(`${ksefNumber}.xml`);
    expect(bombs.map(([, content]) => content.length)).toEqual([3_000_000, 3_000_000]);
    for (const [name] of bombs) expect(name).toMatch(new RegExp(`^.{32}-${crc8(name.slice(0, 32))}\\.xml$`));
    expect(size).toBeLessThan(20_000);
    expect(metadata).toHaveLength(1);
  });

  test('has a file that the metadata lack with EXTRA_FILE', async () => {
    const ksefNumber = await register();
    await fault({ operation: 'R1', kind: 'EXTRA_FILE' });
    const { files, metadata } = await receive(buyer);
    expect(files.size).toBe(2);
    expect(metadata).toMatchObject([{ ksefNumber }]);
    await fault({ operation: 'R1', kind: 'EXTRA_FILE', name: 'a/b.txt', content: 'strange' });
    expect((await receive(buyer)).files.get('a/b.txt')).toBe('strange');
  });

  test('lacks a file that the metadata have with MISSING_FILE', async () => {
    const [first, second] = [await register(), await register()];
    await fault({ operation: 'R1', kind: 'MISSING_FILE' });
    const { files, metadata } = await receive(buyer);
    expect([...files.keys()]).toEqual([`${second}.xml`]);
    expect(metadata).toMatchObject([{ ksefNumber: first }, { ksefNumber: second }]);
  });

  test('begins with an invoice of the window before with REPEATED_INVOICE', async () => {
    const early = await register();
    const { permanentStorageHwmDate: from } = await receive(buyer);
    const late = await register();
    await fault({ operation: 'R1', kind: 'REPEATED_INVOICE' });
    const { files, invoiceCount } = await receive(buyer, purchases({ from }));
    expect([[...files.keys()], invoiceCount]).toEqual([[`${early}.xml`, `${late}.xml`], 2]);
    expect([...(await receive(buyer, purchases({ from }))).files.keys()]).toEqual([`${late}.xml`]);
  });

  test('has half of its metadata with CUT_METADATA', async () => {
    await register();
    await fault({ operation: 'R1', kind: 'CUT_METADATA' });
    await expect(receive(buyer)).rejects.toThrow(SyntaxError);
  });

  test('differs from its metadata where the registration says so', async () => {
    const invoice = {
      sellerNip: SELLER,
      number: `FV/${(last += 1)}`,
      buyerNip: buyer.nip,
      invoiceHash: hashOf('other'),
    };
    await buyer.control('POST invoices', invoice);
    const { files, metadata } = await receive(buyer);
    const [xml = ''] = files.values();
    expect(metadata.map(({ invoiceHash }) => invoiceHash)).toEqual([hashOf('other')]);
    expect(hashOf(xml)).not.toBe(hashOf('other'));
  });
});
