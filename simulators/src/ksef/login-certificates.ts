import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as ParsedCertificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Clock } from '../erp/clock.js';
import { RSA } from './keys.js';
import type { Store, Table } from './store.js';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 10 * 366;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const ORGANIZATION_IDENTIFIER = '2.5.4.97';
const SERIAL_NUMBER = '2.5.4.5';

/** The company or person named by a login certificate, with the numbers that KSeF has for it. */
export interface Holder {
  readonly nip?: string | undefined;
  readonly pesel?: string | undefined;
}

export interface CertificateRequest extends Holder {
  readonly type: 'Authentication' | 'Offline';
  /**
   * Number of days until the login certificate expires. With a negative number, the certificate has already expired.
   */
  readonly days: number;
  readonly key: 'EC' | 'RSA';
  /** Password that encrypts the private key. Without a password, the key is not encrypted. */
  readonly password?: string | undefined;
}

export interface IssuedCertificate {
  /** Serial number of the login certificate in lower-case hexadecimal digits. */
  readonly serialNumber: string;
  /** The login certificate that the simulated KSeF issued, in PEM format. */
  readonly certificate: string;
  /** Private key of the issued certificate, as PKCS#8 in PEM format. */
  readonly privateKey: string;
}

interface Authority {
  /** Private key of the simulated certificate authority, as PKCS#8 in PEM format. */
  readonly privateKey: string;
  /** Certificate of the simulated certificate authority in PEM format. */
  readonly certificate: string;
}

/** Certificate authority of one KSeF environment, which issues and revokes login certificates. */
export class LoginCertificates {
  readonly #authorities: Table<Authority>;
  readonly #revoked: Table<string>;
  readonly #clock: Clock;
  readonly #environment: string;

  constructor(store: Store, clock: Clock, environment: string) {
    this.#authorities = store.table('authorities');
    this.#revoked = store.table('revoked certificates');
    this.#clock = clock;
    this.#environment = environment;
  }

  async issue({ nip, pesel, type, days, key, password }: CertificateRequest): Promise<IssuedCertificate> {
    const authority = await this.#authority();
    const keys = await webcrypto.subtle.generateKey(key === 'EC' ? EC : RSA, true, ['sign', 'verify']);
    const serialNumber = newSerialNumber();
    const now = this.#clock.now().getTime();
    const end = now + days * DAY_MS;
    const identity =
      nip === undefined
        ? [{ [SERIAL_NUMBER]: [`PNOPL-${pesel ?? ''}`] }, { '2.5.4.42': ['Jan'] }, { '2.5.4.4': ['Kowalski'] }]
        : [{ [ORGANIZATION_IDENTIFIER]: [`VATPL-${nip}`] }, { O: ['Żółw & Syn sp. z o.o.'] }];
    const made = await X509CertificateGenerator.create(
      {
        serialNumber,
        subject: [{ CN: [nip === undefined ? 'Jan Kowalski' : 'Żółw & Syn sp. z o.o.'] }, ...identity, { C: ['PL'] }],
        issuer: new ParsedCertificate(authority.certificate).subject,
        notBefore: new Date(Math.min(now, end) - DAY_MS),
        notAfter: new Date(end),
        signingAlgorithm: EC,
        publicKey: keys.publicKey,
        signingKey: await webcrypto.subtle.importKey('pkcs8', derOf(authority.privateKey), EC, false, ['sign']),
        extensions: [
          new KeyUsagesExtension(
            type === 'Authentication' ? KeyUsageFlags.digitalSignature : KeyUsageFlags.nonRepudiation,
            true,
          ),
        ],
      },
      webcrypto,
    );
    const privateKey = await exportKey(keys.privateKey, password);
    return { serialNumber: serialOf(made.serialNumber), certificate: `${made.toString('pem')}\n`, privateKey };
  }

  revoke(serialNumber: string): void {
    this.#revoked.put(serialOf(serialNumber), this.#clock.now().toISOString());
  }

  isRevoked({ serialNumber }: { readonly serialNumber: string }): boolean {
    return this.#revoked.get(serialOf(serialNumber)) !== undefined;
  }

  /** Returns the reason why a certificate cannot log in to KSeF, or undefined if it can. */
  faultOf(
    certificate: X509Certificate,
    now: Date,
    { isSelfSignedTaken }: { readonly isSelfSignedTaken: boolean },
  ): string | undefined {
    const usages = new ParsedCertificate(certificate.raw).getExtension(KeyUsagesExtension)?.usages;
    if (usages !== undefined && (usages & KeyUsageFlags.digitalSignature) === 0) {
      return 'Typ certyfikatu nie pozwala na uwierzytelnienie';
    }
    if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return 'Certyfikat jest nieważny';
    if (this.isRevoked(certificate)) return 'Certyfikat unieważniony';
    const authority = this.#authorities.get('authority');
    const isOurs = authority !== undefined && certificate.verify(new X509Certificate(authority.certificate).publicKey);
    const isSelfSigned = isSelfSignedTaken && certificate.verify(certificate.publicKey);
    return isOurs || isSelfSigned ? undefined : 'Certyfikat nie pochodzi od zaufanego wystawcy';
  }

  async #authority(): Promise<Authority> {
    const known = this.#authorities.get('authority');
    if (known !== undefined) return known;
    const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
    const now = this.#clock.now().getTime();
    const certificate = await X509CertificateGenerator.createSelfSigned(
      {
        serialNumber: newSerialNumber(),
        name: `CN=KSeF simulator ${this.#environment} authority, O=Ministerstwo Finansów, C=PL`,
        notBefore: new Date(now - AUTHORITY_DAYS * DAY_MS),
        notAfter: new Date(now + AUTHORITY_DAYS * DAY_MS),
        signingAlgorithm: EC,
        keys,
        extensions: [new BasicConstraintsExtension(true, 0, true)],
      },
      webcrypto,
    );
    const made = { privateKey: await exportKey(keys.privateKey), certificate: certificate.toString('pem') };
    // Two calls may have created the simulated certificate authority at the same time. Both use the one that was stored
    // first.
    const first = this.#authorities.get('authority') ?? made;
    this.#authorities.put('authority', first);
    return first;
  }
}

/**
 * Returns a certificate serial number of sixteen hexadecimal digits. The first bit is zero, so that the number is
 * positive.
 */
function newSerialNumber(): string {
  return `1${randomBytes(8).toString('hex').slice(1)}`;
}

function serialOf(serialNumber: string): string {
  return serialNumber.toLowerCase().replace(/^0+/, '');
}

/** Exports a private key as PKCS#8 in PEM format, encrypted if a password is given. */
async function exportKey(key: webcrypto.CryptoKey, password?: string): Promise<string> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const encryption = password === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: password };
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({
    type: 'pkcs8',
    format: 'pem',
    ...encryption,
  }) as string;
}

function derOf(pem: string): Buffer {
  return createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
}
