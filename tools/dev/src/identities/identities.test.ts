import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareIdentities } from './identities.js';

const DAY_MS = 24 * 3_600_000;
const NAMES = ['scan', 'ksef', 'billing', 'operator'];

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'identities-test-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

const read = (...path: string[]): Promise<string> => readFile(join(directory, ...path), 'utf8');
const certificateOf = async (name: string): Promise<X509Certificate> =>
  new X509Certificate(await read(name, 'tls.crt'));
const all = async (): Promise<string[]> =>
  Promise.all(NAMES.flatMap((name) => ['tls.crt', 'tls.key', 'ca.crt'].map((file) => read(name, file))));
/** Moves the clock on by days, without timers, which the file system needs. */
const after = (days: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS });
};

test('every service and the operator get a certificate of their own, which the authority issued for a week', async () => {
  await prepareIdentities(directory, NAMES);
  const authority = new X509Certificate(await read('ca.crt'));
  expect(authority).toMatchObject({ ca: true });
  expect(Date.parse(authority.validTo) - Date.now()).toBeGreaterThan(29 * DAY_MS);
  for (const name of NAMES) {
    const certificate = await certificateOf(name);
    expect(certificate.subjectAltName).toBe(
      `URI:spiffe://invoice-control.local/service/${name}, DNS:${name}, DNS:localhost, IP Address:127.0.0.1`,
    );
    expect(certificate.subject.split('\n').toSorted()).toEqual([`CN=${name}`, 'O=invoice-control', 'OU=services']);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(await read(name, 'tls.key')))).toBe(true);
    const lifeMs = Date.parse(certificate.validTo) - Date.now();
    expect(lifeMs).toBeGreaterThan(6.9 * DAY_MS);
    expect(lifeMs).toBeLessThan(7 * DAY_MS);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now() - 30_000);
    expect(await read(name, 'ca.crt')).toBe(await read('ca.crt'));
  }
});

test('nobody else can read the keys', async () => {
  await prepareIdentities(directory, NAMES);
  for (const path of ['ca.key', 'ca.crt', 'scan/tls.key', 'scan/tls.crt', 'scan/ca.crt']) {
    expect({ path, mode: (await stat(join(directory, path))).mode & 0o777 }).toEqual({ path, mode: 0o600 });
  }
});

test('what is good is kept', async () => {
  await prepareIdentities(directory, NAMES);
  const before = await all();
  after(4);
  await prepareIdentities(directory, NAMES);
  expect(await all()).toEqual(before);
});

test('a certificate below a third of its life, without its key, or with another name is made again, alone', async () => {
  await prepareIdentities(directory, NAMES);
  const others = await read('billing', 'tls.crt');
  const before = await Promise.all(['scan', 'ksef', 'operator'].map((name) => read(name, 'tls.crt')));
  await rm(join(directory, 'scan/tls.key'));
  await writeFile(join(directory, 'ksef/tls.key'), await read('scan', 'tls.key').catch(() => 'no key'));
  for (const file of ['tls.crt', 'tls.key']) {
    await writeFile(join(directory, 'operator', file), await read('billing', file));
  }
  await prepareIdentities(directory, NAMES);
  const made = await Promise.all(['scan', 'ksef', 'operator'].map((name) => read(name, 'tls.crt')));
  for (const [index, certificate] of made.entries()) expect(certificate).not.toBe(before[index]);
  expect((await certificateOf('operator')).subjectAltName).toContain('/service/operator');
  expect(await read('billing', 'tls.crt')).toBe(others);
  after(4.8);
  await prepareIdentities(directory, NAMES);
  expect(await read('billing', 'tls.crt')).not.toBe(others);
});

test('a new authority is trusted one call before it issues certificates', async () => {
  await prepareIdentities(directory, NAMES);
  const first = new X509Certificate(await read('ca.crt'));
  after(21);
  await prepareIdentities(directory, NAMES);
  const [next = ''] = (await read('ca.crt')).split(/(?<=-----END CERTIFICATE-----\n)/);
  const second = new X509Certificate(next);
  expect(second.fingerprint256).not.toBe(first.fingerprint256);
  expect(await read('scan', 'ca.crt')).toBe(`${String(second)}${String(first)}`);
  expect((await certificateOf('scan')).checkIssued(first)).toBe(true);
  after(4.8);
  await prepareIdentities(directory, NAMES);
  expect((await certificateOf('scan')).checkIssued(second)).toBe(true);
  after(6);
  await prepareIdentities(directory, NAMES);
  expect(await read('scan', 'ca.crt')).toBe(String(second));
});

test('what was made while the clock was ahead is made again, with its authority', async () => {
  await prepareIdentities(directory, NAMES);
  after(-1);
  await prepareIdentities(directory, NAMES);
  for (const text of [await read('ca.crt'), await read('scan', 'tls.crt')]) {
    expect(Date.parse(new X509Certificate(text).validFrom)).toBeLessThanOrEqual(Date.now());
  }
  expect(await read('scan', 'ca.crt')).toBe(await read('ca.crt'));
});

test('no certificate outlives the authority that issued it', async () => {
  await prepareIdentities(directory, NAMES);
  const authority = new X509Certificate(await read('ca.crt'));
  after(29);
  await prepareIdentities(directory, NAMES);
  const certificate = await certificateOf('scan');
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(Date.parse(certificate.validTo)).toBeLessThanOrEqual(Date.parse(authority.validTo));
});

test('an authority that is lost, or whose key is another one, is replaced with all that it issued', async () => {
  await prepareIdentities(directory, NAMES);
  const before = await read('scan', 'tls.crt');
  await writeFile(join(directory, 'ca.key'), await read('scan', 'tls.key'));
  await prepareIdentities(directory, NAMES);
  const certificate = await certificateOf('scan');
  expect(String(certificate)).not.toBe(before);
  expect(certificate.verify(new X509Certificate(await read('ca.crt')).publicKey)).toBe(true);
  expect(await read('scan', 'ca.crt')).toBe(await read('ca.crt'));
});
