import type { Company } from '../facts/companies.js';
import { describe, expect, test } from 'vitest';
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

  test('is raised for a tax id that no company has', () => {
    const billed = checked({ name: 'Other Holding', tax_id: STRANGER });
    expect(billed.analysis.decision).toBe('REVIEW');
    expect(findingIn(billed, 'BUYER_MISMATCH')).toMatchObject({
      severity: 'HIGH',
      confidence: 90,
      summary: 'Q7919 is addressed to Other Holding with tax id DE136695976, not to Musterwerk AG (DE811907980).',
      evidence: { buyerTaxId: STRANGER, companyTaxId: 'DE811907980' },
    });
  });

  test('is raised for the tax id of another company than the one it was routed to', () => {
    expect(found({ tax_id: 'PL5260250995' })).toMatchObject({
      severity: 'HIGH',
      summary: 'Q7919 is addressed to Musterwerk Polska Sp. z o.o. (PL5260250995).',
    });
  });

  test.each([
    ['the same tax id', 'DE811907980'],
    ['spaced, in lower case and without its prefix', 'de 811 907 980'.slice(3)],
    ['a text that is not a tax id', 'n/a'],
  ])('is not raised for %s', (_title, tax_id) => {
    expect(typesOf(checked({ tax_id }))).toEqual([]);
  });

  test('is not raised for the number in the register that is part of the tax id', () => {
    const french = { ...own, taxId: 'FR40303265045' };
    expect(found({ tax_id: '303 265 045' }, [french])).toBeUndefined();
    const swedish = { ...own, taxId: 'SE556012579001' };
    expect(found({ tax_id: '556012-5790' }, [swedish])).toBeUndefined();
    expect(found({ tax_id: '5560125' }, [swedish])).toBeDefined();
    expect(found({ tax_id: 'DE303265045' }, [french])).toBeDefined();
  });

  test('treats Northern Ireland as the United Kingdom, and a number without prefix as one of the country of its company', () => {
    expect(found({ tax_id: 'XI980780684' }, [{ ...own, taxId: 'GB980780684' }])).toBeUndefined();
    const unprefixed = { ...own, taxId: '5260250995', country: 'PL' };
    expect(found({ tax_id: 'PL5260250995' }, [unprefixed])).toBeUndefined();
    expect(found({ tax_id: 'DE5260250995' }, [unprefixed])).toBeDefined();
  });

  test('is milder for the right name with another tax id, which may be a group', () => {
    expect(found({ name: 'MUSTERWERK A.G.', tax_id: STRANGER })).toMatchObject({ severity: 'MEDIUM', confidence: 75 });
  });

  test('goes by the tax id between sister companies, however similar their names are', () => {
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

  test('compares names where the tax id of the company is unknown', () => {
    const companies = [ownWithoutTaxId, poland];
    expect(found({ name: 'Musterwerk', tax_id: STRANGER }, companies)).toBeUndefined();
    expect(found({ name: 'Other Holding', tax_id: STRANGER }, companies)).toMatchObject({ severity: 'MEDIUM' });
    expect(found({ tax_id: STRANGER }, companies)).toMatchObject({
      severity: 'MEDIUM',
      summary: 'Q7919 is addressed to tax id DE136695976, which no company of this organization has.',
    });
  });

  test('has one evidence key for all invoices to that tax id, so one review covers them', () => {
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

  test('is not raised when the tax id is right, whatever the name', () => {
    expect(typesOf(checked({ name: 'Blaupunkt', tax_id: 'DE811907980' }))).toEqual([]);
  });
});

test('raises nothing about buyers without companies, or where none states a tax id', () => {
  for (const companies of [undefined, [], [ownWithoutTaxId]]) {
    const acme = ledger();
    const options = companies === undefined ? {} : { companies };
    expect(typesOf(acme.bill({ buyer: { name: 'Blaupunkt', tax_id: STRANGER } }, options))).toEqual([]);
    expect(typesOf(acme.bill({ buyer: { name: 'Blaupunkt' } }, options))).toEqual([]);
  }
});

test('raises nothing about the buyer of an invoice that names none', () => {
  expect(typesOf(checked(undefined))).toEqual([]);
});
