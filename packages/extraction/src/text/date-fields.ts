import type { Candidate } from './candidates.js';
import { placesOf } from './regions.js';
import type { LabelKind } from './labels.js';
import type { ReadCell, TextDocument } from './text-document.js';
import type { DateMatch } from './dates.js';

/** Factor for the score of dates that belong to another purpose. */
const OTHER_LABEL_PENALTY = 0.6;
const YEARS_OF_ISSUE_AHEAD_MAX = 1;
const YEARS_OF_PAYMENT_AHEAD_MAX = 3;
const SECOND_VALUE_PENALTY = 0.05;
/** Words before the date of another invoice, such as one that is credited or was paid in advance. */
const ANOTHER_INVOICE =
  /(?:relat(?:es|ing) to|credit(?:ed)? for|against|corrects?|original|\bless\b|deposit|\bzur?\b|betreff|bezug|bezogen|abzgl|abzüglich|storniert|\bsur\b|d'origine|acompte|avance|concernant|annule|à déduire|do faktury|dotyczy|korygowanej|zaliczk|rectifica(?!tiva n)|abona la|anticipo|a cuenta|\brif\b|riferimento|a storno|acconto|betreft|inzake|op factuur|voorschot|aanbetaling)[^\n]{0,60}$/i;
const ANOTHER_INVOICE_PENALTY = 0.6;
/** Matches the end of a period, as in `01.08. - 31.08.2025` or `1 to 31 March 2025`. */
const PERIOD_BEFORE =
  /(?:\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?|\d{4}-\d{2}-\d{2}|\d{1,2}(?: \p{L}{3,10}(?: \d{4})?)?)\.? ?(?:-|to|bis|au|à|do|al|a|tot|t\/m)(?: zum)? ?$/iu;
/** Matches a town before a date, as in `Wiesbaden, den 13.02.2025`. */
const TOWN_BEFORE = /^\p{Lu}[\p{L} .'/()-]{1,40}, (?:den |am |le |il |li |dnia |dn\. |a )*$/u;
const PERIOD_PENALTY = 0.3;

interface Found extends Candidate {
  readonly isAmbiguous: boolean;
}

/** Finds candidates for the issue date and the due date (documents reference, 10.2). */
export function findDateCandidates(
  document: TextDocument,
  today: string,
): { readonly issue: readonly Found[]; readonly due: readonly Found[] } {
  const issue = labelled(document, 'issueDate');
  const due = labelled(document, 'dueDate');
  const other = labelled(document, 'otherDate');
  const year = Number(today.slice(0, 4));
  const ahead = (candidate: Candidate): number => Number(candidate.value.slice(0, 4)) - year;
  const issueDates = withoutClaimed(issue, [...due, ...other]).map((candidate) =>
    besideNumber(document, candidate.cell, candidate.start)
      ? { ...candidate, score: candidate.score + 0.35, evidence: 'SPECIFIC_LABEL' as const }
      : candidate,
  );
  return {
    issue: [...issueDates, ...unlabelled(document, [...issue, ...due, ...other])].filter(
      (candidate) => ahead(candidate) <= YEARS_OF_ISSUE_AHEAD_MAX,
    ),
    due: withoutClaimed(due, [...issue, ...other]).filter(
      (candidate) => ahead(candidate) <= YEARS_OF_PAYMENT_AHEAD_MAX,
    ),
  };
}

function labelled(document: TextDocument, kind: LabelKind): Found[] {
  const found: Found[] = [];
  for (const place of placesOf(document, kind)) {
    for (const region of place.regions) {
      const dates = region.cell.dates.filter(({ start, end }) => start >= region.start - 1 && end <= region.end + 1);
      dates.forEach((date, index) => {
        // Words between a label and a date make it less likely that they belong together.
        const between = region.cell.text.slice(region.start, date.start).replace(/[^\p{L}]/gu, '').length;
        const score = region.base * place.weight - SECOND_VALUE_PENALTY * index - Math.min(0.3, between * 0.015);
        const bonus = region.cell.page === 0 ? 0.05 : -0.1;
        const penalty = kind === 'issueDate' ? penaltyOf(region.cell, date) : 0;
        found.push(
          toFound(region.cell, date, score + bonus - penalty, place.isSpecific ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL'),
        );
      });
      if (dates.length > 0) break;
    }
  }
  return found;
}

function penaltyOf(cell: ReadCell, date: DateMatch): number {
  const before = cell.text.slice(0, date.start);
  const start = cell.dates.find((other) => other.end < date.start);
  const isEnd = PERIOD_BEFORE.test(before) || (start !== undefined && /^ ?- ?$/.test(before.slice(start.end)));
  const after = cell.text.slice(date.end);
  const isStart = /^ ?(?:-|to|bis|au|do|al|tot|t\/m) ?\d/i.test(after);
  return (ANOTHER_INVOICE.test(before) ? ANOTHER_INVOICE_PENALTY : 0) + (isEnd || isStart ? PERIOD_PENALTY : 0);
}

/** A date belongs to the label that binds it best. */
function withoutClaimed(candidates: readonly Found[], others: readonly Found[]): Found[] {
  return candidates.map((candidate) => {
    const rival = others.filter(({ cell, start }) => cell === candidate.cell && start === candidate.start);
    const best = Math.max(0, ...rival.map(({ score }) => score));
    return best > candidate.score ? { ...candidate, score: candidate.score - OTHER_LABEL_PENALTY } : candidate;
  });
}

/** A date without a label is more likely to be the issue date the higher it is on the first page. */
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
