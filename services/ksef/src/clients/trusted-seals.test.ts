import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { X509Certificate } from 'node:crypto';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import { readTrustedSeals, TRUSTED_CERTIFICATES_MAX } from './trusted-seals.js';

const directory = mkdtempSync(join(tmpdir(), 'trusted-seals-'));
afterAll(() => rmSync(directory, { recursive: true }));

let pem: string;
beforeAll(async () => {
  const simulator = await startKsefSimulator();
  pem = await simulator.sealCertificate('test');
  await simulator.stop();
});

const read = (content: string) => {
  const file = join(directory, 'seals.pem');
  writeFileSync(file, content);
  return readTrustedSeals(file);
};

test('without a file no certificate is named', async () => {
  expect(await readTrustedSeals(undefined)).toEqual([]);
});

test('all certificates of a file are read, with any text between them', async () => {
  const { raw } = new X509Certificate(pem);
  expect(await read(`# of 2025\n${pem}\nof 2026\n${pem}`)).toEqual([raw, raw]);
});

test(`${TRUSTED_CERTIFICATES_MAX} certificates are read, one more is refused`, async () => {
  expect(await read(pem.repeat(TRUSTED_CERTIFICATES_MAX))).toHaveLength(TRUSTED_CERTIFICATES_MAX);
  await expect(read(pem.repeat(TRUSTED_CERTIFICATES_MAX + 1))).rejects.toThrow('the maximum is 64');
});

test.each([
  ['without a certificate', () => '', 'contains no certificate'],
  ['with a key instead', () => pem.replaceAll('CERTIFICATE', 'PRIVATE KEY'), 'contains no certificate'],
  ['with a broken one', () => `${pem}${pem.replace(/\n[A-Za-z0-9+/]{20}/, '\n')}`, 'Certificate 2 of'],
])('a file %s is refused rather than taken for none', async (_, content, message) => {
  await expect(read(content())).rejects.toThrow(message);
});

test('a file that is missing is refused', async () => {
  await expect(readTrustedSeals(join(directory, 'missing.pem'))).rejects.toThrow('ENOENT');
});
