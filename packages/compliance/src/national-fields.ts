import type { Decimal } from 'decimal.js';
import { decimalOf, ONE, roundCents, sumOf, ZERO } from './decimal.js';
import { locationOf, valueOf, type Element } from './element.js';
import { compilePath, type Path } from './path.js';
import { CII, type Profile } from './profiles.js';
import type { FailedRule } from './validation.js';

/**
 * The mandatory fields and sums that are checked in national formats to which the rules of EN 16931 do not apply
 * (documents reference, sections 6 and 9.1). There is one table for each format. A sum is correct if one of its
 * alternatives matches, because senders differ in what a total includes.
 */
interface Format {
  /** Mandatory fields of invoices in this format, each with the id of its rule and its path. */
  readonly fields: readonly FieldRow[];
  readonly sums: readonly SumRow[];
  readonly taxes?: TaxRow;
}

/**
 * Paths of the elements of a VAT breakdown, for the check that its tax follows from its taxable amount and its rate,
 * with a tolerance of one unit as in BR-CO-17.
 */
type TaxRow = readonly [at: string, base: string, rate: string, tax: string];

type FieldRow = readonly [id: string, path: string, what: string];

interface SumRow {
  readonly id: string;
  /** Path of the groups of the e-invoice that contain the total. The sum is checked in each of these groups. */
  readonly at: string;
  readonly total: string;
  /**
   * Alternative sets of amounts that may make up the total of an e-invoice. The first path of a set names its main
   * amounts.
   */
  readonly forms: readonly { readonly plus: readonly string[]; readonly minus?: readonly string[] }[];
  readonly tolerance: Decimal;
  readonly what: string;
}

/** Tolerance for sums of the line amounts of an e-invoice, because each line amount is rounded individually. */
const CENTS = ONE.dividedBy(50);
const UNIT = ONE;

const ublFields: readonly FieldRow[] = [
  ['FIELDS-NUMBER', 'cbc:ID', 'the invoice number'],
  ['FIELDS-DATE', 'cbc:IssueDate', 'the issue date'],
  ['FIELDS-CURRENCY', 'cbc:DocumentCurrencyCode', 'the currency of the invoice'],
  [
    'FIELDS-SUPPLIER',
    'cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName | ' +
      'cac:AccountingSupplierParty/cac:Party/cac:PartyName/cbc:Name | ' +
      'cac:AccountingSupplierParty/cac:Party/cac:Person/cbc:FamilyName',
    'the name of the supplier',
  ],
  [
    'FIELDS-TAXID',
    'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID | ' +
      'cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID | ' +
      'cac:AccountingSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID',
    'the tax number or registration of the supplier',
  ],
  ['FIELDS-TOTAL', 'cac:LegalMonetaryTotal/cbc:PayableAmount', 'the amount to pay'],
];

const ublSums: readonly SumRow[] = [
  {
    id: 'FIELDS-SUM-LINES',
    at: 'cac:LegalMonetaryTotal',
    total: 'cbc:LineExtensionAmount',
    forms: [{ plus: ['../cac:InvoiceLine/cbc:LineExtensionAmount | ../cac:CreditNoteLine/cbc:LineExtensionAmount'] }],
    tolerance: CENTS,
    what: 'the sum of all lines',
  },
  {
    id: 'FIELDS-SUM-GROSS',
    at: 'cac:LegalMonetaryTotal',
    total: 'cbc:TaxInclusiveAmount',
    forms: [
      { plus: ['cbc:TaxExclusiveAmount', '../cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount'] },
      // In the Danish format OIOUBL 2, the element TaxExclusiveAmount contains the tax, so the net amount is computed
      // from the lines.
      {
        plus: ['cbc:LineExtensionAmount', 'cbc:ChargeTotalAmount', '../cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount'],
        minus: ['cbc:AllowanceTotalAmount'],
      },
    ],
    tolerance: CENTS,
    what: 'the net amount plus the tax',
  },
];

