import type { OwnCompany } from '../reading.js';
import type { Candidate } from './candidates.js';
import { findLabels } from './labels.js';
import { foldKey } from './normalise.js';
import { roleOf } from './parties.js';
import type { PartyZone } from './parties.js';
import { hasKind, leadingLabel } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';

export const LEGAL_FORM =
  /(?<![\p{L}\d])(?:LTD\.?|LIMITED|PTE\.? LTD\.?|PTY\.? LTD\.?|GMBH(?: & CO\.? KG)?|INC\.?|CORP\.?|SÀRL|S\.?A\.? de C\.?V\.?|S\.? de R\.?L\.? de C\.?V\.?|SPRL|SRL|BVBA|SCRL|ASBL|Sàrl|SàRL|Pte\.? Ltd\.?|s\. ?j\.|eG|Ges\.? ?m\.? ?b\.? ?H\.?|mbB|GmbH(?: ?& ?Co\.? ?KG(?:aA)?)?|gGmbH|mbH|AG|KGaA|KG|OHG|GbR|UG|e\.? ?K\.?|e\.? ?V\.?|SE|Ltd\.?|Limited|LLC|L\.L\.C\.|LLP|Inc\.?|Corp\.?|Corporation|PLC|plc|S\.?A\.?S\.?U?|SARL|S\.à r\.l\.|S\.A\.R\.L\.?|EURL|SCI|SNC|S\.?n\.?c\.?|S\.?a\.?s\.?|S\.?r\.?l\.?s?|S\.?p\.?A\.?|S\.?L\.?U?\.?|S\.?A\.?U?\.?|B\.?V\.?(?:BA)?|N\.?V\.?|V\.?O\.?F\.?|C\.?V\.?|sp\. ?z ?o\. ?o\.?|Sp\. ?z ?o\. ?o\.?|SP\. ?Z ?O\. ?O\.?|sp\. ?j\.|sp\. ?k\.|s\. ?c\.|S\. ?C\.|Oy|Oyj|AB|ASA?|ApS|A\/S|Sdn\.? ?Bhd\.?|SDN\.? ?BHD\.?|Pvt\.? ?Ltd\.?|Pty\.? ?Ltd\.?|a\. ?s\.|s\. ?r\. ?o\.|Kft\.?|Zrt\.?|d\.o\.o\.|EOOD|OOD|SRL|SPA|P\.?S\.?A\.?|Lda\.?|LDA\.?|Ltda\.?|LTDA\.?|P\.C\.|PLLC|Bt\.|Nyrt\.?|Ι\.?Κ\.?Ε\.?|Α\.Ε\.|Ε\.?Π\.?Ε\.?|Ο\.Ε\.)(?![\p{L}\d])/u;
const SEPARATOR =
  / [-|•·–] | ?[|•·] ?|, (?!S\.?A\.?U?\.?|S\.?L\.?U?\.?|Inc|LLC|Ltd|Limited|GmbH|S\.?p\.?A|S\.?r\.?l|P\.C\.|PLLC|LLP|Lda|Ltda|Unipessoal)| \/\/ /;
/** Matches a legal form without a name, as in `SAS au capital de 5 000 euros`. */
const FORM_OF_NOBODY = /^(?:[A-Za-zÀ-ÿ.]+ ){0,3}(?:au capital|con capitale|mit Sitz|z siedzibą)/i;
/** Words about the company registration and the share capital, which show that a footer belongs to the supplier. */
export const REGISTRATION =
  /registered|reg\. ?no|company no|capital|\brcs\b|siret|siren|\bhr[ab]\b|amtsgericht|handelsregister|geschäftsführer|kvk|\brea\b|\bkrs\b|regon|registro mercantil|cap\. soc|\bape\b|\bnaf\b|ondernemingsnummer|\brpr\b|\bfn \d/i;
/** Words that name the bank of the supplier next to its bank account. */
export const BANK =
  /\b(?:bank|banque|banca|banco|caixabank|sparkasse|volksbank|raiffeisen(?:bank)?|bnp|rabobank|ing|kbc)\b/i;
const POSTCODE = /(?<!\d)\d{2}-\d{3}(?!\d)|(?<!\d)\d{4,5}(?!\d)|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/;
/**
 * Minimum ratio of the font size of a text to the usual font size of its page for the text to count as a letterhead.
 */
