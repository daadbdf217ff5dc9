import { expect, test } from 'vitest';
import {
  isAustralian,
  isBelgian,
  isGln,
  isItalianTaxCode,
  isItalianVatNumber,
  isNorwegian,
  isSwedish,
} from './identifiers.js';

test.each([
  ['GLN', isGln, '7300010000001', '7300010000002'],
  ['Norwegian number', isNorwegian, '974760673', '974760674'],
  ['Belgian number', isBelgian, '0202239951', '0202239952'],
  ['Swedish number', isSwedish, '5560360793', '5560360794'],
  ['ABN', isAustralian, '51824753556', '51824753557'],
  ['Italian tax code', isItalianTaxCode, 'RSSMRA85T10A562S', 'RSSMRA85T10A5620'],
  ['Italian VAT number', isItalianVatNumber, 'IT00743110157', 'IT00743110158'],
])('a %s is told by its check digits', (_what, isValid, right, wrong) => {
  expect(isValid(right)).toBe(true);
  expect(isValid(wrong)).toBe(false);
  expect(isValid('')).toBe(isValid === isItalianVatNumber);
});