const ubl: Format = { fields: ublFields, sums: ublSums };

const HEADER = 'FatturaElettronicaHeader/CedentePrestatore/DatiAnagrafici';
const DOCUMENT = 'FatturaElettronicaBody/DatiGenerali/DatiGeneraliDocumento';
const SUMMARY = '../../../DatiBeniServizi/DatiRiepilogo';

const fatturaPa: Format = {
  fields: [
    ['FIELDS-NUMBER', `${DOCUMENT}/Numero`, 'the invoice number (Numero)'],
    ['FIELDS-DATE', `${DOCUMENT}/Data`, 'the issue date (Data)'],
    ['FIELDS-CURRENCY', `${DOCUMENT}/Divisa`, 'the currency (Divisa)'],
    [
      'FIELDS-SUPPLIER',
      `${HEADER}/Anagrafica/Denominazione | ${HEADER}/Anagrafica/Cognome`,
      'the name of the supplier (Denominazione, or Nome and Cognome)',
    ],
    ['FIELDS-TAXID', `${HEADER}/IdFiscaleIVA/IdCodice`, 'the VAT number of the supplier (IdFiscaleIVA)'],
    [
      'FIELDS-TOTAL',
      'FatturaElettronicaBody/DatiBeniServizi/DatiRiepilogo/ImponibileImporto',
      'the taxable amounts (DatiRiepilogo)',
    ],
  ],
  sums: [
    {
      id: 'FIELDS-SUM-GROSS',
      at: DOCUMENT,
      total: 'ImportoTotaleDocumento',
      forms: [
        { plus: [`${SUMMARY}/ImponibileImporto`, `${SUMMARY}/Imposta`, 'Arrotondamento'] },
        { plus: [`${SUMMARY}/ImponibileImporto`, `${SUMMARY}/Imposta`, 'DatiBollo/ImportoBollo', 'Arrotondamento'] },
      ].map((form) => ({ plus: form.plus.map((path) => path.replace('../../../', '../../')) })),
      tolerance: CENTS,
      what: 'the taxable amounts plus the tax',
    },
  ],
  taxes: ['FatturaElettronicaBody/DatiBeniServizi/DatiRiepilogo', 'ImponibileImporto', 'AliquotaIVA', 'Imposta'],
};

const TOTALS = 'Invoices/Invoice/InvoiceTotals';

const facturae: Format = {
  fields: [
    ['FIELDS-NUMBER', 'Invoices/Invoice/InvoiceHeader/InvoiceNumber', 'the invoice number (InvoiceNumber)'],
    ['FIELDS-DATE', 'Invoices/Invoice/InvoiceIssueData/IssueDate', 'the issue date (IssueDate)'],
    ['FIELDS-CURRENCY', 'Invoices/Invoice/InvoiceIssueData/InvoiceCurrencyCode', 'the currency (InvoiceCurrencyCode)'],
    [
      'FIELDS-SUPPLIER',
      'Parties/SellerParty/LegalEntity/CorporateName | Parties/SellerParty/Individual/Name',
      'the name of the supplier (CorporateName or Individual)',
    ],
    [
      'FIELDS-TAXID',
      'Parties/SellerParty/TaxIdentification/TaxIdentificationNumber',
      'the tax number of the supplier (TaxIdentificationNumber)',
    ],
    ['FIELDS-TOTAL', `${TOTALS}/InvoiceTotal`, 'the total (InvoiceTotal)'],
  ],
  sums: [
    {
      id: 'FIELDS-SUM-GROSS',
      at: TOTALS,
      total: 'InvoiceTotal',
      forms: [{ plus: ['TotalGrossAmountBeforeTaxes', 'TotalTaxOutputs'], minus: ['TotalTaxesWithheld'] }],
      tolerance: CENTS,
      what: 'the amount before taxes plus the taxes minus what is withheld',
    },
    {
      id: 'FIELDS-SUM-NET',
      at: TOTALS,
      total: 'TotalGrossAmountBeforeTaxes',
      forms: [{ plus: ['TotalGrossAmount', 'TotalGeneralSurcharges'], minus: ['TotalGeneralDiscounts'] }],
      tolerance: CENTS,
      what: 'the gross amount of the lines plus surcharges minus discounts',
    },
  ],
  taxes: ['Invoices/Invoice/TaxesOutputs/Tax', 'TaxableBase/TotalAmount', 'TaxRate', 'TaxAmount/TotalAmount'],
};

