import { describe, expect, test } from 'vitest';
import { decimalMarkOf, findAmounts } from './amounts.js';
import { dateOrderOf, findDates } from './dates.js';
import { findIbans } from './ibans.js';
import { findLabels } from './labels.js';
import { findTaxIds, readLabelledTaxId } from './tax-ids.js';
import { normaliseText } from './normalise.js';

describe('amounts', () => {
  test.each([
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1 234,56 zł', '1234.56'],
    ["CHF 1'234.50", '1234.50'],
    ['1,23,456.00', '123456.00'],
    ['€ 12,-', '12.00'],
    ['-5,00', '-5.00'],
    ['5,00-', '-5.00'],
    ['(1.00)', '-1.00'],
    ['$0.99', '0.99'],
    ['12,5', '12.5'],
    ['¥ 12,300', '12300'],
    ['1.234.567', '1234567'],
    ['0,123', '0.123'],
  ])('reads %s as %s', (text, value) => {
    expect(findAmounts(normaliseText(text), undefined).map((amount) => amount.value)).toEqual([value]);
  });

  test('reads one separator and three digits by the decimal mark of the document', () => {
    expect(findAmounts('1.234', ',').map(({ value }) => value)).toEqual(['1234']);
    expect(findAmounts('1.234', '.').map(({ value }) => value)).toEqual(['1.234']);
    expect(decimalMarkOf(['12,50', '3,99', '1.25'])).toBe(',');
    expect(decimalMarkOf(['no amounts here'])).toBeUndefined();
  });

  test.each(['19 %', '7%', 'A4', '12/2024', 'INV-2024-001', '01.02.2024x', '#42', '1.2.3.4'])(
    'takes no amount from %s',
    (text) => {
      expect(findAmounts(text, undefined)).toEqual([]);
    },
  );
});

describe('dates', () => {
  test.each([
    ['2024-01-31', '2024-01-31'],
    ['2024/1/31', '2024-01-31'],
    ['31.1.2024', '2024-01-31'],
    ['31.01.24', '2024-01-31'],
    ['31-01-2024', '2024-01-31'],
    ['29 maart 2014', '2014-03-29'],
    ['5. März 2018', '2018-03-05'],
    ['1er février 2024', '2024-02-01'],
    ['12 de octubre de 2023', '2023-10-12'],
    ['5 lipca 2021 r.', '2021-07-05'],
    ['3 gennaio 2022', '2022-01-03'],
    ['March 5, 2018', '2018-03-05'],
    ['5th of March 2018', '2018-03-05'],
    ['31-DEC-2023', '2023-12-31'],
    ['20240131', '2024-01-31'],
  ])('reads %s as %s', (text, value) => {
    expect(findDates(normaliseText(text), undefined).map((date) => date.value)).toEqual([value]);
  });

  test('reads day and month in the order that another date of the document shows', () => {
    expect(dateOrderOf(['Due 02/25/2024'])).toBe('MONTH_FIRST');
    expect(dateOrderOf(['Due 25/02/2024'])).toBe('DAY_FIRST');
    expect(findDates('03/04/2024', 'MONTH_FIRST')[0]?.value).toBe('2024-03-04');
    expect(findDates('03/04/2024', 'DAY_FIRST')[0]?.value).toBe('2024-04-03');
  });

  test('says that day and month are unclear when nothing decides', () => {
    expect(findDates('03/04/2024', undefined)[0]).toMatchObject({ value: '2024-04-03', isAmbiguous: true });
    expect(findDates('13/04/2024', undefined)[0]).toMatchObject({ isAmbiguous: false });
  });

  test.each(['31.02.2024', '00.01.2024', '1.2.3', '12/2024', '10.10.1810'])('takes no date from %s', (text) => {
    expect(findDates(text, undefined)).toEqual([]);
  });
});

describe('accounts and tax ids', () => {
  test('reads an IBAN with blanks inside a sentence, cut at the length of its country', () => {
    expect(findIbans('Please pay to NL13 RABO 0377 8155 00, thank you')).toMatchObject([
      { value: 'NL13RABO0377815500', isValid: true },
    ]);
  });

  test('marks an IBAN whose check digits fail', () => {
    expect(findIbans('IBAN: NL14RABO0377815500')).toMatchObject([{ value: 'NL14RABO0377815500', isValid: false }]);
  });

  test('reads a Polish account without its country', () => {
    expect(findIbans('Konto: 61 1090 1014 0000 0712 1981 2874')).toMatchObject([
      { value: 'PL61109010140000071219812874', isValid: true },
    ]);
  });

  test.each([
    ['USt-IdNr.: DE 136 695 976', 'DE136695976', true],
    ['NL8104.33.941.B.01', 'NL810433941B01', true],
    ['CHE-123.456.788 MWST', 'CHE123456788MWST', true],
    ['GSTIN: 27AAPFU0939F1ZV', '27AAPFU0939F1ZV', false],
    ['DE123456789', 'DE123456789', false],
  ])('finds the tax id of %s', (text, value, isProven) => {
    expect(findTaxIds(text)).toMatchObject([{ value, isProven }]);
  });

  test('proves a number without a prefix by the check digit of the country that the label names', () => {
    expect(readLabelledTaxId(': 526-104-08-28 Bank', 'PL')).toMatchObject({ value: '5261040828', isProven: true });
    expect(readLabelledTaxId(': 526-104-08-27', 'PL')).toMatchObject({ isProven: false });
  });
});

describe('labels', () => {
  test('finds the longest label, also where the producer split its words', () => {
    expect(findLabels('Rech nungs datum: 1.2.2024')[0]).toMatchObject({ key: 'rechnungsdatum', start: 0, end: 16 });
    expect(findLabels('Order date')[0]?.entries.map(({ kind }) => kind)).toEqual(['otherDate']);
  });

  test('finds no label inside a word, except at the end of a German compound', () => {
    expect(findLabels('Update')).toEqual([]);
    expect(findLabels('Handelsrechnung')[0]).toMatchObject({ key: 'rechnung' });
  });
});

describe('ids with letters that OCR takes for digits', () => {
  const ibansOf = (text: string, isOcr: boolean) =>
    findIbans(text, isOcr).map(({ value, isValid }) => [value, isValid]);

  test.each([
    ['DE89 37O4 0044 0532 0I30 00', 'DE89370400440532013000'],
    ['GB29 NW8K 6016 1331 9268 19', 'GB29NWBK60161331926819'],
  ])('are repaired in an account only where its check digits then fit: %s', (text, value) => {
    const validOf = (isOcr: boolean, printed = text) => ibansOf(printed, isOcr).filter(([, isValid]) => isValid);
    expect(validOf(true)).toEqual([[value, true]]);
    expect(validOf(false)).toEqual([]);
    expect(validOf(true, text.replace('0044', '0045').replace('6016', '6017'))).toEqual([]);
  });

  test('are repaired in a tax id only where its check digit then fits', () => {
    const idsOf = (text: string, isOcr: boolean) =>
      findTaxIds(text, isOcr).map(({ value, isProven }) => [value, isProven]);
    expect(idsOf('VAT: DEI36695976', true)).toEqual([['DE136695976', true]]);
    expect(idsOf('VAT: DEI36695977', true)).not.toContainEqual([expect.anything(), true]);
    expect(idsOf('VAT: DEI36695976', false)).not.toContainEqual([expect.anything(), true]);
    expect(readLabelledTaxId(' 526-1O4-08-28', 'PL', true)).toMatchObject({ value: '5261040828', isProven: true });
    expect(readLabelledTaxId(' 526-1O4-08-28', 'PL')?.isProven).not.toBe(true);
  });
});
