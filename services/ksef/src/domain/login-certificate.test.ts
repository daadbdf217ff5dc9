import { createPrivateKey } from 'node:crypto';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { fromBER, Integer, ObjectIdentifier, Sequence } from 'asn1js';
import type { AsnType } from 'asn1js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCertificate, toDer } from '../testing/certificates.js';
import type { TestCertificate } from '../testing/certificates.js';
import {
  CERTIFICATE_BYTES_MAX,
  decodeLoginCertificate,
  encodeLoginCertificate,
  expiryOf,
  identityOf,
  maskedIdentity,
  PASSWORD_LENGTH_MAX,
  PRIVATE_KEY_BYTES_MAX,
  readLoginCertificate,
} from './login-certificate.js';

const NIP = '5265877635';
const PASSWORD = 'geheim 1';
const NOW = new Date();

let simulator: KsefSimulator;
let plain: TestCertificate;
let encrypted: TestCertificate;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  plain = await issueCertificate(`${simulator.url}/test`, { nip: NIP });
  encrypted = await issueCertificate(`${simulator.url}/test`, { nip: NIP, password: PASSWORD });
});
afterAll(async () => simulator.stop());

/** Returns the field and the sentence of a refusal, or undefined if the certificate is accepted. */
function faultOf(changes: Partial<Parameters<typeof readLoginCertificate>[0]>, now = NOW): string | undefined {
  try {
    readLoginCertificate({ ...plain, ...changes }, now);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a certificate and its key', () => {
  test.each(['EC', 'RSA'] as const)('are read back as they were sealed, without the password (%s)', async (key) => {
    const issued = await issueCertificate(`${simulator.url}/test`, { nip: NIP, key, password: PASSWORD });
    const read = readLoginCertificate({ ...issued, privateKeyPassword: PASSWORD }, NOW);
    const sealed = encodeLoginCertificate(read);
    expect(sealed).not.toContain('ENCRYPTED');
    const opened = decodeLoginCertificate(sealed);
    expect(opened.certificate.raw).toEqual(read.certificate.raw);
    expect(opened.privateKey.equals(read.privateKey)).toBe(true);
  });

  test('are taken as PEM and as DER in base64, with keys in PKCS#8, SEC1 and PKCS#1', async () => {
    expect(faultOf({ certificate: toDer(plain.certificate) })).toBeUndefined();
    const sec1 = createPrivateKey(plain.privateKey).export({ type: 'sec1', format: 'pem' }) as string;
    expect(faultOf({ privateKey: sec1 })).toBeUndefined();
    const rsa = await issueCertificate(`${simulator.url}/test`, { nip: NIP, key: 'RSA' });
    const pkcs1 = createPrivateKey(rsa.privateKey).export({ type: 'pkcs1', format: 'pem' }) as string;
    expect(faultOf({ certificate: rsa.certificate, privateKey: pkcs1 })).toBeUndefined();
  });

  test('of another certificate are refused', async () => {
    const other = await issueCertificate(`${simulator.url}/test`, { nip: NIP });
    expect(faultOf({ privateKey: other.privateKey })).toMatch(
      /^private_key: The private key does not belong to the certificate/,
    );
  });

  test('whose password is missing or wrong are refused, with the field of the password', () => {
    expect(faultOf({ ...encrypted })).toMatch(
      /^private_key_password: The private key is encrypted\. Send its password/,
    );
    expect(faultOf({ ...encrypted, privateKeyPassword: '' })).toMatch(
      /^private_key_password: The password does not decrypt/,
    );
    expect(faultOf({ ...encrypted, privateKeyPassword: 'other' })).toMatch(
      /^private_key_password: The password does not decrypt/,
    );
    expect(faultOf({ ...encrypted, privateKeyPassword: PASSWORD })).toBeUndefined();
    expect(faultOf({ privateKeyPassword: 'not needed' })).toBeUndefined();
  });

  test.each([
    ['certificate', 'hello'],
    ['certificate', ''],
    ['certificate', '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----'],
    ['privateKey', 'hello'],
    ['privateKey', ''],
    ['privateKey', '-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----'],
  ])('that cannot be read are refused (%s: %j)', (field, text) => {
    expect(faultOf({ [field]: text })).toMatch(/The (?:certificate|private key) cannot be read/);
  });

  test('that come with their issuers, or as one file, are refused', () => {
    expect(faultOf({ certificate: plain.certificate + plain.certificate })).toMatch(/has 2 PEM blocks/);
    expect(faultOf({ certificate: plain.certificate + plain.privateKey })).toMatch(/has 2 PEM blocks/);
  });

  test('are bounded in size', () => {
    const filled = (text: string, bytes: number): string => text + '\n'.repeat(bytes - text.length);
    expect(faultOf({ certificate: filled(plain.certificate, CERTIFICATE_BYTES_MAX) })).toBeUndefined();
    expect(faultOf({ certificate: filled(plain.certificate, CERTIFICATE_BYTES_MAX + 1) })).toMatch(/more than 8 KiB/);
    expect(faultOf({ privateKey: filled(plain.privateKey, PRIVATE_KEY_BYTES_MAX) })).toBeUndefined();
    expect(faultOf({ privateKey: filled(plain.privateKey, PRIVATE_KEY_BYTES_MAX + 1) })).toMatch(/more than 16 KiB/);
    expect(faultOf({ privateKeyPassword: 'x'.repeat(PASSWORD_LENGTH_MAX) })).toBeUndefined();
    expect(faultOf({ privateKeyPassword: 'x'.repeat(PASSWORD_LENGTH_MAX + 1) })).toMatch(/more than 256 characters/);
  });
});

