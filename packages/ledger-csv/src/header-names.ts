import type { ScanField } from './scan-row.js';

/**
 * Column names in ledgers, separated by commas, with one line for each language. The function `columnKey` makes them
 * comparable.
 */
interface HeaderNames {
  /**
   * Names of CSV column headings, best names first. A list is used only if the file contains no name of an earlier
   * list.
   */
  readonly ranks: readonly (readonly string[])[];
  /** Possible CSV column names that are only suggested when no column for the field was found. */
  readonly perhaps?: readonly string[];
}

/**
 * Names of columns that contain document numbers, which are either the supplier's or the ledger owner's. If another
 * column contains the invoice number, they are the ledger owner's; otherwise the user must decide. The ledger owner
 * gives each document a new number, so no duplicate would be found if these were used as invoice numbers.
 */
const documentNumbers = [
  'document number, document no, doc no, doc number, document',
  'Belegnummer, Belegnr, Beleg-Nr., Beleg, Dokumentnummer, Dokumentennummer',
  'numer dokumentu, nr dokumentu, dokument, numer dowodu',
  'numéro de document, n° document, numéro de pièce, n° pièce, pièce',
  'número de documento, nº documento, documento',
  'numero documento, n. documento, num. doc.',
  'documentnummer, stuknummer, boekstuknummer, boekstuk',
];

