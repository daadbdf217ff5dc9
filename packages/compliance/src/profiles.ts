/**
 * The e-invoice profiles that a document can declare (documents reference, section 8). The profile with the longest
 * matching prefix of the identifier is chosen, regardless of case, surrounding white space and a trailing dot.
 */

/**
 * E-invoice profiles of the kind PEPPOL are validated only in mode ALL, and NATIONAL profiles also in
 * DECLARED_PROFILES. A RECOGNISED_ONLY format is recognized but cannot be read yet.
 */
export type ProfileKind = 'PLAIN' | 'PEPPOL' | 'NATIONAL' | 'RECOGNISED_ONLY';

/**
 * The relation of an e-invoice profile to EN 16931, which decides which rules apply (documents reference, section 9.1).
 */
export type ProfileVariant =
  | 'STANDARD'
  | 'SELF_BILLING'
  | 'PINT'
  | 'EXTENSION'
  | 'MINIMUM'
  | 'BASIC_WL'
  | 'BASIC'
  | 'EN16931'
  | 'EXTENDED'
  | 'FIELDS_ONLY';

export interface Profile {
  /** Profile code of documents reference, section 8, such as `XRECHNUNG`. */
  readonly code: string;
  readonly kind: ProfileKind;
  readonly variant: ProfileVariant;
}

/** The profile declarations in a document, with texts as written. Absent declarations are undefined. */
export interface ProfileEvidence {
  /** Local name of the root element of an e-invoice, such as `CreditNote`. */
  readonly root: string;
  readonly namespace: string;
  /** Specification identifier of an e-invoice (BT-24): cbc:CustomizationID in UBL, or the GuidelineID in CII. */
  readonly customizationId?: string | undefined;
  /** Business process (BT-23): cbc:ProfileID in UBL, or the business process in CII. */
  readonly profileId?: string | undefined;
  /** True for the XML of a hybrid PDF, where the plain EN 16931 identifier denotes a Factur-X level. */
  readonly embeddedInPdf?: boolean | undefined;
}

export const UBL_INVOICE = 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2';
export const UBL_CREDIT_NOTE = 'urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2';
export const CII = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';
export const ZUGFERD_1 = 'urn:ferd:CrossIndustryDocument:invoice:1p0';
const FA_3 = 'http://crd.gov.pl/wzor/2025/06/25/13775/';

const EN = 'urn:cen.eu:en16931:2017';
const PEPPOL = `${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`;
const XRECHNUNG_3 = `${EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`;

type Row = readonly [code: string, kind: ProfileKind, variant: ProfileVariant, prefixes: readonly string[]];

