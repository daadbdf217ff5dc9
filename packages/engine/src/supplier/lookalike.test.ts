import { describe, expect, test } from 'vitest';
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

test('a name with its umlauts written in two letters, all or some, is no lookalike', () => {
  for (const written of ['Mueller Goetz', 'Muller Goetz', 'Mueller Gotz']) {
    const { left, right } = namesOf('Müller Götz', written);
    expect(likenessOf(left, right)).toBeUndefined();
  }
});

describe('lookalike names, which share a key', () => {
  test.each([
    ['a letter replaced', 'Northwind Traders', 'Northwing Traders', { kind: 'TYPING', edits: 1 }],
    ['a letter doubled', 'Northwind Traders', 'Northwind Tradders', { kind: 'TYPING', edits: 1 }],
    ['an E put in behind a U', 'Loire Informatique', 'Loire Informatiquee', { kind: 'TYPING', edits: 1 }],
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
    [
      'the words in another order, joined otherwise',
      'Müller & Söhne Transport',
      'Transport Müller und Söhne',
      { kind: 'SAME_WORDS' },
    ],
    ['a country more', 'Acme Supplies', 'Acme Supplies Deutschland', { kind: 'SAME_WORDS' }],
    ['a country more behind a short name', 'Acme Ltd', 'Acme Poland Ltd', { kind: 'SAME_WORDS' }],
    ['an address on the web', 'Acme Supplies', 'www.acme-supplies.com', { kind: 'SAME_WORDS' }],
    ['an address on the web in one word', 'Northwind Exports', 'northwindexports.com', { kind: 'SAME_WORDS' }],
    ['a word for a firm in front', 'Northwind Traders', 'Fa. Northwind Traders', { kind: 'GENERIC_WORD' }],
    ['a department that collects', 'Northwind Traders', 'Northwind Traders (Inkasso)', { kind: 'GENERIC_WORD' }],
    ['another to whom the money goes', 'Acme Supplies', 'Acme Supplies Ltd c/o Payline', { kind: 'TRADING_NAME' }],
    ['a name that it trades under', 'Acme Supplies', 'Acme Ltd t/a Acme Supplies', { kind: 'TRADING_NAME' }],
    [
      'the name of the firm before the one it trades under',
      'Borealis Foods',
      'Borealis Foods Ltd t/a Northern Bites',
      { kind: 'TRADING_NAME' },
    ],
    ['a plural', 'Harrow Supplies', 'Harrow Supply', { kind: 'WORD_FORM' }],
    ['a plural of another word', 'Northwind Technology', 'Northwind Technologies', { kind: 'WORD_FORM' }],
    ['an abbreviation', 'Harrow Bros', 'Harrow Brothers', { kind: 'WORD_FORM' }],
    ['an abbreviation of a trade', 'Northwind Mfg', 'Northwind Manufacturing', { kind: 'WORD_FORM' }],
    ['a short plural', 'Harrow & Son Ltd', 'Harrow & Sons Ltd', { kind: 'WORD_FORM' }],
    ['a short plural, joined otherwise', 'Harrow and Son', 'Harrow & Sons', { kind: 'WORD_FORM' }],
    ['brothers in Italian', 'F.lli Rossetti', 'Fratelli Rossetti', { kind: 'WORD_FORM' }],
    ['two words with a slip each', 'Northwind Traders', 'Northwing Trader', { kind: 'TWO_SLIPS' }],
    ['two letters in one half of a word of nine', 'Northwind Traders', 'Nartswind Traders', { kind: 'TWO_SLIPS' }],
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
    ['a short word next to a long one', 'Nord Spedition', 'Lord Spedition'],
    ['two letters of a word of six', 'Kontor', 'Kantur'],
    ['two companies of a group in two countries', 'Acme Supplies Poland', 'Acme Supplies Italia'],
    ['names that share the words that join', 'Foods of the North', 'Foods of the South'],
    ['two letters and another initial', 'Northwinder', 'Sorthwinter'],
    ['three letters', 'Northwinder', 'Narthwantar'],
    ['a son and a brother', 'Harrow & Son', 'Harrow Bros'],
    ['two trades with one stem', 'Harrow Supplies', 'Harrow Support'],
    ['plurals in two countries', 'Acme Supplies Poland', 'Acme Supply Italia'],
    ['a short brand and its plural', 'Alfa', 'Alfas'],
    ['sister companies', 'Acme Logistics', 'Acme Catering'],
    ['three words that differ by a letter each', 'Northwind Traders Berlin', 'Northwing Trader Berlim'],
    ['one word more', 'Northwind Traders', 'Northwind Traders Leipzig'],
    ['one generic word instead of another', 'Northwind Group', 'Northwind Services'],
    ['a generic word next to a short brand', 'Alfa', 'Alfa Group'],
    ['the one spelling and the other of umlauts', 'Mueller Bau', 'Müller Bau'],
    ['the manager of an owner', 'Brunnthal Verwaltung', 'Haus Seeblick c/o Brunnthal Verwaltung'],
    ['two owners with one manager', 'Haus Seeblick c/o Brunnthal', 'Haus Talblick c/o Brunnthal'],
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
  expect(lookalikeKeysOf(left).length).toBeLessThanOrEqual(192);
});
