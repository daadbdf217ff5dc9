import { createCipheriv, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openEgress } from '@invoicecontrol/egress/egress';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { crc8 } from '@invoicecontrol/values/ksef-number';
import { ZipFile } from 'yazl';
import type { OpenPackage } from '../application/inbox/stores.js';
import { createSessionKey, sha256 } from '../domain/encryption.js';
import { PackageFault } from '../domain/export-package.js';
import type { ExportedPart } from '../domain/export-package.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { exportPackages } from './export-packages.js';

const key = createSessionKey();
const signal = new AbortController().signal;
const egress = openEgress(
  { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
  { connectionsPerOrigin: 1, connectMs: 1_000, peer: 'ksef' },
);
let server: Server;
let origin: string;
let packages: ReturnType<typeof exportPackages>;
let requests: IncomingMessage[] = [];
/** Handler that replaces the download of package parts in a test. */
let respond: ((response: ServerResponse) => void) | undefined;
const parts = new Map<string, Buffer>();

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    if (respond !== undefined) respond(response);
    else response.end(parts.get(request.url ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = { TEST: `${origin}/v2`, DEMO: 'http://127.0.0.1:1/v2', PRODUCTION: 'https://ksef.example/v2' };
  const storageHosts = { TEST: ['127.0.0.1', 'storage.example'], DEMO: [], PRODUCTION: [] };
  const logger = createLogger({ service: 'ksef', level: 'silent' });
  packages = exportPackages({ urls, storageHosts, requestMs: 100 }, egress, logger);
});
afterAll(async () => {
  packages.close();
  egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  requests = [];
  respond = undefined;
});

const numberOf = (index: number): string => {
  const stem = `5265877635-20261120-${index.toString(16).toUpperCase().padStart(12, '0')}`;
  return `${stem}-${crc8(stem)}`;
};

interface File {
  readonly name: string;
  readonly content: Buffer;
}

async function zip(files: readonly File[]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const { name, content } of files) archive.addBuffer(content, name);
  archive.end();
  return buffer(archive.outputStream);
}

