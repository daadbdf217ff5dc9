import { expect, test } from 'vitest';
import { asksFirst } from './asks-first.js';

test.each([
  'BANK_ACCOUNT_CHANGED',
  'PAYEE_DIFFERS',
  'SUPPLIER_LOOKALIKE_NAME',
  'KSEF_CONTENT_DIFFERS',
  'DOCUMENT_TAMPERED',
])('the confirmation of %s asks first, because it blocks the account', (type) => {
  expect(asksFirst('CONFIRMED', { type })).toBe('CONFIRMED');
  expect(asksFirst('FALSE_POSITIVE', { type })).toBeUndefined();
});

test.each(['DUPLICATE_INVOICE', 'DUPLICATE_DOCUMENT', 'AMOUNT_OUTLIER', 'BANK_ACCOUNT_MISSING'])(
  'the confirmation of %s blocks no account, and is sent at once',
  (type) => {
    expect(asksFirst('CONFIRMED', { type })).toBeUndefined();
  },
);

test('an accepted risk asks for its note', () => {
  expect(asksFirst('ACCEPTED_RISK', { type: 'AMOUNT_OUTLIER' })).toBe('ACCEPTED_RISK');
});