export const LETTERHEAD_SIZE = 1.25;
const TITLE =
  /^(?:(?:tax |vat |sales |commercial |proforma )?invoice|rechnung|facture|faktura(?: vat)?|factura|fattura|factuur|credit note|gutschrift|avoir|nota|creditnota|receipt|original|duplicate|kopie|copy|page|seite|bon|quittung|oryginał|oryginal|duplikat|mahnung|korekta|abono|storno|regning|kreditnota|kvitto|lasku|hyvityslasku|kuitti|számla|bizonylat|factură|fatura(?:-recibo)?|nota fiscal|recibo|dobropis|daňový doklad|τιμολόγιο|τιμολογιο|απόδειξη|πιστωτικό)(?!\p{L})/iu;
const ADDRESS =
  /(?:str\.|straße|strasse|weg \d|platz \d|allee|gasse|\brue\b|avenue|\bave\b|boulevard|\bstreet\b|\broad\b|\brd\b|\blane\b|\bvia\b|piazza|corso|calle|\bc\/|avda|plaza|paseo|\bul\.|\baleja|\bal\.|\bpl\.|straat|laan \d|weg\b.{0,80}\d|plein|kade|gracht|postbus|p\.?o\.? box|floor|suite|unit \d|\bzi\b|zone|industri|jalan|\bjln\b|taman|polígono)/i;
const CONTACT =
  /(?:@|www\.|https?:|tel\b|tel\.|fax|phone|telefon|e-?mail|iban|bic\b|swift|vat\b|\bust|nip\b|\bcif\b|\bnif\b|p\.? ?iva|btw|kvk|siret|hrb|registr|cnpj|cvr\b|org\.? ?n[ro]|momsreg|adószám|cégjegyz|ičo\b|dič\b|y-tunnus|alv-|αφμ|α\.φ\.μ|\bcui\b|nipc|contribuinte|gstin|\babn\b|\bein\b)/i;
const NAME_LENGTH_MAX = 80;
/** Score of the name of a payee, which is lower than the score of every letterhead. */
const PAYEE_SCORE = 0.25;
/**
 * Score of the bank account owner's name as a possible supplier name. The owner may be a payee other than the supplier.
 */
const ACCOUNT_OWNER_SCORE = 0.45;
/**
 * Minimum length from which a label is never part of a supplier name. `beneficiary` is long enough, and `empresa` is
 * not.
 */
const LONG_LABEL = 11;
/** Height at which the letterhead of a document page ends, as a fraction of the page height from the top. */
export const LETTERHEAD = 0.28;
/** Height at which the footer of a document page begins, as a fraction of the page height from the top. */
export const FOOTER = 0.82;

/**
 * Bonus that raises the score of a supplier name in large letters above every name in the window of an envelope, even
 * one with a legal form.
 */
