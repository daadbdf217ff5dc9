/**
 * Words and abbreviations, in the languages of the suppliers, for documents that do not themselves request payment:
 * orders and order confirmations, delivery notes, pro forma and self-billing documents, customer numbers, quotations,
 * projects, reminders and scanned files. A number with such a word, as in `LS 20418`, names such a document.
 */
export const DOCUMENT_WORDS: ReadonlySet<string> = new Set(
  (
    'PROFORMA PROFORME PF PRF PROF ' +
    'ORDER ORD PO SO BESTELLUNG BEST AUFTRAG AUFTR AB COMMANDE CDE BC PEDIDO PED ORDINE ODA ZAMOWIENIE ZAM BESTELLING ' +
    'DELIVERY DN LIEFERSCHEIN LS LIEF BL LIVRAISON ALBARAN ALB DDT BOLLA WZ PAKBON LEVERING CMR POD ' +
    'SB SBI SELFBILL SELFBILLING AUTOFACTURA AUTOFACTURE ' +
    'CUSTOMER CUST ACCOUNT ACC KUNDE KUNDENNR KD KDNR CLIENT CLIENTE KLIENT KLANT ' +
    'PROJECT PROJ PROJEKT PRJ PROYECTO PROJET PROGETTO ' +
    'MAHN REM ZAHLUNGSERINNERUNG ERINNERUNG PURRING PAMINNELSE BETALINGSPAMINDELSE ' +
    'SCAN IMG ' +
    'QUOTE QUOTATION QT OFFER ANGEBOT ANG DEVIS OFERTA OFFERTE PREVENTIVO'
  ).split(' '),
);
