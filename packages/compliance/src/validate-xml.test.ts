import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ciiInvoice, PEPPOL, STANDARD, ublInvoice, XRECHNUNG } from './testing/base-invoices.js';
import { validateXml, type ValidationContext } from './validate-xml.js';
import type { ValidationMode } from './validation.js';

const EN = 'urn:cen.eu:en16931:2017';
const encode = (xml: string): Uint8Array => Buffer.from(xml);
const inPdf: ValidationContext = { embeddedInPdf: true, declaredProfiles: [] };

const ubl = (customization: string): Uint8Array => encode(ublInvoice(STANDARD, customization));
/** The business process of Peppol identifies Peppol if the specification identifier does not. */
const withoutProcess = (xml: Uint8Array): Uint8Array =>
  encode(
    Buffer.from(xml)
      .toString()
      .replace(/<cbc:ProfileID>.*?<\/cbc:ProfileID>/, ''),
  );
const cii = (customization: string): Uint8Array => encode(ciiInvoice(STANDARD, customization));

const CORE = 'en16931-1.3.16+own2';
const modes: readonly ValidationMode[] = ['OFF', 'DECLARED_PROFILES', 'ALL'];

/**
 * Rule sets that apply to each document in the modes OFF, DECLARED_PROFILES and ALL. Null if only the built-in checks
 * run.
 */
const matrix: readonly [
  what: string,
  xml: Uint8Array,
  profile: string | null,
  sets: readonly (readonly string[] | null)[],
  context?: ValidationContext,
][] = [
  ['plain UBL', ubl(EN), 'PLAIN', [null, null, [CORE]]],
  ['plain CII', cii(EN), 'PLAIN', [null, null, [CORE]]],
  ['UBL without an identifier', withoutProcess(ubl('')), null, [null, null, [CORE]]],
  ['UBL with an unknown identifier', withoutProcess(ubl('urn:example.com:ours')), 'PLAIN', [null, null, [CORE]]],
  ['Peppol BIS', ubl(PEPPOL), 'PEPPOL_BIS', [null, null, [CORE, 'peppol-2026.5+own2']]],
  [
    'Peppol self-billing',
    ubl(`${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0`),
    'PEPPOL_BIS',
    [null, null, [CORE, 'peppol-2026.5+own2']],
  ],
  ['PINT', ubl('urn:peppol:pint:billing-1@jp-1'), 'PEPPOL_PINT', [null, null, [CORE, 'peppol-2026.5+own2']]],
  [
    'XRechnung in UBL',
    ubl(XRECHNUNG),
    'XRECHNUNG',
    [null, [CORE, 'xrechnung-3.0.2+own2'], [CORE, 'xrechnung-3.0.2+own2']],
  ],
  [
    'XRechnung in CII',
    cii(XRECHNUNG),
    'XRECHNUNG',
    [
      null,
      [CORE, 'xrechnung-3.0.2+own2', 'cii-xsd-facturx-1.09-en16931'],
      [CORE, 'xrechnung-3.0.2+own2', 'cii-xsd-facturx-1.09-en16931'],
    ],
  ],
  [
    'Factur-X EN 16931 in a PDF',
    cii(EN),
    'FACTURX',
    [null, [CORE, 'cii-xsd-facturx-1.09-en16931'], [CORE, 'cii-xsd-facturx-1.09-en16931']],
    inPdf,
  ],
  [
    'Factur-X MINIMUM',
    cii('urn:factur-x.eu:1p0:minimum'),
    'FACTURX',
    [null, [CORE, 'cii-xsd-facturx-1.09-minimum'], [CORE, 'cii-xsd-facturx-1.09-minimum']],
  ],
  [
    'Factur-X BASIC WL',
    cii('urn:factur-x.eu:1p0:basicwl'),
    'FACTURX',
    [null, [CORE, 'cii-xsd-facturx-1.09-basic-wl'], [CORE, 'cii-xsd-facturx-1.09-basic-wl']],
  ],
  [
    'Factur-X EXTENDED',
    cii(`${EN}#conformant#urn:factur-x.eu:1p0:extended`),
    'FACTURX',
    [null, [CORE, 'cii-xsd-facturx-1.09-extended'], [CORE, 'cii-xsd-facturx-1.09-extended']],
  ],
  [
    'a CIUS without rules of its own',
    ubl(`${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0`),
    'NLCIUS',
    [null, [CORE], [CORE]],
  ],
  ['OIOUBL 2', ubl('OIOUBL-2.02'), 'OIOUBL', [null, ['fields-oioubl+own2'], ['fields-oioubl+own2']]],
  ['UBL-TR', ubl('TR1.2'), 'UBL_TR', [null, ['fields-ubl_tr+own2'], ['fields-ubl_tr+own2']]],
  [
    'Factur-X whose PDF declares another level',
    cii(EN),
    null,
    [null, null, [CORE]],
    { embeddedInPdf: true, declaredProfiles: ['EXTENDED', 'factur-x.xml'] },
  ],
  [
    'a format that is only recognised',
    encode('<Invoice xmlns="http://www.ebinterface.at/schema/6p1/"/>'),
    null,
    [null, null, null],
  ],
  ['XML that is no invoice', encode('<html/>'), null, [null, null, null]],
];

