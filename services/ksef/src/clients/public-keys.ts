import type { Logger } from '@invoicecontrol/runtime/logger';
import type { KsefEnvironment } from '../application/ksef-calls.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { choosePublicKey } from '../domain/public-keys.js';
import type { KeyUsage, PublicKey, PublishedCertificate } from '../domain/public-keys.js';

/** Age in milliseconds from which the public keys of KSeF are reloaded in the background. */
const KEYS_FRESH_MS = 3_600_000;

interface Published {
  readonly certificates: readonly PublishedCertificate[];
  readonly readAtMs: number;
}

/**
 * Public keys of each KSeF environment. Callers wait only while the keys are read for the first time, or after KSeF has
 * refused a key.
 */
export class PublicKeys {
  readonly #read: (environment: KsefEnvironment) => Promise<readonly PublishedCertificate[]>;
  readonly #nowMs: () => number;
  readonly #logger: Logger;
  readonly #published = new Map<KsefEnvironment, Published>();
  readonly #reading = new Map<KsefEnvironment, Promise<Published>>();

  constructor(deps: {
    readonly read: (environment: KsefEnvironment) => Promise<readonly PublishedCertificate[]>;
    readonly nowMs: () => number;
    readonly logger: Logger;
  }) {
    this.#read = deps.read;
    this.#nowMs = deps.nowMs;
    this.#logger = deps.logger;
  }

  /**
   * Chooses a public key of KSeF for a usage.
   * @throws KsefRefusal
   */
  async choose(environment: KsefEnvironment, usage: KeyUsage): Promise<PublicKey> {
    const known = this.#published.get(environment);
    if (known !== undefined && this.#nowMs() - known.readAtMs >= KEYS_FRESH_MS) {
      this.reload(environment).catch((error: unknown) => {
        this.#logger.warn({ environment, error }, 'The KSeF public keys could not be refreshed.');
      });
    }
    const now = new Date(this.#nowMs());
    const key = known === undefined ? undefined : choosePublicKey(known.certificates, usage, now);
    if (key !== undefined) return key;
    const { certificates } = await this.reload(environment);
    const read = choosePublicKey(certificates, usage, now);
    if (read !== undefined) return read;
    throw new KsefRefusal('TRANSIENT', `KSeF publishes no valid RSA key for ${usage}.`, { code: 'KSEF_NO_KEY' });
  }

  /**
   * Reads the public keys from KSeF now. Concurrent callers share one call.
   * @throws KsefRefusal
   */
  async reload(environment: KsefEnvironment): Promise<Published> {
    const reading =
      this.#reading.get(environment) ??
      this.#read(environment)
        .then((certificates) => {
          const published = { certificates, readAtMs: this.#nowMs() };
          this.#published.set(environment, published);
          return published;
        })
        .finally(() => this.#reading.delete(environment));
    this.#reading.set(environment, reading);
    return reading;
  }
}
