import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/**
 * Lets only the operator of the installation through, and nobody where no token is configured.
 * @throws DomainError unauthenticated, after the same time for every wrong token
 */
export function operatorGuard(operatorToken: string | undefined): (context: RequestContext) => void {
  const expected = operatorToken === undefined ? undefined : digest(operatorToken);
  return ({ operatorToken: given = '' }) => {
    if (expected !== undefined && timingSafeEqual(digest(given), expected)) return;
    throw new DomainError('unauthenticated', "The operator's token is missing or wrong.");
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
