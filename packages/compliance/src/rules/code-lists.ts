import {
  allowanceReasons,
  chargeReasons,
  countries,
  creditNoteTypes,
  currencies,
  electronicAddressSchemes,
  exemptionReasons,
  identifierSchemes,
  invoiceTypes,
  itemClassifications,
  noteSubjects,
  paymentMeans,
  referenceSchemes,
  units,
} from '../codes.js';
import { compilePath, type Path } from '../path.js';
import type { Element } from '../element.js';
import { failure, type Rule } from './rule.js';
import { UBL_AMOUNTS } from './ubl-amounts.js';

/** UBL and CII use different codes for the VAT tax point date (UNTDID 2005 and 2475). */
const UBL_TAX_POINTS: ReadonlySet<string> = new Set(['3', '35', '432']);
const CII_TAX_POINTS: ReadonlySet<string> = new Set(['5', '29', '72']);
const VAT_CATEGORIES: ReadonlySet<string> = new Set('AE L M E S Z G O K B'.split(' '));
const MIME_CODES: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
]);
const ALL_TYPES: ReadonlySet<string> = new Set([...invoiceTypes, ...creditNoteTypes]);
const SELLER_AND_PAYEE_SCHEMES: ReadonlySet<string> = new Set([...identifierSchemes, 'SEPA']);

interface CodedPlace {
  /** Path of the element that has the code. Empty if the syntax (UBL or CII) has no such element. */
  readonly path: string;
  /** XML attribute that holds the code. Absent if the text of the element is the code. */
  readonly attribute?: string;
  readonly list: ReadonlySet<string>;
}

interface CodeRow {
  readonly id: string;
  readonly what: string;
  readonly ubl: readonly CodedPlace[];
  readonly cii: readonly CodedPlace[];
}

function text(path: string, list: ReadonlySet<string>): CodedPlace {
  return { path, list };
}

function attribute(name: string, path: string, list: ReadonlySet<string>): CodedPlace {
  return { path, attribute: name, list };
}

