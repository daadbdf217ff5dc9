import { expect, test } from '@jest/globals';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { operatorGuard } from './operator-guard.js';

const token = 'operator-token-of-the-unit-tests';
const context: RequestContext = { requestId: 'request', actor: { type: 'OPERATOR', id: 'operator' } };

test('lets the configured token through, and refuses another one and none', () => {
  const guard = operatorGuard(token);
  expect(() => guard({ ...context, operatorToken: token })).not.toThrow();
  for (const refused of [{ ...context, operatorToken: `${token}x` }, { ...context, operatorToken: '' }, context]) {
    expect(() => guard(refused)).toThrow(expect.objectContaining({ kind: 'unauthenticated' }));
  }
});

test('refuses every call where no token is configured', () => {
  const guard = operatorGuard(undefined);
  for (const refused of [{ ...context, operatorToken: token }, { ...context, operatorToken: '' }, context]) {
    expect(() => guard(refused)).toThrow(expect.objectContaining({ kind: 'unauthenticated' }));
  }
});