/** Profiles of UBL and CII by CustomizationID or GuidelineID. */
const BY_CUSTOMIZATION: readonly Row[] = [
  ['PLAIN', 'PLAIN', 'STANDARD', [EN]],
  ['PEPPOL_BIS', 'PEPPOL', 'STANDARD', [PEPPOL]],
  ['PEPPOL_BIS', 'PEPPOL', 'SELF_BILLING', [`${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0`]],
  [
    'PEPPOL_PINT',
    'PEPPOL',
    'PINT',
    [
      ...['eu', 'jp', 'sg', 'my', 'aunz', 'ae', 'om'].flatMap((region) => [
        `urn:peppol:pint:billing-1@${region}-1`,
        `urn:peppol:pint:selfbilling-1@${region}-1`,
      ]),
      'urn:peppol:pint:nontaxinvoice-1@jp-1',
      `${EN}#conformant#urn:fdc:peppol.eu:2017:poacc:billing:international:aunz:3.0`,
      `${EN}#conformant#urn:fdc:peppol.eu:2017:poacc:billing:international:sg:3.0`,
    ],
  ],
  [
    'EHF',
    'NATIONAL',
    'EXTENSION',
    [
      `${PEPPOL}#conformant#urn:fdc:anskaffelser.no:2019:ehf:reminder:3.0`,
      `${PEPPOL}#conformant#urn:fdc:anskaffelser.no:2019:ehf:forward-billing:3.0`,
    ],
  ],
  [
    'XRECHNUNG',
    'NATIONAL',
    'STANDARD',
    [
      XRECHNUNG_3,
      `${XRECHNUNG_3}#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9`,
      ...['1.2', '2.0', '2.1', '2.2', '2.3'].map(
        (version) => `${EN}#compliant#urn:xoev-de:kosit:standard:xrechnung_${version}`,
      ),
    ],
  ],
  ['XRECHNUNG', 'NATIONAL', 'EXTENSION', [`${XRECHNUNG_3}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0`]],
  ...['urn:factur-x.eu:1p0:', 'urn:zugferd.de:2p0:'].flatMap((level): readonly Row[] => [
    ['FACTURX', 'NATIONAL', 'MINIMUM', [`${level}minimum`]],
    ['FACTURX', 'NATIONAL', 'BASIC_WL', [`${level}basicwl`]],
    ['FACTURX', 'NATIONAL', 'BASIC', [`${EN}#compliant#${level}basic`]],
    ['FACTURX', 'NATIONAL', 'EXTENDED', [`${EN}#conformant#${level}extended`]],
  ]),
  ['FACTURX', 'NATIONAL', 'FIELDS_ONLY', [`${ZUGFERD_1}:basic`, `${ZUGFERD_1}:comfort`, `${ZUGFERD_1}:extended`]],
  ['NLCIUS', 'NATIONAL', 'STANDARD', [`${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0`]],
  [
    'NLCIUS',
    'NATIONAL',
    'EXTENSION',
    [
      `${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:nen.nl:gaccount:v1.0`,
      `${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:energie-efactuur.nl:invoice:v3.0`,
      `${EN}#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:energie-efactuur.nl:invoice:v3.1`,
    ],
  ],
  ['UBL_BE', 'NATIONAL', 'EXTENSION', [`${EN}#conformant#urn:ubl.be:1.0.0.20180214`]],
  [
    'CIUS_RO',
    'NATIONAL',
    'STANDARD',
    [
      `${EN}#compliant#urn:efactura.mfinante.ro:cius-ro:1.0.1`,
      `${EN}#compliant#urn:efactura.mfinante.ro:cius-ro:1.0.0`,
    ],
  ],
  [
    'CIUS_PT',
    'NATIONAL',
    'STANDARD',
    ['1.0.0', '2.0.0', '2.1.1'].map((version) => `${EN}#compliant#urn:feap.gov.pt:cius-pt:${version}`),
  ],
  ['CIUS_IT', 'NATIONAL', 'STANDARD', [`${EN}#compliant#urn:fatturapa.gov.it:cius-it:2.0.0`]],
  [
    'CIUS_IT',
    'NATIONAL',
    'EXTENSION',
    [
      `${EN}#compliant#urn:fatturapa.gov.it:cius-it:2.0.0#conformant#urn:fatturapa.gov.it:ext-it:1.0.0`,
      `${PEPPOL}#conformant#urn:www.agid.gov.it:trns:fattura:3`,
    ],
  ],
  [
    'HR_CIUS',
    'NATIONAL',
    'EXTENSION',
    [`${EN}#compliant#urn:mfin.gov.hr:cius-2025:1.0#conformant#urn:mfin.gov.hr:ext-2025:1.0`],
  ],
  ['SRBDT', 'NATIONAL', 'STANDARD', [`${EN}#compliant#urn:mfin.gov.rs:srbdt:2022`]],
  [
    'SRBDT',
    'NATIONAL',
    'EXTENSION',
    [`${EN}#compliant#urn:mfin.gov.rs:srbdt:2022#conformant#urn:mfin.gov.rs:srbdtext:2022`],
  ],
  ['OIOUBL', 'NATIONAL', 'FIELDS_ONLY', ['oioubl-2.01', 'oioubl-2.02', 'oioubl-2.1']],
  [
    'OIOUBL',
    'NATIONAL',
    'EXTENSION',
    ['urn:fdc:oioubl.dk:trns:billing:invoice:3.0', 'urn:fdc:oioubl.dk:trns:billing:creditnote:3.0'],
  ],
  ['UBL_TR', 'NATIONAL', 'FIELDS_ONLY', ['tr1.2', 'tr1.2.1']],
];

