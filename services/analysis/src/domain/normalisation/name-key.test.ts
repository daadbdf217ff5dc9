import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readName } from './name-key.js';

describe('the key of a supplier name', () => {
  test.each([
    ['Acme Supplies Ltd', 'ACME SUPPLIES'],
    ['Acme Supplies Limited.', 'ACME SUPPLIES'],
    ['S.A.R.L. Dupont', 'DUPONT'],
    ['Dupont SARL', 'DUPONT'],
    ['Müller Bau GmbH', 'MULLER BAU'],
    ['MULLER BAU G.m.b.H.', 'MULLER BAU'],
    ['Müller Bau GmbH & Co. KG', 'MULLER BAU'],
    ['Żabka Polska Sp. z o.o.', 'ZABKA POLSKA'],
    ['Zabka Polska spółka z ograniczoną odpowiedzialnością', 'ZABKA POLSKA'],
    ['Jansen B. V.', 'JANSEN'],
    ["O'Brien & Sons Ltd", 'OBRIEN SONS'],
    ['Bianchi S.p.A.', 'BIANCHI'],
    ['Østergaard A/S', 'OSTERGAARD'],
    ['Ελληνική Α.Ε.', 'ELLINIKI AE'],
    ['Limited', 'LIMITED'],
    ['', ''],
  ])('%s', (name, key) => {
    expect(readName(name).key).toBe(key);
  });

  test('the German spelling of umlauts meets in the folded form', () => {
    const written = readName('Mueller Bau GmbH');
    const printed = readName('Müller Bau GmbH');
    expect(written.fold).toBe(printed.fold ?? printed.key);
  });

  test('reading a key again changes nothing, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        const { key } = readName(name);
        expect(readName(key).key).toBe(key);
        expect(key).toMatch(/^[A-Z0-9 ]*$/);
      }),
    );
  });
});