describe.each(matrix)('%s', (_what, xml, profile, sets, context) => {
  test.each(modes.map((mode, index) => [mode, sets[index] ?? null] as const))(
    'in mode %s runs %j',
    (mode, expected) => {
      const validation = validateXml(xml, mode, context);
      if (expected === null) expect(validation).toBeNull();
      else expect(validation).toMatchObject({ mode, profile, ruleSets: expected });
    },
  );
});

describe('the rules of a profile', () => {
  test.each([
    ['UBL', ublInvoice(), ublInvoice(STANDARD, XRECHNUNG)],
    ['CII', ciiInvoice(STANDARD, EN), ciiInvoice()],
  ])('hold for right invoices in %s', (_syntax, left, right) => {
    for (const xml of [left, right]) {
      expect(validateXml(encode(xml), 'ALL')).toMatchObject({ rules: [], total: 0, schemaErrors: [] });
    }
  });
  test('ask nothing about lines at the level MINIMUM', () => {
    const xml = ciiInvoice(STANDARD, 'urn:factur-x.eu:1p0:minimum').replace(
      /<ram:IncludedSupplyChainTradeLineItem>.*<\/ram:IncludedSupplyChainTradeLineItem>/s,
      '',
    );
    expect(validateXml(encode(xml), 'DECLARED_PROFILES')?.rules).toEqual([]);
    const wrong = xml.replace('252.00</ram:GrandTotalAmount>', '253.00</ram:GrandTotalAmount>');
    expect(validateXml(encode(wrong), 'DECLARED_PROFILES')?.rules.map((rule) => rule.id)).toEqual(['BR-CO-15']);
  });
  test('check the VAT breakdown at the level BASIC WL only', () => {
    const wrong = (level: string): Uint8Array =>
      encode(
        ciiInvoice(STANDARD, `urn:factur-x.eu:1p0:${level}`).replace(
          '<ram:CalculatedAmount>42.00',
          '<ram:CalculatedAmount>44.00',
        ),
      );
    expect(validateXml(wrong('minimum'), 'DECLARED_PROFILES')?.rules).toEqual([]);
    expect(validateXml(wrong('basicwl'), 'DECLARED_PROFILES')?.rules.map((rule) => rule.id)).toEqual([
      'BR-CO-14',
      'BR-CO-17',
    ]);
  });
  test('leave out at EXTENDED what EN 16931 forbids', () => {
    const reason = (customization: string): readonly string[] | undefined =>
      validateXml(
        encode(
          ciiInvoice(STANDARD, customization).replace(
            '<ram:BasisAmount>210.00',
            '<ram:ExemptionReason>Explained</ram:ExemptionReason><ram:BasisAmount>210.00',
          ),
        ),
        'ALL',
      )?.rules.map((rule) => rule.id);
    expect(reason(EN)).toEqual(['BR-S-10']);
    expect(reason(`${EN}#conformant#urn:factur-x.eu:1p0:extended`)).toEqual([]);
  });
  test('ask PINT invoices for presence and arithmetic alone', () => {
    const xml = ublInvoice(STANDARD, 'urn:peppol:pint:billing-1@jp-1').replaceAll(
      '<cbc:ID>VAT</cbc:ID>',
      '<cbc:ID>GST</cbc:ID>',
    );
    expect(validateXml(encode(xml), 'ALL')?.rules).toEqual([]);
    expect(
      validateXml(
        encode(xml.replace('98.00</cbc:LineExtensionAmount>', '97.00</cbc:LineExtensionAmount>')),
        'ALL',
      )?.rules.map((rule) => rule.id),
    ).toEqual(['BR-CO-10', 'PEPPOL-EN16931-R120']);
  });
});

