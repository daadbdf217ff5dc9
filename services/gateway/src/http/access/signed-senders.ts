import type { Clock } from '@invoicecontrol/runtime/clock';
import { addressGroup } from '../limits/client-address.js';

/**
 * Maximum number of known senders of signed requests. If it is reached, the sender that was inactive for the longest
 * time is removed.
 */
export const SENDERS_MAX = 1_000;
/** Time for which the IP address of a sender of signed requests remains known after its last valid signature. */
export const KNOWN_MS = 30 * 24 * 60 * 60_000;

/**
 * IP addresses that recently sent a valid signature. Part of the space for request bodies is reserved for these
 * addresses, because a signature can be checked only when its request body is complete, and unknown senders may send
 * endless bodies.
 */
export class SignedSenders {
  readonly #clock: Clock;
  /** Time until which each sender of signed requests is known, in the order in which the senders are removed. */
  readonly #knownUntilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(address: string): void {
    const group = addressGroup(address);
    this.#knownUntilMs.delete(group);
    this.#knownUntilMs.set(group, this.#clock.now().getTime() + KNOWN_MS);
    if (this.#knownUntilMs.size <= SENDERS_MAX) return;
    const [oldest] = this.#knownUntilMs.keys();
    if (oldest !== undefined) this.#knownUntilMs.delete(oldest);
  }

  has(address: string): boolean {
    return (this.#knownUntilMs.get(addressGroup(address)) ?? 0) > this.#clock.now().getTime();
  }
}
