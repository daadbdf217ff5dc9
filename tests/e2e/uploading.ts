import { expect } from 'vitest';
import type { RunningSystem } from './running-system.js';

/** Returns an invoice of a fictional supplier in UBL. */
export const ubl = (number: string) => `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
  <cbc:ID>${number}</cbc:ID>
  <cbc:IssueDate>${new Date().toISOString().slice(0, 10)}</cbc:IssueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party>
    <cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Nordlicht Energie GmbH</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party>
    <cac:PartyLegalEntity><cbc:RegistrationName>Buyer</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingCustomerParty>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
</Invoice>`;

/** Uploads an XML document with {@link uploadFile}. */
export function uploadXml(running: RunningSystem, key: string, text: string): Promise<string> {
  return uploadFile(running, key, Buffer.from(text), 'application/xml');
}

/**
 * Reserves an upload and sends its content.
 * @returns the id of the upload
 */
export async function uploadFile(
  running: RunningSystem,
  key: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<string> {
  const reserved = await running.request<{ upload_id: string; upload_url: string }>('POST /uploads', {
    key,
    body: { mediaType, byteSize: bytes.length },
  });
  const { pathname, search } = new URL(reserved.body.upload_url, running.origin);
  const headers = { 'content-type': mediaType };
  const sent = await running.request(`PUT ${pathname.slice('/v1'.length)}${search}`, { bytes, headers });
  expect(sent.status).toBe(204);
  return reserved.body.upload_id;
}