const LETTERHEAD_BONUS = 0.3;
/** Score that a letterhead gets on a scanned page, where stamps and handwriting are large too. */
const LETTERHEAD_BONUS_OF_OCR = 0.2;
/** Maximum number of lines below a name that are examined as the block of the name. */
const LINES_OF_BLOCK_MAX = 7;
/** Number of lines at the end of a document page that count as its footer. */
const LINES_OF_FOOTER = 6;
const ADDRESSEE_PENALTY = 0.4;
const SENDER_BONUS = 0.12;
/** Letters of a supplier name that wide spaces divide, as in `H o r t e n s e`. */
const LETTERSPACED = /(?:\S ){5}/;
const ADDRESSEE =
  /^(?:t\.?a\.?v\.?|attn|att\b|attention|z\. ?h(?:d|än)|zu händen|à l'attention|alla c\.|a la atenció|c\.?a\.? |f\.?a\.?o\.?|dear|sehr geehrte|herrn?$|frau$|firma$|accounts payable|the directors|kreditoren|an$)/i;
/** A person whom a letter addresses, on the line above the name of the company. */
const PERSON = /^(?:mr|mrs|ms|miss|frau|herrn?|mme|mlle|monsieur|madame|sig\.?(?:ra)?|dhr|mevr|pan|pani)\.? \p{Lu}/iu;
/** Pattern for a heading that names a party and is not a known label, as in `Carrier: Harbor Freight LLC`. */
const UNKNOWN_HEADING = /^\p{L}[\p{L} ]{2,19}: (?=\p{Lu})/u;
/** Contacts and ids that a letterhead states and that an address in the window of an envelope does not state. */
const SENDER =
  /@|www\.|https?:|\btel|\bfax\b|phone|\bkvk\b|\biban\b|siret|\bvat\b|\bbtw\b|\bust\b|\bnip\b|\bcif\b|\bnif\b|p\. ?iva|\bcvr\b|org\.? ?n|gstin|\babn\b|\btva\b|\bein\b|\bdič\b|αφμ/i;

export interface PartyNames {
  readonly supplier: readonly Candidate[];
  readonly buyer: readonly Candidate[];
}

/** Finds candidates for the names of both parties of an invoice (documents reference, 10.5). */
export function findPartyNames(
  document: TextDocument,
  zones: readonly PartyZone[],
  companies: readonly OwnCompany[],
): PartyNames {
  const ownKeys = new Set(companies.map(({ name }) => foldKey(name)));
  const domains = domainsOf(document);
  const supplier: Candidate[] = [];
  const buyer: Candidate[] = [];
  const add = (
    list: Candidate[],
    cell: ReadCell,
    text: string,
    from: number,
    score: number,
    isLabelled: boolean,
  ): void => {
    const name = cleanName(text, isLabelled);
    if (name === undefined) return;
    const start = cell.text.indexOf(name.slice(0, 3), Math.max(0, from));
    if (start < 0) return;
    const key = foldKey(name);
    let points = score;
    if (list === supplier) {
      if (ownKeys.has(key)) points -= 1;
      if (isOfDomain(key, domains)) points += 0.2;
      if (LEGAL_FORM.test(name)) points += 0.1;
      if (REGISTRATION.test(cell.text.replace(name, ''))) points += 0.12;
      if (BANK.test(name)) points -= 0.4;
    }
    list.push({
      value: name,
      cell,
      start,
      end: start + name.length,
      score: points,
      evidence: isLabelled ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL',
      isProven: false,
      method: isLabelled ? 'LABEL' : 'PATTERN',
    });
  };
  for (const zone of zones) {
    const named = nameOfZone(zone);
    if (named === undefined) continue;
    if (zone.role === 'payee') {
      // The payee is read as the supplier only if no other text on the page names a supplier.
      add(supplier, named.cell, named.text, named.start, PAYEE_SCORE, false);
      continue;
    }
    const list = zone.role === 'supplier' ? supplier : buyer;
    add(list, named.cell, named.text, named.start, 0.95 - 0.03 * list.length, true);
  }
  const firstPage = document.lines[0] ?? [];
  const usualSize = median(document.cells.filter(({ page: index }) => index === 0).map(({ size }) => size));
  const page = document.pages[0];
  for (const cell of document.cells) {
    const height = document.pages[cell.page]?.height ?? 1;
    const role = roleOf(zones, cell);
    const isHead = cell.page === 0 && cell.top < LETTERHEAD * height;
    const block = isHead ? blockScore(document, cell) : 0;
    const isFoot = cell.top > FOOTER * height || isLastLine(document, cell);
    const beneficiary = cell.labels.find(
      (hit) => hit.start <= 1 && hasKind(hit, 'partyName') && hit.key !== 'firma' && hit.key !== 'name',
    );
    // In `Empresa de Prueba`, the word `Empresa` is part of the name and not a label.
    const isNamed = beneficiary !== undefined && /^\s*(?:[:.]|$)/.test(cell.text.slice(beneficiary.end));
    if (beneficiary !== undefined && (isNamed || beneficiary.key.length >= LONG_LABEL) && role === undefined) {
      const rest = cell.text.slice(beneficiary.end);
      const next = document.lines[cell.page]?.[cell.line]?.cells[cell.index + 1];
      const score = beneficiary.key === 'inhaber' ? 0.4 : ACCOUNT_OWNER_SCORE;
      if (/[\p{L}]{2}/u.test(rest)) add(supplier, cell, rest, beneficiary.end, score, true);
      else if (next !== undefined && leadingLabel(next) === undefined) add(supplier, next, next.text, 0, score, true);
    }
    if (role === 'buyer' || role === 'payee' || (!isHead && !isFoot && !domainIsNear(cell))) continue;
    for (const whole of cell.text.split(SEPARATOR)) {
      const part = cutBehindLegalForm(whole);
      if (!LEGAL_FORM.test(repairLegalForm(part)) || /^\d/.test(part.trim()) || isAddress(part)) continue;
      const isSenderLine = SEPARATOR.test(cell.text);
      const score =
        (isHead ? 0.62 + block : 0.58 + (isRegisteredFooter(document, cell) ? 0.12 : 0)) +
        (isSenderLine ? 0.12 : 0) +
        (role === 'supplier' ? 0.1 : 0);
      add(supplier, cell, part, 0, score, false);
    }
    const [first = '', ...others] = cell.text.split(SEPARATOR);
    // Finds the sender line in the window of an envelope: name, street and town in one small line.
    const isSmall = cell.size < usualSize;
    if (isHead && isSmall && others.length > 1 && others.some((part) => POSTCODE.test(part)) && !/\d/.test(first)) {
      add(supplier, cell, first, 0, 0.72, false);
    }
    const key = foldKey(first);
    if (isHead && isOfDomain(key, domains) && !CONTACT.test(first)) add(supplier, cell, first, 0, 0.55, false);
  }
  // Returns the first line of the document page that is not a title, an address or the buyer. Large letters indicate a
  // letterhead.
  let order = 0;
  const headLines = firstPage.slice(0, 14).filter(({ isItemHeader }) => !isItemHeader);
  for (const cell of headLines.flatMap(({ cells }) => cells)) {
    const role = roleOf(zones, cell);
    if (role === 'buyer' || role === 'payee' || page === undefined || cell.top > 0.35 * page.height) continue;
    const part = cell.text.split(SEPARATOR)[0] ?? '';
    if (TITLE.test(part) || isAddress(part) || CONTACT.test(part) || /\d{3}/.test(part) || cell.dates.length > 0)
      continue;
    if (leadingLabel(cell) !== undefined && cell.labels.some(({ end }) => end >= cell.text.length - 1)) continue;
    add(
      supplier,
      cell,
      part,
      0,
      0.45 -
        0.06 * order +
        (cell.size >= LETTERHEAD_SIZE * usualSize && !LETTERSPACED.test(part)
          ? document.isOcr
            ? LETTERHEAD_BONUS_OF_OCR
            : LETTERHEAD_BONUS
          : cell.size > 11
            ? 0.08
            : 0) +
        blockScore(document, cell),
      false,
    );
    order += 1;
  }
  for (const company of companies) {
    const cell = document.cells.find(({ text }) => foldKey(text).startsWith(foldKey(company.name)));
    if (cell !== undefined) add(buyer, cell, cell.text.slice(0, company.name.length + 4), 0, 1.05, true);
  }
  return { supplier: withFullNames(supplier), buyer };
}

/**
 * Checks whether a text cell is in the last lines of its page. These lines count as the footer, even if the text of the
 * page ends far above its lower edge.
 */
function isLastLine(document: TextDocument, cell: ReadCell): boolean {
  const lines = document.lines[cell.page] ?? [];
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined || cell.line < lines.length - LINES_OF_FOOTER) return false;
  return cell.top > first.top + 0.6 * (last.bottom - first.top);
}

