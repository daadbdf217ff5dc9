import { DomainError } from '@invoicecontrol/errors';
import { addressGroup } from './client-address.js';

/** Checks of unknown keys that one address may have running. */
export const CHECKS_AT_ONCE_MAX = 4;
/** Checks that wait behind them. */
export const CHECKS_WAITING_MAX = 200;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Makes the checks of an address wait for each other: guessing keys costs the organization service little, and a good key
 * behind the same address is late but never refused for the guesses.
 */
export class CheckLine {
  readonly #lines = new Map<string, Line>();

  /** @throws DomainError `unavailable` when too many wait already, and what `check` throws */
  async run<T>(address: string, check: () => Promise<T>): Promise<T> {
    const group = addressGroup(address);
    const line = this.#lines.get(group) ?? { running: 0, waiting: [] };
    this.#lines.set(group, line);
    if (line.running >= CHECKS_AT_ONCE_MAX) {
      if (line.waiting.length >= CHECKS_WAITING_MAX) {
        throw new DomainError(
          'unavailable',
          'Too many keys of this address wait for their check. Repeat the request in a moment.',
        );
      }
      // Whoever ends hands over its place.
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    } else {
      line.running += 1;
    }
    try {
      return await check();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if ((line.running -= 1) === 0) this.#lines.delete(group);
    }
  }
}
