import { DomainError } from '@invoicecontrol/errors';
import type { Response } from 'express';
import { addressGroup } from './client-address.js';
import { holdUntilSettled, requestState } from './request-state.js';

/** Counts what one address holds at the same time (an IPv6 /64 is one address), so that one cannot take what is for all. */
export class AddressShare {
  readonly #max: number;
  readonly #held = new Map<string, number>();

  /** @param max 0: no bound */
  constructor(max: number) {
    this.#max = max;
  }

  /** @returns gives it back, once however often it is called; undefined when the address holds its whole share */
  take(address: string): (() => void) | undefined {
    if (this.#max === 0) return () => {};
    const group = addressGroup(address);
    const held = this.#held.get(group) ?? 0;
    if (held >= this.#max) return undefined;
    this.#held.set(group, held + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#held.get(group) ?? 1) - 1;
      if (left === 0) this.#held.delete(group);
      else this.#held.set(group, left);
    };
  }

  /** What the address holds now. */
  held(address: string): number {
    return this.#held.get(addressGroup(address)) ?? 0;
  }

  /** Addresses that hold something. */
  get addresses(): number {
    return this.#held.size;
  }
}

/**
 * Takes a place of the caller's address for work without a key, until the request is settled.
 * @throws DomainError `rate_limited`
 */
export function takeUnauthenticated(response: Response, unauthenticated: AddressShare): void {
  const giveBack = unauthenticated.take(requestState(response).address);
  if (giveBack === undefined) {
    throw new DomainError(
      'rate_limited',
      'Too many requests without a key at once from this address. Try again later.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  holdUntilSettled(response, giveBack);
}