const invoicesOf = (count: number, bytes = 100): readonly File[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${numberOf(index)}.xml`, content: randomBytes(bytes) }));
const listOf = (files: readonly File[]): File => ({
  name: '_metadata.json',
  content: Buffer.from(
    JSON.stringify({
      invoices: files.map(({ name, content }) => ({ ksefNumber: name.slice(0, -4), invoiceHash: sha256(content) })),
    }),
  ),
});

/** Encrypts the parts of an invoice package and offers them for download on the test server. */
function offer(content: Buffer, partBytes = content.length): ExportedPart[] {
  const offered: ExportedPart[] = [];
  for (let at = 0; at < content.length; at += partBytes) {
    const plain = content.subarray(at, at + partBytes);
    const cipher = createCipheriv('aes-256-cbc', key.key, key.iv);
    const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
    const path = `/storage/${parts.size}`;
    parts.set(path, encrypted);
    offered.push({
      ordinalNumber: offered.length + 1,
      url: `${origin}${path}`,
      size: plain.length,
      hash: sha256(plain),
      encryptedSize: encrypted.length,
      encryptedHash: sha256(encrypted),
    });
  }
  return offered;
}

const reading = <T>(offered: readonly ExportedPart[], read: (opened: OpenPackage) => Promise<T>) =>
  packages.reading({ environment: 'TEST', parts: offered, key }, signal, read);
const opening = (offered: readonly ExportedPart[]) =>
  reading(offered, async ({ expected, refused }) => ({ expected, refused }));
const first = ([part]: readonly ExportedPart[]): ExportedPart => {
  if (part === undefined) throw new Error('no part');
  return part;
};

const packageFiles = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('ksef-package-'));
const before = await packageFiles();

/**
 * Expects that no file of an invoice package stays. Other processes on this machine may open packages at the same time.
 */
async function expectNothingLeft(): Promise<void> {
  await eventually(async () => expect((await packageFiles()).filter((name) => !before.includes(name))).toEqual([]));
}

describe('a package', () => {
  test('is joined from its parts, and its invoices are read one by one', async () => {
    const files = invoicesOf(5, 5_000);
    const offered = offer(await zip([...files, listOf(files)]), 7_001);
    expect(offered.length).toBeGreaterThan(2);
    const contents = await reading(offered.toReversed(), async (opened) => {
      await expectNothingLeft();
      const read: Buffer[] = [];
      for (const invoice of opened.expected) read.push(await opened.read(invoice));
      return read;
    });
    expect(contents.map(sha256)).toEqual(files.map(({ content }) => sha256(content)));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(offered.map(() => undefined));
    await expectNothingLeft();
  });

  test('is closed also where its reader fails', async () => {
    const files = invoicesOf(1);
    const offered = offer(await zip([...files, listOf(files)]));
    await expect(reading(offered, () => Promise.reject(new Error('reader')))).rejects.toThrow('reader');
    await expectNothingLeft();
  });

  test.each([
    ['no archive', () => randomBytes(1_000), /not a ZIP archive/],
    ['an archive that is cut', async () => (await zip(invoicesOf(3))).subarray(0, 200), /not a ZIP archive/],
    ['without a list of invoices', () => zip(invoicesOf(1)), /has no _metadata.json/],
    [
      'with a list that is cut',
      () => zip([{ name: '_metadata.json', content: Buffer.from('{"invoices":[') }]),
      /cannot be read/,
    ],
    ['of zeros', () => zip([{ name: 'a.xml', content: Buffer.alloc(50_000_000) }, listOf([])]), /times as large/],
    [
      'with a name of many bytes',
      () => zip([{ name: `${'a'.repeat(1_100)}.xml`, content: Buffer.from('x') }, listOf([])]),
      /directory entry of a file.*more than/,
    ],
  ])('that is %s is refused', async (_, make, message) => {
    const refusal = await opening(offer(await make())).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PackageFault);
    expect((refusal as Error).message).toMatch(message);
    await expectNothingLeft();
  });

  test('with a file that has other bytes than its entry states is refused when the file is read', async () => {
    const files = invoicesOf(1, 1_000);
    const archive = await zip([{ name: files[0]?.name ?? '', content: Buffer.alloc(1_000, 7) }, listOf(files)]);
    // The unpacked size is in the directory at the end of the archive.
    const entry = archive.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    archive.writeUInt32LE(10, entry + 24);
    const refused = reading(offer(archive), async (opened) => {
      for (const invoice of opened.expected) await opened.read(invoice);
    });
    await expect(refused).rejects.toThrow(/cannot be unpacked/);
  });
});

describe('a part', () => {
  const offered = async (): Promise<ExportedPart[]> => {
    const files = invoicesOf(2);
    return offer(await zip([...files, listOf(files)]));
  };

  test('with another hash or size than KSeF states leads to another export', async () => {
    const part = first(await offered());
    const other = sha256(Buffer.from('other'));
    for (const wrong of [{ hash: other }, { encryptedHash: other }, { size: part.size - 1 }]) {
      await expect(opening([{ ...part, ...wrong }])).rejects.toBeInstanceOf(PackageFault);
    }
    parts.set(new URL(part.url).pathname, Buffer.concat([Buffer.from('x'), randomBytes(part.encryptedSize)]));
    await expect(opening([part])).rejects.toThrow(/larger than KSeF states/);
    await expectNothingLeft();
  });

  test('that another key encrypted leads to another export', async () => {
    const wrong = packages.reading(
      { environment: 'TEST', parts: await offered(), key: createSessionKey() },
      signal,
      () => Promise.resolve(),
    );
    await expect(wrong).rejects.toBeInstanceOf(PackageFault);
  });

  test.each([
    ['a status', (response: ServerResponse) => response.writeHead(403).end('<html>')],
    ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['half of its bytes', (response: ServerResponse) => response.end(randomBytes(10))],
    ['a broken connection', (response: ServerResponse) => response.destroy()],
    ['no answer', () => {}],
  ])('that is answered with %s is downloaded again later', async (_, answer) => {
    const part = first(await offered());
    respond = answer;
    const refusal = await opening([part]).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KsefRefusal);
    expect((refusal as KsefRefusal).kind).toBe('TRANSIENT');
    expect((refusal as Error).message).not.toContain('127.0.0.1');
    expect(requests).toHaveLength(1);
    await expectNothingLeft();
  });

  test('whose storage states another hash leads to another export', async () => {
    const part = first(await offered());
    respond = (response) => response.writeHead(200, { 'x-ms-meta-hash': sha256(Buffer.from('x')) }).end();
    await expect(opening([part])).rejects.toBeInstanceOf(PackageFault);
  });

  test.each([
    'http://storage.example/a',
    'https://storage.example:8443/a',
    'https://user:password@storage.example/a',
    'https://sub.storage.example/a',
    'https://ksef.example/a',
    'ftp://storage.example/a',
    'http://127.0.0.1:1/a',
    'http://127.0.0.1.example/a',
    'not an address',
  ])('at %s is not called', async (url) => {
    const [part, next] = offer(randomBytes(200), 100);
    if (part === undefined || next === undefined) throw new Error('no parts');
    await expect(opening([part, { ...next, url }])).rejects.toThrow(/KSEF_TEST_STORAGE_HOSTS/);
    expect(requests).toEqual([]);
  });

  test('at a configured host that resolves to a private address is not called', async () => {
    const part = first(await offered());
    await expect(opening([{ ...part, url: 'https://127.0.0.1/a' }])).rejects.toThrow(/must not be called/);
  });

  test('is no longer downloaded when its run ends', async () => {
    const part = first(await offered());
    const abort = new AbortController();
    respond = () => abort.abort(new Error('ended'));
    const source = { environment: 'TEST' as const, parts: [part], key };
    await expect(packages.reading(source, abort.signal, () => Promise.resolve())).rejects.toThrow('ended');
    await expectNothingLeft();
  });
});
