/**
 * A valid invoice for tests, in UBL and in CII, that contains every element that rules of EN 16931, Peppol and
 * XRechnung check. Tests break one rule at a time. `category` changes the VAT category and everything that depends on
 * it.
 */
export interface VatCase {
  readonly code: string;
  /** VAT rate of the invoice in percent. Null for category O, which has no rate. */
  readonly rate: string | null;
  readonly reason: boolean;
}

export const STANDARD: VatCase = { code: 'S', rate: '20', reason: false };
export const XRECHNUNG = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
export const PEPPOL = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0';

function taxOf({ rate }: VatCase): { readonly tax: string; readonly gross: string; readonly due: string } {
  return Number(rate ?? '0') > 0
    ? { tax: '42.00', gross: '252.00', due: '202.50' }
    : { tax: '0.00', gross: '210.00', due: '160.50' };
}

function ublTax(name: string, vat: VatCase, inner = ''): string {
  const percent = vat.rate === null ? '' : `<cbc:Percent>${vat.rate}</cbc:Percent>`;
  return `<cac:${name}><cbc:ID>${vat.code}</cbc:ID>${percent}${inner}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:${name}>`;
}

export function ublInvoice(vat: VatCase = STANDARD, customization = PEPPOL): string {
  const { tax, gross, due } = taxOf(vat);
  const isOutside = vat.code === 'O';
  const vatId = (id: string): string =>
    isOutside
      ? ''
      : `<cac:PartyTaxScheme><cbc:CompanyID>${id}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`;
  const reason = vat.reason ? '<cbc:TaxExemptionReason>No VAT is due</cbc:TaxExemptionReason>' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>${customization}</cbc:CustomizationID>
<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>
<cbc:ID>INV-1</cbc:ID>
<cbc:IssueDate>2026-03-02</cbc:IssueDate>
<cbc:DueDate>2026-04-01</cbc:DueDate>
<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
<cbc:Note>Thank you</cbc:Note>
<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>
<cbc:BuyerReference>04011000-12345-34</cbc:BuyerReference>
<cac:InvoicePeriod><cbc:StartDate>2026-02-01</cbc:StartDate><cbc:EndDate>2026-02-28</cbc:EndDate></cac:InvoicePeriod>
<cac:OrderReference><cbc:ID>PO-7</cbc:ID></cac:OrderReference>
<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>INV-0</cbc:ID></cac:InvoiceDocumentReference></cac:BillingReference>
<cac:AdditionalDocumentReference><cbc:ID>OBJ-1</cbc:ID><cbc:DocumentTypeCode>130</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>
<cac:AdditionalDocumentReference><cbc:ID>ATT-1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" filename="hours.pdf">JVBERg==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>
<cac:AdditionalDocumentReference><cbc:ID>ATT-2</cbc:ID><cac:Attachment><cac:ExternalReference><cbc:URI>https://example.com/terms.pdf</cbc:URI></cac:ExternalReference></cac:Attachment></cac:AdditionalDocumentReference>
<cac:AccountingSupplierParty><cac:Party>
<cbc:EndpointID schemeID="0088">7300010000001</cbc:EndpointID>
<cac:PartyIdentification><cbc:ID schemeID="SEPA">DE98ZZZ09999999999</cbc:ID></cac:PartyIdentification>
<cac:PartyName><cbc:Name>Seller</cbc:Name></cac:PartyName>
<cac:PostalAddress><cbc:StreetName>Street 1</cbc:StreetName><cbc:CityName>Berlin</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
${vatId('DE123456789')}<cac:PartyTaxScheme><cbc:CompanyID>37/123/45678</cbc:CompanyID><cac:TaxScheme><cbc:ID>FC</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
<cac:PartyLegalEntity><cbc:RegistrationName>Seller GmbH</cbc:RegistrationName><cbc:CompanyID schemeID="0088">7300010000001</cbc:CompanyID></cac:PartyLegalEntity>
<cac:Contact><cbc:Name>Ann</cbc:Name><cbc:Telephone>+49 30 1234567</cbc:Telephone><cbc:ElectronicMail>ann@example.com</cbc:ElectronicMail></cac:Contact>
</cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party>
<cbc:EndpointID schemeID="0088">7300010000001</cbc:EndpointID>
<cac:PartyIdentification><cbc:ID schemeID="0088">7300010000001</cbc:ID></cac:PartyIdentification>
<cac:PostalAddress><cbc:CityName>Hamburg</cbc:CityName><cbc:PostalZone>20095</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
${vatId('DE987654321')}<cac:PartyLegalEntity><cbc:RegistrationName>Buyer AG</cbc:RegistrationName><cbc:CompanyID>HRB 1</cbc:CompanyID></cac:PartyLegalEntity>
</cac:Party></cac:AccountingCustomerParty>
<cac:PayeeParty><cac:PartyName><cbc:Name>Factor Bank</cbc:Name></cac:PartyName></cac:PayeeParty>
${isOutside ? '' : `<cac:TaxRepresentativeParty><cac:PartyName><cbc:Name>Representative</cbc:Name></cac:PartyName><cac:PostalAddress><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>${vatId('DE111222333')}</cac:TaxRepresentativeParty>`}
<cac:Delivery><cbc:ActualDeliveryDate>2026-02-27</cbc:ActualDeliveryDate><cac:DeliveryLocation><cbc:ID schemeID="0088">7300010000001</cbc:ID><cac:Address><cbc:CityName>Bremen</cbc:CityName><cbc:PostalZone>28195</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:Address></cac:DeliveryLocation></cac:Delivery>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>DE79000000001234567890</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:PaymentMeans><cbc:PaymentMeansCode>48</cbc:PaymentMeansCode><cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID><cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount></cac:PaymentMeans>
<cac:PaymentMeans><cbc:PaymentMeansCode>59</cbc:PaymentMeansCode><cac:PaymentMandate><cbc:ID>M-1</cbc:ID><cac:PayerFinancialAccount><cbc:ID>DE79000000001234567890</cbc:ID></cac:PayerFinancialAccount></cac:PaymentMandate></cac:PaymentMeans>
<cac:PaymentTerms><cbc:Note>#SKONTO#TAGE=14#PROZENT=2.00#
</cbc:Note></cac:PaymentTerms>
<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode><cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="EUR">10.00</cbc:Amount><cbc:BaseAmount currencyID="EUR">100.00</cbc:BaseAmount>${ublTax('TaxCategory', vat)}</cac:AllowanceCharge>
<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode><cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="EUR">20.00</cbc:Amount><cbc:BaseAmount currencyID="EUR">200.00</cbc:BaseAmount>${ublTax('TaxCategory', vat)}</cac:AllowanceCharge>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">${tax}</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">210.00</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">${tax}</cbc:TaxAmount>${ublTax('TaxCategory', vat, reason)}</cac:TaxSubtotal></cac:TaxTotal>
<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">450.00</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">200.00</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="EUR">210.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">${gross}</cbc:TaxInclusiveAmount><cbc:AllowanceTotalAmount currencyID="EUR">10.00</cbc:AllowanceTotalAmount><cbc:ChargeTotalAmount currencyID="EUR">20.00</cbc:ChargeTotalAmount><cbc:PrepaidAmount currencyID="EUR">50.00</cbc:PrepaidAmount><cbc:PayableRoundingAmount currencyID="EUR">0.50</cbc:PayableRoundingAmount><cbc:PayableAmount currencyID="EUR">${due}</cbc:PayableAmount></cac:LegalMonetaryTotal>
<cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">10</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">98.00</cbc:LineExtensionAmount><cac:InvoicePeriod><cbc:StartDate>2026-02-02</cbc:StartDate><cbc:EndDate>2026-02-20</cbc:EndDate></cac:InvoicePeriod><cac:DocumentReference><cbc:ID schemeID="AAA">OBJ-2</cbc:ID><cbc:DocumentTypeCode>130</cbc:DocumentTypeCode></cac:DocumentReference><cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Loyal</cbc:AllowanceChargeReason><cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="EUR">5.00</cbc:Amount><cbc:BaseAmount currencyID="EUR">50.00</cbc:BaseAmount></cac:AllowanceCharge><cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Packing</cbc:AllowanceChargeReason><cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="EUR">3.00</cbc:Amount><cbc:BaseAmount currencyID="EUR">30.00</cbc:BaseAmount></cac:AllowanceCharge><cac:Item><cbc:Name>Chair</cbc:Name><cac:StandardItemIdentification><cbc:ID schemeID="0160">09506000134352</cbc:ID></cac:StandardItemIdentification><cac:OriginCountry><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:OriginCountry><cac:CommodityClassification><cbc:ItemClassificationCode listID="STI">12345678</cbc:ItemClassificationCode></cac:CommodityClassification>${ublTax('ClassifiedTaxCategory', vat)}<cac:AdditionalItemProperty><cbc:Name>Colour</cbc:Name><cbc:Value>Black</cbc:Value></cac:AdditionalItemProperty></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">10.00</cbc:PriceAmount><cbc:BaseQuantity unitCode="C62">1</cbc:BaseQuantity><cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="EUR">2.00</cbc:Amount><cbc:BaseAmount currencyID="EUR">12.00</cbc:BaseAmount></cac:AllowanceCharge></cac:Price></cac:InvoiceLine>
<cac:InvoiceLine><cbc:ID>2</cbc:ID><cbc:InvoicedQuantity unitCode="C62">2</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">102.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Table</cbc:Name>${ublTax('ClassifiedTaxCategory', vat)}</cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">51.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>`;
}

function ciiTax(name: string, vat: VatCase): string {
  const rate = vat.rate === null ? '' : `<ram:RateApplicablePercent>${vat.rate}</ram:RateApplicablePercent>`;
  return `<ram:${name}><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>${vat.code}</ram:CategoryCode>${rate}</ram:${name}>`;
}

function day(name: string, value: string): string {
  return `<ram:${name}><udt:DateTimeString format="102">${value}</udt:DateTimeString></ram:${name}>`;
}

function indicator(value: boolean): string {
  return `<ram:ChargeIndicator><udt:Indicator>${String(value)}</udt:Indicator></ram:ChargeIndicator>`;
}

export function ciiInvoice(vat: VatCase = STANDARD, customization = XRECHNUNG): string {
  const { tax, gross, due } = taxOf(vat);
  const vatId = (id: string): string =>
    vat.code === 'O'
      ? ''
      : `<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">${id}</ram:ID></ram:SpecifiedTaxRegistration>`;
  const reason = vat.reason ? '<ram:ExemptionReason>No VAT is due</ram:ExemptionReason>' : '';
  const rate = vat.rate === null ? '' : `<ram:RateApplicablePercent>${vat.rate}</ram:RateApplicablePercent>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100" xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>${customization}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>INV-1</ram:ID><ram:TypeCode>380</ram:TypeCode>${day('IssueDateTime', '20260302')}<ram:IncludedNote><ram:Content>Thank you</ram:Content></ram:IncludedNote></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:GlobalID schemeID="0160">09506000134352</ram:GlobalID><ram:Name>Chair</ram:Name><ram:ApplicableProductCharacteristic><ram:Description>Colour</ram:Description><ram:Value>Black</ram:Value></ram:ApplicableProductCharacteristic><ram:DesignatedProductClassification><ram:ClassCode listID="STI">12345678</ram:ClassCode></ram:DesignatedProductClassification><ram:OriginTradeCountry><ram:ID>DE</ram:ID></ram:OriginTradeCountry></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:GrossPriceProductTradePrice><ram:ChargeAmount>12.00</ram:ChargeAmount><ram:BasisQuantity unitCode="C62">1</ram:BasisQuantity><ram:AppliedTradeAllowanceCharge>${indicator(false)}<ram:ActualAmount>2.00</ram:ActualAmount></ram:AppliedTradeAllowanceCharge></ram:GrossPriceProductTradePrice><ram:NetPriceProductTradePrice><ram:ChargeAmount>10.00</ram:ChargeAmount><ram:BasisQuantity unitCode="C62">1</ram:BasisQuantity></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">10</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement>${ciiTax('ApplicableTradeTax', vat)}<ram:BillingSpecifiedPeriod>${day('StartDateTime', '20260202')}${day('EndDateTime', '20260220')}</ram:BillingSpecifiedPeriod><ram:SpecifiedTradeAllowanceCharge>${indicator(false)}<ram:CalculationPercent>10</ram:CalculationPercent><ram:BasisAmount>50.00</ram:BasisAmount><ram:ActualAmount>5.00</ram:ActualAmount><ram:Reason>Loyal</ram:Reason></ram:SpecifiedTradeAllowanceCharge><ram:SpecifiedTradeAllowanceCharge>${indicator(true)}<ram:CalculationPercent>10</ram:CalculationPercent><ram:BasisAmount>30.00</ram:BasisAmount><ram:ActualAmount>3.00</ram:ActualAmount><ram:Reason>Packing</ram:Reason></ram:SpecifiedTradeAllowanceCharge><ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>98.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation><ram:AdditionalReferencedDocument><ram:IssuerAssignedID>OBJ-2</ram:IssuerAssignedID><ram:TypeCode>130</ram:TypeCode><ram:ReferenceTypeCode>AAA</ram:ReferenceTypeCode></ram:AdditionalReferencedDocument></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>2</ram:LineID></ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>Table</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>51.00</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement>${ciiTax('ApplicableTradeTax', vat)}<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>102.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement><ram:BuyerReference>04011000-12345-34</ram:BuyerReference><ram:SellerTradeParty><ram:GlobalID schemeID="0088">7300010000001</ram:GlobalID><ram:Name>Seller GmbH</ram:Name><ram:SpecifiedLegalOrganization><ram:ID schemeID="0088">7300010000001</ram:ID></ram:SpecifiedLegalOrganization><ram:DefinedTradeContact><ram:PersonName>Ann</ram:PersonName><ram:TelephoneUniversalCommunication><ram:CompleteNumber>+49 30 1234567</ram:CompleteNumber></ram:TelephoneUniversalCommunication><ram:EmailURIUniversalCommunication><ram:URIID>ann@example.com</ram:URIID></ram:EmailURIUniversalCommunication></ram:DefinedTradeContact><ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress><ram:URIUniversalCommunication><ram:URIID schemeID="0088">7300010000001</ram:URIID></ram:URIUniversalCommunication>${vatId('DE123456789')}<ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">37/123/45678</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Buyer AG</ram:Name><ram:SpecifiedLegalOrganization><ram:ID>HRB 1</ram:ID></ram:SpecifiedLegalOrganization><ram:PostalTradeAddress><ram:PostcodeCode>20095</ram:PostcodeCode><ram:CityName>Hamburg</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress><ram:URIUniversalCommunication><ram:URIID schemeID="0088">7300010000001</ram:URIID></ram:URIUniversalCommunication>${vatId('DE987654321')}</ram:BuyerTradeParty>${vat.code === 'O' ? '' : `<ram:SellerTaxRepresentativeTradeParty><ram:Name>Representative</ram:Name><ram:PostalTradeAddress><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>${vatId('DE111222333')}</ram:SellerTaxRepresentativeTradeParty>`}<ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>PO-7</ram:IssuerAssignedID></ram:BuyerOrderReferencedDocument><ram:AdditionalReferencedDocument><ram:IssuerAssignedID>ATT-1</ram:IssuerAssignedID><ram:TypeCode>916</ram:TypeCode><ram:AttachmentBinaryObject mimeCode="application/pdf" filename="hours.pdf">JVBERg==</ram:AttachmentBinaryObject></ram:AdditionalReferencedDocument><ram:AdditionalReferencedDocument><ram:IssuerAssignedID>ATT-2</ram:IssuerAssignedID><ram:URIID>https://example.com/terms.pdf</ram:URIID><ram:TypeCode>916</ram:TypeCode></ram:AdditionalReferencedDocument></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery><ram:ShipToTradeParty><ram:GlobalID schemeID="0088">7300010000001</ram:GlobalID><ram:PostalTradeAddress><ram:PostcodeCode>28195</ram:PostcodeCode><ram:CityName>Bremen</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress></ram:ShipToTradeParty><ram:ActualDeliverySupplyChainEvent>${day('OccurrenceDateTime', '20260227')}</ram:ActualDeliverySupplyChainEvent></ram:ApplicableHeaderTradeDelivery>
<ram:ApplicableHeaderTradeSettlement><ram:CreditorReferenceID>DE98ZZZ09999999999</ram:CreditorReferenceID><ram:TaxCurrencyCode>SEK</ram:TaxCurrencyCode><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode><ram:PayeeTradeParty><ram:Name>Factor Bank</ram:Name></ram:PayeeTradeParty><ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>59</ram:TypeCode><ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE79000000001234567890</ram:IBANID></ram:PayerPartyDebtorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans><ram:ApplicableTradeTax><ram:CalculatedAmount>${tax}</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode>${reason}<ram:BasisAmount>210.00</ram:BasisAmount><ram:CategoryCode>${vat.code}</ram:CategoryCode>${rate}</ram:ApplicableTradeTax><ram:BillingSpecifiedPeriod>${day('StartDateTime', '20260201')}${day('EndDateTime', '20260228')}</ram:BillingSpecifiedPeriod><ram:SpecifiedTradeAllowanceCharge>${indicator(false)}<ram:CalculationPercent>10</ram:CalculationPercent><ram:BasisAmount>100.00</ram:BasisAmount><ram:ActualAmount>10.00</ram:ActualAmount><ram:ReasonCode>95</ram:ReasonCode>${ciiTax('CategoryTradeTax', vat)}</ram:SpecifiedTradeAllowanceCharge><ram:SpecifiedTradeAllowanceCharge>${indicator(true)}<ram:CalculationPercent>10</ram:CalculationPercent><ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>20.00</ram:ActualAmount><ram:ReasonCode>FC</ram:ReasonCode>${ciiTax('CategoryTradeTax', vat)}</ram:SpecifiedTradeAllowanceCharge><ram:SpecifiedTradePaymentTerms><ram:Description>#SKONTO#TAGE=14#PROZENT=2.00#
</ram:Description>${day('DueDateDateTime', '20260401')}<ram:DirectDebitMandateID>M-1</ram:DirectDebitMandateID></ram:SpecifiedTradePaymentTerms><ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>200.00</ram:LineTotalAmount><ram:ChargeTotalAmount>20.00</ram:ChargeTotalAmount><ram:AllowanceTotalAmount>10.00</ram:AllowanceTotalAmount><ram:TaxBasisTotalAmount>210.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">${tax}</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="SEK">450.00</ram:TaxTotalAmount><ram:RoundingAmount>0.50</ram:RoundingAmount><ram:GrandTotalAmount>${gross}</ram:GrandTotalAmount><ram:TotalPrepaidAmount>50.00</ram:TotalPrepaidAmount><ram:DuePayableAmount>${due}</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:InvoiceReferencedDocument><ram:IssuerAssignedID>INV-0</ram:IssuerAssignedID></ram:InvoiceReferencedDocument></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`;
}