/** Names of XML elements that differ between invoices of ZUGFeRD 1 and of CII. */
interface CrossIndustryNames {
  /** Prefix of the names of all elements inside the elements that are named here: empty, or `ram:`. */
  readonly prefix: '' | 'ram:';
  readonly header: string;
  readonly date: string;
  readonly agreement: string;
  readonly settlement: string;
  readonly totals: string;
  readonly rate: string;
}

const zugferdNames: CrossIndustryNames = {
  prefix: '',
  header: 'HeaderExchangedDocument',
  date: 'DateTimeString',
  agreement: 'SpecifiedSupplyChainTradeTransaction/ApplicableSupplyChainTradeAgreement',
  settlement: 'SpecifiedSupplyChainTradeTransaction/ApplicableSupplyChainTradeSettlement',
  totals: 'SpecifiedTradeSettlementMonetarySummation',
  rate: 'ApplicablePercent',
};

const ciiNames: CrossIndustryNames = {
  prefix: 'ram:',
  header: 'rsm:ExchangedDocument',
  date: 'udt:DateTimeString',
  agreement: 'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement',
  settlement: 'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement',
  totals: 'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
  rate: 'RateApplicablePercent',
};

function crossIndustry(names: CrossIndustryNames): Format {
  const { prefix, header, agreement, settlement } = names;
  const seller = `${agreement}/${prefix}SellerTradeParty`;
  const at = `${settlement}/${names.totals}`;
  const amount = (name: string): string => `${prefix}${name}`;
  return {
    fields: [
      ['FIELDS-NUMBER', `${header}/${prefix}ID`, 'the invoice number (ID)'],
      ['FIELDS-DATE', `${header}/${prefix}IssueDateTime/${names.date}`, 'the issue date (IssueDateTime)'],
      ['FIELDS-CURRENCY', `${settlement}/${prefix}InvoiceCurrencyCode`, 'the currency (InvoiceCurrencyCode)'],
      ['FIELDS-SUPPLIER', `${seller}/${prefix}Name`, 'the name of the supplier (SellerTradeParty)'],
      ['FIELDS-TAXID', `${seller}/${prefix}SpecifiedTaxRegistration/${prefix}ID`, 'the tax number of the supplier'],
      ['FIELDS-TOTAL', `${at}/${amount('GrandTotalAmount')}`, 'the total (GrandTotalAmount)'],
    ],
    sums: [
      {
        id: 'FIELDS-SUM-NET',
        at,
        total: amount('TaxBasisTotalAmount'),
        forms: [
          {
            plus: [amount('LineTotalAmount'), amount('ChargeTotalAmount')],
            minus: [amount('AllowanceTotalAmount')],
          },
        ],
        tolerance: CENTS,
        what: 'lines plus charges minus allowances',
      },
      {
        id: 'FIELDS-SUM-GROSS',
        at,
        total: amount('GrandTotalAmount'),
        forms: [{ plus: [amount('TaxBasisTotalAmount'), amount('TaxTotalAmount')] }],
        tolerance: CENTS,
        what: 'the net amount plus the tax',
      },
    ],
    taxes: [
      `${settlement}/${prefix}ApplicableTradeTax`,
      amount('BasisAmount'),
      amount(names.rate),
      amount('CalculatedAmount'),
    ],
  };
}

