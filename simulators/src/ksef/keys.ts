import { constants, createHash, createPrivateKey, privateDecrypt, randomBytes, webcrypto } from 'node:crypto';
import { X509Certificate, X509CertificateGenerator, X509CrlGenerator } from '@peculiar/x509';
import type { Clock } from '../erp/clock.js';
import type { Store, Table } from './store.js';

export type KeyUsage = 'KsefTokenEncryption' | 'SymmetricKeyEncryption';

const DAY_MS = 86_400_000;
const VALID_MS = 10 * 366 * DAY_MS;
/** Algorithm for RSA key pairs with 2,048 bits that sign with SHA-256. */
export const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2_048,
  publicExponent: Uint8Array.of(1, 0, 1),
} as const;

/** A key pair of the simulated KSeF with its self-signed certificate. */
export interface KeyPair {
  /** Id of the public key of the simulated KSeF: SHA-256 hash of its SPKI in base64. */
  readonly id: string;
  readonly usage: KeyUsage | 'Seal';
  /** Private key of the pair, as PKCS#8 in PEM format. */
  readonly privateKey: string;
  /** Certificate of the simulated KSeF in DER format as base64. */
  readonly certificate: string;
  readonly validFrom: string;
  readonly validTo: string;
}

/** Key pairs of one simulated KSeF environment, created at first use and then kept. */
export class Keys {
  readonly #table: Table<KeyPair>;
  readonly #clock: Clock;
  readonly #environment: string;
  #made: Promise<void> | undefined;

  constructor(store: Store, clock: Clock, environment: string) {
    this.#table = store.table('keys');
    this.#clock = clock;
    this.#environment = environment;
  }

  /**
   * Creates the key pairs of the simulated KSeF. The other methods of this class may be called only after this method
   * has resolved.
   */
  async ready(): Promise<void> {
    this.#made ??= this.#makeFirst();
    return this.#made;
  }

  /** Lists the published encryption keys of the simulated KSeF, the oldest first. */
  published(): readonly KeyPair[] {
    return [...this.#table.values()].filter(({ usage }) => usage !== 'Seal');
  }

  /** Returns the key pair that signs KSeF confirmations. */
  seal(): KeyPair {
    const seal = [...this.#table.values()].find(({ usage }) => usage === 'Seal');
    if (seal === undefined) throw new Error('The keys have not been created yet.');
    return seal;
  }

  /**
   * Returns the revocation list (CRL) of the simulated KSeF in PEM format. The certificate of the seal is self-signed,
   * so the key of the seal signs the list too.
   * @param isSealRevoked true if the list names the certificate of the seal
   */
  async revocationList(isSealRevoked: boolean): Promise<string> {
    const { certificate, privateKey, validTo } = this.seal();
    const { subject, serialNumber } = new X509Certificate(Buffer.from(certificate, 'base64'));
    const pkcs8 = createPrivateKey(privateKey).export({ format: 'der', type: 'pkcs8' });
    const list = await X509CrlGenerator.create(
      {
        issuer: subject,
        thisUpdate: this.#clock.now(),
        nextUpdate: new Date(validTo),
        entries: isSealRevoked ? [{ serialNumber }] : [],
        signingAlgorithm: RSA,
        signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, RSA, false, ['sign']),
      },
      webcrypto,
    );
    // The label of the PEM block of a certificate is replaced, because the library and OpenSSL write different labels.
    return list.toString('pem').replaceAll(' CRL-----', ' X509 CRL-----');
  }

  /** Adds one key pair of the simulated KSeF for each usage, valid from the current time on. */
  async rotate(): Promise<void> {
    await this.ready();
    await this.#add(['KsefTokenEncryption', 'SymmetricKeyEncryption'], this.#clock.now());
  }

  /** Withdraws the oldest published key pair for each usage from the simulated KSeF. */
  async withdraw(): Promise<void> {
    await this.ready();
    for (const usage of ['KsefTokenEncryption', 'SymmetricKeyEncryption'] as const) {
      const oldest = this.published().find((pair) => pair.usage === usage);
      if (oldest !== undefined) this.#table.delete(oldest.id);
    }
  }

  isKnown(id: string): boolean {
    return this.published().some((pair) => pair.id === id);
  }

  /**
   * Decrypts a string that a client encrypted with a published key of KSeF. If the client names a key, only that key is
   * tried.
   * @returns undefined if no key for the given usage can decrypt the string
   */
  decrypt(usage: KeyUsage, encrypted: Uint8Array, id: string | undefined): Buffer | undefined {
    for (const pair of this.published()) {
      if (pair.usage !== usage || (id !== undefined && pair.id !== id)) continue;
      try {
        const key = { key: pair.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
        return privateDecrypt(key, encrypted);
      } catch {
        // The data was encrypted for another private key of the simulated KSeF, so the next key is tried.
      }
    }
    return undefined;
  }

  async #makeFirst(): Promise<void> {
    if (this.#table.size > 0) return;
    const yesterday = new Date(this.#clock.now().getTime() - DAY_MS);
    await this.#add(['KsefTokenEncryption', 'SymmetricKeyEncryption', 'Seal'], yesterday);
  }

  async #add(usages: readonly KeyPair['usage'][], from: Date): Promise<void> {
    const pairs = await Promise.all(usages.map(async (usage) => createKeyPair(usage, from, this.#environment)));
    for (const pair of pairs) this.#table.put(pair.id, pair);
  }
}

/** Returns the SHA-256 hash of an invoice file or a key in base64. */
export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('base64');
}

/**
 * Converts a certificate to PEM format.
 * @param der certificate in DER format as base64
 */
export function toPem(der: string): string {
  return `-----BEGIN CERTIFICATE-----\n${der.match(/.{1,64}/g)?.join('\n') ?? ''}\n-----END CERTIFICATE-----\n`;
}

async function createKeyPair(usage: KeyPair['usage'], from: Date, environment: string): Promise<KeyPair> {
  // The certificates of the simulated KSeF state their validity in whole seconds.
  const validFrom = new Date(Math.floor(from.getTime() / 1_000) * 1_000);
  const validTo = new Date(validFrom.getTime() + VALID_MS);
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // The leading zero keeps the serial number of the certificate positive.
      serialNumber: `0${randomBytes(8).toString('hex').slice(1)}`,
      name: `CN=KSeF simulator ${environment} ${usage}, O=Ministerstwo Finansów, C=PL`,
      notBefore: validFrom,
      notAfter: validTo,
      signingAlgorithm: RSA,
      keys,
    },
    webcrypto,
  );
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey);
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  return {
    id: sha256(new Uint8Array(spki)),
    usage,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    certificate: Buffer.from(certificate.rawData).toString('base64'),
    validFrom: validFrom.toISOString(),
    validTo: validTo.toISOString(),
  };
}
