import { describe, expect, test } from 'vitest';
import { evidenceKey, subject } from '@invoicecontrol/engine/explanation/subject';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { pairKeysOf } from './finding-disposition.js';
import { accountOf } from '../../reviews/domain/review.js';
import { withSubjects } from './stored-subjects.js';

const invoice = { invoiceId: 'new', supplierId: 'supplier', bankKey: 'DE89370400440532013000' };

function stored(type: FindingType, family: 'DUP' | 'BANK' | 'SUP', about: readonly string[], related: string[] = []) {
  const evidence = { key: evidenceKey(type, about), rule: type, parameters: {}, observed: {}, explanation: [] };
  return { type, family, evidence, relatedInvoiceIds: related };
}

describe('a finding that was stored without subjects', () => {
  test('is about the pairs of its related records', () => {
    const finding = withSubjects(stored('DUPLICATE_INVOICE', 'DUP', ['new', 'old'], ['old']), invoice);
    const expected = subject.pair('old', 'new');
    expect(pairKeysOf(finding)).toEqual([expected.kind === 'PAIR' && expected.pairKey]);
  });

  test('is about no pair when it is about a file', () => {
    expect(pairKeysOf(withSubjects(stored('DUPLICATE_DOCUMENT', 'DUP', ['new'], ['old']), invoice))).toEqual([]);
  });

  test.each<[string, readonly string[], string | undefined]>([
    ['of the supplier', ['supplier', invoice.bankKey], invoice.bankKey],
    ['alone', [invoice.bankKey], invoice.bankKey],
    ['that is not the invoice’s', ['supplier', 'another'], undefined],
  ])('is about the account that its key names: %s', (_, about, expected) => {
    expect(accountOf(withSubjects(stored('BANK_ACCOUNT_CHANGED', 'BANK', about), invoice))).toBe(expected);
  });

  test('is about the account of the invoice when it is another sign of fraud', () => {
    const finding = withSubjects(stored('SUPPLIER_LOOKALIKE_NAME', 'SUP', ['supplier', 'other']), invoice);
    expect(accountOf(finding)).toBe(invoice.bankKey);
  });
});

test('leaves the subjects of a stored finding as they are', () => {
  const subjects = [subject.account('another')];
  const finding = { ...stored('BANK_ACCOUNT_CHANGED', 'BANK', ['supplier', invoice.bankKey]), subjects };
  expect(withSubjects(finding, invoice).subjects).toBe(subjects);
});
