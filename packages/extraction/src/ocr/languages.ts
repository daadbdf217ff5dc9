import type { OwnCompany } from '../reading.js';
import type { OcrLanguage, OcrWord } from './recogniser.js';

const BY_COUNTRY: Readonly<Record<string, OcrLanguage>> = {
  DE: 'deu',
  AT: 'deu',
  CH: 'deu',
  LI: 'deu',
  FR: 'fra',
  BE: 'fra',
  LU: 'fra',
  MC: 'fra',
  PL: 'pol',
  ES: 'spa',
  MX: 'spa',
  IT: 'ita',
  SM: 'ita',
  NL: 'nld',
};

/** Frequent words on invoices. The letters of these words can be recognized with the language data of any language. */
const WORDS: Readonly<Record<OcrLanguage, RegExp>> = {
  eng: /^(?:the|and|invoice|date|total|amount|due|number|description|quantity|payment|for|tax|price|receipt|cash|change)$/,
  deu: /^(?:rechnung|rechnungsnummer|datum|und|der|die|das|mwst|betrag|menge|summe|bitte|kunde|gesamt|kundennummer|seite|netto|brutto|ust|zahlbar|rechnungsdatum|bezeichnung)$/,
  fra: /^(?:facture|date|total|tva|montant|le|la|les|des|et|pour|client|prix|adresse|ttc|ht|designation|paiement|reference|commande)$/,
  pol: /^(?:faktura|nabywca|sprzedawca|nip|razem|data|netto|brutto|vat|ilosc|cena|kwota|wystawienia|nazwa|termin|zaplaty|konto|nr|ul)$/,
  spa: /^(?:factura|fecha|total|iva|importe|cliente|de|el|la|los|y|cantidad|precio|base|imponible|pago|cif|nif|concepto)$/,
  ita: /^(?:fattura|data|totale|iva|importo|cliente|di|il|la|e|quantita|prezzo|imponibile|pagamento|partita|descrizione|del|scadenza)$/,
  nld: /^(?:factuur|factuurnummer|factuurdatum|datum|totaal|btw|bedrag|aantal|prijs|en|het|de|van|klant|omschrijving|betaling|excl|incl|subtotaal)$/,
};
const HITS_MIN = 3;
const FIRST_PASS_DEFAULT: OcrLanguage = 'deu';

/**
 * Returns the languages for text recognition: English and the language of the first company whose country has a
 * supported language, or else German.
 */
export function firstLanguages(companies: readonly OwnCompany[]): readonly OcrLanguage[] {
  const own = companies.map(({ country }) => BY_COUNTRY[country ?? '']).find((language) => language !== undefined);
  return ['eng', own ?? FIRST_PASS_DEFAULT];
}

/**
 * Returns the language of the words that the first OCR pass read, if it differs from the languages that this pass used.
 */
export function otherLanguage(words: readonly OcrWord[], used: readonly OcrLanguage[]): OcrLanguage | undefined {
  const keys = words.map(({ text }) =>
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-zł]/g, '')
      .replaceAll('ł', 'l'),
  );
  const counts = (Object.keys(WORDS) as OcrLanguage[])
    .map((language) => ({ language, hits: keys.filter((key) => WORDS[language].test(key)).length }))
    .sort((one, other) => other.hits - one.hits);
  const [best] = counts;
  if (best === undefined || best.hits < HITS_MIN || used.includes(best.language)) return undefined;
  const usedHits = Math.max(...counts.filter(({ language }) => used.includes(language)).map(({ hits }) => hits));
  return best.hits > usedHits ? best.language : undefined;
}
