import { local } from './local-names.js';
import type { Source, Syntax } from './syntax.js';

const SELLER = 'FatturaElettronicaHeader/CedentePrestatore';
const BUYER = 'FatturaElettronicaHeader/CessionarioCommittente';
const BODY = 'FatturaElettronicaBody';
const GENERAL = `${BODY}/DatiGenerali/DatiGeneraliDocumento`;
const PAYMENT = `${BODY}/DatiPagamento/DettaglioPagamento`;
const SUMMARY = `${BODY}/DatiBeniServizi/DatiRiepilogo`;

/** Paths of the invoice fields in FatturaPA 1.0 to 1.2, with one body for each invoice. */
export const fatturaPa: Syntax = {
  format: 'FATTURAPA',
  roots: [{ name: 'FatturaElettronica' }],
  namespaces: {},
  invoices: local(BODY),
  kind: { path: local(`${GENERAL}/TipoDocumento`), creditNotes: ['TD04'], corrections: [] },
  payable: [{ sum: [local(`${PAYMENT}/ImportoPagamento`)] }],
  fields: {
    'supplier.name': name(`${SELLER}/DatiAnagrafici/Anagrafica`),
    'supplier.tax_id': taxId(`${SELLER}/DatiAnagrafici`),
    'supplier.bank_account.iban': [local(`${PAYMENT}/IBAN`)],
    invoice_number: [local(`${GENERAL}/Numero`)],
    issue_date: [local(`${GENERAL}/Data`)],
    due_date: [{ earliest: local(`${PAYMENT}/DataScadenzaPagamento`) }],
    currency: [local(`${GENERAL}/Divisa`)],
    net_amount: [{ sum: [local(`${SUMMARY}/ImponibileImporto`)] }],
    tax_amount: [{ sum: [local(`${SUMMARY}/Imposta`)] }],
    gross_amount: [local(`${GENERAL}/ImportoTotaleDocumento`), { fields: ['net_amount', 'tax_amount'] }],
    purchase_order_ref: [local(`${BODY}/DatiGenerali/DatiOrdineAcquisto/IdDocumento`)],
    'buyer.name': name(`${BUYER}/DatiAnagrafici/Anagrafica`),
    'buyer.tax_id': taxId(`${BUYER}/DatiAnagrafici`),
  },
  lines: {
    path: local(`${BODY}/DatiBeniServizi/DettaglioLinee`),
    description: [local('Descrizione')],
    quantity: local('Quantita'),
    unit: local('UnitaMisura'),
    unitPrice: local('PrezzoUnitario'),
    netAmount: local('PrezzoTotale'),
    taxRate: local('AliquotaIVA'),
  },
  taxBreakdown: {
    rows: local(SUMMARY),
    category: local('Natura'),
    rate: local('AliquotaIVA'),
    base: local('ImponibileImporto'),
    tax: local('Imposta'),
    reason: local('RiferimentoNormativo'),
  },
  printedParts: {
    supplierAddress: address(`${SELLER}/Sede`),
    buyerAddress: address(`${BUYER}/Sede`),
    paymentTerms: local(`${BODY}/DatiPagamento/CondizioniPagamento`),
    notes: local(`${GENERAL}/Causale`),
  },
};

const ITEMS = `${BODY}/DatiBeniServizi`;

/** The simplified invoice FSM10, whose amounts include tax and which does not state the net amount. */
export const fatturaSemplificata: Syntax = {
  format: 'FATTURAPA',
  roots: [{ name: 'FatturaElettronicaSemplificata' }],
  namespaces: {},
  invoices: local(BODY),
  kind: { path: local(`${GENERAL}/TipoDocumento`), creditNotes: ['TD08'], corrections: [] },
  payable: [],
  fields: {
    'supplier.name': name(SELLER),
    'supplier.tax_id': taxId(SELLER),
    invoice_number: [local(`${GENERAL}/Numero`)],
    issue_date: [local(`${GENERAL}/Data`)],
    currency: [local(`${GENERAL}/Divisa`)],
    // An item of a simplified invoice (FSM10) may state only its tax rate and no tax. The sum of the taxes of the other
    // items is then not the tax of the invoice.
    tax_amount: [
      {
        sum: [
          `self::*[not(${local(ITEMS)}[not(${local('DatiIVA/Imposta')})])]/${local(ITEMS)}/${local('DatiIVA/Imposta')}`,
        ],
      },
    ],
    gross_amount: [{ sum: [local(`${ITEMS}/Importo`)] }],
    'buyer.name': name(`${BUYER}/AltriDatiIdentificativi`),
    'buyer.tax_id': taxId(`${BUYER}/IdentificativiFiscali`),
  },
  lines: {
    path: local(ITEMS),
    description: [local('Descrizione')],
    taxRate: local('DatiIVA/Aliquota'),
  },
  printedParts: {
    supplierAddress: address(`${SELLER}/Sede`),
    buyerAddress: address(`${BUYER}/AltriDatiIdentificativi/Sede`),
    // A simplified invoice states no payment terms and no notes.
    paymentTerms: '/..',
    notes: '/..',
  },
};

function address(seat: string): readonly string[] {
  return ['Indirizzo', 'NumeroCivico', 'CAP', 'Comune', 'Provincia', 'Nazione'].map((part) => local(`${seat}/${part}`));
}

function name(party: string): readonly Source[] {
  return [
    local(`${party}/Denominazione`),
    { join: [local(`${party}/Nome`), local(`${party}/Cognome`)], separator: ' ' },
  ];
}

function taxId(party: string): readonly Source[] {
  return [
    { country: local(`${party}/IdFiscaleIVA/IdPaese`), number: local(`${party}/IdFiscaleIVA/IdCodice`) },
    local(`${party}/CodiceFiscale`),
  ];
}
