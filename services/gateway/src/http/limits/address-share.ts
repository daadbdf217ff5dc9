import { DomainError } from '@invoicecontrol/errors';
import type { Response } from 'express';
import { addressGroup } from './client-address.js';
import { holdUntilSettled, requestState } from '../response/request-state.js';
import { Share } from './share.js';

/** Same as {@link Share} for addresses; an IPv6 /64 is one address. */
export class AddressShare extends Share {
  override take(address: string): (() => void) | undefined {
    return super.take(addressGroup(address));
  }

  override held(address: string): number {
    return super.held(addressGroup(address));
  }
}

/**
 * Takes a place of the caller's address for work without a key, until the request is settled.
 * @returns gives the place back earlier, once the caller is known
 * @throws DomainError `rate_limited`
 */
export function takeUnauthenticated(response: Response, unauthenticated: AddressShare): () => void {
  const giveBack = unauthenticated.take(requestState(response).address);
  if (giveBack === undefined) {
    throw new DomainError(
      'rate_limited',
      'Too many concurrent requests without an API key from this address. Try again later.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  holdUntilSettled(response, giveBack);
  return giveBack;
}
