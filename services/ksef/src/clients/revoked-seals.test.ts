import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BasicConstraintsExtension, X509CertificateGenerator, X509CrlGenerator } from '@peculiar/x509';
import type { X509Certificate as MadeCertificate } from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRevoked } from '../domain/revoked-seals.js';
import { readRevokedSeals, REVOCATION_BYTES_MAX, REVOCATION_LISTS_MAX } from './revoked-seals.js';

const directory = mkdtempSync(join(tmpdir(), 'revoked-seals-'));
afterAll(() => rmSync(directory, { recursive: true }));

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2_048,
  publicExponent: Uint8Array.of(1, 0, 1),
};

type CryptoKeyPair = { readonly privateKey: webcrypto.CryptoKey; readonly publicKey: webcrypto.CryptoKey };

interface Holder {
  readonly made: MadeCertificate;
  readonly keys: CryptoKeyPair;
}

async function issue(name: string, issuer?: Holder, algorithm: typeof EC | typeof RSA = EC): Promise<Holder> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const made = await X509CertificateGenerator.create({
    serialNumber: randomBytes(8).toString('hex'),
    subject: `CN=${name}`,
    issuer: issuer?.made.subject ?? `CN=${name}`,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: algorithmOf(issuer?.keys ?? keys),
    extensions: [new BasicConstraintsExtension(issuer === undefined)],
  });
  return { made, keys };
}

const algorithmOf = ({ privateKey }: CryptoKeyPair) => (privateKey.algorithm.name === 'ECDSA' ? EC : RSA);

async function listOf(issuer: Holder, revoked: readonly Holder[]): Promise<string> {
  const crl = await X509CrlGenerator.create({
    issuer: issuer.made.subject,
    thisUpdate: new Date(),
    nextUpdate: new Date(Date.now() + 86_400_000),
    entries: revoked.map(({ made }) => ({ serialNumber: made.serialNumber })),
    signingAlgorithm: algorithmOf(issuer.keys),
    signingKey: issuer.keys.privateKey,
  });
  // The label of the PEM block is replaced, because the library and OpenSSL write different ones.
  return crl.toString('pem').replaceAll(' CRL-----', ' X509 CRL-----');
}

const pemOf = ({ made }: Holder): string => made.toString('pem');
const derOf = ({ made }: Holder): Buffer => Buffer.from(made.rawData);
const nodeOf = (holder: Holder): X509Certificate => new X509Certificate(derOf(holder));
const read = (content: string | Buffer, trusted: readonly Buffer[] = []) => {
  const file = join(directory, 'crl.pem');
  writeFileSync(file, content);
  return readRevokedSeals(file, trusted);
};

let authority: Holder;
let seal: Holder;
let other: Holder;
let list: string;
beforeAll(async () => {
  authority = await issue('Authority');
  [seal, other] = await Promise.all([issue('Seal', authority), issue('Other', authority)]);
  list = await listOf(authority, [seal]);
});

test('without a file nothing is revoked', async () => {
  expect(await readRevokedSeals(undefined, [])).toEqual([]);
});

describe('a seal', () => {
  test.each([
    ['EC', EC],
    ['RSA', RSA],
  ])(
    'is revoked when its issuer lists its serial number, and another seal of the issuer is not (%s)',
    async (_, key) => {
      const issuer = await issue('Authority', undefined, key);
      const [revoked, valid] = await Promise.all([issue('Revoked', issuer), issue('Valid', issuer)]);
      const lists = await read(await listOf(issuer, [revoked]), [derOf(issuer)]);
      expect([isRevoked(nodeOf(revoked), lists), isRevoked(nodeOf(valid), lists)]).toEqual([true, false]);
      expect(lists[0]?.nextUpdate).toBeInstanceOf(Date);
    },
  );

  test('is not revoked by an issuer of the same name that did not issue it', async () => {
    const namesake = await issue('Authority');
    const lists = await read(await listOf(namesake, [seal]), [derOf(namesake)]);
    expect(isRevoked(nodeOf(seal), lists)).toBe(false);
  });

  test('is found in each of several lists, whose issuers the file names', async () => {
    const second = await issue('Second');
    const revoked = await issue('Revoked', second);
    const lists = await read([list, pemOf(authority), await listOf(second, [revoked]), pemOf(second)].join('\n'));
    expect([seal, revoked, other].map((one) => isRevoked(nodeOf(one), lists))).toEqual([true, true, false]);
  });

  test('is not revoked by an empty list', async () => {
    const lists = await read(await listOf(authority, []), [derOf(authority)]);
    expect(isRevoked(nodeOf(seal), lists)).toBe(false);
  });
});

describe('a file is refused rather than taken for none', () => {
  test.each([
    ['without a list', () => pemOf(authority), /contains no revocation list.*openssl crl/],
    ['in DER', () => Buffer.from(list.split('\n').slice(1, -1).join(''), 'base64'), /contains no revocation list/],
    ['with a broken list', () => list.replace(/\n[A-Za-z0-9+/]{20}/, '\n'), /Revocation list 1 of .* cannot be read/],
    ['whose issuer is unknown', () => list, /list 1 of .* is not signed by any certificate.*Add the certificate/],
    ['signed by another', () => `${list}${pemOf(other)}`, /is not signed by/],
  ])('%s', async (_, content, message) => {
    await expect(read(content())).rejects.toThrow(message);
  });

  test('signed by an issuer of the same name with another key', async () => {
    await expect(read(list, [derOf(await issue('Authority', undefined, RSA))])).rejects.toThrow('is not signed by');
  });

  test(`with more than ${REVOCATION_LISTS_MAX} lists`, async () => {
    const trusted = [derOf(authority)];
    expect(await read(list.concat('\n').repeat(REVOCATION_LISTS_MAX), trusted)).toHaveLength(REVOCATION_LISTS_MAX);
    await expect(read(list.concat('\n').repeat(REVOCATION_LISTS_MAX + 1), trusted)).rejects.toThrow(
      'the maximum is 16',
    );
  });

  test(`with more than ${REVOCATION_BYTES_MAX} bytes`, async () => {
    const trusted = [derOf(authority)];
    const padded = (bytes: number): Buffer =>
      Buffer.concat([Buffer.from(`${list}\n`)], bytes).fill(' ', list.length + 1);
    expect(await read(padded(REVOCATION_BYTES_MAX), trusted)).toHaveLength(1);
    await expect(read(padded(REVOCATION_BYTES_MAX + 1), trusted)).rejects.toThrow('the maximum is 16777216 bytes');
  });

  test('that is missing', async () => {
    await expect(readRevokedSeals(join(directory, 'missing.pem'), [])).rejects.toThrow('ENOENT');
  });
});
