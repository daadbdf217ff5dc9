import { describe, expect, test } from 'vitest';
import {
  CII,
  contradictsProfile,
  identifyProfile,
  UBL_CREDIT_NOTE,
  UBL_INVOICE,
  ZUGFERD_1,
  type ProfileKind,
  type ProfileVariant,
} from './profiles.js';

const EN = 'urn:cen.eu:en16931:2017';
const PEPPOL = `${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`;
const XRECHNUNG = `${EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`;

const pintRegions = ['eu', 'jp', 'sg', 'my', 'aunz', 'ae', 'om'];

type Declared = readonly [customizationId: string, code: string, kind: ProfileKind, variant: ProfileVariant];
const customizations: readonly Declared[] = [
  [EN, 'PLAIN', 'PLAIN', 'STANDARD'],
  [`${EN}#compliant#urn:example.com:unknown`, 'PLAIN', 'PLAIN', 'STANDARD'],
  [PEPPOL, 'PEPPOL_BIS', 'PEPPOL', 'STANDARD'],
  [`${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0`, 'PEPPOL_BIS', 'PEPPOL', 'SELF_BILLING'],
  ...pintRegions.map((region): Declared => [`urn:peppol:pint:billing-1@${region}-1`, 'PEPPOL_PINT', 'PEPPOL', 'PINT']),
  ['urn:peppol:pint:selfbilling-1@jp-1', 'PEPPOL_PINT', 'PEPPOL', 'PINT'],
  ['urn:peppol:pint:nontaxinvoice-1@jp-1', 'PEPPOL_PINT', 'PEPPOL', 'PINT'],
  [`${EN}#conformant#urn:fdc:peppol.eu:2017:poacc:billing:international:aunz:3.0`, 'PEPPOL_PINT', 'PEPPOL', 'PINT'],
  [`${EN}#conformant#urn:fdc:peppol.eu:2017:poacc:billing:international:sg:3.0`, 'PEPPOL_PINT', 'PEPPOL', 'PINT'],
  [`${PEPPOL}#conformant#urn:fdc:anskaffelser.no:2019:ehf:reminder:3.0`, 'EHF', 'NATIONAL', 'EXTENSION'],
  [`${PEPPOL}#conformant#urn:fdc:anskaffelser.no:2019:ehf:forward-billing:3.0`, 'EHF', 'NATIONAL', 'EXTENSION'],
  [XRECHNUNG, 'XRECHNUNG', 'NATIONAL', 'STANDARD'],
  [`${XRECHNUNG}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0`, 'XRECHNUNG', 'NATIONAL', 'EXTENSION'],
  [`${XRECHNUNG}#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9`, 'XRECHNUNG', 'NATIONAL', 'STANDARD'],
  ...['1.2', '2.0', '2.1', '2.2', '2.3'].map((version): Declared => [
    `${EN}#compliant#urn:xoev-de:kosit:standard:xrechnung_${version}`,
    'XRECHNUNG',
    'NATIONAL',
    'STANDARD',
  ]),
  ...['urn:factur-x.eu:1p0', 'urn:zugferd.de:2p0'].flatMap((level): readonly Declared[] => [
    [`${level}:minimum`, 'FACTURX', 'NATIONAL', 'MINIMUM'],
    [`${level}:basicwl`, 'FACTURX', 'NATIONAL', 'BASIC_WL'],
    [`${EN}#compliant#${level}:basic`, 'FACTURX', 'NATIONAL', 'BASIC'],
    [`${EN}#conformant#${level}:extended`, 'FACTURX', 'NATIONAL', 'EXTENDED'],
  ]),
  [`${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0`, 'NLCIUS', 'NATIONAL', 'STANDARD'],
  [
    `${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:nen.nl:gaccount:v1.0`,
    'NLCIUS',
    'NATIONAL',
    'EXTENSION',
  ],
  [
    `${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:energie-efactuur.nl:invoice:v3.1`,
    'NLCIUS',
    'NATIONAL',
    'EXTENSION',
  ],
  [
    'urn:www.cenbii.eu:transaction:biitrns010:ver2.0:extended:urn:www.simplerinvoicing.org:si:si-ubl:ver1.1.x',
    'NLCIUS',
    'NATIONAL',
    'FIELDS_ONLY',
  ],
  [`${EN}#conformant#urn:UBL.BE:1.0.0.20180214`, 'UBL_BE', 'NATIONAL', 'EXTENSION'],
  [`${EN}#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1`, 'CIUS_RO', 'NATIONAL', 'STANDARD'],
  [`${EN}#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.0`, 'CIUS_RO', 'NATIONAL', 'STANDARD'],
  [`${EN}#compliant#urn:feap.gov.pt:CIUS-PT:1.0.0`, 'CIUS_PT', 'NATIONAL', 'STANDARD'],
  [`${EN}#compliant#urn:feap.gov.pt:CIUS-PT:2.0.0`, 'CIUS_PT', 'NATIONAL', 'STANDARD'],
  [`${EN}#compliant#urn:feap.gov.pt:CIUS-PT:2.1.1`, 'CIUS_PT', 'NATIONAL', 'STANDARD'],
  [`${EN}#compliant#urn:fatturapa.gov.it:CIUS-IT:2.0.0`, 'CIUS_IT', 'NATIONAL', 'STANDARD'],
  [
    `${EN}#compliant#urn:fatturapa.gov.it:CIUS-IT:2.0.0#conformant#urn:fatturapa.gov.it:EXT-IT:1.0.0`,
    'CIUS_IT',
    'NATIONAL',
    'EXTENSION',
  ],
  [`${PEPPOL}#conformant#urn:www.agid.gov.it:trns:fattura:3`, 'CIUS_IT', 'NATIONAL', 'EXTENSION'],
  [
    `${EN}#compliant#urn:mfin.gov.hr:cius-2025:1.0#conformant#urn:mfin.gov.hr:ext-2025:1.0`,
    'HR_CIUS',
    'NATIONAL',
    'EXTENSION',
  ],
  [`${EN}#compliant#urn:mfin.gov.rs:srbdt:2022`, 'SRBDT', 'NATIONAL', 'STANDARD'],
  [
    `${EN}#compliant#urn:mfin.gov.rs:srbdt:2022#conformant#urn:mfin.gov.rs:srbdtext:2022`,
    'SRBDT',
    'NATIONAL',
    'EXTENSION',
  ],
  ['OIOUBL-2.01', 'OIOUBL', 'NATIONAL', 'FIELDS_ONLY'],
  ['OIOUBL-2.02', 'OIOUBL', 'NATIONAL', 'FIELDS_ONLY'],
  ['OIOUBL-2.1', 'OIOUBL', 'NATIONAL', 'FIELDS_ONLY'],
  ['urn:fdc:oioubl.dk:trns:billing:invoice:3.0', 'OIOUBL', 'NATIONAL', 'EXTENSION'],
  ['urn:fdc:oioubl.dk:trns:billing:creditnote:3.0', 'OIOUBL', 'NATIONAL', 'EXTENSION'],
  ['TR1.2', 'UBL_TR', 'NATIONAL', 'FIELDS_ONLY'],
  ['TR1.2.1', 'UBL_TR', 'NATIONAL', 'FIELDS_ONLY'],
];

