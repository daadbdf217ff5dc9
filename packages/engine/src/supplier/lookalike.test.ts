import { describe, expect, test } from '@jest/globals';
import { readName } from '../normalisation/name-key.js';
import { likenessOf, lookalikeKeysOf } from './lookalike.js';

function namesOf(...names: readonly [string, string]) {
  const [left, right] = names.map((name) => {
    const { key, fold } = readName(name);
    return { nameKey: key, ...(fold === undefined ? {} : { nameFold: fold }) };
  });
  if (left === undefined || right === undefined) throw new Error('two names are compared');
  return { left, right };
}

describe('lookalike names, which share a key', () => {
  test.each([
    ['a letter replaced', 'Northwind Traders', 'Northwing Traders', { kind: 'TYPING', edits: 1 }],
    ['a letter doubled', 'Northwind Traders', 'Northwind Tradders', { kind: 'TYPING', edits: 1 }],
    ['a letter left out', 'Northwind Traders', 'Norhwind Traders', { kind: 'TYPING', edits: 1 }],
    ['two letters swapped', 'Northwind Traders', 'Northwind Tarders', { kind: 'TYPING', edits: 1 }],
    ['a word of five letters', 'Stahl Kontor', 'Stohl Kontor', { kind: 'TYPING', edits: 1 }],
    ['two letters of a long word', 'Schneiderei Kowalski', 'Schnaidarei Kowalski', { kind: 'TYPING', edits: 2 }],
    ['two letters in one half of the only word', 'Commerzbanka', 'Comnarzbanka', { kind: 'TYPING', edits: 2 }],
    ['a space put in', 'Northwind', 'North Wind', { kind: 'SPACING' }],
    ['RN for M', 'Hermann Logistik', 'Herrnann Logistik', { kind: 'LOOKALIKE_LETTERS' }],
    ['VV for W', 'Wolters', 'VVolters', { kind: 'LOOKALIKE_LETTERS' }],
    ['CL for D', 'Dorint Hotels', 'Clorint Hotels', { kind: 'LOOKALIKE_LETTERS' }],
    ['a zero for an O', 'Contoso', 'C0nt0so', { kind: 'LOOKALIKE_LETTERS' }],
    ['a one for an L', 'Dell Systems', 'De1l Systems', { kind: 'LOOKALIKE_LETTERS' }],
    ['another legal form, and a letter', 'Northwind GmbH', 'Northwimd AG', { kind: 'TYPING', edits: 1 }],
    ['a swap that makes an umlaut', 'Vogelsang Bau', 'Vgoelsang Bau', { kind: 'TYPING', edits: 1 }],
    ['a misspelt legal form', 'Fairfax Logistics Ltd', 'Fairfax Logistics Limted', { kind: 'LEGAL_FORM' }],
    ['a legal form in two pieces', 'Metallbau Hinrichs GmbH', 'Metallbau Hinrichs Gmbh H', { kind: 'LEGAL_FORM' }],
    ['a generic word more', 'Northwind Traders', 'Northwind Traders International', { kind: 'GENERIC_WORD' }],
    ['two generic words less', 'Northwind Traders Group Europe', 'Northwind Traders', { kind: 'GENERIC_WORD' }],
  ])('%s', (_, one, other, likeness) => {
    const { left, right } = namesOf(one, other);
    expect(likenessOf(left, right)).toEqual(likeness);
    expect(likenessOf(right, left)).toEqual(likeness);
    const keys = lookalikeKeysOf(left);
    expect(lookalikeKeysOf(right).some((key) => keys.includes(key))).toBe(true);
  });
});

describe('names that are not lookalikes', () => {
  test.each([
    ['equal ones', 'Acme Ltd', 'ACME Limited'],
    ['short brands', 'Alfa', 'Alba'],
    ['a short word beside a long one', 'Nord Spedition', 'Lord Spedition'],
    ['two letters of a word of nine', 'Northwind', 'Nartwhind'],
    ['two letters and another initial', 'Northwinder', 'Sorthwinter'],
    ['three letters', 'Northwinder', 'Narthwantar'],
    ['sister companies', 'Acme Logistics', 'Acme Catering'],
    ['two words that differ by a letter each', 'Northwind Traders', 'Northwing Trader'],
    ['one word more', 'Northwind Traders', 'Northwind Traders Poland'],
    ['one generic word instead of another', 'Northwind Group', 'Northwind Services'],
    ['a generic word beside a short brand', 'Alfa', 'Alfa Group'],
    ['the one spelling and the other of umlauts', 'Mueller Bau', 'Müller Bau'],
    ['numbered branches', 'Filiale 10071', 'Filiale 10072'],
    ['branches numbered behind the name', 'Apotheke24117', 'Apotheke24118'],
    ['nothing at all', '&', '!'],
  ])('%s', (_, one, other) => {
    const { left, right } = namesOf(one, other);
    expect(likenessOf(left, right)).toBeUndefined();
  });
});

test('the keys of a name are bounded, however long it is', () => {
  const { left } = namesOf('Gesellschafterversammlung '.repeat(40), 'A');
  expect(lookalikeKeysOf(left).length).toBeLessThanOrEqual(128);
});
