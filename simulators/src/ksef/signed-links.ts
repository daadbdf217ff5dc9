import { createHmac, randomBytes } from 'node:crypto';
import type { Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import { timestamp } from './numbers.js';
import type { Store, Table } from './store.js';

interface SignedLinksDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns the URL of the KSeF environment without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Creates and checks pre-signed KSeF addresses, which need no token and expire. */
export class SignedLinks {
  readonly #deps: SignedLinksDeps;
  readonly #secrets: Table<string>;

  constructor(deps: SignedLinksDeps) {
    this.#deps = deps;
    this.#secrets = deps.store.table('secrets');
  }

  /**
   * Returns a signed address for a path below the URL of the KSeF environment.
   * @param base base address that replaces the environment URL
   */
  sign(
    path: string,
    lifetimeMs: number,
    base = this.#deps.baseUrl(),
  ): { readonly url: string; readonly expires: string } {
    const expires = new Date(this.#deps.clock.now().getTime() + lifetimeMs);
    const query = `expires=${expires.getTime()}&signature=${this.#signatureOf(path, String(expires.getTime()))}`;
    return { url: `${base}${path}?${query}`, expires: timestamp(expires) };
  }

  /** Checks whether the address of a KSeF call was signed by this simulator and has not expired. */
  isValid({ path, query: { expires = '', signature = '' } }: Call): boolean {
    return signature === this.#signatureOf(path, expires) && Number(expires) > this.#deps.clock.now().getTime();
  }

  #signatureOf(path: string, expires: string): string {
    let secret = this.#secrets.get('downloads');
    if (secret === undefined) {
      secret = randomBytes(32).toString('hex');
      this.#secrets.put('downloads', secret);
    }
    return createHmac('sha256', secret).update(`${path} ${expires}`).digest('base64url');
  }
}