describe('a fragment', () => {
  const fragment = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cac:TaxTotal><cac:TaxSubtotal><cbc:TaxAmount>TAX</cbc:TaxAmount><cbc:TaxableAmount>1200</cbc:TaxableAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>15</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal></Invoice>`;
  test.each([
    ['180', false],
    ['179.01', false],
    ['179', true],
    ['181', true],
  ])('with a tax of %s breaks BR-S-09: %s', (tax, fails) => {
    const ids = validateXml(encode(fragment.replace('TAX', tax)), 'ALL')?.rules.map((rule) => rule.id);
    expect(ids?.includes('BR-S-09')).toBe(fails);
  });
});

describe('a fragment that says nothing of its profile', () => {
  const line = (amount: string): Uint8Array =>
    encode(
      `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cac:InvoiceLine><cbc:InvoicedQuantity>10</cbc:InvoicedQuantity><cbc:LineExtensionAmount>${amount}</cbc:LineExtensionAmount><cac:Price><cbc:PriceAmount>20</cbc:PriceAmount><cbc:BaseQuantity>2</cbc:BaseQuantity></cac:Price></cac:InvoiceLine></Invoice>`,
    );
  test('meets the rules of Peppol too, under ALL only', () => {
    const ids = (amount: string): readonly string[] | undefined =>
      validateXml(line(amount), 'ALL')?.rules.map((rule) => rule.id);
    expect(ids('100.02')).not.toContain('PEPPOL-EN16931-R120');
    expect(ids('100.03')).toContain('PEPPOL-EN16931-R120');
    expect(validateXml(line('1'), 'DECLARED_PROFILES')).toBeNull();
  });
});

describe('hostile and broken XML', () => {
  test.each([
    ['no XML', 'not xml'],
    ['truncated', ublInvoice().slice(0, 2000)],
    ['a DOCTYPE', ublInvoice().replace('?>', '?><!DOCTYPE Invoice [<!ENTITY a "b">]>')],
    ['empty', ''],
    ['too deep', '<a>'.repeat(10_000)],
  ])('%s is left to the reading of the document', (_what, xml) => {
    expect(validateXml(encode(xml), 'ALL')).toBeNull();
    expect(validateXml(Buffer.from(`\ufeff${xml}`, 'utf16le'), 'ALL')).toBeNull();
  });
  test('UTF-16 is read by its byte order mark', () => {
    const xml = ublInvoice().replace('encoding="UTF-8"', 'encoding="UTF-16"');
    expect(validateXml(Buffer.from(`\ufeff${xml}`, 'utf16le'), 'ALL')).toMatchObject({ total: 0 });
  });
  test('a namespace whose name is no URI is validated, as it is read', () => {
    const xml = ublInvoice().replace('xmlns:cbc=', 'xmlns:odd="http://example.com/&quot;" xmlns:cbc=');
    expect(xml).toContain('&quot;');
    expect(validateXml(encode(xml), 'ALL')).toMatchObject({ total: 0 });
  });
  test('at most 50 failed rules are listed and all are counted', () => {
    const line = /<cac:InvoiceLine><cbc:ID>2<.*?<\/cac:InvoiceLine>/s.exec(ublInvoice())?.[0] ?? '';
    const broken = line.replace('<cbc:Name>Table</cbc:Name>', '');
    const validation = validateXml(encode(ublInvoice(STANDARD, EN).replace(line, broken.repeat(60))), 'ALL');
    expect(validation?.rules).toHaveLength(50);
    expect(validation?.total).toBeGreaterThanOrEqual(60);
  });
  test('amounts that are no numbers fail their rules and nothing else', () => {
    const xml = ublInvoice(STANDARD, EN).replaceAll('>252.00<', '>1e400<');
    expect(validateXml(encode(xml), 'ALL')?.rules.map((rule) => rule.id)).toEqual(['BR-CO-15', 'BR-CO-16']);
  });
});

describe('FA(3)', () => {
  const fa = (body: string): Uint8Array =>
    encode(`<?xml version="1.0"?><Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">${body}</Faktura>`);
  test.each(modes)('is held against its schema in mode %s', (mode) => {
    const validation = validateXml(fa('<Naglowek/>'), mode);
    expect(validation).toMatchObject({ mode, profile: 'FA3', ruleSets: ['fa3-xsd-1-0E'], rules: [], total: 0 });
    expect(validation?.schemaErrors[0]?.message).toContain('Naglowek');
    expect(validation?.schemaErrors[0]?.location).not.toBe('');
  });
  test('a CII invoice that breaks its schema says where', () => {
    const xml = ciiInvoice().replace('<ram:TypeCode>380</ram:TypeCode>', '<ram:Nonsense/>');
    expect(validateXml(encode(xml), 'DECLARED_PROFILES')?.schemaErrors[0]?.message).toContain('Nonsense');
  });
});

