/**
 * Defines where the business terms (BT) and groups (BG) of EN 16931 are in the XML syntaxes UBL 2.1 and CII D16B
 * (documents reference, sections 6 and 9.2). Each path is relative to the path of its group; `-` means that the syntax
 * has no such element. Codes with an additional letter are not part of the standard. They name elements that rules use
 * and that the standard does not number.
 */
export interface TermRow {
  readonly ubl: string;
  readonly cii: string;
}

export interface GroupRow {
  readonly ubl: string;
  readonly cii: string;
  readonly terms: Readonly<Record<string, TermRow>>;
  readonly groups: Readonly<Record<string, GroupRow>>;
}

const NOWHERE = '-';
const AGREEMENT = 'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement';
const DELIVERY = 'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeDelivery';
const SETTLEMENT = 'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement';
const TOTALS = `${SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
const UBL_VAT = "[cac:TaxScheme/cbc:ID~'VAT']";
const CII_VAT = "[ram:TypeCode~'VAT']";
const DATE = 'udt:DateTimeString';

function term(ubl: string, cii: string): TermRow {
  return { ubl, cii };
}

function group(
  ubl: string,
  cii: string,
  terms: Readonly<Record<string, TermRow>>,
  groups: Readonly<Record<string, GroupRow>> = {},
): GroupRow {
  return { ubl, cii, terms, groups };
}

/**
 * Returns the terms of a party. The seller (BG-4) and the buyer (BG-7) of an e-invoice have different term codes but
 * the same XML paths.
 */
function party(ubl: string, cii: string, codes: PartyCodes): GroupRow {
  return group(
    ubl,
    cii,
    {
      [codes.name]: term('cac:PartyLegalEntity/cbc:RegistrationName', 'ram:Name'),
      [codes.identifier]: term('cac:PartyIdentification/cbc:ID', 'ram:ID | ram:GlobalID'),
      [codes.legalId]: term('cac:PartyLegalEntity/cbc:CompanyID', 'ram:SpecifiedLegalOrganization/ram:ID'),
      [codes.vatId]: term(
        `cac:PartyTaxScheme${UBL_VAT}/cbc:CompanyID`,
        "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']",
      ),
      [codes.taxId]: term(
        `cac:PartyTaxScheme[not(cac:TaxScheme/cbc:ID~'VAT')]/cbc:CompanyID`,
        "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='FC']",
      ),
      [codes.endpoint]: term('cbc:EndpointID', 'ram:URIUniversalCommunication/ram:URIID'),
      [codes.contact]: term('cac:Contact', 'ram:DefinedTradeContact'),
      tradingName: term('cac:PartyName/cbc:Name', 'ram:Name'),
      endpointGroup: term('cbc:EndpointID', 'ram:URIUniversalCommunication'),
    },
    {
      [codes.address]: address(
        'cac:PostalAddress',
        'ram:PostalTradeAddress',
        codes.city,
        codes.postCode,
        codes.country,
      ),
      [codes.contact]: group('cac:Contact', 'ram:DefinedTradeContact', {
        contactName: term('cbc:Name', 'ram:PersonName | ram:DepartmentName'),
        telephone: term('cbc:Telephone', 'ram:TelephoneUniversalCommunication/ram:CompleteNumber'),
        email: term('cbc:ElectronicMail', 'ram:EmailURIUniversalCommunication/ram:URIID'),
      }),
    },
  );
}

interface PartyCodes {
  readonly name: string;
  readonly identifier: string;
  readonly legalId: string;
  readonly vatId: string;
  readonly taxId: string;
  readonly endpoint: string;
  readonly contact: string;
  readonly address: string;
  readonly city: string;
  readonly postCode: string;
  readonly country: string;
}

function address(ubl: string, cii: string, city: string, postCode: string, country: string): GroupRow {
  return group(ubl, cii, {
    [city]: term('cbc:CityName', 'ram:CityName'),
    [postCode]: term('cbc:PostalZone', 'ram:PostcodeCode'),
    [country]: term('cac:Country/cbc:IdentificationCode', 'ram:CountryID'),
  });
}

/** Allowances and charges of the whole e-invoice (BG-20, BG-21) and of an invoice line (BG-27, BG-28). */
function allowanceCharge(ubl: string, cii: string, codes: AllowanceChargeCodes): GroupRow {
  return group(ubl, cii, {
    [codes.amount]: term('cbc:Amount', 'ram:ActualAmount'),
    [codes.base]: term('cbc:BaseAmount', 'ram:BasisAmount'),
    [codes.percentage]: term('cbc:MultiplierFactorNumeric', 'ram:CalculationPercent'),
    [codes.reason]: term('cbc:AllowanceChargeReason', 'ram:Reason'),
    [codes.reasonCode]: term('cbc:AllowanceChargeReasonCode', 'ram:ReasonCode'),
    category: term(`cac:TaxCategory${UBL_VAT}/cbc:ID`, `ram:CategoryTradeTax${CII_VAT}/ram:CategoryCode`),
    rate: term(`cac:TaxCategory${UBL_VAT}/cbc:Percent`, `ram:CategoryTradeTax${CII_VAT}/ram:RateApplicablePercent`),
    anyCategory: term('cac:TaxCategory/cbc:ID', 'ram:CategoryTradeTax/ram:CategoryCode'),
    anyRate: term('cac:TaxCategory/cbc:Percent', 'ram:CategoryTradeTax/ram:RateApplicablePercent'),
    indicator: term('cbc:ChargeIndicator', 'ram:ChargeIndicator/udt:Indicator'),
  });
}

interface AllowanceChargeCodes {
  readonly amount: string;
  readonly base: string;
  readonly percentage: string;
  readonly reason: string;
  readonly reasonCode: string;
}

const FALSE_UBL = "[cbc:ChargeIndicator='false','0']";
const TRUE_UBL = "[cbc:ChargeIndicator='true','1']";
const FALSE_CII = "[ram:ChargeIndicator/udt:Indicator='false','0']";
const TRUE_CII = "[ram:ChargeIndicator/udt:Indicator='true','1']";
const LINE_SETTLEMENT = 'ram:SpecifiedLineTradeSettlement';

export const modelTable: GroupRow = group(
  '',
  '',
  {
    'BT-1': term('cbc:ID', 'rsm:ExchangedDocument/ram:ID'),
    'BT-2': term('cbc:IssueDate', `rsm:ExchangedDocument/ram:IssueDateTime/${DATE}[@format='102']`),
    'BT-3': term('cbc:InvoiceTypeCode | cbc:CreditNoteTypeCode', 'rsm:ExchangedDocument/ram:TypeCode'),
    'BT-5': term('cbc:DocumentCurrencyCode', `${SETTLEMENT}/ram:InvoiceCurrencyCode`),
    'BT-6': term('cbc:TaxCurrencyCode', `${SETTLEMENT}/ram:TaxCurrencyCode`),
    'BT-7': term('cbc:TaxPointDate', '//ram:TaxPointDate'),
    'BT-8': term('cac:InvoicePeriod/cbc:DescriptionCode', '//ram:DueDateTypeCode'),
    'BT-9': term(
      'cbc:DueDate | cac:PaymentMeans/cbc:PaymentDueDate',
      `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/${DATE}`,
    ),
    'BT-10': term('cbc:BuyerReference', `${AGREEMENT}/ram:BuyerReference`),
    'BT-12': term(
      'cac:ContractDocumentReference/cbc:ID',
      `${AGREEMENT}/ram:ContractReferencedDocument/ram:IssuerAssignedID`,
    ),
    'BT-13': term('cac:OrderReference/cbc:ID', `${AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID`),
    'BT-17': term(
      'cac:OriginatorDocumentReference/cbc:ID',
      `${AGREEMENT}/ram:AdditionalReferencedDocument[ram:TypeCode='50']/ram:IssuerAssignedID`,
    ),
    'BT-20': term('cac:PaymentTerms/cbc:Note', `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:Description`),
    'BT-22': term('cbc:Note', 'rsm:ExchangedDocument/ram:IncludedNote'),
    'BT-23': term(
      'cbc:ProfileID',
      'rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID',
    ),
    'BT-24': term(
      'cbc:CustomizationID',
      'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
    ),
    'BT-72': term(
      'cac:Delivery/cbc:ActualDeliveryDate',
      `${DELIVERY}/ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/${DATE}`,
    ),
    'BT-80': term(
      'cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode',
      `${DELIVERY}/ram:ShipToTradeParty/ram:PostalTradeAddress/ram:CountryID`,
    ),
    'BT-89': term(
      'cac:PaymentMeans/cac:PaymentMandate/cbc:ID',
      `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID`,
    ),
    'BT-90': term(
      "cac:AccountingSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID[@schemeID='SEPA'] | " +
        "cac:PayeeParty/cac:PartyIdentification/cbc:ID[@schemeID='SEPA']",
      `${SETTLEMENT}/ram:CreditorReferenceID`,
    ),
    'BT-91': term(
      'cac:PaymentMeans/cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID',
      `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans/ram:PayerPartyDebtorFinancialAccount/ram:IBANID`,
    ),
    'BT-27': term(
      'cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName',
      `${AGREEMENT}/ram:SellerTradeParty/ram:Name`,
    ),
    'BT-40': term(
      'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress/cac:Country/cbc:IdentificationCode',
      `${AGREEMENT}/ram:SellerTradeParty/ram:PostalTradeAddress/ram:CountryID`,
    ),
    'BT-44': term(
      'cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName',
      `${AGREEMENT}/ram:BuyerTradeParty/ram:Name`,
    ),
    'BT-55': term(
      'cac:AccountingCustomerParty/cac:Party/cac:PostalAddress/cac:Country/cbc:IdentificationCode',
      `${AGREEMENT}/ram:BuyerTradeParty/ram:PostalTradeAddress/ram:CountryID`,
    ),
    'BG-5': term(
      'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress',
      `${AGREEMENT}/ram:SellerTradeParty/ram:PostalTradeAddress`,
    ),
    'BG-8': term(
      'cac:AccountingCustomerParty/cac:Party/cac:PostalAddress',
      `${AGREEMENT}/ram:BuyerTradeParty/ram:PostalTradeAddress`,
    ),
    'BG-16': term('cac:PaymentMeans', `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans`),
    'BG-25': term('cac:InvoiceLine | cac:CreditNoteLine', '//ram:IncludedSupplyChainTradeLineItem'),
    /** All total VAT amounts (BT-110 and BT-111), which the currency attribute distinguishes. */
    taxTotals: term('cac:TaxTotal/cbc:TaxAmount', `${TOTALS}/ram:TaxTotalAmount`),
    sellerParty: term('cac:AccountingSupplierParty', `${AGREEMENT}/ram:SellerTradeParty`),
    settlement: term('-', SETTLEMENT),
    context: term('-', 'rsm:ExchangedDocumentContext'),
    mandate: term('cac:PaymentMeans/cac:PaymentMandate', NOWHERE),
    vatIds: term(
      `//cac:PartyTaxScheme${UBL_VAT}/cbc:CompanyID`,
      "//ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']",
    ),
    countries: term('//cbc:IdentificationCode', '//ram:CountryID'),
    lineAllowanceCategories: term(
      `//cac:AllowanceCharge/cac:TaxCategory${UBL_VAT}/cbc:ID`,
      `//ram:CategoryTradeTax${CII_VAT}/ram:CategoryCode`,
    ),
    invoiceTypeCode: term('cbc:InvoiceTypeCode', 'rsm:ExchangedDocument/ram:TypeCode'),
    creditNoteTypeCode: term('cbc:CreditNoteTypeCode', NOWHERE),
    projectReferences: term(
      "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='50']",
      `${AGREEMENT}/ram:AdditionalReferencedDocument[ram:TypeCode='50']`,
    ),
    periodStart: term(
      'cac:InvoicePeriod/cbc:StartDate',
      `${SETTLEMENT}/ram:BillingSpecifiedPeriod/ram:StartDateTime/${DATE}`,
    ),
    periodEnd: term(
      'cac:InvoicePeriod/cbc:EndDate',
      `${SETTLEMENT}/ram:BillingSpecifiedPeriod/ram:EndDateTime/${DATE}`,
    ),
  },
  {
    'BG-3': group('cac:BillingReference', `${SETTLEMENT}/ram:InvoiceReferencedDocument`, {
      'BT-25': term('cac:InvoiceDocumentReference/cbc:ID', 'ram:IssuerAssignedID'),
    }),
    'BG-4': party('cac:AccountingSupplierParty/cac:Party', `${AGREEMENT}/ram:SellerTradeParty`, {
      name: 'BT-27',
      identifier: 'BT-29',
      legalId: 'BT-30',
      vatId: 'BT-31',
      taxId: 'BT-32',
      endpoint: 'BT-34',
      contact: 'BG-6',
      address: 'BG-5',
      city: 'BT-37',
      postCode: 'BT-38',
      country: 'BT-40',
    }),
    'BG-7': party('cac:AccountingCustomerParty/cac:Party', `${AGREEMENT}/ram:BuyerTradeParty`, {
      name: 'BT-44',
      identifier: 'BT-46',
      legalId: 'BT-47',
      vatId: 'BT-48',
      taxId: 'buyerTaxId',
      endpoint: 'BT-49',
      contact: 'BG-9',
      address: 'BG-8',
      city: 'BT-52',
      postCode: 'BT-53',
      country: 'BT-55',
    }),
    'BG-10': group('cac:PayeeParty', `${SETTLEMENT}/ram:PayeeTradeParty`, {
      'BT-59': term('cac:PartyName/cbc:Name', 'ram:Name'),
      'BT-60': term('cac:PartyIdentification/cbc:ID', 'ram:ID'),
      'BT-61': term('cac:PartyLegalEntity/cbc:CompanyID', 'ram:SpecifiedLegalOrganization/ram:ID'),
    }),
    'BG-11': group(
      'cac:TaxRepresentativeParty',
      `${AGREEMENT}/ram:SellerTaxRepresentativeTradeParty`,
      {
        'BT-62': term('cac:PartyName/cbc:Name', 'ram:Name'),
        'BT-63': term(
          `cac:PartyTaxScheme${UBL_VAT}/cbc:CompanyID`,
          "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']",
        ),
        'BT-69': term('cac:PostalAddress/cac:Country/cbc:IdentificationCode', 'ram:PostalTradeAddress/ram:CountryID'),
        'BG-12': term('cac:PostalAddress', 'ram:PostalTradeAddress'),
      },
      { 'BG-12': address('cac:PostalAddress', 'ram:PostalTradeAddress', 'BT-66', 'BT-67', 'BT-69') },
    ),
    'BG-14': group('cac:InvoicePeriod', `${SETTLEMENT}/ram:BillingSpecifiedPeriod`, {
      'BT-73': term('cbc:StartDate', `ram:StartDateTime/${DATE}`),
      'BT-74': term('cbc:EndDate', `ram:EndDateTime/${DATE}`),
      startGroup: term('cbc:StartDate', 'ram:StartDateTime'),
      endGroup: term('cbc:EndDate', 'ram:EndDateTime'),
      dateCode: term('cbc:DescriptionCode', NOWHERE),
      anything: term('*', '*'),
    }),
    'BG-15': address(
      'cac:Delivery/cac:DeliveryLocation/cac:Address',
      `${DELIVERY}/ram:ShipToTradeParty/ram:PostalTradeAddress`,
      'BT-77',
      'BT-78',
      'BT-80',
    ),
    'BG-16': group(
      'cac:PaymentMeans',
      `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans`,
      {
        'BT-81': term('cbc:PaymentMeansCode', 'ram:TypeCode'),
        'BT-84': term(
          'cac:PayeeFinancialAccount/cbc:ID',
          'ram:PayeePartyCreditorFinancialAccount/ram:IBANID | ram:PayeePartyCreditorFinancialAccount/ram:ProprietaryID',
        ),
        'BT-91': term(
          'cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID',
          'ram:PayerPartyDebtorFinancialAccount/ram:IBANID',
        ),
        'BG-17': term('cac:PayeeFinancialAccount', 'ram:PayeePartyCreditorFinancialAccount'),
        'BG-18': term('cac:CardAccount', 'ram:ApplicableTradeSettlementFinancialCard'),
        'BG-19': term('cac:PaymentMandate', NOWHERE),
        iban: term('cac:PayeeFinancialAccount/cbc:ID', 'ram:PayeePartyCreditorFinancialAccount/ram:IBANID'),
        bankOfDebit: term(
          NOWHERE,
          'ram:PayeeSpecifiedCreditorFinancialInstitution | ram:PayerSpecifiedDebtorFinancialInstitution',
        ),
        mandateId: term('cac:PaymentMandate/cbc:ID', '../ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID'),
      },
      {
        'BG-17': group('cac:PayeeFinancialAccount', 'ram:PayeePartyCreditorFinancialAccount', {
          'BT-84': term('cbc:ID', 'ram:IBANID | ram:ProprietaryID'),
        }),
        'BG-18': group('cac:CardAccount', 'ram:ApplicableTradeSettlementFinancialCard', {
          'BT-87': term('cbc:PrimaryAccountNumberID', 'ram:ID'),
        }),
      },
    ),
    'BG-20': allowanceCharge(
      `cac:AllowanceCharge${FALSE_UBL}`,
      `${SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge${FALSE_CII}`,
      { amount: 'BT-92', base: 'BT-93', percentage: 'BT-94', reason: 'BT-97', reasonCode: 'BT-98' },
    ),
    'BG-21': allowanceCharge(
      `cac:AllowanceCharge${TRUE_UBL}`,
      `${SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge${TRUE_CII}`,
      { amount: 'BT-99', base: 'BT-100', percentage: 'BT-101', reason: 'BT-104', reasonCode: 'BT-105' },
    ),
    /** Allowances and charges of the e-invoice and of its lines, regardless of their charge indicator. */
    allowancesAndCharges: allowanceCharge(
      'cac:AllowanceCharge | cac:InvoiceLine/cac:AllowanceCharge | cac:CreditNoteLine/cac:AllowanceCharge',
      '//ram:SpecifiedTradeAllowanceCharge',
      { amount: 'amount', base: 'base', percentage: 'percentage', reason: 'reason', reasonCode: 'reasonCode' },
    ),
    'BG-22': group('cac:LegalMonetaryTotal', TOTALS, {
      'BT-106': term('cbc:LineExtensionAmount', 'ram:LineTotalAmount'),
      'BT-107': term('cbc:AllowanceTotalAmount', 'ram:AllowanceTotalAmount'),
      'BT-108': term('cbc:ChargeTotalAmount', 'ram:ChargeTotalAmount'),
      'BT-109': term('cbc:TaxExclusiveAmount', 'ram:TaxBasisTotalAmount'),
      'BT-112': term('cbc:TaxInclusiveAmount', 'ram:GrandTotalAmount'),
      'BT-113': term('cbc:PrepaidAmount', 'ram:TotalPrepaidAmount'),
      'BT-114': term('cbc:PayableRoundingAmount', 'ram:RoundingAmount'),
      'BT-115': term('cbc:PayableAmount', 'ram:DuePayableAmount'),
    }),
    /** The total VAT amount of an e-invoice, with the VAT breakdown below it (UBL) or next to it (CII). */
    taxTotal: group('cac:TaxTotal', NOWHERE, {
      'BT-110': term('cbc:TaxAmount', NOWHERE),
      'BG-23': term('cac:TaxSubtotal', NOWHERE),
      'BT-117': term('cac:TaxSubtotal/cbc:TaxAmount', NOWHERE),
    }),
    'BG-23': group('cac:TaxTotal/cac:TaxSubtotal', `${SETTLEMENT}/ram:ApplicableTradeTax`, {
      'BT-116': term('cbc:TaxableAmount', 'ram:BasisAmount'),
      'BT-117': term('cbc:TaxAmount', 'ram:CalculatedAmount'),
      'BT-118': term('cac:TaxCategory/cbc:ID', 'ram:CategoryCode'),
      'BT-119': term('cac:TaxCategory/cbc:Percent', 'ram:RateApplicablePercent'),
      'BT-120': term('cac:TaxCategory/cbc:TaxExemptionReason', 'ram:ExemptionReason'),
      'BT-121': term('cac:TaxCategory/cbc:TaxExemptionReasonCode', 'ram:ExemptionReasonCode'),
      taxScheme: term('cac:TaxCategory/cac:TaxScheme/cbc:ID', 'ram:TypeCode'),
    }),
    'BG-24': group('cac:AdditionalDocumentReference', '//ram:AdditionalReferencedDocument', {
      'BT-122': term('cbc:ID', 'ram:IssuerAssignedID'),
      'BT-124': term('cac:Attachment/cac:ExternalReference/cbc:URI', 'ram:URIID'),
      'BT-125': term('cac:Attachment/cbc:EmbeddedDocumentBinaryObject', 'ram:AttachmentBinaryObject'),
      external: term('cac:Attachment/cac:ExternalReference', 'ram:URIID'),
      documentType: term('cbc:DocumentTypeCode', 'ram:TypeCode'),
    }),
    'BG-25': group(
      'cac:InvoiceLine | cac:CreditNoteLine',
      'rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem',
      {
        'BT-126': term('cbc:ID', 'ram:AssociatedDocumentLineDocument/ram:LineID'),
        'BT-128': term('cac:DocumentReference', `${LINE_SETTLEMENT}/ram:AdditionalReferencedDocument`),
        'BT-129': term(
          'cbc:InvoicedQuantity | cbc:CreditedQuantity',
          'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity',
        ),
        'BT-131': term(
          'cbc:LineExtensionAmount',
          `${LINE_SETTLEMENT}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount`,
        ),
        'BT-134': term(
          'cac:InvoicePeriod/cbc:StartDate',
          `${LINE_SETTLEMENT}/ram:BillingSpecifiedPeriod/ram:StartDateTime/${DATE}`,
        ),
        'BT-135': term(
          'cac:InvoicePeriod/cbc:EndDate',
          `${LINE_SETTLEMENT}/ram:BillingSpecifiedPeriod/ram:EndDateTime/${DATE}`,
        ),
        'BT-146': term(
          'cac:Price/cbc:PriceAmount',
          'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount',
        ),
        'BT-147': term(
          'cac:Price/cac:AllowanceCharge/cbc:Amount',
          'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge/ram:ActualAmount',
        ),
        'BT-148': term(
          'cac:Price/cac:AllowanceCharge/cbc:BaseAmount',
          'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:ChargeAmount',
        ),
        'BT-149': term(
          'cac:Price/cbc:BaseQuantity',
          'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:BasisQuantity',
        ),
        'BT-151': term(
          `cac:Item/cac:ClassifiedTaxCategory${UBL_VAT}/cbc:ID`,
          `${LINE_SETTLEMENT}/ram:ApplicableTradeTax${CII_VAT}/ram:CategoryCode`,
        ),
        'BT-152': term(
          `cac:Item/cac:ClassifiedTaxCategory${UBL_VAT}/cbc:Percent`,
          `${LINE_SETTLEMENT}/ram:ApplicableTradeTax${CII_VAT}/ram:RateApplicablePercent`,
        ),
        'BT-153': term('cac:Item/cbc:Name', 'ram:SpecifiedTradeProduct/ram:Name'),
        'BT-157': term('cac:Item/cac:StandardItemIdentification/cbc:ID', 'ram:SpecifiedTradeProduct/ram:GlobalID'),
        'BT-158': term(
          'cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode',
          'ram:SpecifiedTradeProduct/ram:DesignatedProductClassification/ram:ClassCode',
        ),
        anyCategory: term(
          'cac:Item/cac:ClassifiedTaxCategory/cbc:ID',
          `${LINE_SETTLEMENT}/ram:ApplicableTradeTax/ram:CategoryCode`,
        ),
        anyRate: term(
          'cac:Item/cac:ClassifiedTaxCategory/cbc:Percent',
          `${LINE_SETTLEMENT}/ram:ApplicableTradeTax/ram:RateApplicablePercent`,
        ),
        invoicedObjects: term(
          'cac:DocumentReference',
          `${LINE_SETTLEMENT}/ram:AdditionalReferencedDocument[ram:TypeCode='130']`,
        ),
        objectTypes: term(
          'cac:DocumentReference/cbc:DocumentTypeCode',
          `${LINE_SETTLEMENT}/ram:AdditionalReferencedDocument/ram:TypeCode`,
        ),
        priceCharge: term(
          'cac:Price/cac:AllowanceCharge',
          'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge',
        ),
        grossBaseQuantity: term(
          NOWHERE,
          'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:BasisQuantity',
        ),
      },
      {
        'BG-26': group('cac:InvoicePeriod', `${LINE_SETTLEMENT}/ram:BillingSpecifiedPeriod`, {
          'BT-134': term('cbc:StartDate', `ram:StartDateTime/${DATE}`),
          'BT-135': term('cbc:EndDate', `ram:EndDateTime/${DATE}`),
          startGroup: term('cbc:StartDate', 'ram:StartDateTime'),
          endGroup: term('cbc:EndDate', 'ram:EndDateTime'),
        }),
        'BG-27': allowanceCharge(
          `cac:AllowanceCharge${FALSE_UBL}`,
          `${LINE_SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge${FALSE_CII}`,
          { amount: 'BT-136', base: 'BT-137', percentage: 'BT-138', reason: 'BT-139', reasonCode: 'BT-140' },
        ),
        'BG-28': allowanceCharge(
          `cac:AllowanceCharge${TRUE_UBL}`,
          `${LINE_SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge${TRUE_CII}`,
          { amount: 'BT-141', base: 'BT-142', percentage: 'BT-143', reason: 'BT-144', reasonCode: 'BT-145' },
        ),
        netPrice: group('cac:Price', 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice', {
          'BT-149': term('cbc:BaseQuantity', 'ram:BasisQuantity'),
        }),
        grossPrice: group(NOWHERE, 'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice', {
          'BT-149': term(NOWHERE, 'ram:BasisQuantity'),
        }),
        priceAllowance: group(
          'cac:Price/cac:AllowanceCharge',
          'ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice',
          {
            indicator: term('cbc:ChargeIndicator', 'ram:AppliedTradeAllowanceCharge/ram:ChargeIndicator/udt:Indicator'),
            'BT-147': term('cbc:Amount', 'ram:AppliedTradeAllowanceCharge/ram:ActualAmount'),
            'BT-148': term('cbc:BaseAmount', 'ram:ChargeAmount'),
          },
        ),
        'BG-30': group('cac:Item/cac:ClassifiedTaxCategory', `${LINE_SETTLEMENT}/ram:ApplicableTradeTax`, {
          'BT-151': term('cbc:ID', 'ram:CategoryCode'),
          'BT-152': term('cbc:Percent', 'ram:RateApplicablePercent'),
          taxScheme: term('cac:TaxScheme/cbc:ID', 'ram:TypeCode'),
        }),
        'BG-32': group(
          'cac:Item/cac:AdditionalItemProperty',
          'ram:SpecifiedTradeProduct/ram:ApplicableProductCharacteristic',
          {
            'BT-160': term('cbc:Name', 'ram:Description'),
            'BT-161': term('cbc:Value', 'ram:Value'),
          },
        ),
      },
    ),
  },
);
