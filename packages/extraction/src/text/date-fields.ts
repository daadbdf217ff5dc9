import { SCORE_OF_CERTAINTY } from './candidates.js';
import type { Candidate, Choice } from './candidates.js';
import { foldKey } from './normalise.js';
import { placesOf } from './regions.js';
import type { LabelPlace } from './regions.js';
import type { LabelKind } from './labels.js';
import { leadingLabel } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';
import type { DateMatch } from './dates.js';

/** Confidence that the only date of a document is the issue date, whatever its label. */
const CERTAINTY_OF_LONE_DATE = 0.88;
/**
 * Minimum score at which a date that follows a label of its field counts as certain. In all measured invoices, a date
 * with this score was the correct date.
 */
const SCORE_OF_LABELLED_DATE_MIN = 0.65;
/**
 * Amount by which the score of a date is reduced if another label, such as a label of delivery dates, fits the date
 * better.
 */
const OTHER_LABEL_PENALTY = 0.6;
const YEARS_OF_ISSUE_AHEAD_MAX = 1;
const YEARS_OF_PAYMENT_AHEAD_MAX = 3;
const SECOND_VALUE_PENALTY = 0.05;
/** Words before the date of another invoice, such as one that is credited or was paid in advance. */
const ANOTHER_INVOICE =
  /(?:relat(?:es|ing) to|credit(?:ed)? for|against|corrects?|original|\bless\b|deposit|\bzur?\b|betreff|bezug|bezogen|abzgl|abzüglich|storniert|\bsur\b|d'origine|acompte|avance|concernant|annule|à déduire|do faktury|dotyczy|korygowanej|zaliczk|rectifica(?!tiva n)|abona la|anticipo|a cuenta|\brif\b|riferimento|a storno|acconto|betreft|inzake|op factuur|voorschot|aanbetaling)[^\n]{0,60}$/i;
const ANOTHER_INVOICE_PENALTY = 0.6;
/** Headings of the invoice to which a credit note refers, in folded letters. */
const CREDITED_INVOICE =
  /^(?:original|credited|corrected)(?:invoice|document)|^invoicecredited|^(?:ursprungliche|korrigierte|stornierte)rechnung|^zurechnung|^zurrechnung|^bezug|^facture(?:dorigine|initiale|concernee)|^faktura(?:korygowana|pierwotna)|^dotyczyfaktury|^dofaktury|^factura(?:original|rectificada)|^fattura(?:originaria|dirif)|^(?:oorspronkelijke|gecrediteerde)factuur/;
/** Label of a date that contains the word invoice. On a credit note, it may be the date of the credited invoice. */
const INVOICE_LABEL = /invoice|rechnung|faktur|factur|fattur|belegdatum/;
const LINES_OF_REFERENCE_MAX = 3;
/**
 * Words next to the date on which a discount ends. This date is not the due date, which is the date for paying the full
 * amount.
 */
const DISCOUNT = /skont|discount|escompte|sconto|descuento|korting|abzuglich|abzgl|\brabatt/i;
const NET_PAYMENT = /\bnetto\b|\bnet\b|ohne (?:abzug|skonto)|without (?:deduction|discount)|sans escompte|bez skonta/i;
const CLAUSE_END = /[,;]|\.(?= )|\b(?:oder|sonst|ansonsten|or|otherwise|ou|lub|albo|of|o)\b/i;
/** Matches the text before the end date of a billing period, as in `01.08. - 31.08.2025` or `1 to 31 March 2025`. */
const PERIOD_BEFORE =
  /(?:\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?|\d{4}-\d{2}-\d{2}|\d{1,2}(?: \p{L}{3,10}(?: \d{4})?)?)\.? ?(?:-|to|bis|au|à|do|al|a|tot|t\/m)(?: zum)? ?$/iu;
/** Matches a town before a date, as in `Wiesbaden, den 13.02.2025`. */
const TOWN_BEFORE = /^\p{Lu}[\p{L} .'/()-]{1,40}, (?:den |am |le |il |li |dnia |dn\. |a )*$/u;
const PERIOD_PENALTY = 0.3;

const RECEIPT_TITLE = /^(?:receipt|quittung|reçu|recibo|ricevuta|kwitancja|kvitto|kvittering|kuitti)\b/i;
/** Labels of the date of a payment, in folded letters. */
const PAYMENT_LABEL = /paid|payment|bezahlt|paye|pagad|pagat|zaplac|betald|betalt|betaald|maksettu/;
const PAYMENT_PENALTY = 0.3;

interface Found extends Candidate {
  readonly isAmbiguous: boolean;
}

/** Finds candidates for the issue date and the due date of an invoice (documents reference, 10.2). */
export function findDateCandidates(
  document: TextDocument,
  today: string,
  isCredit: boolean,
): {
  readonly issue: readonly Found[];
  readonly due: readonly Found[];
  /** The only date of the document, if due dates and dates with another purpose are left out. */
  readonly lone: string | undefined;
} {
  const issue = labelled(document, 'issueDate', isCredit);
  const due = labelled(document, 'dueDate');
  const other = labelled(document, 'otherDate');
  const year = Number(today.slice(0, 4));
  const ahead = (candidate: Candidate): number => Number(candidate.value.slice(0, 4)) - year;
  const issueDates = withoutClaimed(issue, [...due, ...other]).map((candidate) =>
    besideNumber(document, candidate.cell, candidate.start)
      ? { ...candidate, score: candidate.score + 0.35, evidence: 'SPECIFIC_LABEL' as const }
      : candidate,
  );
  // The date of the payment may be the only date of a receipt, so it is a candidate for the issue date.
  const paid = hasReceiptTitle(document) ? labelled(document, 'otherDate', false, PAYMENT_LABEL) : [];
  return {
    issue: [
      ...issueDates,
      ...paid.map((date) => ({ ...date, score: date.score - PAYMENT_PENALTY, evidence: 'GENERIC_LABEL' as const })),
      ...unlabelled(document, [...issue, ...due, ...other]),
    ].filter((candidate) => ahead(candidate) <= YEARS_OF_ISSUE_AHEAD_MAX),
    due: withoutClaimed(due, [...issue, ...other]).filter(
      (candidate) => ahead(candidate) <= YEARS_OF_PAYMENT_AHEAD_MAX,
    ),
    lone: loneDate(document, [...due, ...other]),
  };
}

function hasReceiptTitle({ cells }: TextDocument): boolean {
  return cells.some(({ page, text }) => page === 0 && RECEIPT_TITLE.test(text));
}

/**
 * Returns how certain the chosen issue date of a document is. Undefined if the score of its label determines the
 * confidence.
 */
export function certaintyOfIssueDate({ best, isContested }: Choice, lone: string | undefined): number | undefined {
  const isLabelled = best.evidence === 'SPECIFIC_LABEL' && best.score >= SCORE_OF_LABELLED_DATE_MIN;
  if (best.value !== lone && (isContested || !isLabelled)) return undefined;
  return Math.max(CERTAINTY_OF_LONE_DATE, Math.min(1, best.score / SCORE_OF_CERTAINTY));
}

function loneDate(document: TextDocument, claimed: readonly Found[]): string | undefined {
  const [only, another] = new Set(
    document.cells.flatMap((cell) =>
      cell.dates
        .filter(
          ({ start, isCompact }) =>
            !isCompact && !claimed.some((other) => other.cell === cell && other.start === start),
        )
        .map(({ value }) => value),
    ),
  );
  return another === undefined ? only : undefined;
}

function labelled(document: TextDocument, kind: LabelKind, isCredit = false, key?: RegExp): Found[] {
  const found: Found[] = [];
  for (const place of placesOf(document, kind)) {
    if (key?.test(place.hit.key) === false) continue;
    const isOfAnother = kind === 'issueDate' && isCredit && namesCreditedInvoice(document, place);
    for (const region of place.regions) {
      const dates = region.cell.dates
        .filter(({ start, end }) => start >= region.start - 1 && end <= region.end + 1)
        .filter((date) => kind !== 'dueDate' || !isEndOfDiscount(document, region.cell, date));
      dates.forEach((date, index) => {
        // Words between a label and a date of a document make it less likely that they belong together.
        const between = region.cell.text.slice(region.start, date.start).replace(/[^\p{L}]/gu, '').length;
        const score = region.base * place.weight - SECOND_VALUE_PENALTY * index - Math.min(0.3, between * 0.015);
        const bonus = region.cell.page === 0 ? 0.05 : -0.1;
        const penalty =
          kind === 'issueDate' ? penaltyOf(region.cell, date) + (isOfAnother ? ANOTHER_INVOICE_PENALTY : 0) : 0;
        found.push(
          toFound(region.cell, date, score + bonus - penalty, place.isSpecific ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL'),
        );
      });
      if (dates.length > 0) break;
    }
  }
  return found;
}

/**
 * Checks whether a date label on a credit note belongs to the credited invoice: the label is the heading of a column in
 * a table of invoices, or its line is below a heading that names the credited invoice.
 */
function namesCreditedInvoice(document: TextDocument, { cell, hit }: LabelPlace): boolean {
  if (!INVOICE_LABEL.test(hit.key)) return false;
  const lines = document.lines[cell.page] ?? [];
  const others = lines[cell.line]?.cells.filter((other) => other !== cell) ?? [];
  const isColumn = others.some((other) => {
    const label = leadingLabel(other);
    return label !== undefined && label.end >= other.text.trim().length && other.dates.length === 0;
  });
  const hasValue = /\d/.test(cell.text.slice(hit.end)) || others.some(({ dates }) => dates.length > 0);
  if (isColumn && !hasValue) return true;
  return lines
    .slice(Math.max(0, cell.line - LINES_OF_REFERENCE_MAX), cell.line + 1)
    .some(({ cells }) => CREDITED_INVOICE.test(foldKey(cells[0]?.text ?? '')));
}

/**
 * Checks whether the words around a date, up to the next date and clause, name a discount and not the payment of the
 * full amount.
 */
function isEndOfDiscount(document: TextDocument, cell: ReadCell, date: DateMatch): boolean {
  const cells = document.lines[cell.page]?.[cell.line]?.cells ?? [cell];
  const previous = cell.dates.filter(({ end }) => end <= date.start).at(-1);
  const next = cell.dates.find(({ start }) => start >= date.end);
  const left = cells.filter(({ index }) => index < cell.index);
  const right = cells.filter(({ index }) => index > cell.index);
  const begin = left.findLastIndex(({ dates }) => dates.length > 0);
  const end = right.findIndex(({ dates }) => dates.length > 0);
  const textBefore = [
    ...(previous === undefined ? left.slice(begin + 1).map(({ text }) => text) : []),
    cell.text.slice(previous?.end ?? 0, date.start),
  ].join(' ');
  const textAfter = [
    cell.text.slice(date.end, next?.start),
    ...(next === undefined ? right.slice(0, end < 0 ? undefined : end).map(({ text }) => text) : []),
  ].join(' ');
  const clause = `${textBefore.split(CLAUSE_END).at(-1) ?? ''} ${textAfter.split(CLAUSE_END)[0] ?? ''}`;
  return DISCOUNT.test(clause) && !NET_PAYMENT.test(clause);
}

function penaltyOf(cell: ReadCell, date: DateMatch): number {
  const before = cell.text.slice(0, date.start);
  const start = cell.dates.find((other) => other.end < date.start);
  const isEnd = PERIOD_BEFORE.test(before) || (start !== undefined && /^ ?- ?$/.test(before.slice(start.end)));
  const after = cell.text.slice(date.end);
  const isStart = /^ ?(?:-|to|bis|au|do|al|tot|t\/m) ?\d/i.test(after);
  return (ANOTHER_INVOICE.test(before) ? ANOTHER_INVOICE_PENALTY : 0) + (isEnd || isStart ? PERIOD_PENALTY : 0);
}

/**
 * Lowers the score of dates that fit a label of another kind better, because each date in a document belongs to the
 * label that fits it best.
 */
function withoutClaimed(candidates: readonly Found[], others: readonly Found[]): Found[] {
  return candidates.map((candidate) => {
    const rival = others.filter(({ cell, start }) => cell === candidate.cell && start === candidate.start);
    const best = Math.max(0, ...rival.map(({ score }) => score));
    return best > candidate.score ? { ...candidate, score: candidate.score - OTHER_LABEL_PENALTY } : candidate;
  });
}

/**
 * Returns the dates in a document that have no label as candidates for the issue date. The higher a date is on the
 * first page, the more likely it is the issue date.
 */
function unlabelled(document: TextDocument, claimed: readonly Found[]): Found[] {
  const page = document.pages[0];
  if (page === undefined) return [];
  return document.cells
    .filter((cell) => cell.page === 0)
    .flatMap((cell) =>
      cell.dates
        .filter(
          ({ start, isCompact }) =>
            !isCompact && !claimed.some((other) => other.cell === cell && other.start === start),
        )
        .map((date) => {
          const isOfTown = TOWN_BEFORE.test(cell.text.slice(0, date.start)) && cell.text.length - date.end < 4;
          const score =
            (isOfTown ? 0.3 : 0) +
            0.3 +
            0.1 * (1 - cell.top / page.height) +
            (besideNumber(document, cell, date.start) ? 0.35 : 0) -
            penaltyOf(cell, date);
          return toFound(cell, date, score, isOfTown ? 'GENERIC_LABEL' : 'NO_LABEL');
        }),
    );
}

/** Finds the date in the line of the invoice number, as in `Rechnung Nr. 4711 vom 5.3.2024`. */
function besideNumber(document: TextDocument, cell: ReadCell, start: number): boolean {
  const line = document.lines[cell.page]?.[cell.line];
  if (line === undefined) return false;
  const before = cell.text.slice(0, start);
  if (ANOTHER_INVOICE.test(before)) return false;
  if (/(?:vom|du|dated|z dnia|del|van|d\.d\.|de fecha|of)\W*$/i.test(before) || cell.dates[0]?.start === 0) {
    return line.cells.some(
      (other) =>
        other.index <= cell.index &&
        other.labels.some(
          (hit) => (other.index < cell.index || hit.start < start) && hit.entries.some(({ kind }) => kind === 'number'),
        ),
    );
  }
  return false;
}

function toFound(cell: ReadCell, date: DateMatch, score: number, evidence: Candidate['evidence']): Found {
  return {
    value: date.value,
    cell,
    start: date.start,
    end: date.end,
    score,
    evidence,
    isProven: false,
    method: evidence === 'NO_LABEL' ? 'PATTERN' : 'LABEL',
    isAmbiguous: date.isAmbiguous,
  };
}