/** Profiles by ProfileID, which are used if the CustomizationID is absent or unknown. */
const BY_PROFILE_ID: readonly Row[] = [
  ['PEPPOL_BIS', 'PEPPOL', 'STANDARD', ['urn:fdc:peppol.eu:2017:poacc:billing:']],
  ['UBL_BE', 'NATIONAL', 'FIELDS_ONLY', ['fff.be']],
  ['UBL_TR', 'NATIONAL', 'FIELDS_ONLY', ['temelfatura', 'ticarifatura', 'earsivfatura']],
  ['ZATCA', 'NATIONAL', 'FIELDS_ONLY', ['reporting:1.0']],
];

/** Profiles by namespace of the root element, for formats other than UBL and CII. */
const BY_NAMESPACE: readonly Row[] = [
  ['FACTURX', 'NATIONAL', 'FIELDS_ONLY', [ZUGFERD_1]],
  ['FATTURAPA', 'NATIONAL', 'FIELDS_ONLY', ['http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/']],
  [
    'FACTURAE',
    'NATIONAL',
    'FIELDS_ONLY',
    ['http://www.facturae.gob.es/formato/versiones/facturae', 'http://www.facturae.es/facturae/'],
  ],
  ['FA3', 'NATIONAL', 'STANDARD', [FA_3]],
  ['FA2', 'NATIONAL', 'STANDARD', ['http://crd.gov.pl/wzor/2023/06/29/12648/']],
  ['EBINTERFACE', 'RECOGNISED_ONLY', 'STANDARD', ['http://www.ebinterface.at/schema/']],
  ['ISDOC', 'RECOGNISED_ONLY', 'STANDARD', ['http://isdoc.cz/namespace/2013']],
  ['SVEFAKTURA', 'RECOGNISED_ONLY', 'STANDARD', ['urn:sfti:documents:basicinvoice:1:0']],
  ['ESLOG', 'RECOGNISED_ONLY', 'STANDARD', ['urn:eslog:2.00']],
  ['NAV', 'RECOGNISED_ONLY', 'STANDARD', ['http://schemas.nav.gov.hu/osa/3.0/']],
  ['MYDATA', 'RECOGNISED_ONLY', 'STANDARD', ['http://www.aade.gr/mydata/invoice/v1.0']],
  ['CFDI', 'RECOGNISED_ONLY', 'STANDARD', ['http://www.sat.gob.mx/cfd/4']],
];

/** Profiles by local name of the root element, which are used if the namespace is missing or unknown. */
const BY_ROOT: readonly Row[] = [
  ['FATTURAPA', 'NATIONAL', 'FIELDS_ONLY', ['fatturaelettronica']],
  ['FACTURAE', 'NATIONAL', 'FIELDS_ONLY', ['facturae']],
  ['FINVOICE', 'RECOGNISED_ONLY', 'STANDARD', ['finvoice']],
  ['E_INVOICE', 'RECOGNISED_ONLY', 'STANDARD', ['e_invoice']],
];

/** The profile identifiers of SI-UBL 1 are contained in longer identifiers, so they are compared last. */
const SI_UBL_1 = 'urn:www.simplerinvoicing.org:si';
const PLAIN: Profile = { code: 'PLAIN', kind: 'PLAIN', variant: 'STANDARD' };

/**
 * Returns the profile that a document declares, or null for a root that is not a known invoice format. UBL and CII
 * without a known identifier are PLAIN.
 */
