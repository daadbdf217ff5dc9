import { describe, expect, test } from 'vitest';
import { ciiInvoice, PEPPOL, STANDARD, ublInvoice, XRECHNUNG, type VatCase } from '../testing/base-invoices.js';
import { readTree } from '../testing/read-tree.js';
import { readModel, type Syntax } from '../invoice-model.js';
import type { FailedRule } from '../validation.js';
import type { RuleSet } from './rule.js';
import { ruleTable, runRules } from './rule-table.js';

/**
 * Replacement of the first occurrence of a text, which makes the invoice break the rule. Null if this syntax has no way
 * to break the rule.
 */
type Change = readonly [from: string | RegExp, to: string] | null;
type Case = readonly [id: string, ubl: Change, cii: Change];

function remove(from: string | RegExp): Change {
  return [from, ''];
}

function element(name: string): RegExp {
  return new RegExp(`<${name}(?: [^>]*)?>[^<]*</${name}>`);
}

function whole(name: string): RegExp {
  return new RegExp(`<${name}>.*?</${name}>`, 's');
}

function run(xml: string, syntax: Syntax, sets: readonly RuleSet[]): readonly FailedRule[] {
  return runRules(readModel(readTree(xml), syntax), sets);
}

const LINE_TAX_UBL = /(<cac:ClassifiedTaxCategory>.*?)<cbc:ID>VAT/s;

