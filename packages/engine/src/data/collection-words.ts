/**
 * Words in the names of firms that collect the debts of other firms, in the languages of the suppliers, after
 * transliteration. Words that also name factoring companies are left out, because these collect every bill of a
 * supplier.
 */
export const COLLECTION_WORDS: ReadonlySet<string> = new Set(
  (
    'INKASSO INKASSOBURO INCASSO INCASSOBUREAU COLLECTION COLLECTIONS COLLECTORS RECOUVREMENT RECOUVREMENTS CONTENTIEUX ' +
    'RECUPERO CREDITI WINDYKACJA WINDYKACYJNA COBRO COBROS COBRANZA COBRANZAS COBRANCA COBRANCAS RECOBRO RECOBROS ' +
    'GERICHTSVOLLZIEHER DEURWAARDER DEURWAARDERS GERECHTSDEURWAARDER HUISSIER HUISSIERS KOMORNIK PERINTA'
  ).split(' '),
);
