import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { RequestContext } from '../request-context.js';

/**
 * Tells whether a service of the contracts is only for the operator of the installation. The name decides, so that a new rpc in
 * one is guarded from the start.
 * @param fullName `invoicecontrol.operations.v1.OperatorService`
 */
export function isForOperator(fullName: string): boolean {
  return fullName.endsWith('.OperatorService');
}

/**
 * Lets only the operator of the installation through, and nobody where no token is configured. The returned context has
 * the operator as actor, whatever actor the call names, and no token.
 * @throws DomainError unauthenticated, after the same time for every wrong token
 */
export function operatorGuard(operatorToken: string | undefined): (context: RequestContext) => RequestContext {
  const expected = operatorToken === undefined ? undefined : digest(operatorToken);
  return ({ operatorToken: given = '', ...context }) => {
    if (expected !== undefined && timingSafeEqual(digest(given), expected)) {
      return { ...context, actor: { type: 'OPERATOR', id: context.actor.id } };
    }
    throw new DomainError(
      'unauthenticated',
      'The operator token is missing or wrong. Set OPERATOR_TOKEN to the one that the service has.',
    );
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
