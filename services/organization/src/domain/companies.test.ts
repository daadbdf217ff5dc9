import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { addCompany, changeCompany, COMPANIES_MAX, removeCompany, requireCompany } from './companies.js';
import type { Organization } from './organization.js';

const createdAt = new Date('2026-01-01T00:00:00Z');
const organization: Organization = {
  id: 'o',
  version: 1,
  name: 'Acme',
  billingEmail: undefined,
  baseCurrency: 'EUR',
  referenceValidationMode: 'DECLARED_PROFILES',
  fourEyes: false,
  plan: 'ENTERPRISE',
  subscriptionStatus: 'none',
  additionalLegalEntities: 0,
  companies: [{ id: 'first', name: 'Acme', taxId: undefined, country: undefined, createdAt }],
  defaultCompanyId: 'first',
  keySeriesId: 's',
  createdAt,
  deletion: undefined,
};
const add = (to: Organization, id: string, input: object = {}): Organization =>
  addCompany(to, { name: id, ...input }, { id, createdAt });

describe('the default company', () => {
  test('is the first one until another becomes the default', () => {
    const two = add(organization, 'second');
    expect(two.defaultCompanyId).toBe('first');
    expect(changeCompany(two, 'second', { isDefault: true }).defaultCompanyId).toBe('second');
    expect(add(two, 'third', { isDefault: true }).defaultCompanyId).toBe('third');
  });

  test('cannot be removed or unset', () => {
    for (const act of [
      () => removeCompany(organization, 'first'),
      () => changeCompany(organization, 'first', { isDefault: false }),
    ]) {
      expect(act).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    }
  });

  test('is one of the companies after any sequence of changes', () => {
    const ids = ['first', 'a', 'b', 'c'];
    const step = fc.record({
      act: fc.constantFrom('add', 'move', 'unset', 'remove'),
      id: fc.constantFrom(...ids),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = organization;
        for (const { act, id } of steps) {
          try {
            if (act === 'add' && !state.companies.some((company) => company.id === id)) state = add(state, id);
            if (act === 'move') state = changeCompany(state, id, { isDefault: true });
            if (act === 'unset') state = changeCompany(state, id, { isDefault: false });
            if (act === 'remove') state = removeCompany(state, id);
          } catch {
            // A refused change must leave the organization unchanged.
          }
          expect(state.companies.filter(({ id: each }) => each === state.defaultCompanyId)).toHaveLength(1);
        }
      }),
    );
  });
});

describe('a VAT id', () => {
  const german = add(organization, 'german', { taxId: 'DE136695976' });

  test.each([
    ['spelled the same', { taxId: 'DE136695976' }],
    ['spelled with blanks and dots', { taxId: ' de 136.695.976 ' }],
    ['without its prefix, in its country', { taxId: '136695976', country: 'DE' }],
    ['without its prefix and without a country', { taxId: '136695976' }],
  ])('belongs to one company only: %s', (_, input) => {
    expect(() => add(german, 'other', input)).toThrow(expect.objectContaining({ kind: 'already_exists' }));
    const two = add(german, 'other');
    expect(() => changeCompany(two, 'other', input)).toThrow(expect.objectContaining({ kind: 'already_exists' }));
  });

  test('with the same number in another country is a different one', () => {
    expect(add(german, 'other', { taxId: 'EE136695976' }).companies).toHaveLength(3);
  });

  test('is free again after its company is removed, and a company may keep its own', () => {
    const without = removeCompany(german, 'german');
    expect(add(without, 'again', { taxId: 'DE136695976' }).companies).toHaveLength(2);
    expect(changeCompany(german, 'german', { taxId: 'DE 136695976' }).companies[1]?.taxId).toBe('DE 136695976');
  });

  test('may be missing in any number of companies', () => {
    expect(add(add(organization, 'a'), 'b').companies).toHaveLength(3);
  });
});

describe('the number of companies', () => {
  const scale = { ...organization, plan: 'SCALE', additionalLegalEntities: 1 } as const;

  test('reaches the limit of the plan exactly', () => {
    const full = add(scale, 'second');
    expect(() => add(full, 'third')).toThrow(expect.objectContaining({ kind: 'usage_exceeded' }));
    expect(add(removeCompany(full, 'second'), 'third').companies).toHaveLength(2);
  });

  test('is limited on ENTERPRISE by the bound of the store only', () => {
    const companies = Array.from({ length: COMPANIES_MAX - 1 }, (_, index) => ({
      id: index === 0 ? 'first' : `c${index}`,
      name: 'x',
      taxId: undefined,
      country: undefined,
      createdAt,
    }));
    const nearly = { ...organization, companies };
    const full = add(nearly, 'last');
    expect(full.companies).toHaveLength(COMPANIES_MAX);
    expect(() => add(full, 'one-more')).toThrow(expect.objectContaining({ kind: 'usage_exceeded' }));
  });
});

describe('a field of a company', () => {
  test.each([
    ['a blank name', { name: ' ' }],
    ['a name that nobody can read', { name: 'A\u202eB' }],
    ['a tax id that nobody can read', { taxId: 'DE1366\u202e95976' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a VAT id without a letter or digit', { taxId: '--' }],
    ['an empty VAT id', { taxId: '' }],
    ['a country that does not exist', { country: 'QQ' }],
    ['a country in lower case', { country: 'de' }],
  ])('is refused with %s', (_, input) => {
    expect(() => add(organization, 'x', input)).toThrow(expect.objectContaining({ kind: 'invalid' }));
    expect(() => changeCompany(organization, 'first', input)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  test('is unchanged when a change does not name it', () => {
    const given = add(organization, 'x', { name: ' Acme GmbH ', taxId: 'DE136695976', country: 'DE' });
    const [, company] = changeCompany(given, 'x', { country: 'AT' }).companies;
    expect(company).toEqual({ id: 'x', name: 'Acme GmbH', taxId: 'DE136695976', country: 'AT', createdAt });
  });

  test('returns not_found for an unknown company', () => {
    for (const act of [
      () => requireCompany(organization, 'x'),
      () => changeCompany(organization, 'x', {}),
      () => removeCompany(organization, 'x'),
    ]) {
      expect(act).toThrow(expect.objectContaining({ kind: 'not_found', publicMessage: 'No such company.' }));
    }
  });
});