/** Checks whether a line of the document footer, or one beside it, states a registration or a tax id. */
function isRegisteredFooter(document: TextDocument, cell: ReadCell): boolean {
  const lines = document.lines[cell.page] ?? [];
  return lines
    .slice(Math.max(0, cell.line - 1), cell.line + 3)
    .flatMap(({ cells }) => cells)
    .some(
      (other) =>
        other !== cell &&
        (REGISTRATION.test(other.text) || other.taxIds.length > 0 || other.labels.some((hit) => hasKind(hit, 'taxId'))),
    );
}

/**
 * Computes a score for the block below a name at the top of a document page: contacts and ids show a sender, and `Attn`
 * shows an addressee.
 */
function blockScore(document: TextDocument, name: ReadCell): number {
  const lines = document.lines[name.page] ?? [];
  let bottom = name.bottom;
  const block: ReadCell[] = [name];
  for (const line of lines.slice(name.line + 1, name.line + 1 + LINES_OF_BLOCK_MAX)) {
    const cell = line.cells.find(({ left }) => Math.abs(left - name.left) < 1.5 * name.size);
    if (cell === undefined) continue;
    const isContent =
      cell.amounts.some(({ decimals }) => decimals === 2) || cell.labels.some((hit) => hasKind(hit, 'number'));
    if (cell.top - bottom > 2 * name.size || isContent) break;
    block.push(cell);
    bottom = cell.bottom;
  }
  const above = lines[name.line - 1]?.cells.find(({ left }) => Math.abs(left - name.left) < 1.5 * name.size);
  const isAddressed = [...block.slice(1), ...(above === undefined ? [] : [above])].some(
    ({ text }) => ADDRESSEE.test(text) || PERSON.test(text),
  );
  if (isAddressed) return -ADDRESSEE_PENALTY;
  const beside = lines[name.line]?.cells.filter(({ index }) => index === name.index + 1) ?? [];
  return [...block.slice(1), ...beside].some(({ text }) => SENDER.test(text)) ? SENDER_BONUS : 0;
}