/**
 * National invoice formats that are known from the profile. For all others, the root element decides which paths apply.
 */
const formats: Readonly<Record<string, Format>> = { FATTURAPA: fatturaPa, FACTURAE: facturae };
const cii = crossIndustry(ciiNames);
const zugferd1 = crossIndustry(zugferdNames);
const paths = new Map<string, Path>();

/** Returns the missing fields and the wrong sums of an invoice in a national format. */
export function checkNationalFields(root: Element, profile: Profile): readonly FailedRule[] {
  const format = formats[profile.code] ?? formatOfRoot(root);
  return [
    ...format.fields.flatMap((row) => missingField(root, row)),
    ...format.sums.flatMap((row) => wrongSums(root, row)),
    ...wrongTaxes(root, format.taxes),
  ];
}

/**
 * Returns the table with the paths of fields and sums that fits the root element of an invoice: CII, ZUGFeRD 1 or UBL.
 * A CII invoice may declare a ZUGFeRD 1 profile, so the root element, and not the profile, shows where the elements of
 * the invoice are.
 */
function formatOfRoot({ name, namespace }: Element): Format {
  if (namespace === CII) return cii;
  return name === 'CrossIndustryDocument' ? zugferd1 : ubl;
}

function missingField(root: Element, [id, path, what]: FieldRow): readonly FailedRule[] {
  if (find(root, path).some((element) => valueOf(element) !== '')) return [];
  return [failed(id, root, `Add ${what}.`)];
}

function wrongSums(root: Element, row: SumRow): readonly FailedRule[] {
  return find(root, row.at).flatMap((group) => {
    const total = find(group, row.total)[0];
    const actual = decimalOf(total);
    if (total === undefined || actual === undefined) return [];
    const sums = row.forms
      .map(({ plus, minus = [] }) => {
        const [main = '', ...others] = plus;
        const mainParts = find(group, main);
        // If the main amounts of a sum are missing, the sum is not compared with the total of the invoice.
        if (mainParts.length === 0 || mainParts.some((part) => decimalOf(part) === undefined)) return undefined;
        const added = [...mainParts, ...others.flatMap((path) => find(group, path))];
        return sumOf(added).minus(sumOf(minus.flatMap((path) => find(group, path))));
      })
      .filter((sum) => sum !== undefined);
    const [first] = sums;
    if (first === undefined || sums.some((sum) => sum.minus(actual).abs().lte(row.tolerance))) return [];
    return [failed(row.id, total, `Set this total to ${row.what}.`, roundCents(first), actual)];
  });
}

function wrongTaxes(root: Element, row: TaxRow | undefined): readonly FailedRule[] {
  if (row === undefined) return [];
  const [at, basePath, ratePath, taxPath] = row;
  return find(root, at).flatMap((group) => {
    const [base, rate] = [basePath, ratePath].map((path) => decimalOf(find(group, path)[0]));
    const tax = find(group, taxPath)[0];
    const actual = decimalOf(tax);
    if (tax === undefined || base === undefined || rate === undefined || actual === undefined) return [];
    const expected = rate.eq(ZERO) ? ZERO : roundCents(base.times(rate).dividedBy(100));
    if (actual.minus(expected).abs().lt(UNIT)) return [];
    return [failed('FIELDS-SUM-TAX', tax, 'Set the tax to the taxable amount times the tax rate.', expected, actual)];
  });
}

function find(from: Element, path: string): readonly Element[] {
  let compiled = paths.get(path);
  if (compiled === undefined) {
    compiled = compilePath(path);
    paths.set(path, compiled);
  }
  return compiled(from);
}

function failed(id: string, at: Element, message: string, expected?: Decimal, actual?: Decimal): FailedRule {
  return {
    id,
    flag: 'FATAL',
    message,
    location: locationOf(at),
    expected: expected?.toFixed() ?? null,
    actual: actual?.toFixed() ?? null,
  };
}
