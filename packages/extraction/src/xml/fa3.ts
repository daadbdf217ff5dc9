import type { Syntax } from './syntax.js';

const SELLER = 'f:Podmiot1/f:DaneIdentyfikacyjne';
const BUYER = 'f:Podmiot2/f:DaneIdentyfikacyjne';
const PAYMENT = 'f:Fa/f:Platnosc';
const NET_PARTS = '1 2 3 4 5 6_1 6_2 6_3 7 8 9 10 11';
const TAX_PARTS = '1 2 3 4 5';

/** The parts of the net amount of FA(3), in the order of the structure, with the numbers of their fields. */
const taxSums: readonly (readonly [category: string, part: string])[] = [
  ['22% or 23%', '1'],
  ['7% or 8%', '2'],
  ['5%', '3'],
  ['3% or 4%, taxis', '4'],
  ['special procedure', '5'],
  ['0%', '6_1'],
  ['0%, supply within the EU', '6_2'],
  ['0%, export', '6_3'],
  ['exempt', '7'],
  ['outside Poland', '8'],
  ['outside Poland, services in the EU', '9'],
  ['reverse charge', '10'],
  ['margin scheme', '11'],
];

function address(party: string): readonly string[] {
  return ['AdresL1', 'AdresL2', 'KodKraju'].map((part) => `${party}/f:Adres/f:${part}`);
}

/** Paths of the invoice fields in the Polish structured invoice FA(3) (KSeF reference, section 10). */
export const fa3: Syntax = {
  format: 'FA3',
  roots: [{ name: 'Faktura', namespace: 'http://crd.gov.pl/wzor/2025/06/25/13775/' }],
  namespaces: { f: 'http://crd.gov.pl/wzor/2025/06/25/13775/' },
  kind: { path: 'f:Fa/f:RodzajFaktury', creditNotes: [], corrections: ['KOR', 'KOR_ZAL', 'KOR_ROZ'] },
  payable: ['f:Fa/f:Rozliczenie/f:DoZaplaty'],
  fields: {
    'supplier.name': [`${SELLER}/f:Nazwa`],
    'supplier.tax_id': [`${SELLER}/f:NIP`],
    // If an FA(3) invoice states the account of a factoring company, the invoice is paid to that account (ADR 0133).
    'supplier.bank_account.iban': [`${PAYMENT}/f:RachunekBankowyFaktora/f:NrRB`, `${PAYMENT}/f:RachunekBankowy/f:NrRB`],
    invoice_number: ['f:Fa/f:P_2'],
    issue_date: ['f:Fa/f:P_1'],
    due_date: [{ earliest: `${PAYMENT}/f:TerminPlatnosci/f:Termin` }],
    currency: ['f:Fa/f:KodWaluty'],
    net_amount: [{ sum: NET_PARTS.split(' ').map((part) => `f:Fa/f:P_13_${part}`) }],
    // The elements P_14_1W to P_14_5W of an FA(3) invoice repeat the tax in PLN.
    tax_amount: [{ sum: TAX_PARTS.split(' ').map((part) => `f:Fa/f:P_14_${part}`) }],
    gross_amount: ['f:Fa/f:P_15'],
    purchase_order_ref: ['f:Fa/f:WarunkiTransakcji/f:Zamowienia/f:NrZamowienia'],
    'buyer.name': [`${BUYER}/f:Nazwa`],
    'buyer.tax_id': [
      `${BUYER}/f:NIP`,
      { country: `${BUYER}/f:KodUE`, number: `${BUYER}/f:NrVatUE` },
      { country: `${BUYER}/f:KodKraju`, number: `${BUYER}/f:NrID` },
    ],
  },
  payee: ["f:Podmiot3[f:Rola = '1']/f:DaneIdentyfikacyjne/f:Nazwa"],
  accounts: [`${PAYMENT}/f:RachunekBankowy/f:NrRB`, `${PAYMENT}/f:RachunekBankowyFaktora/f:NrRB`],
  lines: {
    path: 'f:Fa/f:FaWiersz',
    description: ['f:P_7'],
    quantity: 'f:P_8B',
    unit: 'f:P_8A',
    unitPrice: 'f:P_9A',
    netAmount: 'f:P_11',
    taxRate: 'f:P_12',
    reversed: "f:StanPrzed[normalize-space() = '1']",
  },
  taxBreakdown: {
    sums: taxSums.map(([category, part]) => ({
      category,
      base: `f:Fa/f:P_13_${part}`,
      tax: `f:Fa/f:P_14_${part}`,
    })),
  },
  printedParts: {
    supplierAddress: address('f:Podmiot1'),
    buyerAddress: address('f:Podmiot2'),
    paymentTerms: `${PAYMENT}/f:TerminPlatnosci/f:TerminOpis | ${PAYMENT}/f:Skonto`,
    notes: 'f:Fa/f:DodatkowyOpis | f:Stopka/f:Informacje/f:StopkaFaktury',
  },
  corrected: {
    invoices: 'f:Fa/f:DaneFaKorygowanej',
    number: 'f:NrFaKorygowanej',
    issueDate: 'f:DataWystFaKorygowanej',
    ksefNumber: 'f:NrKSeFFaKorygowanej',
  },
};