/**
 * Raises the score of a full supplier name above that of its short form, because a letterhead may shorten the name that
 * the footer states in full: `Luz del Ebro`, `Luz del Ebro Comercializadora, S.A.U.`
 */
function withFullNames(names: readonly Candidate[]): Candidate[] {
  return names.map((name) => {
    if (!LEGAL_FORM.test(name.value)) return name;
    const key = foldKey(name.value);
    const short = names
      .filter((other) => other !== name && isShortForm(other, name, key))
      .reduce((best, { score }) => Math.max(best, score), 0);
    return { ...name, score: Math.max(name.score, short + 0.06) };
  });
}

/**
 * Checks whether one supplier name is a short form of another: `Luz del Ebro` and `Albergo Tre Cipressi` stand for `Luz
 * del Ebro, S.A.U.` and `Tre Cipressi S.p.A.` in the footer.
 */
function isShortForm(short: Candidate, full: Candidate, fullKey: string): boolean {
  const shortKey = foldKey(short.value);
  if (isBeginning(shortKey, fullKey)) return true;
  const bare = foldKey(full.value.slice(0, LEGAL_FORM.exec(full.value)?.index));
  return bare.length >= 8 && !LEGAL_FORM.test(short.value) && shortKey.endsWith(bare);
}

function isBeginning(short: string, full: string): boolean {
  return short.length >= 4 && short.length < full.length && full.startsWith(short);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function domainIsNear(cell: ReadCell): boolean {
  const hasId = cell.taxIds.length > 0 || REGISTRATION.test(cell.text);
  return hasId && LEGAL_FORM.test(cell.text);
}

/** Returns the value of `Name:` in the block of a party or, if there is none, the first line that is not an address. */
export function nameOfZone(zone: PartyZone): { cell: ReadCell; text: string; start: number } | undefined {
  if (/\p{L}{2}/u.test(zone.rest) && !/^\d/.test(zone.rest)) {
    const inner = /^(?:name|nom|nazwa|nombre|naam|denominazione|razon social|ragione sociale)\s*:\s*/i.exec(zone.rest);
    const skip = inner?.[0].length ?? 0;
    return { cell: zone.heading, text: zone.rest.slice(skip), start: zone.restStart + skip };
  }
  for (const [index, cell] of zone.cells.entries()) {
    const label = leadingLabel(cell);
    if (label === undefined || !hasKind(label, 'partyName')) continue;
    const rest = cell.text.slice(label.end);
    if (/\p{L}{2}/u.test(rest) && /^\s*:/.test(rest)) return { cell, text: rest, start: label.end };
    const next = zone.cells[index + 1];
    if (/^\W*$/.test(rest) && next !== undefined) return { cell: next, text: next.text, start: 0 };
  }
  const first = zone.cells.find(
    (cell) =>
      /\p{L}{2}/u.test(cell.text) &&
      !CONTACT.test(cell.text.slice(0, 8)) &&
      !/^\d/.test(cell.text) &&
      !/:/.test(cell.text.slice(0, 25)),
  );
  return first === undefined ? undefined : { cell: first, text: first.text, start: 0 };
}

/**
 * Returns the part of a text that may be a supplier name. In a block of a party, commas and dashes may be part of the
 * name.
 */
export function cleanName(text: string, isLabelled: boolean): string | undefined {
  const named = withoutLabel(text.replace(/^[\s:;.*#|,-]+/, ''));
  const part = cutBehindLegalForm(isLabelled ? beforeAddress(named) : (named.split(SEPARATOR)[0] ?? ''));
  const name = repairLegalForm(part.replace(/^[\s:;.*#|,-]+/, '').replace(/(?<![\s:;|,-])[\s:;|,-]+$/, ''));
  if (FORM_OF_NOBODY.test(name) || LEGAL_FORM.exec(name)?.[0] === name) return undefined;
  if (name.length < 2 || name.length > NAME_LENGTH_MAX || (name.match(/\p{L}/gu) ?? []).length < 2) return undefined;
  if (TITLE.test(name) && !LEGAL_FORM.test(name)) return undefined;
  return name;
}

/** Returns the text after a label and its colon, as in `Eladó: Kék Bagoly Nyomda Kft.` */
function withoutLabel(text: string): string {
  const label = findLabels(text.slice(0, NAME_LENGTH_MAX)).find(({ start }) => start === 0);
  const rest = label === undefined ? '' : text.slice(label.end);
  return /^ ?:/.test(rest) ? rest.replace(/^[\s:]+/, '') : text.replace(UNKNOWN_HEADING, '');
}

/** Cuts a supplier name before the part that belongs to an address, an id or a contact. */
function beforeAddress(text: string): string {
  const [first = '', ...others] = text.split(/ ?[|•·] ?| \/\/ /)[0]?.split(/(?= - |, )/) ?? [];
  let name = first;
  for (const part of others) {
    if (/\d/.test(part) || isAddress(part) || CONTACT.test(part) || LEGAL_FORM.test(name)) break;
    name += part;
  }
  return name;
}

/**
 * Cuts a text after the legal form with which the name of a firm ends, as in `Harrow & Finch Ltd. Registered in
 * England` or `Cumulus SAS au capital de`.
 */
function cutBehindLegalForm(text: string): string {
  const match = LEGAL_FORM.exec(text);
  if (match === null || match.index < 2) return text;
  const end = match.index + match[0].length;
  const after = text.slice(end);
  const isOtherText =
    /^(?:[.;:]? *(?:[a-zà-ÿ]{2}|\d|CIF|NIF|NIP|VAT|USt|TVA|BTW|Reg|Tel|Sede|Sitz|Siège)|[.;:] [A-Z])/.test(after);
  // The text after the legal form may be a name from the neighbouring column, as in `Gwóźdź Sp. z o.o. Jaskółka Sp. z
  // o.o.` A legal form of two letters does not end the name, because it may be a part of the name.
  const isOtherName = match[0].length > 2 && /^ \p{Lu}\p{Ll}/u.test(after) && LEGAL_FORM.test(after);
  return isOtherText || isOtherName ? text.slice(0, end) : text;
}

/**
 * Checks whether a text is an address. `Calle Mayor 3` is an address, but `Taman Daya Books Sdn Bhd` is a supplier
 * name, because it ends with a legal form.
 */
function isAddress(text: string): boolean {
  const name = repairLegalForm(text.trim());
  const form = LEGAL_FORM.exec(name);
  return ADDRESS.test(name) && (form === null || form.index + form[0].length < name.length - 1);
}

/** Legal forms in which OCR confused a letter with a digit or dropped a space. They are not part of any real name. */
function repairLegalForm(name: string): string {
  return (
    name
      .replace(/(?<=\bSDN\.? )8HD\b/i, 'BHD')
      .replace(/\b6mbH\b/g, 'GmbH')
      // OCR often drops the space after a closing bracket, so it is inserted again.
      .replace(/\)(?=\p{L}{2})/gu, ') ')
      .replace(/(?<=\bsp\. ?)[zZ2] ?[o0]\. ?[o0]\.?/i, 'z o.o.')
  );
}

export function domainsOf(document: TextDocument): string[] {
  const domains = new Set<string>();
  for (const { text } of document.cells) {
    for (const [, host] of text.matchAll(/(?:@|www\.|https?:\/\/(?:www\.)?)([a-z0-9-]+)\.[a-z]{2,}/gi)) {
      const key = foldKey(host ?? '');
      if (
        key.length >= 4 &&
        !/^(?:gmail|yahoo|outlook|hotmail|icloud|wanadoo|orange|libero|tiscali|onet|interia|gmx|web|tonline)$/.test(key)
      ) {
        domains.add(key);
      }
    }
  }
  return [...domains];
}

export function isOfDomain(key: string, domains: readonly string[]): boolean {
  const plain = key.replace(
    /(?:gmbhcokg|gmbh|mbh|ag|ug|ltd|limited|llc|inc|plc|sarl|sas|srl|spa|bv|nv|spzoo|sa|sl)$/,
    '',
  );
  return (
    plain.length >= 4 &&
    domains.some(
      (domain) => domain === plain || domain.startsWith(plain) || (domain.length >= 5 && plain.startsWith(domain)),
    )
  );
}