describe('the password of a key', () => {
  /** Returns the encrypted key with its first number or object id that equals `from` replaced. */
  const changed = (from: string, to: Integer | ObjectIdentifier): string => {
    const { result } = fromBER(Buffer.from(encrypted.privateKey.replaceAll(/-----.*-----|\s/g, ''), 'base64'));
    let hasChanged = false;
    const replaceIn = (part: AsnType): void => {
      if (!(part instanceof Sequence)) return;
      for (const [at, child] of part.valueBlock.value.entries()) {
        if (child.toString() === from && !hasChanged) {
          part.valueBlock.value[at] = to;
          hasChanged = true;
        } else replaceIn(child);
      }
    };
    replaceIn(result);
    expect(hasChanged).toBe(true);
    return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${Buffer.from(result.toBER()).toString('base64')}\n-----END ENCRYPTED PRIVATE KEY-----`;
  };
  const faultOfRounds = (rounds: number): string | undefined =>
    faultOf({ privateKey: changed('INTEGER : 2048', new Integer({ value: rounds })), privateKeyPassword: PASSWORD });

  test('is stretched with a million rounds at the most', () => {
    // The number of rounds is accepted but wrong for the password, so decrypting was attempted and failed.
    expect(faultOfRounds(1_000_000)).toMatch(/^private_key_password: The password does not decrypt/);
    expect(faultOfRounds(1_000_001)).toMatch(
      /^private_key: The private key is encrypted with more than 1,000,000 rounds/,
    );
  });

  test('that is stretched in another way than PBKDF2 is refused', () => {
    const scrypt = new ObjectIdentifier({ value: '1.3.6.1.4.1.11591.4.11' });
    const privateKey = changed('OBJECT IDENTIFIER : 1.2.840.113549.1.5.12', scrypt);
    expect(faultOf({ privateKey, privateKeyPassword: PASSWORD })).toMatch(
      /^private_key: The encryption of the private key is not supported/,
    );
  });
});

describe('a certificate', () => {
  test('is refused before it begins and after it ends', () => {
    expect(faultOf({}, new Date(NOW.getTime() - 10 * 86_400_000))).toMatch(
      /^certificate: The certificate is not valid before 20/,
    );
    expect(faultOf({}, new Date(NOW.getTime() + 731 * 86_400_000))).toMatch(
      /^certificate: The certificate expired at 20/,
    );
  });

  test('of the type Offline is refused, and the sentence names the type that logs in', async () => {
    const offline = await issueCertificate(`${simulator.url}/test`, { nip: NIP, type: 'Offline' });
    expect(faultOf({ ...offline })).toMatch(
      /^certificate: The certificate is of the type Offline.*type Authentication/,
    );
  });

  test('of a company and of a person shows the last four digits of its number alone', async () => {
    const person = await issueCertificate(`${simulator.url}/test`, { pesel: '80010112345' });
    const masked = [plain, person].map(({ certificate, privateKey }) => {
      const read = readLoginCertificate({ certificate, privateKey }, NOW);
      const identity = identityOf(read.certificate);
      return identity === undefined ? undefined : maskedIdentity(identity);
    });
    expect(masked).toEqual(['NIP ******7635', 'PESEL *******2345']);
  });

  test('says when it ends', () => {
    const { certificate } = readLoginCertificate(plain, NOW);
    expect(expiryOf(certificate).getTime()).toBeGreaterThan(NOW.getTime() + 729 * 86_400_000);
  });
});