interface Sample {
  readonly file: string;
  readonly official_validation?: Readonly<Record<string, readonly string[]>>;
}

const samples = new URL('../../../../shared/samples/documents/', import.meta.url);
const hasSamples = existsSync(new URL('manifest.json', samples));

(hasSamples ? describe : describe.skip)('the samples (skipped where ../shared/samples is absent)', () => {
  const { files } = (
    hasSamples ? JSON.parse(readFileSync(new URL('manifest.json', samples), 'utf8')) : { files: [] }
  ) as {
    files: readonly Sample[];
  };
  const judged = files.filter((sample) => sample.official_validation !== undefined && sample.file.endsWith('.xml'));
  test.each(judged)(
    '$file fails exactly the rules that the official artefacts name',
    ({ file, official_validation }) => {
      const validation = validateXml(readFileSync(new URL(file, samples)), 'ALL');
      const expected = Object.values(official_validation ?? {}).flat();
      expect([...new Set(validation?.rules.map((rule) => rule.id))]).toEqual(
        expected.map((id) => id.replace(/\(.*\)$/, '')),
      );
    },
  );
  test('the FA(3) example is valid', () => {
    expect(validateXml(readFileSync(new URL('FA3_example_1.xml', samples)), 'OFF')?.schemaErrors).toEqual([]);
  });
  test('the FatturaPA example has its fields and adds up', () => {
    const validation = validateXml(readFileSync(new URL('IT01234567890_FPR02.xml', samples)), 'DECLARED_PROFILES');
    expect(validation).toMatchObject({ ruleSets: ['fields-fatturapa+own2'], rules: [] });
  });
  test.each(['BR-CO-15.xml', 'BR-S-09.xml'])('each fragment of %s behaves as its test set says', (file) => {
    const text = readFileSync(new URL(file, samples), 'utf8');
    const tests = [...text.matchAll(/<test>.*?<(success|error)>([^<]+)<\/\1>.*?(<(Invoice|CreditNote)\b.*?<\/\4>)/gs)];
    expect(tests.length).toBeGreaterThan(2);
    for (const [, outcome, id = '', fragment = ''] of tests) {
      const ids = validateXml(encode(fragment), 'ALL')?.rules.map((rule) => rule.id) ?? [];
      expect([id, fragment, ids.includes(id)]).toEqual([id, fragment, outcome === 'error']);
    }
  });
});