const core: readonly Case[] = [
  ['BR-01', remove(element('cbc:CustomizationID')), remove(whole('ram:GuidelineSpecifiedDocumentContextParameter'))],
  ['BR-02', ['<cbc:ID>INV-1</cbc:ID>', '<cbc:ID> </cbc:ID>'], remove('<ram:ID>INV-1</ram:ID>')],
  ['BR-03', remove(element('cbc:IssueDate')), remove(whole('ram:IssueDateTime'))],
  ['BR-04', remove(element('cbc:InvoiceTypeCode')), remove('<ram:TypeCode>380</ram:TypeCode>')],
  ['BR-05', remove(element('cbc:DocumentCurrencyCode')), remove(element('ram:InvoiceCurrencyCode'))],
  ['BR-06', remove(element('cbc:RegistrationName')), remove('<ram:Name>Seller GmbH</ram:Name>')],
  ['BR-07', remove('<cbc:RegistrationName>Buyer AG</cbc:RegistrationName>'), remove('<ram:Name>Buyer AG</ram:Name>')],
  ['BR-08', remove(whole('cac:PostalAddress')), remove(whole('ram:PostalTradeAddress'))],
  ['BR-09', remove(whole('cac:Country')), remove('<ram:CountryID>DE</ram:CountryID>')],
  [
    'BR-10',
    [/(Buyer|7300010000001<\/cbc:ID><\/cac:PartyIdentification>\s*)<cac:PostalAddress>.*?<\/cac:PostalAddress>/s, '$1'],
    [/(HRB 1<\/ram:ID><\/ram:SpecifiedLegalOrganization>)<ram:PostalTradeAddress>.*?<\/ram:PostalTradeAddress>/s, '$1'],
  ],
  [
    'BR-11',
    [/(20095<\/cbc:PostalZone>)<cac:Country>.*?<\/cac:Country>/s, '$1'],
    [/(Hamburg<\/ram:CityName>)<ram:CountryID>DE<\/ram:CountryID>/, '$1'],
  ],
  [
    'BR-12',
    [/(<cac:LegalMonetaryTotal>)<cbc:LineExtensionAmount[^/]*\/cbc:LineExtensionAmount>/, '$1'],
    remove('<ram:LineTotalAmount>200.00</ram:LineTotalAmount>'),
  ],
  ['BR-13', remove(element('cbc:TaxExclusiveAmount')), remove(element('ram:TaxBasisTotalAmount'))],
  ['BR-14', remove(element('cbc:TaxInclusiveAmount')), remove(element('ram:GrandTotalAmount'))],
  ['BR-15', remove(element('cbc:PayableAmount')), remove(element('ram:DuePayableAmount'))],
  [
    'BR-16',
    remove(/<cac:InvoiceLine>.*<\/cac:InvoiceLine>/s),
    remove(/<ram:IncludedSupplyChainTradeLineItem>.*<\/ram:IncludedSupplyChainTradeLineItem>/s),
  ],
  [
    'BR-17',
    ['<cac:PartyName><cbc:Name>Factor Bank', '<cac:PartyName><cbc:Name>Seller'],
    remove('<ram:Name>Factor Bank</ram:Name>'),
  ],
  ['BR-18', ['<cbc:Name>Representative</cbc:Name>', '<cbc:Name/>'], remove('<ram:Name>Representative</ram:Name>')],
  [
    'BR-19',
    [/(Representative<\/cbc:Name><\/cac:PartyName>)<cac:PostalAddress>.*?<\/cac:PostalAddress>/s, '$1'],
    [/(Representative<\/ram:Name>)<ram:PostalTradeAddress>.*?<\/ram:PostalTradeAddress>/s, '$1'],
  ],
  [
    'BR-20',
    [/(Representative.*?<cac:PostalAddress>)<cac:Country>.*?<\/cac:Country>/s, '$1'],
    [/(Representative.*?)<ram:CountryID>DE<\/ram:CountryID>/s, '$1'],
  ],
  ['BR-21', remove('<cbc:ID>2</cbc:ID>'), remove('<ram:LineID>2</ram:LineID>')],
  ['BR-22', remove(element('cbc:InvoicedQuantity')), remove(element('ram:BilledQuantity'))],
  [
    'BR-23',
    ['<cbc:InvoicedQuantity unitCode="C62">', '<cbc:InvoicedQuantity>'],
    ['<ram:BilledQuantity unitCode="C62">', '<ram:BilledQuantity>'],
  ],
  [
    'BR-24',
    remove('<cbc:LineExtensionAmount currencyID="EUR">98.00</cbc:LineExtensionAmount>'),
    remove('<ram:LineTotalAmount>98.00</ram:LineTotalAmount>'),
  ],
  ['BR-25', ['<cbc:Name>Chair</cbc:Name>', '<cbc:Name> </cbc:Name>'], remove('<ram:Name>Chair</ram:Name>')],
  [
    'BR-26',
    remove(element('cbc:PriceAmount')),
    [/(<ram:NetPriceProductTradePrice>)<ram:ChargeAmount>10.00<\/ram:ChargeAmount>/, '$1'],
  ],
  [
    'BR-27',
    ['<cbc:PriceAmount currencyID="EUR">10.00', '<cbc:PriceAmount currencyID="EUR">-10.00'],
    ['<ram:ChargeAmount>10.00', '<ram:ChargeAmount>-10.00'],
  ],
  [
    'BR-28',
    ['<cbc:BaseAmount currencyID="EUR">12.00', '<cbc:BaseAmount currencyID="EUR">-12.00'],
    ['<ram:ChargeAmount>12.00', '<ram:ChargeAmount>-12.00'],
  ],
  ['BR-29', ['2026-02-28', '2026-01-31'], ['20260228', '20260131']],
  ['BR-30', ['2026-02-20', '2026-02-01'], ['20260220', '20260201']],
  [
    'BR-31',
    remove('<cbc:Amount currencyID="EUR">10.00</cbc:Amount>'),
    remove('<ram:ActualAmount>10.00</ram:ActualAmount>'),
  ],
  ['BR-32', remove(whole('cac:TaxCategory')), remove(whole('ram:CategoryTradeTax'))],
  [
    'BR-33',
    remove('<cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>'),
    remove('<ram:ReasonCode>95</ram:ReasonCode>'),
  ],
  [
    'BR-36',
    remove('<cbc:Amount currencyID="EUR">20.00</cbc:Amount>'),
    remove('<ram:ActualAmount>20.00</ram:ActualAmount>'),
  ],
  [
    'BR-37',
    [/(200.00<\/cbc:BaseAmount>)<cac:TaxCategory>.*?<\/cac:TaxCategory>/s, '$1'],
    [/(FC<\/ram:ReasonCode>)<ram:CategoryTradeTax>.*?<\/ram:CategoryTradeTax>/s, '$1'],
  ],
  [
    'BR-38',
    remove('<cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode>'),
    remove('<ram:ReasonCode>FC</ram:ReasonCode>'),
  ],
  [
    'BR-41',
    remove('<cbc:Amount currencyID="EUR">5.00</cbc:Amount>'),
    remove('<ram:ActualAmount>5.00</ram:ActualAmount>'),
  ],
  [
    'BR-42',
    remove('<cbc:AllowanceChargeReason>Loyal</cbc:AllowanceChargeReason>'),
    remove('<ram:Reason>Loyal</ram:Reason>'),
  ],
  [
    'BR-43',
    remove('<cbc:Amount currencyID="EUR">3.00</cbc:Amount>'),
    remove('<ram:ActualAmount>3.00</ram:ActualAmount>'),
  ],
  [
    'BR-44',
    remove('<cbc:AllowanceChargeReason>Packing</cbc:AllowanceChargeReason>'),
    remove('<ram:Reason>Packing</ram:Reason>'),
  ],
  ['BR-45', remove(element('cbc:TaxableAmount')), remove('<ram:BasisAmount>210.00</ram:BasisAmount>')],
  [
    'BR-46',
    [/(<cac:TaxSubtotal>.*?)<cbc:TaxAmount[^/]*\/cbc:TaxAmount>/s, '$1'],
    remove(element('ram:CalculatedAmount')),
  ],
  [
    'BR-47',
    [/(<cac:TaxSubtotal>.*?<cac:TaxCategory>)<cbc:ID>S<\/cbc:ID>/s, '$1'],
    [/(<ram:BasisAmount>210.00<\/ram:BasisAmount>)<ram:CategoryCode>S<\/ram:CategoryCode>/, '$1'],
  ],
  [
    'BR-48',
    [/(<cac:TaxSubtotal>.*?)<cbc:Percent>20<\/cbc:Percent>/s, '$1'],
    [
      /(210.00<\/ram:BasisAmount><ram:CategoryCode>S<\/ram:CategoryCode>)<ram:RateApplicablePercent>20<\/ram:RateApplicablePercent>/,
      '$1',
    ],
  ],
  ['BR-49', remove(element('cbc:PaymentMeansCode')), remove('<ram:TypeCode>59</ram:TypeCode>')],
  [
    'BR-50',
    [
      '<cac:PayeeFinancialAccount><cbc:ID>DE79000000001234567890</cbc:ID>',
      '<cac:PayeeFinancialAccount><cbc:ID> </cbc:ID>',
    ],
    [/<ram:TypeCode>59<\/ram:TypeCode>/, '<ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount/>'],
  ],
  [
    'BR-51',
    ['<cbc:PrimaryAccountNumberID>1234<', '<cbc:PrimaryAccountNumberID>4111111111111111<'],
    [
      /<ram:TypeCode>59<\/ram:TypeCode>/,
      '<ram:TypeCode>48</ram:TypeCode><ram:ApplicableTradeSettlementFinancialCard><ram:ID>4111111111111111</ram:ID></ram:ApplicableTradeSettlementFinancialCard>',
    ],
  ],
  ['BR-52', remove('<cbc:ID>ATT-1</cbc:ID>'), remove('<ram:IssuerAssignedID>ATT-1</ram:IssuerAssignedID>')],
  [
    'BR-53',
    remove(/<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">.*?<\/cac:TaxTotal>/s),
    remove('<ram:TaxTotalAmount currencyID="SEK">450.00</ram:TaxTotalAmount>'),
  ],
  ['BR-54', remove('<cbc:Value>Black</cbc:Value>'), remove('<ram:Value>Black</ram:Value>')],
  ['BR-55', remove('<cbc:ID>INV-0</cbc:ID>'), remove('<ram:IssuerAssignedID>INV-0</ram:IssuerAssignedID>')],
  ['BR-56', remove('<cbc:CompanyID>DE111222333</cbc:CompanyID>'), remove('<ram:ID schemeID="VA">DE111222333</ram:ID>')],
  [
    'BR-57',
    [/(28195<\/cbc:PostalZone>)<cac:Country>.*?<\/cac:Country>/s, '$1'],
    [/(Bremen<\/ram:CityName>)<ram:CountryID>DE<\/ram:CountryID>/, '$1'],
  ],
  [
    'BR-61',
    remove(whole('cac:PayeeFinancialAccount')),
    [/<ram:TypeCode>59<\/ram:TypeCode>/, '<ram:TypeCode>30</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount/>'],
  ],
  ['BR-62', ['<cbc:EndpointID schemeID="0088">', '<cbc:EndpointID>'], ['<ram:URIID schemeID="0088">', '<ram:URIID>']],
  [
    'BR-63',
    [/(AccountingCustomerParty.*?)<cbc:EndpointID schemeID="0088">/s, '$1<cbc:EndpointID>'],
    [/(Hamburg.*?)<ram:URIID schemeID="0088">/s, '$1<ram:URIID>'],
  ],
  ['BR-64', ['<cbc:ID schemeID="0160">', '<cbc:ID>'], ['<ram:GlobalID schemeID="0160">', '<ram:GlobalID>']],
  ['BR-65', [' listID="STI"', ''], [' listID="STI"', '']],
  [
    'BR-CO-03',
    [
      '<cac:InvoicePeriod>',
      '<cbc:TaxPointDate>2026-03-02</cbc:TaxPointDate><cac:InvoicePeriod><cbc:DescriptionCode>3</cbc:DescriptionCode>',
    ],
    ['<ram:CalculatedAmount>', '<ram:TaxPointDate/><ram:DueDateTypeCode>5</ram:DueDateTypeCode><ram:CalculatedAmount>'],
  ],
  [
    'BR-CO-04',
    [LINE_TAX_UBL, '$1<cbc:ID>GST'],
    [/(<ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax>)<ram:TypeCode>VAT<\/ram:TypeCode>/, '$1'],
  ],
  ['BR-CO-09', ['>DE123456789<', '>QQ123456789<'], ['>DE123456789<', '>QQ123456789<']],
  [
    'BR-CO-10',
    ['200.00</cbc:LineExtensionAmount>', '200.01</cbc:LineExtensionAmount>'],
    ['<ram:LineTotalAmount>200.00', '<ram:LineTotalAmount>200.01'],
  ],
  [
    'BR-CO-11',
    ['10.00</cbc:AllowanceTotalAmount>', '10.01</cbc:AllowanceTotalAmount>'],
    ['10.00</ram:AllowanceTotalAmount>', '10.01</ram:AllowanceTotalAmount>'],
  ],
  [
    'BR-CO-12',
    ['20.00</cbc:ChargeTotalAmount>', '20.01</cbc:ChargeTotalAmount>'],
    ['20.00</ram:ChargeTotalAmount>', '20.01</ram:ChargeTotalAmount>'],
  ],
  [
    'BR-CO-13',
    ['210.00</cbc:TaxExclusiveAmount>', '210.01</cbc:TaxExclusiveAmount>'],
    ['210.00</ram:TaxBasisTotalAmount>', '210.01</ram:TaxBasisTotalAmount>'],
  ],
  [
    'BR-CO-14',
    ['<cbc:TaxAmount currencyID="EUR">42.00', '<cbc:TaxAmount currencyID="EUR">42.01'],
    ['currencyID="EUR">42.00', 'currencyID="EUR">42.01'],
  ],
  [
    'BR-CO-15',
    ['252.00</cbc:TaxInclusiveAmount>', '252.01</cbc:TaxInclusiveAmount>'],
    ['252.00</ram:GrandTotalAmount>', '252.01</ram:GrandTotalAmount>'],
  ],
  [
    'BR-CO-16',
    ['202.50</cbc:PayableAmount>', '202.51</cbc:PayableAmount>'],
    ['202.50</ram:DuePayableAmount>', '202.51</ram:DuePayableAmount>'],
  ],
  [
    'BR-CO-17',
    [
      /(<cbc:TaxableAmount currencyID="EUR">210.00<\/cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">)42.00/,
      '$143.00',
    ],
    ['<ram:CalculatedAmount>42.00', '<ram:CalculatedAmount>43.01'],
  ],
  [
    'BR-CO-18',
    remove(whole('cac:TaxSubtotal')),
    remove(/<ram:ApplicableTradeTax><ram:CalculatedAmount>.*?<\/ram:ApplicableTradeTax>/s),
  ],
  [
    'BR-CO-19',
    remove('<cbc:StartDate>2026-02-01</cbc:StartDate><cbc:EndDate>2026-02-28</cbc:EndDate>'),
    [
      /(<ram:BillingSpecifiedPeriod>)(?=<ram:StartDateTime><udt:DateTimeString format="102">20260201).*?(<\/ram:BillingSpecifiedPeriod>)/s,
      '$1$2',
    ],
  ],
  [
    'BR-CO-20',
    remove('<cbc:StartDate>2026-02-02</cbc:StartDate><cbc:EndDate>2026-02-20</cbc:EndDate>'),
    [/(<ram:BillingSpecifiedPeriod>).*?(<\/ram:BillingSpecifiedPeriod>)/s, '$1$2'],
  ],
  [
    'BR-CO-21',
    remove('<cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>'),
    remove('<ram:ReasonCode>95</ram:ReasonCode>'),
  ],
  [
    'BR-CO-22',
    remove('<cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode>'),
    remove('<ram:ReasonCode>FC</ram:ReasonCode>'),
  ],
  [
    'BR-CO-23',
    remove('<cbc:AllowanceChargeReason>Loyal</cbc:AllowanceChargeReason>'),
    remove('<ram:Reason>Loyal</ram:Reason>'),
  ],
  [
    'BR-CO-24',
    remove('<cbc:AllowanceChargeReason>Packing</cbc:AllowanceChargeReason>'),
    remove('<ram:Reason>Packing</ram:Reason>'),
  ],
  [
    'BR-CO-26',
    remove(
      /<cbc:CompanyID>DE123456789<\/cbc:CompanyID>|<cbc:CompanyID schemeID="0088">7300010000001<\/cbc:CompanyID>/g,
    ),
    remove(
      /<ram:GlobalID schemeID="0088">7300010000001<\/ram:GlobalID>(?=<ram:Name>)|<ram:ID schemeID="0088">7300010000001<\/ram:ID>|<ram:ID schemeID="VA">DE123456789<\/ram:ID>/g,
    ),
  ],
  [
    'BR-DEC-01',
    ['<cbc:Amount currencyID="EUR">10.00', '<cbc:Amount currencyID="EUR">10.001'],
    ['<ram:ActualAmount>10.00', '<ram:ActualAmount>10.001'],
  ],
  [
    'BR-DEC-02',
    ['<cbc:BaseAmount currencyID="EUR">100.00', '<cbc:BaseAmount currencyID="EUR">100.001'],
    ['<ram:BasisAmount>100.00', '<ram:BasisAmount>100.001'],
  ],
  [
    'BR-DEC-05',
    ['<cbc:Amount currencyID="EUR">20.00', '<cbc:Amount currencyID="EUR">20.001'],
    ['<ram:ActualAmount>20.00', '<ram:ActualAmount>20.001'],
  ],
  [
    'BR-DEC-06',
    ['<cbc:BaseAmount currencyID="EUR">200.00', '<cbc:BaseAmount currencyID="EUR">200.001'],
    ['<ram:BasisAmount>200.00', '<ram:BasisAmount>200.001'],
  ],
  [
    'BR-DEC-09',
    ['200.00</cbc:LineExtensionAmount>', '200.001</cbc:LineExtensionAmount>'],
    ['<ram:LineTotalAmount>200.00', '<ram:LineTotalAmount>200.001'],
  ],
  [
    'BR-DEC-10',
    ['10.00</cbc:AllowanceTotalAmount>', '10.001</cbc:AllowanceTotalAmount>'],
    ['10.00</ram:AllowanceTotalAmount>', '10.001</ram:AllowanceTotalAmount>'],
  ],
  [
    'BR-DEC-11',
    ['20.00</cbc:ChargeTotalAmount>', '20.001</cbc:ChargeTotalAmount>'],
    ['20.00</ram:ChargeTotalAmount>', '20.001</ram:ChargeTotalAmount>'],
  ],
  [
    'BR-DEC-12',
    ['210.00</cbc:TaxExclusiveAmount>', '210.001</cbc:TaxExclusiveAmount>'],
    ['210.00</ram:TaxBasisTotalAmount>', '210.001</ram:TaxBasisTotalAmount>'],
  ],
  [
    'BR-DEC-13',
    ['<cbc:TaxAmount currencyID="EUR">42.00', '<cbc:TaxAmount currencyID="EUR">42.001'],
    ['currencyID="EUR">42.00', 'currencyID="EUR">42.001'],
  ],
  [
    'BR-DEC-14',
    ['252.00</cbc:TaxInclusiveAmount>', '252.001</cbc:TaxInclusiveAmount>'],
    ['252.00</ram:GrandTotalAmount>', '252.001</ram:GrandTotalAmount>'],
  ],
  [
    'BR-DEC-15',
    ['currencyID="SEK">450.00', 'currencyID="SEK">450.001'],
    ['currencyID="SEK">450.00', 'currencyID="SEK">450.001'],
  ],
  [
    'BR-DEC-16',
    ['50.00</cbc:PrepaidAmount>', '50.001</cbc:PrepaidAmount>'],
    ['50.00</ram:TotalPrepaidAmount>', '50.001</ram:TotalPrepaidAmount>'],
  ],
  [
    'BR-DEC-17',
    ['0.50</cbc:PayableRoundingAmount>', '0.501</cbc:PayableRoundingAmount>'],
    ['0.50</ram:RoundingAmount>', '0.501</ram:RoundingAmount>'],
  ],
  [
    'BR-DEC-18',
    ['202.50</cbc:PayableAmount>', '202.501</cbc:PayableAmount>'],
    ['202.50</ram:DuePayableAmount>', '202.501</ram:DuePayableAmount>'],
  ],
  [
    'BR-DEC-19',
    ['210.00</cbc:TaxableAmount>', '210.001</cbc:TaxableAmount>'],
    ['<ram:BasisAmount>210.00', '<ram:BasisAmount>210.001'],
  ],
  [
    'BR-DEC-20',
    [/(<cac:TaxSubtotal>.*?)42.00/s, '$142.001'],
    ['<ram:CalculatedAmount>42.00', '<ram:CalculatedAmount>42.001'],
  ],
  [
    'BR-DEC-23',
    ['98.00</cbc:LineExtensionAmount>', '98.001</cbc:LineExtensionAmount>'],
    ['<ram:LineTotalAmount>98.00', '<ram:LineTotalAmount>98.001'],
  ],
  [
    'BR-DEC-24',
    ['<cbc:Amount currencyID="EUR">5.00', '<cbc:Amount currencyID="EUR">5.001'],
    ['<ram:ActualAmount>5.00', '<ram:ActualAmount>5.001'],
  ],
  [
    'BR-DEC-25',
    ['<cbc:BaseAmount currencyID="EUR">50.00', '<cbc:BaseAmount currencyID="EUR">50.001'],
    ['<ram:BasisAmount>50.00', '<ram:BasisAmount>50.001'],
  ],
  [
    'BR-DEC-27',
    ['<cbc:Amount currencyID="EUR">3.00', '<cbc:Amount currencyID="EUR">3.001'],
    ['<ram:ActualAmount>3.00', '<ram:ActualAmount>3.001'],
  ],
  [
    'BR-DEC-28',
    ['<cbc:BaseAmount currencyID="EUR">30.00', '<cbc:BaseAmount currencyID="EUR">30.001'],
    ['<ram:BasisAmount>30.00', '<ram:BasisAmount>30.001'],
  ],
  [
    'BR-B-01',
    [/(<cac:ClassifiedTaxCategory>)<cbc:ID>S/, '$1<cbc:ID>B'],
    ['<ram:CategoryCode>S', '<ram:CategoryCode>B'],
  ],
  [
    'BR-B-02',
    [/(<cac:ClassifiedTaxCategory>)<cbc:ID>S/, '$1<cbc:ID>B'],
    ['<ram:CategoryCode>S', '<ram:CategoryCode>B'],
  ],
  ['BR-CL-01', ['>380<', '>999<'], ['>380<', '>999<']],
  ['BR-CL-03', ['currencyID="EUR"', 'currencyID="EUX"'], ['currencyID="EUR"', 'currencyID="EUX"']],
  [
    'BR-CL-04',
    ['DocumentCurrencyCode>EUR', 'DocumentCurrencyCode>EUX'],
    ['InvoiceCurrencyCode>EUR', 'InvoiceCurrencyCode>EUX'],
  ],
  ['BR-CL-05', ['TaxCurrencyCode>SEK', 'TaxCurrencyCode>SEX'], ['TaxCurrencyCode>SEK', 'TaxCurrencyCode>SEX']],
  [
    'BR-CL-06',
    ['<cac:InvoicePeriod>', '<cac:InvoicePeriod><cbc:DescriptionCode>5</cbc:DescriptionCode>'],
    ['<ram:CalculatedAmount>', '<ram:DueDateTypeCode>35</ram:DueDateTypeCode><ram:CalculatedAmount>'],
  ],
  ['BR-CL-07', ['schemeID="AAA"', 'schemeID="QQQ"'], ['<ram:ReferenceTypeCode>AAA', '<ram:ReferenceTypeCode>QQQ']],
  [
    'BR-CL-08',
    null,
    [
      '<ram:Content>Thank you</ram:Content>',
      '<ram:Content>Thank you</ram:Content><ram:SubjectCode>QQQ</ram:SubjectCode>',
    ],
  ],
  [
    'BR-CL-10',
    [/(PartyIdentification><cbc:ID) schemeID="0088"/, '$1 schemeID="9999"'],
    ['<ram:GlobalID schemeID="0088">', '<ram:GlobalID schemeID="9999">'],
  ],
  [
    'BR-CL-11',
    ['<cbc:CompanyID schemeID="0088">', '<cbc:CompanyID schemeID="9999">'],
    ['<ram:ID schemeID="0088">', '<ram:ID schemeID="9999">'],
  ],
  ['BR-CL-13', ['listID="STI"', 'listID="QQQ"'], ['listID="STI"', 'listID="QQQ"']],
  [
    'BR-CL-14',
    ['<cbc:IdentificationCode>DE', '<cbc:IdentificationCode>QQ'],
    ['<ram:CountryID>DE', '<ram:CountryID>QQ'],
  ],
  [
    'BR-CL-15',
    ['<cac:OriginCountry><cbc:IdentificationCode>DE', '<cac:OriginCountry><cbc:IdentificationCode>QQ'],
    ['<ram:OriginTradeCountry><ram:ID>DE', '<ram:OriginTradeCountry><ram:ID>QQ'],
  ],
  ['BR-CL-16', ['<cbc:PaymentMeansCode>58', '<cbc:PaymentMeansCode>999'], ['<ram:TypeCode>59', '<ram:TypeCode>999']],
  [
    'BR-CL-17',
    [/(<cac:TaxCategory>)<cbc:ID>S/, '$1<cbc:ID>Q'],
    [/(<ram:CategoryTradeTax><ram:TypeCode>VAT<\/ram:TypeCode>)<ram:CategoryCode>S/, '$1<ram:CategoryCode>Q'],
  ],
  [
    'BR-CL-18',
    [/(<cac:ClassifiedTaxCategory>)<cbc:ID>S/, '$1<cbc:ID>Q'],
    ['<ram:CategoryCode>S', '<ram:CategoryCode>Q'],
  ],
  [
    'BR-CL-19',
    ['<cbc:AllowanceChargeReasonCode>95', '<cbc:AllowanceChargeReasonCode>1'],
    ['<ram:ReasonCode>95', '<ram:ReasonCode>1'],
  ],
  [
    'BR-CL-20',
    ['<cbc:AllowanceChargeReasonCode>FC', '<cbc:AllowanceChargeReasonCode>QQ'],
    ['<ram:ReasonCode>FC', '<ram:ReasonCode>QQ'],
  ],
  ['BR-CL-21', ['schemeID="0160"', 'schemeID="9999"'], ['schemeID="0160"', 'schemeID="9999"']],
  [
    'BR-CL-22',
    [/(<cac:TaxSubtotal>.*?<\/cbc:Percent>)/s, '$1<cbc:TaxExemptionReasonCode>VATEX-QQ</cbc:TaxExemptionReasonCode>'],
    ['<ram:CalculatedAmount>', '<ram:ExemptionReasonCode>VATEX-QQ</ram:ExemptionReasonCode><ram:CalculatedAmount>'],
  ],
  ['BR-CL-23', ['unitCode="C62"', 'unitCode="QQQ"'], ['unitCode="C62"', 'unitCode="QQQ"']],
  [
    'BR-CL-24',
    ['mimeCode="application/pdf"', 'mimeCode="text/html"'],
    ['mimeCode="application/pdf"', 'mimeCode="text/html"'],
  ],
  [
    'BR-CL-25',
    ['<cbc:EndpointID schemeID="0088">', '<cbc:EndpointID schemeID="1">'],
    ['<ram:URIID schemeID="0088">', '<ram:URIID schemeID="1">'],
  ],
  [
    'BR-CL-26',
    ['<cac:DeliveryLocation><cbc:ID schemeID="0088">', '<cac:DeliveryLocation><cbc:ID schemeID="1">'],
    ['<ram:ShipToTradeParty><ram:GlobalID schemeID="0088">', '<ram:ShipToTradeParty><ram:GlobalID schemeID="1">'],
  ],
];

const PROFILE = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
const both: readonly Case[] = [
  [
    'PEPPOL-EN16931-R001',
    remove(element('cbc:ProfileID')),
    remove(whole('ram:BusinessProcessSpecifiedDocumentContextParameter')),
  ],
  [
    'PEPPOL-EN16931-R005',
    ['<cbc:TaxCurrencyCode>SEK', '<cbc:TaxCurrencyCode>EUR'],
    ['<ram:TaxCurrencyCode>SEK', '<ram:TaxCurrencyCode>EUR'],
  ],
  [
    'PEPPOL-EN16931-R008',
    ['<cbc:Note>Thank you</cbc:Note>', '<cbc:Note></cbc:Note>'],
    ['<ram:Content>Thank you</ram:Content>', '<ram:Content/>'],
  ],
  [
    'PEPPOL-EN16931-R010',
    [/(AccountingCustomerParty.*?)<cbc:EndpointID[^/]*\/cbc:EndpointID>/s, '$1'],
    [/(Hamburg.*?)<ram:URIUniversalCommunication>.*?<\/ram:URIUniversalCommunication>/s, '$1'],
  ],
  ['PEPPOL-EN16931-R020', remove(element('cbc:EndpointID')), remove(whole('ram:URIUniversalCommunication'))],
  [
    'PEPPOL-EN16931-R040',
    ['<cbc:MultiplierFactorNumeric>10', '<cbc:MultiplierFactorNumeric>11'],
    ['<ram:CalculationPercent>10', '<ram:CalculationPercent>11'],
  ],
  [
    'PEPPOL-EN16931-R041',
    remove('<cbc:BaseAmount currencyID="EUR">100.00</cbc:BaseAmount>'),
    remove('<ram:BasisAmount>100.00</ram:BasisAmount>'),
  ],
  [
    'PEPPOL-EN16931-R042',
    remove('<cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric>'),
    remove('<ram:CalculationPercent>10</ram:CalculationPercent>'),
  ],
  ['PEPPOL-EN16931-R043', ['<cbc:ChargeIndicator>false', '<cbc:ChargeIndicator>0'], null],
  [
    'PEPPOL-EN16931-R044',
    [/(<cac:Price>.*?)<cbc:ChargeIndicator>false/s, '$1<cbc:ChargeIndicator>true'],
    ['<udt:Indicator>false', '<udt:Indicator>true'],
  ],
  [
    'PEPPOL-EN16931-R046',
    ['<cbc:BaseAmount currencyID="EUR">12.00', '<cbc:BaseAmount currencyID="EUR">13.00'],
    ['<ram:ChargeAmount>12.00', '<ram:ChargeAmount>13.00'],
  ],
  [
    'PEPPOL-EN16931-R053',
    remove(/<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">.*?<\/cac:TaxTotal>/s),
    ['currencyID="SEK">450.00', 'currencyID="EUR">450.00'],
  ],
  [
    'PEPPOL-EN16931-R054',
    remove(/<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">.*?<\/cac:TaxTotal>/s),
    remove('<ram:TaxTotalAmount currencyID="SEK">450.00</ram:TaxTotalAmount>'),
  ],
  [
    'PEPPOL-EN16931-R055',
    ['currencyID="SEK">450', 'currencyID="SEK">-450'],
    ['currencyID="SEK">450', 'currencyID="SEK">-450'],
  ],
  ['PEPPOL-EN16931-R061', remove('<cbc:ID>M-1</cbc:ID>'), remove(element('ram:DirectDebitMandateID'))],
  [
    'PEPPOL-EN16931-R101',
    [
      '<cbc:ID schemeID="AAA">OBJ-2</cbc:ID><cbc:DocumentTypeCode>130',
      '<cbc:ID schemeID="AAA">OBJ-2</cbc:ID><cbc:DocumentTypeCode>50',
    ],
    ['OBJ-2</ram:IssuerAssignedID><ram:TypeCode>130', 'OBJ-2</ram:IssuerAssignedID><ram:TypeCode>50'],
  ],
  ['PEPPOL-EN16931-R110', ['2026-02-02', '2026-01-31'], ['20260202', '20260131']],
  ['PEPPOL-EN16931-R111', ['2026-02-20', '2026-03-01'], ['20260220', '20260301']],
  [
    'PEPPOL-EN16931-R120',
    ['98.00</cbc:LineExtensionAmount>', '98.03</cbc:LineExtensionAmount>'],
    ['<ram:LineTotalAmount>98.00', '<ram:LineTotalAmount>98.03'],
  ],
  [
    'PEPPOL-EN16931-R121',
    ['<cbc:BaseQuantity unitCode="C62">1', '<cbc:BaseQuantity unitCode="C62">0'],
    ['<ram:BasisQuantity unitCode="C62">1', '<ram:BasisQuantity unitCode="C62">0'],
  ],
  [
    'PEPPOL-EN16931-R130',
    ['<cbc:BaseQuantity unitCode="C62">', '<cbc:BaseQuantity unitCode="KGM">'],
    ['<ram:BasisQuantity unitCode="C62">', '<ram:BasisQuantity unitCode="KGM">'],
  ],
];

/** Peppol rules are written for UBL. They are applied to CII if the rule is the same there. */
function schemed(id: string, scheme: string): Case {
  return [
    id,
    ['<cbc:EndpointID schemeID="0088">7300010000001', `<cbc:EndpointID schemeID="${scheme}">X1`],
    ['<ram:URIID schemeID="0088">7300010000001', `<ram:URIID schemeID="${scheme}">X1`],
  ];
}

function reasonOfCategory(id: string, reason: string): Case {
  return [
    id,
    [/(<cac:TaxSubtotal>.*?<\/cbc:Percent>)/s, `$1<cbc:TaxExemptionReasonCode>${reason}</cbc:TaxExemptionReasonCode>`],
    ['<ram:CalculatedAmount>', `<ram:ExemptionReasonCode>${reason}</ram:ExemptionReasonCode><ram:CalculatedAmount>`],
  ];
}

const peppol: readonly Case[] = [
  [
    'PEPPOL-EN16931-R002',
    [
      /(<cbc:Note>Thank you<\/cbc:Note>.*?AccountingSupplierParty.*?<cbc:IdentificationCode>)DE/s,
      '<cbc:Note>One</cbc:Note>$1FR',
    ],
    [/(<ram:IncludedNote>.*?<ram:CountryID>)DE/s, '<ram:IncludedNote/>$1FR'],
  ],
  [
    'PEPPOL-EN16931-R003',
    remove(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>|<cac:OrderReference>.*?<\/cac:OrderReference>/gs),
    remove(
      /<ram:BuyerReference>.*?<\/ram:BuyerReference>|<ram:BuyerOrderReferencedDocument>.*?<\/ram:BuyerOrderReferencedDocument>/gs,
    ),
  ],
  ['PEPPOL-EN16931-R004', [PEPPOL, 'urn:cen.eu:en16931:2017'], [PEPPOL, 'urn:cen.eu:en16931:2017']],
  ['PEPPOL-EN16931-R007', [PROFILE, 'urn:example:1'], [PROFILE, 'urn:example:1']],
  ['PEPPOL-EN16931-R051', ['<cbc:PriceAmount currencyID="EUR">', '<cbc:PriceAmount currencyID="SEK">'], null],
  [
    'PEPPOL-EN16931-R080',
    null,
    [
      '<ram:BuyerOrderReferencedDocument>',
      `${'<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>P</ram:IssuerAssignedID><ram:TypeCode>50</ram:TypeCode></ram:AdditionalReferencedDocument>'.repeat(2)}<ram:BuyerOrderReferencedDocument>`,
    ],
  ],
  [
    'PEPPOL-EN16931-R100',
    [
      '<cac:DocumentReference>',
      '<cac:DocumentReference><cbc:ID>X</cbc:ID></cac:DocumentReference><cac:DocumentReference>',
    ],
    [/(<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>OBJ-2.*?<\/ram:AdditionalReferencedDocument>)/s, '$1$1'],
  ],
  ['PEPPOL-EN16931-P0100', ['>380<', '>751<'], ['>380<', '>751<']],
  [
    'PEPPOL-EN16931-P0101',
    ['<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>', '<cbc:CreditNoteTypeCode>308</cbc:CreditNoteTypeCode>'],
    null,
  ],
  [
    'PEPPOL-EN16931-P0112',
    [/(<cbc:InvoiceTypeCode>)380(.*?<cbc:IdentificationCode>)DE/s, '$1384$2FR'],
    [/(<ram:TypeCode>)380(.*?SellerTradeParty.*?<ram:CountryID>)DE/s, '$1384$2FR'],
  ],
  reasonOfCategory('PEPPOL-EN16931-P0104', 'VATEX-EU-G'),
  reasonOfCategory('PEPPOL-EN16931-P0105', 'VATEX-EU-O'),
  reasonOfCategory('PEPPOL-EN16931-P0106', 'VATEX-EU-IC'),
  reasonOfCategory('PEPPOL-EN16931-P0107', 'VATEX-EU-AE'),
  reasonOfCategory('PEPPOL-EN16931-P0108', 'VATEX-EU-D'),
  reasonOfCategory('PEPPOL-EN16931-P0109', 'VATEX-EU-F'),
  reasonOfCategory('PEPPOL-EN16931-P0110', 'VATEX-EU-I'),
  reasonOfCategory('PEPPOL-EN16931-P0111', 'VATEX-EU-J'),
  ['PEPPOL-EN16931-F001', ['<cbc:DueDate>2026-04-01', '<cbc:DueDate>2026-04-31'], null],
  schemed('PEPPOL-COMMON-R040', '0088'),
  schemed('PEPPOL-COMMON-R041', '0192'),
  schemed('PEPPOL-COMMON-R042', '0184'),
  schemed('PEPPOL-COMMON-R043', '0208'),
  schemed('PEPPOL-COMMON-R044', '0201'),
  schemed('PEPPOL-COMMON-R045', '0210'),
  schemed('PEPPOL-COMMON-R046', '9907'),
  [
    'PEPPOL-COMMON-R047',
    ['<cbc:EndpointID schemeID="0088">7300010000001', '<cbc:EndpointID schemeID="0211">IT12345678901'],
    ['<ram:URIID schemeID="0088">7300010000001', '<ram:URIID schemeID="0211">IT12345678901'],
  ],
  schemed('PEPPOL-COMMON-R049', '0007'),
  schemed('PEPPOL-COMMON-R050', '0151'),
  schemed('PEPPOL-COMMON-R052', '0096'),
  schemed('PEPPOL-COMMON-R053', '0198'),
  schemed('PEPPOL-COMMON-R054', '0106'),
  schemed('PEPPOL-COMMON-R055', '0190'),
  schemed('PEPPOL-COMMON-R056-1', '9944'),
  ['PEPPOL-COMMON-R056-2', ['>DE123456789<', '>NL123<'], ['>DE123456789<', '>NL123<']],
  schemed('PEPPOL-COMMON-R057', '0217'),
];

const FORMAT =
  '<ram:TypeCode>59</ram:TypeCode><ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE79000000001234567890</ram:IBANID></ram:PayerPartyDebtorFinancialAccount>';
const xrechnung: readonly Case[] = [
  ['PEPPOL-EN16931-R043-1', null, [/(<ram:BillingSpecifiedPeriod>.*?)<udt:Indicator>false/s, '$1<udt:Indicator>0']],
  [
    'BR-DE-1',
    remove(/<cac:PaymentMeans>.*<\/cac:PaymentMeans>/s),
    remove(whole('ram:SpecifiedTradeSettlementPaymentMeans')),
  ],
  ['BR-DE-2', remove(whole('cac:Contact')), remove(whole('ram:DefinedTradeContact'))],
  ['BR-DE-3', remove(element('cbc:CityName')), remove(element('ram:CityName'))],
  ['BR-DE-4', remove(element('cbc:PostalZone')), remove(element('ram:PostcodeCode'))],
  ['BR-DE-5', remove('<cbc:Name>Ann</cbc:Name>'), remove(element('ram:PersonName'))],
  ['BR-DE-6', remove(element('cbc:Telephone')), remove(element('ram:CompleteNumber'))],
  ['BR-DE-7', remove(element('cbc:ElectronicMail')), remove('<ram:URIID>ann@example.com</ram:URIID>')],
  ['BR-DE-8', remove('<cbc:CityName>Hamburg</cbc:CityName>'), remove('<ram:CityName>Hamburg</ram:CityName>')],
  ['BR-DE-9', remove('<cbc:PostalZone>20095</cbc:PostalZone>'), remove('<ram:PostcodeCode>20095</ram:PostcodeCode>')],
  ['BR-DE-10', remove('<cbc:CityName>Bremen</cbc:CityName>'), remove('<ram:CityName>Bremen</ram:CityName>')],
  ['BR-DE-11', remove('<cbc:PostalZone>28195</cbc:PostalZone>'), remove('<ram:PostcodeCode>28195</ram:PostcodeCode>')],
  [
    'BR-DE-14',
    [/(<cac:TaxSubtotal>.*?)<cbc:Percent>20<\/cbc:Percent>/s, '$1'],
    [
      /(210.00<\/ram:BasisAmount><ram:CategoryCode>S<\/ram:CategoryCode>)<ram:RateApplicablePercent>20<\/ram:RateApplicablePercent>/,
      '$1',
    ],
  ],
  ['BR-DE-15', remove(element('cbc:BuyerReference')), remove(element('ram:BuyerReference'))],
  [
    'BR-DE-16',
    remove(
      /<cac:PartyTaxScheme>.*?<\/cac:PartyTaxScheme>|<cac:TaxRepresentativeParty>.*?<\/cac:TaxRepresentativeParty>/gs,
    ),
    remove(
      /<ram:SpecifiedTaxRegistration>.*?<\/ram:SpecifiedTaxRegistration>|<ram:SellerTaxRepresentativeTradeParty>.*?<\/ram:SellerTaxRepresentativeTradeParty>/gs,
    ),
  ],
  ['BR-DE-17', ['>380<', '>393<'], ['>380<', '>393<']],
  ['BR-DE-18', ['TAGE=14', 'Tage=14'], ['TAGE=14', 'Tage=14']],
  [
    'BR-DE-19',
    ['<cac:PayeeFinancialAccount><cbc:ID>DE79', '<cac:PayeeFinancialAccount><cbc:ID>DE78'],
    [
      FORMAT,
      '<ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE78000000001234567890</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>',
    ],
  ],
  [
    'BR-DE-20',
    ['<cac:PayerFinancialAccount><cbc:ID>DE79', '<cac:PayerFinancialAccount><cbc:ID>DE78'],
    ['<ram:IBANID>DE79', '<ram:IBANID>DE78'],
  ],
  ['BR-DE-21', ['xrechnung_3.0', 'xrechnung_3.1'], ['xrechnung_3.0', 'xrechnung_3.1']],
  [
    'BR-DE-22',
    [/(<cac:AdditionalDocumentReference><cbc:ID>ATT-1.*?<\/cac:AdditionalDocumentReference>)/s, '$1$1'],
    [/(<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>ATT-1.*?<\/ram:AdditionalReferencedDocument>)/s, '$1$1'],
  ],
  ['BR-DE-23-a', remove(whole('cac:PayeeFinancialAccount')), ['<ram:TypeCode>59', '<ram:TypeCode>58']],
  ['BR-DE-23-b', ['<cbc:PaymentMeansCode>59', '<cbc:PaymentMeansCode>58'], ['<ram:TypeCode>59', '<ram:TypeCode>30']],
  ['BR-DE-24-a', remove(whole('cac:CardAccount')), ['<ram:TypeCode>59', '<ram:TypeCode>48']],
  ['BR-DE-24-b', ['<cbc:PaymentMeansCode>58', '<cbc:PaymentMeansCode>54'], ['<ram:TypeCode>59', '<ram:TypeCode>54']],
  [
    'BR-DE-25-a',
    remove(whole('cac:PaymentMandate')),
    remove(
      /<ram:CreditorReferenceID>.*?<\/ram:CreditorReferenceID>|<ram:PayerPartyDebtorFinancialAccount>.*?<\/ram:PayerPartyDebtorFinancialAccount>|<ram:DirectDebitMandateID>.*?<\/ram:DirectDebitMandateID>/gs,
    ),
  ],
  [
    'BR-DE-25-b',
    ['<cbc:PaymentMeansCode>58', '<cbc:PaymentMeansCode>59'],
    [FORMAT, `${FORMAT}<ram:PayeePartyCreditorFinancialAccount/>`],
  ],
  [
    'BR-DE-26',
    [/>380<(.*?)<cac:BillingReference>.*?<\/cac:BillingReference>/s, '>384<$1'],
    [/>380<(.*?)<ram:InvoiceReferencedDocument>.*?<\/ram:InvoiceReferencedDocument>/s, '>384<$1'],
  ],
  ['BR-DE-27', ['+49 30 1234567', 'none'], ['+49 30 1234567', 'none']],
  ['BR-DE-28', ['ann@example.com', 'ann.example.com'], ['ann@example.com', 'ann.example.com']],
  ['BR-DE-30', ['schemeID="SEPA"', 'schemeID="0088"'], remove(element('ram:CreditorReferenceID'))],
  ['BR-DE-31', remove(whole('cac:PayerFinancialAccount')), remove(whole('ram:PayerPartyDebtorFinancialAccount'))],
  [
    'BR-DE-TMP-32',
    remove(/<cac:InvoicePeriod>.*?<\/cac:InvoicePeriod>|<cbc:ActualDeliveryDate>.*?<\/cbc:ActualDeliveryDate>/gs),
    remove(
      /<ram:BillingSpecifiedPeriod>.*?<\/ram:BillingSpecifiedPeriod>|<ram:ActualDeliverySupplyChainEvent>.*?<\/ram:ActualDeliverySupplyChainEvent>/gs,
    ),
  ],
  ['BR-TMP-2', ['https://example.com/terms.pdf', 'terms.pdf'], ['https://example.com/terms.pdf', 'terms.pdf']],
  ['BR-TMP-3', null, ['<ram:BasisQuantity unitCode="C62">1', '<ram:BasisQuantity unitCode="C62">2']],
];

const suites: readonly {
  readonly sets: readonly RuleSet[];
  readonly customization: string;
  readonly cases: readonly Case[];
}[] = [
  { sets: ['EN16931'], customization: PEPPOL, cases: core },
  { sets: ['PEPPOL'], customization: PEPPOL, cases: [...both, ...peppol] },
  { sets: ['XRECHNUNG'], customization: XRECHNUNG, cases: [...both, ...xrechnung] },
];

describe.each(['UBL', 'CII'] as const)('in %s', (syntax) => {
  const base = syntax === 'UBL' ? ublInvoice : ciiInvoice;
  for (const { sets, customization, cases } of suites) {
    const good = base(STANDARD, customization);
    test(`a right invoice holds every rule of ${sets.join()}`, () => {
      expect(run(good, syntax, sets)).toEqual([]);
    });
    const broken = cases.flatMap(([id, ubl, cii]): [string, readonly [string | RegExp, string]][] => {
      const change = syntax === 'UBL' ? ubl : cii;
      return change === null ? [] : [[id, change]];
    });
    test.each(broken)(`%s of ${sets.join()} fails on the smallest change`, (id, [from, to]) => {
      const changed = good.replace(from, to);
      expect(changed).not.toBe(good);
      const failed = run(changed, syntax, sets).filter((rule) => rule.id === id);
      expect(failed).not.toEqual([]);
      for (const rule of failed) {
        expect(rule.message).toMatch(/^[A-Z].*\.$/s);
        expect(rule.location).toMatch(/^\//);
      }
    });
  }
});

const vatCases: readonly (VatCase & { readonly prefix: string })[] = [
  { prefix: 'S', code: 'S', rate: '20', reason: false },
  { prefix: 'Z', code: 'Z', rate: '0', reason: false },
  { prefix: 'E', code: 'E', rate: '0', reason: true },
  { prefix: 'AE', code: 'AE', rate: '0', reason: true },
  { prefix: 'IC', code: 'K', rate: '0', reason: true },
  { prefix: 'G', code: 'G', rate: '0', reason: true },
  { prefix: 'O', code: 'O', rate: null, reason: true },
  { prefix: 'AF', code: 'L', rate: '20', reason: false },
  { prefix: 'AG', code: 'M', rate: '20', reason: false },
];

/** The ten rules of a VAT category, whose elements are the same for every category. */
function vatChanges({ prefix, code, rate, reason }: (typeof vatCases)[number]): readonly Case[] {
  const id = (number: string): string => `BR-${prefix}-${number}`;
  const isOutside = code === 'O';
  // VAT rate that breaks the rule, for each kind of category.
  const badUbl = isOutside ? '<cbc:Percent>5</cbc:Percent>' : `<cbc:Percent>${rate === '0' ? '5' : '-1'}</cbc:Percent>`;
  const badCii = isOutside
    ? '<ram:RateApplicablePercent>5</ram:RateApplicablePercent>'
    : `<ram:RateApplicablePercent>${rate === '0' ? '5' : '-1'}</ram:RateApplicablePercent>`;
  const ublRate = (before: string): Change => [
    new RegExp(`(${before}.*?<cbc:ID>${code}</cbc:ID>)(?:<cbc:Percent>[^<]*</cbc:Percent>)?`, 's'),
    `$1${badUbl}`,
  ];
  const ciiRate = (before: string): Change => [
    new RegExp(
      `(${before}.*?<ram:CategoryCode>${code}</ram:CategoryCode>)(?:<ram:RateApplicablePercent>[^<]*</ram:RateApplicablePercent>)?`,
      's',
    ),
    `$1${badCii}`,
  ];
  const identifiers: readonly [Change, Change] = isOutside
    ? [
        [
          '<cac:PartyTaxScheme>',
          '<cac:PartyTaxScheme><cbc:CompanyID>DE1</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme><cac:PartyTaxScheme>',
        ],
        [
          '<ram:SpecifiedTaxRegistration>',
          '<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE1</ram:ID></ram:SpecifiedTaxRegistration><ram:SpecifiedTaxRegistration>',
        ],
      ]
    : [
        remove(/<cac:PartyTaxScheme>.*?<\/cac:PartyTaxScheme>/gs),
        remove(/<ram:SpecifiedTaxRegistration>.*?<\/ram:SpecifiedTaxRegistration>/gs),
      ];
  return [
    [
      id('01'),
      [new RegExp(`(<cac:TaxSubtotal>.*?<cac:TaxCategory><cbc:ID>)${code}<`, 's'), '$1B<'],
      code === 'O'
        ? [/(<ram:ApplicableTradeTax><ram:CalculatedAmount>.*?<\/ram:ApplicableTradeTax>)/s, '$1$1']
        : [
            /<ram:IncludedSupplyChainTradeLineItem>(?:(?!<\/ram:IncludedSupplyChainTradeLineItem>).)*<ram:LineID>2.*?<\/ram:IncludedSupplyChainTradeLineItem>|<ram:ApplicableTradeTax><ram:CalculatedAmount>.*?<\/ram:ApplicableTradeTax>/gs,
            '',
          ],
    ],
    [id('02'), ...identifiers],
    [id('03'), ...identifiers],
    [id('04'), ...identifiers],
    [id('05'), ublRate('<cac:ClassifiedTaxCategory>'), ciiRate('<ram:SpecifiedLineTradeSettlement>')],
    [id('06'), ublRate('100.00</cbc:BaseAmount>'), ciiRate('95</ram:ReasonCode>')],
    [id('07'), ublRate('200.00</cbc:BaseAmount>'), ciiRate('FC</ram:ReasonCode>')],
    [
      id('08'),
      ['210.00</cbc:TaxableAmount>', '211.00</cbc:TaxableAmount>'],
      ['<ram:BasisAmount>210.00', '<ram:BasisAmount>211.00'],
    ],
    [
      id('09'),
      [/(<cac:TaxSubtotal>.*?<cbc:TaxAmount currencyID="EUR">)[0-9.]+/s, '$150.00'],
      code === 'L' || code === 'M' ? null : [/<ram:CalculatedAmount>[0-9.]+/, '<ram:CalculatedAmount>50.00'],
    ],
    [
      id('10'),
      reason
        ? remove(/<cbc:TaxExemptionReason>.*?<\/cbc:TaxExemptionReason>/s)
        : [/(<cac:TaxSubtotal>.*?<\/cbc:Percent>)/s, '$1<cbc:TaxExemptionReason>None</cbc:TaxExemptionReason>'],
      reason
        ? remove(/<ram:ExemptionReason>.*?<\/ram:ExemptionReason>/s)
        : ['<ram:BasisAmount>210.00', '<ram:ExemptionReason>None</ram:ExemptionReason><ram:BasisAmount>210.00'],
    ],
    ...(code === 'K'
      ? ([
          [
            id('11'),
            remove(
              /<cac:InvoicePeriod>.*?<\/cac:InvoicePeriod>|<cbc:ActualDeliveryDate>.*?<\/cbc:ActualDeliveryDate>/gs,
            ),
            remove(
              /<ram:BillingSpecifiedPeriod>.*?<\/ram:BillingSpecifiedPeriod>|<ram:ActualDeliverySupplyChainEvent>.*?<\/ram:ActualDeliverySupplyChainEvent>/gs,
            ),
          ],
          [
            id('12'),
            [/(28195<\/cbc:PostalZone>)<cac:Country>.*?<\/cac:Country>/s, '$1'],
            [/(Bremen<\/ram:CityName>)<ram:CountryID>DE<\/ram:CountryID>/, '$1'],
          ],
        ] satisfies Case[])
      : []),
    ...(isOutside
      ? ([
          [
            id('11'),
            [
              /(<cac:TaxSubtotal>.*?<\/cac:TaxSubtotal>)/s,
              '$1<cac:TaxSubtotal><cac:TaxCategory><cbc:ID>S</cbc:ID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>',
            ],
            ['<ram:CategoryCode>O', '<ram:CategoryCode>S'],
          ],
          [
            id('12'),
            [/(<cac:ClassifiedTaxCategory>)<cbc:ID>O/, '$1<cbc:ID>S'],
            ['<ram:CategoryCode>O', '<ram:CategoryCode>S'],
          ],
          [
            id('13'),
            [/(100.00<\/cbc:BaseAmount><cac:TaxCategory>)<cbc:ID>O/, '$1<cbc:ID>S'],
            [/(95<\/ram:ReasonCode>.*?)<ram:CategoryCode>O/s, '$1<ram:CategoryCode>S'],
          ],
          [
            id('14'),
            [/(200.00<\/cbc:BaseAmount><cac:TaxCategory>)<cbc:ID>O/, '$1<cbc:ID>S'],
            [/(FC<\/ram:ReasonCode>.*?)<ram:CategoryCode>O/s, '$1<ram:CategoryCode>S'],
          ],
        ] satisfies Case[])
      : []),
  ];
}

describe.each(vatCases)('VAT category $code', (vat) => {
  describe.each(['UBL', 'CII'] as const)('in %s', (syntax) => {
    const good = syntax === 'UBL' ? ublInvoice(vat) : ciiInvoice(vat, PEPPOL);
    test('a right invoice holds every rule', () => {
      expect(run(good, syntax, ['EN16931'])).toEqual([]);
    });
    test.each(
      vatChanges(vat).flatMap(([id, ubl, cii]): [string, readonly [string | RegExp, string]][] => {
        const change = syntax === 'UBL' ? ubl : cii;
        return change === null ? [] : [[id, change]];
      }),
    )('%s fails on the smallest change', (id, [from, to]) => {
      const changed = good.replace(from, to);
      expect(changed).not.toBe(good);
      expect(run(changed, syntax, ['EN16931']).map((rule) => rule.id)).toContain(id);
    });
  });
});

describe('the table', () => {
  test('has a failing case for every rule', () => {
    const covered = new Set([
      ...suites.flatMap(({ cases }) => cases.map(([id]) => id)),
      ...vatCases.flatMap((vat) => vatChanges(vat).map(([id]) => id)),
    ]);
    expect([...new Set(ruleTable.map((rule) => rule.id))].filter((id) => !covered.has(id))).toEqual([]);
  });
  test('names each rule once in each set', () => {
    const keys = ruleTable.flatMap((rule) => rule.sets.map((set) => `${set} ${rule.id}`));
    expect(new Set(keys).size).toBe(keys.length);
  });
  test('lists each failing place on its own row', () => {
    const changed = ublInvoice().replaceAll(/<cbc:Name>(Chair|Table)<\/cbc:Name>/g, '<cbc:Name> </cbc:Name>');
    expect(
      run(changed, 'UBL', ['EN16931'])
        .filter((rule) => rule.id === 'BR-25')
        .map((rule) => rule.location),
    ).toEqual(['/Invoice/cac:InvoiceLine[1]/cac:Item/cbc:Name', '/Invoice/cac:InvoiceLine[2]/cac:Item/cbc:Name']);
  });
  test('gives both values of an arithmetic rule as decimal strings', () => {
    const changed = ublInvoice().replace('252.00</cbc:TaxInclusiveAmount>', '253.10</cbc:TaxInclusiveAmount>');
    expect(run(changed, 'UBL', ['EN16931']).find((rule) => rule.id === 'BR-CO-15')).toMatchObject({
      flag: 'FATAL',
      location: '/Invoice/cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount',
      expected: '252',
      actual: '253.1',
    });
  });
});