const rows: readonly CodeRow[] = [
  {
    id: 'BR-CL-01',
    what: 'the type code of the invoice (BT-3, UNTDID 1001)',
    ubl: [text('cbc:InvoiceTypeCode', invoiceTypes), text('cbc:CreditNoteTypeCode', creditNoteTypes)],
    cii: [text('rsm:ExchangedDocument/ram:TypeCode', ALL_TYPES)],
  },
  {
    id: 'BR-CL-03',
    what: 'the currency of an amount (ISO 4217)',
    ubl: [attribute('currencyID', UBL_AMOUNTS, currencies)],
    cii: [attribute('currencyID', '//ram:TaxTotalAmount', currencies)],
  },
  {
    id: 'BR-CL-04',
    what: 'the invoice currency (BT-5, ISO 4217)',
    ubl: [text('cbc:DocumentCurrencyCode', currencies)],
    cii: [text('//ram:InvoiceCurrencyCode', currencies)],
  },
  {
    id: 'BR-CL-05',
    what: 'the VAT accounting currency (BT-6, ISO 4217)',
    ubl: [text('cbc:TaxCurrencyCode', currencies)],
    cii: [text('//ram:TaxCurrencyCode', currencies)],
  },
  {
    id: 'BR-CL-06',
    what: 'the code of the VAT tax point date (BT-8)',
    ubl: [text('//cac:InvoicePeriod/cbc:DescriptionCode', UBL_TAX_POINTS)],
    cii: [text('//ram:DueDateTypeCode', CII_TAX_POINTS)],
  },
  {
    id: 'BR-CL-07',
    what: 'the scheme of the invoiced object (BT-18, BT-128, UNTDID 1153)',
    ubl: [
      attribute(
        'schemeID',
        "//cac:AdditionalDocumentReference[cbc:DocumentTypeCode='130']/cbc:ID | //cac:DocumentReference[cbc:DocumentTypeCode='130']/cbc:ID",
        referenceSchemes,
      ),
    ],
    cii: [text('//ram:ReferenceTypeCode', referenceSchemes)],
  },
  {
    id: 'BR-CL-08',
    what: 'the subject of the note (BT-21, UNTDID 4451)',
    ubl: [],
    cii: [text('//ram:SubjectCode', noteSubjects)],
  },
  {
    id: 'BR-CL-10',
    what: 'the scheme of the party identifier (ISO 6523)',
    ubl: [
      attribute(
        'schemeID',
        '//cac:AccountingSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID | //cac:PayeeParty/cac:PartyIdentification/cbc:ID',
        SELLER_AND_PAYEE_SCHEMES,
      ),
      attribute(
        'schemeID',
        '//cac:AccountingCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID',
        identifierSchemes,
      ),
    ],
    cii: [
      attribute(
        'schemeID',
        '//ram:SellerTradeParty/ram:GlobalID | //ram:BuyerTradeParty/ram:GlobalID | //ram:PayeeTradeParty/ram:GlobalID',
        identifierSchemes,
      ),
    ],
  },
  {
    id: 'BR-CL-11',
    what: 'the scheme of the legal registration (ISO 6523)',
    ubl: [attribute('schemeID', '//cac:PartyLegalEntity/cbc:CompanyID', identifierSchemes)],
    cii: [attribute('schemeID', '//ram:SpecifiedLegalOrganization/ram:ID', identifierSchemes)],
  },
  {
    id: 'BR-CL-13',
    what: 'the list of the item classification (BT-158, UNTDID 7143)',
    ubl: [attribute('listID', '//cac:CommodityClassification/cbc:ItemClassificationCode', itemClassifications)],
    cii: [attribute('listID', '//ram:ClassCode', itemClassifications)],
  },
  {
    id: 'BR-CL-14',
    what: 'the country code (ISO 3166-1)',
    ubl: [text('//cac:Country/cbc:IdentificationCode', countries)],
    cii: [text('//ram:CountryID', countries)],
  },
  {
    id: 'BR-CL-15',
    what: 'the country of origin (BT-159, ISO 3166-1)',
    ubl: [text('//cac:OriginCountry/cbc:IdentificationCode', countries)],
    cii: [text('//ram:OriginTradeCountry/ram:ID', countries)],
  },
  {
    id: 'BR-CL-16',
    what: 'the payment means (BT-81, UNTDID 4461)',
    ubl: [text('cac:PaymentMeans/cbc:PaymentMeansCode', paymentMeans)],
    cii: [text('//ram:SpecifiedTradeSettlementPaymentMeans/ram:TypeCode', paymentMeans)],
  },
  {
    id: 'BR-CL-17',
    what: 'the VAT category (UNTDID 5305)',
    ubl: [text('//cac:TaxCategory/cbc:ID', VAT_CATEGORIES)],
    cii: [text('//ram:CategoryTradeTax/ram:CategoryCode', VAT_CATEGORIES)],
  },
  {
    id: 'BR-CL-18',
    what: 'the VAT category of the line (BT-151, UNTDID 5305)',
    ubl: [text('//cac:ClassifiedTaxCategory/cbc:ID', VAT_CATEGORIES)],
    cii: [text('//ram:ApplicableTradeTax/ram:CategoryCode', VAT_CATEGORIES)],
  },
  {
    id: 'BR-CL-19',
    what: 'the reason for the allowance (BT-98, BT-140, UNTDID 5189)',
    ubl: [
      text("//cac:AllowanceCharge[cbc:ChargeIndicator='false','0']/cbc:AllowanceChargeReasonCode", allowanceReasons),
    ],
    cii: [
      text(
        "//ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='false','0']/ram:ReasonCode",
        allowanceReasons,
      ),
    ],
  },
  {
    id: 'BR-CL-20',
    what: 'the reason for the charge (BT-105, BT-145, UNTDID 7161)',
    ubl: [text("//cac:AllowanceCharge[cbc:ChargeIndicator='true','1']/cbc:AllowanceChargeReasonCode", chargeReasons)],
    cii: [
      text(
        "//ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='true','1']/ram:ReasonCode",
        chargeReasons,
      ),
    ],
  },
  {
    id: 'BR-CL-21',
    what: 'the scheme of the standard item identifier (BT-157, ISO 6523)',
    ubl: [attribute('schemeID', '//cac:StandardItemIdentification/cbc:ID', identifierSchemes)],
    cii: [attribute('schemeID', '//ram:SpecifiedTradeProduct/ram:GlobalID', identifierSchemes)],
  },
  {
    id: 'BR-CL-22',
    what: 'the code of the exemption reason (BT-121, VATEX)',
    ubl: [text('//cbc:TaxExemptionReasonCode', exemptionReasons)],
    cii: [text('//ram:ExemptionReasonCode', exemptionReasons)],
  },
  {
    id: 'BR-CL-23',
    what: 'the unit of the quantity (BT-130, BT-150, UN/ECE Recommendations 20 and 21)',
    ubl: [attribute('unitCode', '//cbc:InvoicedQuantity | //cbc:BaseQuantity | //cbc:CreditedQuantity', units)],
    cii: [attribute('unitCode', '//ram:BasisQuantity | //ram:BilledQuantity', units)],
  },
  {
    id: 'BR-CL-24',
    what: 'the media type of the attachment (BT-125)',
    ubl: [attribute('mimeCode', '//cbc:EmbeddedDocumentBinaryObject', MIME_CODES)],
    cii: [attribute('mimeCode', '//ram:AttachmentBinaryObject', MIME_CODES)],
  },
  {
    id: 'BR-CL-25',
    what: 'the scheme of the electronic address (BT-34, BT-49, EAS)',
    ubl: [attribute('schemeID', '//cbc:EndpointID', electronicAddressSchemes)],
    cii: [attribute('schemeID', '//ram:URIUniversalCommunication/ram:URIID', electronicAddressSchemes)],
  },
  {
    id: 'BR-CL-26',
    what: 'the scheme of the delivery location (BT-71, ISO 6523)',
    ubl: [attribute('schemeID', '//cac:DeliveryLocation/cbc:ID', identifierSchemes)],
    cii: [attribute('schemeID', '//ram:ShipToTradeParty/ram:GlobalID', identifierSchemes)],
  },
];

