import { DomainError } from '@invoicecontrol/errors';
import type { Response } from 'express';
import { addressGroup } from './client-address.js';
import { holdUntilSettled, requestState } from '../response/request-state.js';
import { Share } from './share.js';

/**
 * Limits the concurrent requests of each IP address ({@link Share}). All addresses in an IPv6 /64 network count as one
 * address.
 */
export class AddressShare extends Share {
  override take(address: string): (() => void) | undefined {
    return super.take(addressGroup(address));
  }

  override held(address: string): number {
    return super.held(addressGroup(address));
  }
}

/**
 * Reserves a slot of an IP address for a request without an API key, until the response is complete.
 * @returns a function that releases the slot earlier, when the caller is known
 * @throws DomainError `rate_limited`
 */
export function takeUnauthenticated(response: Response, unauthenticated: AddressShare): () => void {
  const giveBack = unauthenticated.take(requestState(response).address);
  if (giveBack === undefined) {
    throw new DomainError(
      'rate_limited',
      'Too many requests without an API key from this IP address are in progress. Retry the request later.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  holdUntilSettled(response, giveBack);
  return giveBack;
}