export function identifyProfile(evidence: ProfileEvidence): Profile | null {
  if (!isUblOrCii(evidence.namespace)) {
    return longestPrefix(BY_NAMESPACE, evidence.namespace) ?? longestPrefix(BY_ROOT, evidence.root);
  }
  const declared = longestPrefix(BY_CUSTOMIZATION, evidence.customizationId);
  if (declared !== null) return insidePdf(declared, evidence);
  if (normalize(evidence.customizationId).includes(SI_UBL_1)) {
    return { code: 'NLCIUS', kind: 'NATIONAL', variant: 'FIELDS_ONLY' };
  }
  return longestPrefix(BY_PROFILE_ID, evidence.profileId) ?? PLAIN;
}

/**
 * Checks whether other declarations contradict the profile that the XML declares: the XMP conformance level of a PDF
 * (`EN 16931`), the name of the attachment (`xrechnung.xml`), or the specification identifier of a second attachment.
 * Texts that declare no profile are ignored.
 */
export function contradictsProfile(profile: Profile, declarations: readonly string[]): boolean {
  return declarations.some((declaration) => {
    const level = LEVELS[normalize(declaration).replace(/[\s_]+/g, '')];
    if (level !== undefined) return !level(profile);
    const other = longestPrefix(BY_CUSTOMIZATION, declaration);
    if (other === null) return false;
    const inPdf = insidePdf(other, { customizationId: declaration, embeddedInPdf: true });
    return inPdf.code !== profile.code || inPdf.variant !== profile.variant;
  });
}

/**
 * For each XMP conformance level and each attachment name, a function that checks whether a profile is one that the
 * level or the name declares. A file named `factur-x.xml` may also contain an XRechnung.
 */
const LEVELS: Readonly<Record<string, (profile: Profile) => boolean>> = {
  minimum: (profile) => isFacturx(profile, 'MINIMUM'),
  basicwl: (profile) => isFacturx(profile, 'BASIC_WL'),
  basic: (profile) => isFacturx(profile, 'BASIC', 'FIELDS_ONLY'),
  en16931: (profile) => isFacturx(profile, 'EN16931'),
  comfort: (profile) => isFacturx(profile, 'EN16931', 'FIELDS_ONLY'),
  extended: (profile) => isFacturx(profile, 'EXTENDED', 'FIELDS_ONLY'),
  xrechnung: (profile) => profile.code === 'XRECHNUNG',
  'xrechnung.xml': (profile) => profile.code === 'XRECHNUNG',
  'factur-x.xml': (profile) => profile.code === 'FACTURX' || profile.code === 'XRECHNUNG',
  'zugferd-invoice.xml': (profile) => profile.code === 'FACTURX' || profile.code === 'XRECHNUNG',
};

function isFacturx(profile: Profile, ...variants: readonly ProfileVariant[]): boolean {
  return profile.code === 'FACTURX' && variants.includes(profile.variant);
}

function isUblOrCii(namespace: string): boolean {
  return namespace === UBL_INVOICE || namespace === UBL_CREDIT_NOTE || namespace === CII;
}

/**
 * Returns the profile of an XML invoice. Inside a PDF, the plain EN 16931 identifier denotes the EN 16931 level of
 * Factur-X.
 */
function insidePdf(declared: Profile, evidence: Pick<ProfileEvidence, 'customizationId' | 'embeddedInPdf'>): Profile {
  if (evidence.embeddedInPdf !== true || normalize(evidence.customizationId) !== EN) return declared;
  return { code: 'FACTURX', kind: 'NATIONAL', variant: 'EN16931' };
}

function longestPrefix(rows: readonly Row[], text: string | undefined): Profile | null {
  const wanted = normalize(text);
  let longest = 0;
  let found: Profile | null = null;
  for (const [code, kind, variant, prefixes] of rows) {
    for (const prefix of prefixes) {
      if (prefix.length <= longest || !wanted.startsWith(prefix.toLowerCase())) continue;
      longest = prefix.length;
      found = { code, kind, variant };
    }
  }
  return found;
}

function normalize(text: string | undefined): string {
  return (text ?? '').trim().replace(/\.$/, '').toLowerCase();
}
