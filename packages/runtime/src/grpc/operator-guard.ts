import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { RequestContext } from '../request-context.js';

/**
 * Checks whether a service of the contracts is only for the operator of the installation. The name of the service
 * decides this, so that a new method of such a service is protected from the beginning.
 * @param fullName such as `invoicecontrol.operations.v1.OperatorService`
 */
export function isForOperator(fullName: string): boolean {
  return fullName.endsWith('.OperatorService');
}

/**
 * Accepts only the operator of the installation, and refuses every call if no token is configured. The returned context
 * has the operator as its actor, regardless of the actor in the call, and does not contain the token.
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
      'The operator token of the call is missing or wrong. Set OPERATOR_TOKEN to the operator token of the service.',
    );
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
