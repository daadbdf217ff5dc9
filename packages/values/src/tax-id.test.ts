import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { identifiesParty, parseTaxId, sameTaxId, taxIdValidity } from './tax-id.js';

describe('reading a tax id', () => {
  test.each([
    ['DE 136.695.976', { body: '136695976', country: 'DE' }],
    ['136695976', { body: '136695976' }],
    ['EL094259216', { body: '094259216', country: 'GR' }],
    ['GR094259216', { body: '094259216', country: 'GR' }],
    ['XI 980780684', { body: '980780684', country: 'GB' }],
    ['gb980780684', { body: '980780684', country: 'GB' }],
    ['CHE-116.281.710 MWST', { body: '116281710', country: 'CH' }],
    ['CHE116281710', { body: '116281710', country: 'CH' }],
    ['NO 974 760 673 MVA', { body: '974760673', country: 'NO' }],
    ['974760673 MVA', { body: '974760673' }],
    ['ESB58378431', { body: 'B58378431', country: 'ES' }],
    ['B58378431', { body: 'B58378431' }],
    ['ATU13585627', { body: 'U13585627', country: 'AT' }],
    ['FRK7399859412', { body: 'K7399859412', country: 'FR' }],
    ['RSSMRA85T10A562S', { body: 'RSSMRA85T10A562S' }],
    ['11.222.333/0001-81', { body: '11222333000181', country: 'BR' }],
    ['BR 11222333000181', { body: '11222333000181', country: 'BR' }],
    ['11222333000181', { body: '11222333000181' }],
    ['27 AAPFU0939F 1ZV', { body: '27AAPFU0939F1ZV', country: 'IN' }],
    ['IN27AAPFU0939F1ZV', { body: '27AAPFU0939F1ZV', country: 'IN' }],
    ['AAPFU0939F', { body: 'AAPFU0939F' }],
    ['T7000012050002', { body: 'T7000012050002', country: 'JP' }],
    ['7000012050002', { body: '7000012050002' }],
    ['12345 6782 RT 0001', { body: '123456782RT0001', country: 'CA' }],
    ['123456782', { body: '123456782' }],
  ])('%s', (raw, expected) => {
    expect(parseTaxId(raw)).toEqual(expected);
  });

  test.each([' - ', 'N/A', 'none', 'DE'])('%j is not a tax id', (text) => {
    expect(parseTaxId(text)).toBeUndefined();
  });

  test('a number of one repeated digit identifies no party', () => {
    expect(identifiesParty({ body: '0000000000' })).toBe(false);
    expect(identifiesParty({ body: '000000000B00' })).toBe(false);
    expect(identifiesParty({ body: 'A00000000' })).toBe(false);
    expect(identifiesParty({ body: '136695976' })).toBe(true);
  });

  test('parsing never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect((parseTaxId(text)?.body.length ?? 1) > 0).toBe(true);
      }),
    );
  });
});

test('a tax id equals itself without its prefix, but not with another country', () => {
  expect(sameTaxId({ body: '1', country: 'DE' }, { body: '1' })).toBe(true);
  expect(sameTaxId({ body: '1', country: 'DE' }, { body: '1', country: 'PT' })).toBe(false);
  expect(sameTaxId({ body: '1' }, { body: '2' })).toBe(false);
});

describe('validity is checked for one country', () => {
  test.each([
    ['136695976', 'DE', 'VALID'],
    ['136695977', 'DE', 'WRONG_CHECK_DIGIT'],
    ['13669597', 'DE', 'WRONG_FORMAT'],
    ['5260001246', 'PL', 'VALID'],
    ['0000000000', 'PL', 'WRONG_CHECK_DIGIT'],
    ['000000000B00', 'NL', 'WRONG_CHECK_DIGIT'],
    ['A00000000', 'ES', 'WRONG_CHECK_DIGIT'],
    ['980780684', 'GB', 'VALID'],
    ['107328000', 'GB', 'VALID'],
    ['107328097', 'GB', 'WRONG_CHECK_DIGIT'],
    ['GD001', 'GB', 'FORMAT_ONLY'],
    ['094259216', 'GR', 'VALID'],
    ['974760673', 'NO', 'VALID'],
    ['116281710', 'CH', 'VALID'],
    ['116281711', 'CH', 'WRONG_CHECK_DIGIT'],
    ['3206488LH', 'IE', 'VALID'],
    ['123456789', 'US', 'UNCHECKED'],
    ['11222333000181', 'BR', 'VALID'],
    ['11222333000185', 'BR', 'WRONG_CHECK_DIGIT'],
    ['27AAPFU0939F1ZV', 'IN', 'VALID'],
    ['27AAPFU0939F1ZW', 'IN', 'WRONG_CHECK_DIGIT'],
    ['AAPFU0939F', 'IN', 'UNCHECKED'],
    ['T7000012050002', 'JP', 'VALID'],
    ['T7000012050003', 'JP', 'FORMAT_ONLY'],
    ['123456782RT0001', 'CA', 'VALID'],
    ['123456789RT0001', 'CA', 'WRONG_CHECK_DIGIT'],
    ['123456789', 'CA', 'UNCHECKED'],
  ])('%s in %s is %s', (body, country, validity) => {
    expect(taxIdValidity(body, country)).toBe(validity);
  });
});
