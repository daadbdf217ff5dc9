import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A certificate authority for one test run, with the certificates that it issued, all in PEM. */
export interface TestAuthority {
  readonly certificate: string;
  issue(options?: CertificateOptions): { readonly certificate: string; readonly key: string };
}

interface CertificateOptions {
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const DAY_MS = 24 * 3_600_000;

/** Creates an authority that can issue certificates for servers on the local machine (X.509 v3, P-256). */
export function createTestAuthority(name = 'Test authority'): TestAuthority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = { subject: name, issuer: name, publicKey: authority.publicKey, signer: authority.privateKey };
  return {
    certificate: certificate({ ...own, ...validFor({}), extensions: [basicConstraints(true)] }),
    issue(options = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { dnsNames = [], ipAddresses = ['127.0.0.1'], uris = [] } = options;
      return {
        certificate: certificate({
          subject: 'receiver',
          issuer: name,
          publicKey,
          signer: authority.privateKey,
          ...validFor(options),
          extensions: [basicConstraints(false), alternativeNames(dnsNames, ipAddresses, uris)],
        }),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

function validFor({ notBefore, notAfter }: CertificateOptions): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: notBefore ?? new Date(now - DAY_MS), notAfter: notAfter ?? new Date(now + 30 * DAY_MS) };
}

interface Contents {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, issuer, publicKey, signer, notBefore, notAfter, extensions }: Contents): string {
  const algorithm = sequence(oid([42, 134, 72, 206, 61, 4, 3, 2]));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    algorithm,
    nameOf(issuer),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Encodes an ASN.1 element of a test certificate in DER. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function oid(bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(oid([85, 4, 3]), tagged(0x0c, Buffer.from(commonName, 'utf8')))));
}

function time(at: Date): Buffer {
  const text = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(text, 'ascii'));
}

function basicConstraints(isAuthority: boolean): Buffer {
  const value = isAuthority ? sequence(tagged(0x01, Buffer.from([255]))) : sequence();
  return sequence(oid([85, 29, 19]), tagged(0x01, Buffer.from([255])), tagged(0x04, value));
}

function alternativeNames(
  dnsNames: readonly string[],
  ipAddresses: readonly string[],
  uris: readonly string[],
): Buffer {
  const names = [
    ...dnsNames.map((name) => tagged(0x82, Buffer.from(name, 'ascii'))),
    ...uris.map((uri) => tagged(0x86, Buffer.from(uri, 'ascii'))),
    ...ipAddresses.map((address) => tagged(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  return sequence(oid([85, 29, 17]), tagged(0x04, sequence(...names)));
}
