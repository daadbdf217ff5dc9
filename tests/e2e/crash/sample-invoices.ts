/** The fields in which sample invoices differ. */
export interface Sample {
  /** Number of the supplier. Each supplier has a separate bank account and order. */
  readonly supplier: number;
  readonly number: string;
  readonly amount: number;
  /** Mark that is stored with the invoice as the buyer's name, so that an audit can find the records of a request. */
  readonly sentAs: string;
}

export function sampleInvoice({ supplier, number, amount, sentAs }: Sample): Readonly<Record<string, unknown>> {
  return {
    supplier: { name: supplierName(supplier), bank_account: { iban: germanIban(supplier) } },
    invoice_number: number,
    issue_date: '2026-03-05',
    currency: 'EUR',
    gross_amount: amount.toFixed(2),
    purchase_order_ref: orderOf(supplier),
    buyer: { name: sentAs },
  };
}

/** Returns the sample invoice of the crash test as an XML document. */
export function sampleDocument({ supplier, number, amount, sentAs }: Sample): Buffer {
  const name = (text: string): string => `<cbc:RegistrationName>${text}</cbc:RegistrationName>`;
  const party = (text: string): string =>
    `<cac:Party><cac:PartyLegalEntity>${name(text)}</cac:PartyLegalEntity></cac:Party>`;
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-03-05</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:OrderReference><cbc:ID>${orderOf(supplier)}</cbc:ID></cac:OrderReference>
  <cac:AccountingSupplierParty>${party(supplierName(supplier))}</cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>${party(sentAs)}</cac:AccountingCustomerParty>
  <cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>
    <cac:PayeeFinancialAccount><cbc:ID>${germanIban(supplier)}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount currencyID="EUR">${amount.toFixed(2)}</cbc:TaxInclusiveAmount>
  </cac:LegalMonetaryTotal>
</Invoice>`);
}

/** Number of suppliers, which is small so that many invoices change the same documents. */
const SUPPLIERS = 3;
const COPIES_SHARE = 0.25;
/**
 * Number of the newest invoices from which copies are made, so that a copy may arrive while the original is in
 * progress.
 */
const RECENT_MAX = 50;

/** Creates invoices of a few suppliers. Some are copies of recent invoices, which any client may have sent. */
export function sampleSource(): () => Omit<Sample, 'sentAs'> {
  const recent: Omit<Sample, 'sentAs'>[] = [];
  let count = 0;
  return () => {
    const copied = Math.random() < COPIES_SHARE ? pick(recent) : undefined;
    if (copied !== undefined) return copied;
    count++;
    const fresh = { supplier: count % SUPPLIERS, number: `L${count}-${token()}`, amount: 100 + Math.random() * 9_000 };
    recent.push(fresh);
    if (recent.length > RECENT_MAX) recent.shift();
    return fresh;
  };
}

export function pick<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

/** Two invoice numbers that resemble each other would count as duplicates as well. */
function token(): string {
  return Math.random().toString(36).slice(2, 10).toUpperCase();
}

/** A row of a history scan in the form that the REST API accepts. */
export type Row = Readonly<Record<string, string | number>>;

/** A row of a sample history scan, with the fields in which such rows differ. */
export interface SampleRow extends Omit<Sample, 'sentAs'> {
  readonly issueDate?: string;
  readonly externalId?: string;
}

/** Returns the rows of a history scan, with invoices of the same suppliers. */
export function sampleFile(rows: readonly SampleRow[]): Row[] {
  return rows.map(({ supplier, number, amount, issueDate = '2026-03-05', externalId }, index) => ({
    supplierName: supplierName(supplier),
    bankIban: germanIban(supplier),
    purchaseOrderRef: orderOf(supplier),
    invoiceNumber: number,
    issueDate,
    grossAmount: amount.toFixed(2),
    currency: 'EUR',
    sourceRowNumber: index + 1,
    ...(externalId === undefined ? {} : { externalId }),
  }));
}

const supplierNames = ['Nordlicht Energie GmbH', 'Thames Paper Ltd', 'Studio Lavanda', 'Kowalski Transport'] as const;

function supplierName(supplier: number): string {
  return supplierNames[supplier % supplierNames.length] ?? supplierNames[0];
}

function orderOf(supplier: number): string {
  return `PO-${4711 + supplier}`;
}

function germanIban(account: number): string {
  const bban = `37040044${String(532_013_000 + account).padStart(10, '0')}`;
  // To compute the check digits, "DE00" is appended to the bank account as digits. The check digits make the remainder
  // modulo 97 equal to 1.
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}