describe('the specification identifier names the profile', () => {
  test.each(customizations)('%s is %s (%s, %s)', (customizationId, code, kind, variant) => {
    expect(identifyProfile({ root: 'Invoice', namespace: UBL_INVOICE, customizationId })).toEqual({
      code,
      kind,
      variant,
    });
  });
  test('in any case, with blanks around it and a dot behind it', () => {
    expect(
      identifyProfile({
        root: 'CreditNote',
        namespace: UBL_CREDIT_NOTE,
        customizationId: `\n  ${XRECHNUNG.toUpperCase()}. `,
      }),
    ).toMatchObject({ code: 'XRECHNUNG' });
  });
  test('before the process identifier does', () => {
    expect(
      identifyProfile({
        root: 'Invoice',
        namespace: UBL_INVOICE,
        customizationId: XRECHNUNG,
        profileId: 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
      }),
    ).toMatchObject({ code: 'XRECHNUNG' });
  });
  test('also in CII, and as a level of ZUGFeRD 1', () => {
    expect(identifyProfile({ root: 'CrossIndustryInvoice', namespace: CII, customizationId: XRECHNUNG })).toMatchObject(
      { code: 'XRECHNUNG' },
    );
    for (const level of ['basic', 'comfort', 'extended']) {
      expect(
        identifyProfile({
          root: 'CrossIndustryDocument',
          namespace: ZUGFERD_1,
          customizationId: `urn:ferd:CrossIndustryDocument:invoice:1p0:${level}`,
        }),
      ).toEqual({ code: 'FACTURX', kind: 'NATIONAL', variant: 'FIELDS_ONLY' });
    }
  });
  test('and the plain one inside a PDF is the EN 16931 level of Factur-X', () => {
    expect(
      identifyProfile({ root: 'CrossIndustryInvoice', namespace: CII, customizationId: EN, embeddedInPdf: true }),
    ).toEqual({ code: 'FACTURX', kind: 'NATIONAL', variant: 'EN16931' });
  });
});

