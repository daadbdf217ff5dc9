import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { addressGroup } from './client-address.js';

/** Maximum number of refused requests per IP address and minute (HTTP and security reference, section 7). */
export const FAILURES_PER_MINUTE_MAX = 20;
const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/**
 * Counts refused requests by IP address, in this process only, so that counting needs no call to a service. Requests
 * with a missing or malformed key are not counted.
 */
export class FailureBucket {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Refuses a request from an IP address if too many requests from this address were refused in the current minute.
   * @throws DomainError `rate_limited`
   */
  refuseExhausted(address: string): void {
    const refusal = this.refusalOf(address);
    if (refusal !== undefined) throw refusal;
  }

  /** Returns the refusal for an IP address from which too many requests were refused in the current minute. */
  refusalOf(address: string): DomainError | undefined {
    const window = this.#current(addressGroup(address));
    if (window === undefined || window.failures < FAILURES_PER_MINUTE_MAX) return undefined;
    return new DomainError(
      'rate_limited',
      'Too many requests from this IP address were refused. Retry the request later.',
      {
        retryAfterSeconds: Math.ceil((window.endsAt - this.#now()) / 1_000),
      },
    );
  }

  /**
   * Counts a refused request of the IP address.
   * @returns the refusal of the request, or the refusal from {@link refusalOf} if the address had already reached the
   * maximum
   */
  countedRefusal<R extends Error>(address: string, refusal: R): R | DomainError {
    const exhausted = this.refusalOf(address);
    if (exhausted === undefined) this.count(address);
    return exhausted ?? refusal;
  }

  count(address: string): void {
    const group = addressGroup(address);
    const window = this.#current(group) ?? { endsAt: this.#now() + WINDOW_MS, failures: 0 };
    window.failures += 1;
    this.#windows.set(group, window);
    if (this.#windows.size > ADDRESSES_MAX) this.#evictOldest();
  }

  #current(group: string): Window | undefined {
    const window = this.#windows.get(group);
    if (window === undefined || window.endsAt > this.#now()) return window;
    this.#windows.delete(group);
    return undefined;
  }

  #evictOldest(): void {
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
