import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { haveOtherLegalForms, legalFormOf, readName, withoutMisspeltForm } from './name-key.js';

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
    ['Brandt Bau GmbH und Co. KG', 'BRANDT BAU'],
    ['Weidlich IT UG (haftungsbeschränkt)', 'WEIDLICH IT'],
    ['Meridian Sagl', 'MERIDIAN'],
    ['Meridian Ltda.', 'MERIDIAN'],
    ['Meridian Exports Pvt. Ltd.', 'MERIDIAN EXPORTS'],
    ['Meridian Exports Private Limited', 'MERIDIAN EXPORTS'],
    ['Meridian (Pty) Ltd', 'MERIDIAN'],
    ['Meridian K.K.', 'MERIDIAN'],
    ['Meridian Bygg HB', 'MERIDIAN BYGG'],
    ['Meridian Aktiebolag', 'MERIDIAN'],
    ['Transportes Meridian, S.A. de C.V.', 'TRANSPORTES MERIDIAN'],
    ['HB Meridian', 'HB MERIDIAN'],
    ['KK Wind Solutions', 'KK WIND SOLUTIONS'],
    ['Saga Travel', 'SAGA TRAVEL'],
    ['Limited', 'LIMITED'],
    ['', ''],
  ])('%s', (name, key) => {
    expect(readName(name).key).toBe(key);
  });

  test('the folded form is equal for both German spellings of umlauts', () => {
    const written = readName('Mueller Bau GmbH');
    const printed = readName('Müller Bau GmbH');
    expect(written.fold).toBe(printed.fold ?? printed.key);
  });

  test.each([
    ['Меtаllbаu Нinriсhs GmbH', 'METALLBAU HINRICHS'],
    ['Fairfaх Logistics', 'FAIRFAX LOGISTICS'],
    ['АСМЕ Supplies', 'ACME SUPPLIES'],
    ['Νοrthwind Trαders', 'NORTHWIND TRADERS'],
    ['Ромашка Trading', 'ROMASHKA TRADING'],
    ['βeta Trading', 'BETA TRADING'],
    ['Вeta Trading', 'BETA TRADING'],
    ['ΒΕΤΑ Trading', 'BETA TRADING'],
    ['Вектор', 'VEKTOR'],
    ['Вектор GmbH', 'VEKTOR'],
  ])('%s is read by the shape of its letters only where it mixes scripts', (name, key) => {
    expect(readName(name).key).toBe(key);
  });

  test('the key of a key is the same key, for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        const { key } = readName(name);
        expect(readName(key).key).toBe(key);
        expect(key).toMatch(/^[A-Z0-9 ]*$/);
      }),
    );
  });
});

test('all spellings of a legal form are equal', () => {
  expect(legalFormOf('Acme Limited')).toBe('LTD');
  expect(haveOtherLegalForms('Acme Ltd', 'Acme Limited.')).toBe(false);
  expect(haveOtherLegalForms('Acme Pvt Ltd', 'Acme Private Limited')).toBe(false);
  expect(haveOtherLegalForms('Acme AB', 'Acme HB')).toBe(true);
  expect(haveOtherLegalForms('Acme Ltd', 'Acme')).toBe(false);
  expect(haveOtherLegalForms('Acme Ltd', 'Acme plc')).toBe(true);
});

describe('a name without the misspelt legal form after it', () => {
  test.each([
    ['Fairfax Logistics Limted', 'FAIRFAX LOGISTICS'],
    ['Metallbau Hinrichs Gmbh H', 'METALLBAU HINRICHS'],
    ['Metallbau Hinrichs GmbHH', 'METALLBAU HINRICHS'],
    ['Dupont SARLL', 'DUPONT'],
    ['Fairfax Ltdd', 'FAIRFAX'],
    ['Fairfax Lim ited', 'FAIRFAX'],
    ['Fairfax Logistics Ltd', 'FAIRFAX LOGISTICS'],
    ['Limted', 'LIMTED'],
    ['Kaufhaus Spar', 'KAUFHAUS SPAR'],
    ['Fairfax Logistics Cork', 'FAIRFAX LOGISTICS CORK'],
    ['Fairfax Euro', 'FAIRFAX EURO'],
    ['Northwind UK', 'NORTHWIND UK'],
  ])('%s', (name, rest) => {
    expect(withoutMisspeltForm(readName(name).key)).toBe(rest);
  });
});