describe('without a known specification identifier', () => {
  test.each([
    ['urn:fdc:peppol.eu:2017:poacc:billing:01:1.0', 'PEPPOL_BIS'],
    ['FFF.BE - ENFORCING', 'UBL_BE'],
    ['TEMELFATURA', 'UBL_TR'],
    ['TICARIFATURA', 'UBL_TR'],
    ['EARSIVFATURA', 'UBL_TR'],
    ['reporting:1.0', 'ZATCA'],
    ['anything else', 'PLAIN'],
  ])('the process %s names %s', (profileId, code) => {
    expect(identifyProfile({ root: 'Invoice', namespace: UBL_INVOICE, profileId })).toMatchObject({ code });
  });
  test.each([UBL_INVOICE, UBL_CREDIT_NOTE, CII])('%s is plain', (namespace) => {
    expect(identifyProfile({ root: 'Invoice', namespace })).toMatchObject({ code: 'PLAIN', kind: 'PLAIN' });
  });
});

describe('the root names formats that are neither UBL nor CII', () => {
  test.each([
    ['FatturaElettronica', 'http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2', 'FATTURAPA', 'NATIONAL'],
    [
      'FatturaElettronicaSemplificata',
      'http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0',
      'FATTURAPA',
      'NATIONAL',
    ],
    ['FatturaElettronica', '', 'FATTURAPA', 'NATIONAL'],
    ['Facturae', 'http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml', 'FACTURAE', 'NATIONAL'],
    ['Facturae', 'http://www.facturae.es/Facturae/2014/v3.2.1/Facturae', 'FACTURAE', 'NATIONAL'],
    ['Facturae', 'http://www.facturae.es/Facturae/2009/v3.2/Facturae', 'FACTURAE', 'NATIONAL'],
    ['Faktura', 'http://crd.gov.pl/wzor/2025/06/25/13775/', 'FA3', 'NATIONAL'],
    ['Faktura', 'http://crd.gov.pl/wzor/2023/06/29/12648/', 'FA2', 'NATIONAL'],
    ['CrossIndustryDocument', ZUGFERD_1, 'FACTURX', 'NATIONAL'],
    ['Invoice', 'http://www.ebinterface.at/schema/6p1/', 'EBINTERFACE', 'RECOGNISED_ONLY'],
    ['Invoice', 'http://www.ebinterface.at/schema/4p3/', 'EBINTERFACE', 'RECOGNISED_ONLY'],
    ['Invoice', 'http://isdoc.cz/namespace/2013', 'ISDOC', 'RECOGNISED_ONLY'],
    ['Invoice', 'urn:sfti:documents:BasicInvoice:1:0', 'SVEFAKTURA', 'RECOGNISED_ONLY'],
    ['Finvoice', '', 'FINVOICE', 'RECOGNISED_ONLY'],
    ['E_Invoice', '', 'E_INVOICE', 'RECOGNISED_ONLY'],
    ['Invoice', 'urn:eslog:2.00', 'ESLOG', 'RECOGNISED_ONLY'],
    ['InvoiceData', 'http://schemas.nav.gov.hu/OSA/3.0/data', 'NAV', 'RECOGNISED_ONLY'],
    ['InvoicesDoc', 'http://www.aade.gr/myDATA/invoice/v1.0', 'MYDATA', 'RECOGNISED_ONLY'],
    ['Comprobante', 'http://www.sat.gob.mx/cfd/4', 'CFDI', 'RECOGNISED_ONLY'],
  ])('%s in %s is %s (%s)', (root, namespace, code, kind) => {
    expect(identifyProfile({ root, namespace })).toMatchObject({ code, kind });
  });
  test('and a root of something else has none', () => {
    expect(identifyProfile({ root: 'html', namespace: 'http://www.w3.org/1999/xhtml' })).toBeNull();
    expect(identifyProfile({ root: 'Faktura', namespace: 'http://crd.gov.pl/wzor/2021/11/29/11089/' })).toBeNull();
  });
});

describe('a declaration outside the XML', () => {
  const en16931 = { code: 'FACTURX', kind: 'NATIONAL', variant: 'EN16931' } as const;
  const xrechnung = { code: 'XRECHNUNG', kind: 'NATIONAL', variant: 'STANDARD' } as const;
  test.each([
    [en16931, ['EN 16931', 'factur-x.xml', EN]],
    [en16931, ['COMFORT', 'ZUGFeRD-invoice.xml']],
    [xrechnung, ['XRECHNUNG', 'xrechnung.xml', 'factur-x.xml']],
    [en16931, ['terms.xml', '', 'ORDER-X']],
  ])('agrees with %j when it says %j', (profile, declarations) => {
    expect(contradictsProfile(profile, declarations)).toBe(false);
  });
  test.each([
    [en16931, ['EXTENDED']],
    [en16931, ['BASIC WL']],
    [en16931, ['factur-x.xml', 'MINIMUM']],
    [en16931, ['xrechnung.xml']],
    [en16931, [XRECHNUNG]],
    [en16931, ['urn:factur-x.eu:1p0:minimum']],
    [xrechnung, ['EN 16931']],
  ])('contradicts %j when it says %j', (profile, declarations) => {
    expect(contradictsProfile(profile, declarations)).toBe(true);
  });
});