export const headerNames: Readonly<Record<ScanField, HeaderNames>> = {
  supplierName: {
    ranks: [
      [
        'supplier name, vendor name, creditor name, payee name, name of supplier',
        'Lieferantenname, Name des Lieferanten, Lieferant Name, Kreditorname, Kreditorenname, Kreditor Name',
        'nazwa dostawcy, nazwa kontrahenta, nazwa sprzedawcy, dostawca nazwa, kontrahent nazwa',
        'nom du fournisseur, nom fournisseur, fournisseur nom, libellé fournisseur',
        'nombre del proveedor, nombre proveedor, razón social proveedor, nombre acreedor',
        'nome fornitore, ragione sociale fornitore, denominazione fornitore',
        'naam leverancier, leveranciersnaam, naam crediteur, crediteurnaam',
      ],
      [
        'supplier, vendor, creditor, payee, seller, supplier company',
        'Lieferant, Kreditor, Rechnungssteller, Zahlungsempfänger, Verkäufer',
        'dostawca, kontrahent, sprzedawca, wystawca',
        'fournisseur, créancier, vendeur, tiers',
        'proveedor, acreedor, vendedor, emisor',
        'fornitore, cedente, venditore',
        'leverancier, crediteur, verkoper',
      ],
      ['raison sociale, razón social, ragione sociale, denominazione, bedrijfsnaam, firma, company name'],
    ],
    perhaps: ['name, nazwa, nom, nombre, nome, naam, company, Geschäftspartner, business partner'],
  },
  supplierTaxId: {
    ranks: [
      [
        'tax id, supplier tax id, vendor tax id, VAT ID, VAT number, VAT no, VAT reg no',
        'VAT registration number',
        'supplier VAT number, supplier VAT ID, vendor VAT number, tax identification number, TIN, EIN',
        'USt-IdNr., USt-ID, USt-ID-Nr., Umsatzsteuer-ID, Umsatzsteuer-Identifikationsnummer, UID',
        'UID-Nummer',
        'USt-IdNr. Lieferant, Lieferant USt-IdNr., USt-ID Lieferant',
        'NIP, NIP dostawcy, NIP kontrahenta, NIP sprzedawcy, numer NIP',
        'numéro de TVA, n° TVA, TVA intracommunautaire, n° TVA intracommunautaire, identifiant TVA',
        'NIF, CIF, NIF proveedor, CIF proveedor, CIF/NIF, NIF/CIF, NIF IVA, número IVA',
        'partita IVA, P.IVA, P. IVA fornitore, partita IVA fornitore',
        'btw-nummer, btw nr, btw-id, btw-nummer leverancier, btw-identificatienummer',
      ],
      ['Steuernummer, SIREN, SIRET, codice fiscale, tax number, tax no, VAT code'],
    ],
  },
  invoiceNumber: {
    ranks: [
      [
        'invoice number, invoice no, invoiceno, invoice id, bill number, bill no',
        'supplier invoice number, supplier invoice no, vendor invoice number, vendor invoice no',
        'vendor invoice',
        'external document number, external document no, supplier reference, vendor reference',
        'Rechnungsnummer, Rechnungsnr., Rechnung Nr., Rechnungs-Nr., Re-Nr., RgNr',
        'Rechnungsnummer Lieferant',
        'Lieferantenrechnungsnummer, externe Belegnummer, externe Belegnr., Belegfeld 1',
        'numer faktury, nr faktury, faktura numer, numer faktury dostawcy, numer obcy, nr obcy',
        'numéro de facture, n° facture, facture n°, n° de facture fournisseur, num facture',
        'número de factura, n.º factura, factura nº, num. factura, número factura proveedor',
        'numero fattura, n. fattura, nr fattura, fattura n., numero fattura fornitore',
        'factuurnummer, factuurnr., factuur nr, factuurnummer leverancier',
      ],
      ['invoice, bill, Rechnung, faktura, facture, factura, fattura, factuur, invoice reference'],
    ],
    perhaps: [
      ...documentNumbers,
      'reference, reference number, ref, Referenz, Referenznummer, referencja, référence, référence pièce',
      'referencia, riferimento, referentie, PieceRef, number, Nummer, numer, numéro, número, numero',
    ],
  },
  issueDate: {
    ranks: [
      [
        'invoice date, issue date, date of invoice, bill date, date issued, invoice issue date',
        'Rechnungsdatum, Rechnung Datum, Rg-Datum, Re-Datum, Ausstellungsdatum, Datum der Rechnung',
        'data wystawienia, data faktury, data wystawienia faktury',
        "date de facture, date facture, date de la facture, date d'émission, date de facturation",
        'fecha factura, fecha de factura, fecha de emisión, fecha de expedición, fecha emisión',
        'data fattura, data della fattura, data emissione, data di emissione',
        'factuurdatum, datum factuur',
      ],
      [
        'document date, doc date, Belegdatum, Dokumentdatum, data dokumentu, date de pièce, date pièce',
        'PieceDate, fecha documento, fecha del documento, data documento, documentdatum',
      ],
      ['date, Datum, data, fecha'],
    ],
    perhaps: [
      'posting date, entry date, Buchungsdatum, data księgowania, data wpływu, date de comptabilisation',
      'EcritureDate, fecha contable, data registrazione, boekdatum, received date',
    ],
  },
  currency: {
    ranks: [
      [
        'currency, currency code, invoice currency, document currency, curr, cur, ccy, ISO currency',
        'Währung, Währungscode, Belegwährung, Rechnungswährung, WKZ, Whrg',
        'waluta, kod waluty, waluta faktury, devise, code devise, monnaie',
        'divisa, moneda, código divisa, valuta, codice valuta, valutacode, munteenheid',
      ],
    ],
  },
  grossAmount: {
    ranks: [
      [
        'gross amount, gross, gross value, gross total, invoice gross amount, amount gross, amount incl VAT',
        'amount including VAT, total incl VAT, total including VAT, total including tax, amount incl tax',
        'total incl tax',
        'Bruttobetrag, Brutto, Betrag brutto, Rechnungsbetrag brutto, Bruttowert, Gesamtbetrag brutto',
        'kwota brutto, wartość brutto, brutto, razem brutto, suma brutto',
        'montant TTC, total TTC, TTC, montant toutes taxes comprises',
        'importe total, total factura, importe bruto, total con IVA, importe con IVA, importe IVA incluido',
        'totale fattura, totale documento, importo lordo, importo totale, totale lordo, totale IVA inclusa',
        'bedrag incl. btw, totaal incl. btw, bedrag inclusief btw, brutobedrag, bruto',
      ],
      [
        'invoice amount, invoice total, total amount, invoice value, amount in document currency',
        'bill amount',
        'Rechnungsbetrag, Gesamtbetrag, Rechnungssumme, Betrag in Belegwährung, kwota faktury',
        'wartość faktury',
        'montant facture, montant total, importe factura, importo fattura, factuurbedrag, totaalbedrag',
      ],
      ['amount, total, Betrag, Umsatz, kwota, wartość, montant, importe, importo, bedrag, totaal'],
    ],
    perhaps: [
      'net, net amount, netto, Nettobetrag, kwota netto, wartość netto, montant HT, base imponible',
      'imponibile, bedrag excl. btw, balance, open amount, value, Saldo, credit, Haben, crédit, debit',
      'Soll',
    ],
  },
  purchaseOrderRef: {
    ranks: [
      [
        'purchase order, purchase order number, purchase order no, purchase order ref, PO, PO number, PO no',
        'PO ref',
        'Bestellnummer, Bestellnr., Bestellung, Bestell-Nr., Bestellbezug, Einkaufsbestellung',
        'numer zamówienia, nr zamówienia, zamówienie, numéro de commande, n° commande, bon de commande',
        'commande',
        "número de pedido, nº pedido, pedido, orden de compra, numero ordine, n. ordine, ordine d'acquisto",
        'ordine',
        'inkoopordernummer, inkooporder, bestelnummer, bestelling',
      ],
      ['order number, order no, order, Auftragsnummer, ordernummer'],
    ],
  },
  bankIban: {
    ranks: [
      [
        'IBAN, supplier IBAN, vendor IBAN, bank IBAN, IBAN number, IBAN code, account IBAN',
        'IBAN Lieferant, Lieferanten-IBAN, Lieferant IBAN, IBAN Kreditor, Kreditor IBAN',
        'IBAN dostawcy, numer IBAN, IBAN fournisseur, IBAN proveedor, IBAN fornitore, codice IBAN',
        'IBAN leverancier',
      ],
    ],
  },
  bankSortCode: { ranks: [['sort code, bank sort code, supplier sort code, vendor sort code, sortcode']] },
  bankAccountNumber: {
    ranks: [
      [
        'bank account number, bank account no, supplier account number, account number, account no',
        'vendor account number',
      ],
      ['bank account, account'],
    ],
  },
  externalId: {
    ranks: [
      [
        'external ID, document ID, doc ID, record ID, transaction ID, internal ID, system ID, invoice GUID',
        'voucher number, voucher no, voucher, voucher ID, journal number, journal no, entry number',
        'entry no',
        'internal document number, own document number, registration number',
        'interne Belegnummer, Buchungsnummer, Buchungsnr., Buchungs-ID, Dokument-ID, Beleg-ID',
        'Eingangsnummer',
        'numer własny, numer księgowy, numer ewidencyjny, numer wewnętrzny, identyfikator, ID dokumentu',
        "EcritureNum, numéro d'écriture, n° écriture, identifiant, número de asiento, nº asiento, asiento",
        'protocollo, numero protocollo, n. protocollo, numero registrazione, boekingsnummer, UUID, GUID',
      ],
      documentNumbers,
    ],
  },
};
