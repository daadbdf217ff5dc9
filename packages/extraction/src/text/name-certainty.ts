import type { Candidate } from './candidates.js';
import { findLabels } from './labels.js';
import { foldKey } from './normalise.js';
import { roleOf } from './parties.js';
import type { PartyZone } from './parties.js';
import {
  domainsOf,
  FOOTER,
  isOfDomain,
  LEGAL_FORM,
  LETTERHEAD,
  LETTERHEAD_SIZE,
  median,
  REGISTRATION,
} from './supplier-name.js';
import { leadingLabel } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** Certainty of a supplier name, by the number of signs on the page that this is the name. */
const CERTAINTY_BY_SIGNS: readonly number[] = [0.4, 0.6, 0.85, 0.92, 0.96];
/** Certainty of a name in a block with the heading of the supplier, without other signs. */
const CERTAINTY_OF_LABEL = 0.85;
/** Highest certainty of a short form of a company's name, and of a name that is about as likely as another name. */
const CERTAINTY_OF_DOUBT = 0.6;
/**
 * Certainty of a supplier name if the text is a label, a number or a contact, or the name of a payee on a page that
 * names nobody else.
 */
const CERTAINTY_OF_NO_NAME = 0.3;
/** Minimum length of a supplier name that is searched for on the page. A shorter name occurs inside words by chance. */
const LENGTH_TO_SEARCH_MIN = 5;
/** Number of lines below a supplier name that may hold its tax id. */
const LINES_OF_BLOCK_MAX = 8;

/**
 * Returns how certain the name of the supplier is, from 0 to 1. A letterhead has no label, so other signs decide: a
 * legal form that no other name has, large letters, the name in mail and web addresses, a second occurrence of the
 * name, and a registration or tax id next to it.
 * @param names possible names of the supplier, best first
 */
export function certaintyOfName(
  document: TextDocument,
  zones: readonly PartyZone[],
  names: readonly Candidate[],
): number | undefined {
  const [best, ...others] = names;
  if (best === undefined) return undefined;
  if (isNoName(best.value) || roleOf(zones, best.cell) === 'payee') return CERTAINTY_OF_NO_NAME;
  const companies = others.filter(
    ({ value }) => LEGAL_FORM.test(value) && !isNoName(value) && !isSameName(best.value, value),
  );
  const domains = domainsOf(document);
  const isCompany = LEGAL_FORM.test(best.value);
  const isOnlyCompany = isCompany && companies.length === 0 && isAtEdge(document, best.cell);
  const signs = countSigns(document, zones, domains, best) + (isOnlyCompany ? 1 : 0);
  const isLabelled = best.evidence === 'SPECIFIC_LABEL' && isFirstOfZone(zones, best.cell);
  const bySigns = CERTAINTY_BY_SIGNS[Math.min(signs, CERTAINTY_BY_SIGNS.length - 1)] ?? 0;
  const certainty = isLabelled ? Math.max(bySigns, CERTAINTY_OF_LABEL) : bySigns;
  const isDoubtful = isCompany
    ? !isLabelled && companies.some((other) => countSigns(document, zones, domains, other) >= signs)
    : !isLabelled && (companies.length > 0 || isShortened(document, zones, best.value));
  return isDoubtful ? Math.min(certainty, CERTAINTY_OF_DOUBT) : certainty;
}

/**
 * Checks whether a text is in the letterhead or the footer. A name counts only there, because a sentence in the middle
 * of the page may name another company.
 */
function isAtEdge(document: TextDocument, { page, top }: ReadCell): boolean {
  const height = document.pages[page]?.height ?? 1;
  return (page === 0 && top < LETTERHEAD * height) || top > FOOTER * height;
}

/**
 * Checks whether a text cell is the first of its address block, or whether the block begins with a label. A name on two
 * lines continues below the first line of the block.
 */
function isFirstOfZone(zones: readonly PartyZone[], cell: ReadCell): boolean {
  const zone = zones.find(({ cells }) => cells.includes(cell));
  const first = zone?.cells[0];
  return first === undefined || first === cell || leadingLabel(first) !== undefined;
}

function countSigns(
  document: TextDocument,
  zones: readonly PartyZone[],
  domains: readonly string[],
  { value, cell }: Candidate,
): number {
  const key = foldKey(value);
  const usualSize = median(document.cells.filter(({ page }) => page === 0).map(({ size }) => size));
  const places =
    key.length < LENGTH_TO_SEARCH_MIN
      ? [cell]
      : document.cells.filter((other) => roleOf(zones, other) !== 'buyer' && foldKey(other.text).includes(key));
  return [
    LEGAL_FORM.test(value),
    cell.size >= LETTERHEAD_SIZE * usualSize,
    isOfDomain(key, domains),
    places.length > 1,
    [cell, ...places].some((place) => isRegistered(document, zones, place, value)),
  ].filter(Boolean).length;
}

/** Checks whether a registration or a tax id is printed beside the name, or in the lines below it in the same block. */
function isRegistered(document: TextDocument, zones: readonly PartyZone[], cell: ReadCell, name: string): boolean {
  const lines = document.lines[cell.page] ?? [];
  const block = lines
    .slice(cell.line, cell.line + LINES_OF_BLOCK_MAX)
    .flatMap(({ cells }) => cells)
    .filter(
      (other) =>
        other === cell || (roleOf(zones, other) !== 'buyer' && other.left < cell.right && other.right > cell.left),
    );
  return block.some(({ text, taxIds }) => taxIds.length > 0 || REGISTRATION.test(text.replace(name, '')));
}

function isNoName(value: string): boolean {
  const isLabel = findLabels(value).some(({ start, end }) => start <= 1 && end >= value.length - 1);
  return isLabel || /[:@]|\d{5}|^(?:\(c\)|©|copyright\b)/i.test(value);
}

/**
 * Checks whether the page states the supplier name with a legal form: `Albergo Tre Cipressi` is the hotel of `Tre
 * Cipressi S.p.A.`, and `Björktele` is short for `Björktele Nät AB`.
 */
function isShortened(document: TextDocument, zones: readonly PartyZone[], value: string): boolean {
  const key = foldKey(value);
  return document.cells.some((cell) => {
    const form = LEGAL_FORM.exec(cell.text);
    if (form === null || roleOf(zones, cell) === 'buyer') return false;
    const words = cell.text
      .slice(0, form.index)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '');
    return [1, 2, 3, 4, 5].some((count) => {
      const name = foldKey(words.slice(-count).join(''));
      return name.length >= LENGTH_TO_SEARCH_MIN && (name.includes(key) || key.includes(name));
    });
  });
}

function isSameName(one: string, other: string): boolean {
  const [key, otherKey] = [foldKey(one), foldKey(other)];
  return key.startsWith(otherKey) || otherKey.startsWith(key);
}
