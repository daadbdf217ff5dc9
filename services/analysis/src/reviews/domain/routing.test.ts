import { describe, expect, test } from 'vitest';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { compareRules, readRule, ruleFor } from './routing.js';
import type { RoutingMatch, RoutingRule } from './routing.js';

const finding = { type: 'SUSPECTED_DUPLICATE', family: 'DUP', severity: 'HIGH' } as const;
const facts = {
  invoice: { companyId: 'c1', currency: 'EUR', grossAmount: '-1500.00' },
  supplier: { supplierId: 's1' },
  base: { currency: 'PLN', amount: '-6450.00' },
} as unknown as Facts;

const anyMatch: RoutingMatch = { types: [], families: [], severities: [], companyIds: [], supplierIds: [] };
const rule = (ruleId: string, match: Partial<RoutingMatch> = {}, changes: Partial<RoutingRule> = {}): RoutingRule => ({
  ruleId,
  name: ruleId,
  position: 1,
  enabled: true,
  match: { ...anyMatch, ...match },
  assignTo: `user-${ruleId}`,
  createdAt: new Date(0),
  ...changes,
});

describe('a rule takes a finding', () => {
  test.each<[string, Partial<RoutingMatch>, boolean]>([
    ['without any condition', {}, true],
    ['of one of its types', { types: ['DUPLICATE_INVOICE', 'SUSPECTED_DUPLICATE'] }, true],
    ['of no other type', { types: ['DUPLICATE_INVOICE'] }, false],
    ['of its family', { families: ['DUP'] }, true],
    ['of no other family', { families: ['BANK'] }, false],
    ['of its severity', { severities: ['HIGH'] }, true],
    ['of no other severity', { severities: ['CRITICAL'] }, false],
    ['for its company', { companyIds: ['c1'] }, true],
    ['for no other company', { companyIds: ['c2'] }, false],
    ['of its supplier', { supplierIds: ['s1'] }, true],
    ['of no other supplier', { supplierIds: ['s2'] }, false],
    ['when every condition holds', { families: ['DUP'], companyIds: ['c1'], currency: 'EUR' }, true],
    ['not when one of them does not', { families: ['DUP'], companyIds: ['c2'] }, false],
    ['in its currency', { currency: 'EUR' }, true],
    ['in no other currency, whatever it is worth', { currency: 'PLN' }, false],
    ['over its amount, credit notes by their size', { minAmount: '1500', currency: 'EUR' }, true],
    ['not under its amount', { minAmount: '1500.01', currency: 'EUR' }, false],
    ['over its amount in the base currency', { minAmount: '6450.00', currency: 'PLN' }, true],
    ['not under it', { minAmount: '6450.01', currency: 'PLN' }, false],
    ['not where the value is unknown', { minAmount: '1', currency: 'USD' }, false],
  ])('%s', (_, match, takes) => {
    expect(ruleFor([rule('r', match)], finding, facts)?.ruleId).toBe(takes ? 'r' : undefined);
  });

  test('unless it is switched off', () => {
    expect(ruleFor([rule('r', {}, { enabled: false })], finding, facts)).toBeUndefined();
  });
});

test.each(['', '  ', '\u200b \u2060'])('refuses a name without visible characters (%j)', (name) => {
  const input = { name, position: 1, enabled: true, match: anyMatch, assignTo: 'u' };
  expect(() => readRule(input, { companyIds: [], supplierIds: [] })).toThrow(/invisible/);
});

test.each(['a\u202eb', 'a\nb'])('refuses a name that hides something or has lines (%j)', (name) => {
  const input = { name, position: 1, enabled: true, match: anyMatch, assignTo: 'u' };
  expect(() => readRule(input, { companyIds: [], supplierIds: [] })).toThrow(
    expect.objectContaining({ kind: 'invalid', details: [expect.objectContaining({ path: 'name' })] }),
  );
});

test('accepts a name at the length limit, of any characters', () => {
  const name = '🙂'.repeat(200);
  const input = { name, position: 1, enabled: true, match: anyMatch, assignTo: 'u' };
  expect(readRule(input, { companyIds: [], supplierIds: [] })).toMatchObject({ name });
  const longer = () => readRule({ ...input, name: `${name}x` }, { companyIds: [], supplierIds: [] });
  expect(longer).toThrow(
    expect.objectContaining({ kind: 'invalid', details: [expect.objectContaining({ path: 'name' })] }),
  );
});

test('assigns by the first rule in order of position, and the older of two at one position', () => {
  const rules = [rule('b', {}, { position: 2 }), rule('c'), rule('a', { families: ['BANK'] }), rule('d')];
  const ordered = rules.toSorted(compareRules);
  expect(ordered.map(({ ruleId }) => ruleId)).toEqual(['a', 'c', 'd', 'b']);
  expect(ruleFor(ordered, finding, facts)?.ruleId).toBe('c');
});
