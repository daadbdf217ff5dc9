import type { Clock } from '@invoicecontrol/runtime/clock';
import { addressGroup } from '../limits/client-address.js';

/** A sender that signs has few addresses; beyond so many, the one that sent the longest ago is evicted. */
export const SENDERS_MAX = 1_000;
/** An address stays known for so long after its last right signature. */
export const KNOWN_MS = 30 * 24 * 60 * 60_000;

/**
 * Addresses from which a right signature came lately. Their bodies have room of their own: a signature can be checked only
 * once its body is complete, and strangers may send bodies that never are.
 */
export class SignedSenders {
  readonly #clock: Clock;
  /** Time until which each sender is known, in the order of eviction. */
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
