import type { Company } from '../facts/companies.js';
import { describe, expect, test } from '@jest/globals';
import { COMPANY_ID, typesIn } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('BUY');

const own: Company = { companyId: COMPANY_ID, name: 'Musterwerk AG', taxId: 'DE811907980' };
const poland: Company = { companyId: 'poland', name: 'Musterwerk Polska Sp. z o.o.', taxId: 'PL5260250995' };
const { taxId: _, ...ownWithoutTaxId } = own;
const STRANGER = 'DE136695976';

const checked = (buyer: Bill['buyer'], companies: readonly Company[] | undefined = [own, poland]) =>
  ledger().bill(buyer === undefined ? {} : { buyer }, companies && { companies });

describe('BUYER_MISMATCH', () => {
  const found = (buyer: Bill['buyer'], companies?: readonly Company[]) =>
    findingIn(checked(buyer, companies), 'BUYER_MISMATCH');

  test('a tax id that no company has', () => {
    const billed = checked({ name: 'Other Holding', tax_id: STRANGER });
    expect(billed.analysis.decision).toBe('REVIEW');
    expect(findingIn(billed, 'BUYER_MISMATCH')).toMatchObject({
      severity: 'HIGH',
      confidence: 90,
      summary: 'Q7919 is addressed to DE136695976, which is not DE811907980.',
      evidence: { buyerTaxId: STRANGER, companyTaxId: 'DE811907980' },
    });
  });

  test('the tax id of another company than the one it was routed to', () => {
    expect(found({ tax_id: 'PL5260250995' })).toMatchObject({
      severity: 'HIGH',
      summary: 'Q7919 is addressed to Musterwerk Polska Sp. z o.o. (PL5260250995).',
    });
  });

  test.each([
    ['the same tax id', 'DE811907980'],
    ['spaced, in lower case and without its prefix', 'de 811 907 980'.slice(3)],
    ['a text that is no tax id', 'n/a'],
  ])('is silent for %s', (_title, tax_id) => {
    expect(typesOf(checked({ tax_id }))).toEqual([]);
  });

  test('is silent for the number in the register that is part of the tax id', () => {
    const french = { ...own, taxId: 'FR40303265045' };
    expect(found({ tax_id: '303 265 045' }, [french])).toBeUndefined();
    const swedish = { ...own, taxId: 'SE556012579001' };
    expect(found({ tax_id: '556012-5790' }, [swedish])).toBeUndefined();
    expect(found({ tax_id: '5560125' }, [swedish])).toBeDefined();
    expect(found({ tax_id: 'DE303265045' }, [french])).toBeDefined();
  });

  test('takes Northern Ireland for the United Kingdom, and a number without prefix for one of its company', () => {
    expect(found({ tax_id: 'XI980780684' }, [{ ...own, taxId: 'GB980780684' }])).toBeUndefined();
    const unprefixed = { ...own, taxId: '5260250995', country: 'PL' };
    expect(found({ tax_id: 'PL5260250995' }, [unprefixed])).toBeUndefined();
    expect(found({ tax_id: 'DE5260250995' }, [unprefixed])).toBeDefined();
  });

  test('the right name with another tax id may be a group, and is milder', () => {
    expect(found({ name: 'MUSTERWERK A.G.', tax_id: STRANGER })).toMatchObject({ severity: 'MEDIUM', confidence: 75 });
  });

  test('the tax id of a sister company says who is meant, however alike their names are', () => {
    const britain: Company = { companyId: COMPANY_ID, name: 'Nordlicht UK Ltd', taxId: 'GB980780684' };
    const sister: Company = { companyId: 'poland', name: 'Nordlicht Polska Sp. z o.o.', taxId: 'PL5260250995' };
    const addressed = { name: sister.name, tax_id: 'PL5260250995' };
    expect(found({ ...addressed, name: 'Nordlicht U.K. Limited' }, [britain, sister])).toMatchObject({
      severity: 'HIGH',
      confidence: 90,
    });
    expect(found(addressed, [britain, sister])).toMatchObject({ severity: 'HIGH' });
    const { taxId: _taxId, ...unregistered } = britain;
    expect(found({ ...addressed, name: 'Nordlicht UK' }, [unregistered, sister])).toMatchObject({
      summary: 'Q7919 is addressed to Nordlicht Polska Sp. z o.o. (PL5260250995).',
    });
  });

  test('a company whose tax id is not known is asked for its name', () => {
    const companies = [ownWithoutTaxId, poland];
    expect(found({ name: 'Musterwerk', tax_id: STRANGER }, companies)).toBeUndefined();
    expect(found({ name: 'Other Holding', tax_id: STRANGER }, companies)).toMatchObject({ severity: 'MEDIUM' });
    expect(found({ tax_id: STRANGER }, companies)).toMatchObject({
      severity: 'MEDIUM',
      summary: 'Q7919 is addressed to DE136695976, which is no tax id of this organization.',
    });
  });

  test('is settled by one review for every further invoice to that tax id', () => {
    const acme = ledger();
    const options = { companies: [own] };
    const [first, second] = [1, 2].map(() => acme.bill({ buyer: { tax_id: STRANGER } }, options));
    const keys = [first, second].map((billed) => billed && findingIn(billed, 'BUYER_MISMATCH')?.evidence.key);
    expect(keys[0]).toBe(keys[1]);
  });
});

describe('BUYER_NAME_MISMATCH', () => {
  test.each([
    ['a name that shares nothing', 'Blaupunkt Handels KG', true],
    ['the name', 'Musterwerk', false],
    ['the name in another spelling', 'MUSTERWERK  A. G.', false],
    ['the name misspelt', 'Musterwrek AG', false],
    ['the name of a sister company', 'Musterwerk Polska', false],
    ['the name with a department', 'Musterwerk, Accounts Payable', false],
    ['a department alone', 'Abteilung Kreditorenbuchhaltung', false],
    ['nothing that is a name', '—', false],
  ])('%s', (_title, name, isRaised) => {
    const finding = findingIn(checked({ name }), 'BUYER_NAME_MISMATCH');
    if (isRaised) expect(finding).toMatchObject({ severity: 'MEDIUM', confidence: 70, evidence: { buyerName: name } });
    else expect(finding).toBeUndefined();
  });

  test('a tax id speaks for the buyer, whatever the name', () => {
    expect(typesOf(checked({ name: 'Blaupunkt', tax_id: 'DE811907980' }))).toEqual([]);
  });
});

test('without companies, or where none has a tax id, nobody is told that others are meant', () => {
  for (const companies of [undefined, [], [ownWithoutTaxId]]) {
    const acme = ledger();
    const options = companies === undefined ? {} : { companies };
    expect(typesOf(acme.bill({ buyer: { name: 'Blaupunkt', tax_id: STRANGER } }, options))).toEqual([]);
    expect(typesOf(acme.bill({ buyer: { name: 'Blaupunkt' } }, options))).toEqual([]);
  }
});

test('an invoice that names no buyer is not asked for one', () => {
  expect(typesOf(checked(undefined))).toEqual([]);
});
