import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/**
 * Lets only the operator of the installation through, where a token is configured.
 * @throws DomainError unauthenticated, after the same time for every wrong token
 */
export function operatorGuard(operatorToken: string | undefined): (context: RequestContext) => void {
  if (operatorToken === undefined) return () => {};
  const expected = digest(operatorToken);
  return ({ operatorToken: given = '' }) => {
    if (timingSafeEqual(digest(given), expected)) return;
    throw new DomainError('unauthenticated', "The operator's token is missing or wrong.");
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
