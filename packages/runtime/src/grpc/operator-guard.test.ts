import { expect, test } from 'vitest';
import type { RequestContext } from '../request-context.js';
import { isForOperator, operatorGuard } from './operator-guard.js';

const token = 'operator-token-of-the-unit-tests';
const context: RequestContext = { requestId: 'request', actor: { type: 'SYSTEM', id: 'somebody' } };
const unauthenticated = expect.objectContaining({ kind: 'unauthenticated' });

test('lets the configured token through as the operator, and hands the token on to nobody', () => {
  expect(operatorGuard(token)({ ...context, operatorToken: token })).toEqual({
    requestId: 'request',
    actor: { type: 'OPERATOR', id: 'somebody' },
  });
});

test('refuses another token and none', () => {
  const guard = operatorGuard(token);
  for (const refused of [{ ...context, operatorToken: `${token}x` }, { ...context, operatorToken: '' }, context]) {
    expect(() => guard(refused)).toThrow(unauthenticated);
  }
});

test('refuses every call where no token is configured', () => {
  const guard = operatorGuard(undefined);
  for (const refused of [{ ...context, operatorToken: token }, { ...context, operatorToken: '' }, context]) {
    expect(() => guard(refused)).toThrow(unauthenticated);
  }
});

test.each([
  ['invoicecontrol.scan.v1.OperatorService', true],
  ['invoicecontrol.scan.v1.ScanService', false],
  ['invoicecontrol.scan.v1.NotAnOperatorService', false],
])('%s is for the operator alone: %s', (fullName, expected) => {
  expect(isForOperator(fullName)).toBe(expected);
});
