import { expect, test } from 'vitest';
import { declaredProfiles } from './document-properties.js';

const EN = 'urn:cen.eu:en16931:2017';
const XRECHNUNG = `${EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`;

test.each([
  [EN, 'EN 16931', 'factur-x.xml'],
  [EN, 'COMFORT', 'zugferd-invoice.xml'],
  // ZUGFeRD 2.0 uses other identifiers for the same levels.
  [`${EN}#compliant#urn:zugferd.de:2p0:basic`, 'BASIC', 'factur-x.xml'],
  ['urn:ferd:CrossIndustryDocument:invoice:1p0:comfort', 'COMFORT', 'ZUGFeRD-invoice.xml'],
  [`${EN}#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3`, 'XRECHNUNG', 'xrechnung.xml'],
  ['urn:factur-x.eu:1p0:basicwl', 'BASIC WL', 'factur-x.xml'],
])('%s is one profile with the level %s and the name %s', (identifier, ...beside) => {
  expect(declaredProfiles([identifier], beside)).toEqual([identifier]);
});

test.each([
  ['urn:factur-x.eu:1p0:minimum', 'EN 16931'],
  [EN, 'XRECHNUNG'],
  [EN, 'xrechnung.xml'],
  [XRECHNUNG, EN],
])('%s is contradicted by %s next to it', (identifier, beside) => {
  expect(declaredProfiles([identifier], [beside, 'notes.xml', beside])).toEqual([identifier, beside]);
});

test('XML that declares no profile is contradicted by nothing', () => {
  expect(declaredProfiles([], ['EN 16931', 'xrechnung.xml'])).toEqual([]);
});
