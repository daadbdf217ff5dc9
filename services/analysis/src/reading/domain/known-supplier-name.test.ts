import { expect, test } from 'vitest';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { knownSupplierName } from './known-supplier-name.js';

const known = [{ nameKey: readName('Brunnenhof Gartenbau AG').key }];

test('confirms the name that was read if the supplier is known by it', () => {
  expect(knownSupplierName({ value: 'Brunnenhof Gartenbau AG', candidates: [] }, known)).toBe(
    'Brunnenhof Gartenbau AG',
  );
});

test('prefers a printed text that is the known name to the one that was read', () => {
  expect(knownSupplierName({ value: 'Rechnungsdienst', candidates: ['Brunnenhof Gartenbau AG'] }, known)).toBe(
    'Brunnenhof Gartenbau AG',
  );
});

test('confirms no other name', () => {
  expect(knownSupplierName({ value: 'Evil Factoring Ltd', candidates: ['Quick Pay'] }, known)).toBeUndefined();
});