interface CompiledPlace extends CodedPlace {
  readonly find: Path;
}

function codeRule({ id, what, ubl, cii }: CodeRow): Rule {
  const compile = (place: CodedPlace): CompiledPlace => ({ ...place, find: compilePath(place.path) });
  const places = { UBL: ubl.map(compile), CII: cii.map(compile) };
  return {
    id,
    flag: 'WARNING',
    sets: ['EN16931'],
    test: (model) =>
      places[model.syntax].flatMap((place) =>
        place.find(model.root).flatMap((element) => {
          const code = codeOf(element, place);
          if (code === undefined || place.list.has(id === 'BR-CL-22' ? code.toUpperCase() : code)) return [];
          return [
            failure(element, `Replace ${JSON.stringify(shorten(code))} with a code from the code list for ${what}.`),
          ];
        }),
      ),
  };
}

/**
 * Returns the code of an XML element. Undefined if the XML attribute with the code is absent, because other validation
 * rules report the missing attribute.
 */
function codeOf(element: Element, place: CodedPlace): string | undefined {
  const code = place.attribute === undefined ? element.text : element.attributes.get(place.attribute);
  return code?.trim().replace(/\s+/g, ' ');
}

function shorten(code: string): string {
  return code.length > 40 ? `${code.slice(0, 40)}...` : code;
}

/**
 * Rules that warn about a code that is not in its list (documents reference, section 9.2). They do not refuse the
 * invoice, because the lists change twice a year.
 */
export const codeListRules: readonly Rule[] = rows.map(codeRule);
