import { areSameTaxId } from '@invoicecontrol/values/tax-id';
import type { OwnCompany } from '../reading.js';
import type { Candidate } from './candidates.js';
import { foldKey } from './normalise.js';
import { roleOf } from './parties.js';
import type { PartyZone, Role } from './parties.js';
import { placesOf } from './regions.js';
import { readLabelledTaxId } from './tax-ids.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** Labels of tax ids that are used in one country only. The ids after them have no country prefix. */
const COUNTRY_BY_LABEL: readonly (readonly [pattern: RegExp, country: string])[] = [
  [/^(?:nip|numernip|nrnip)/, 'PL'],
  [/^(?:piva|partitaiva|partiva|cfpiva|pi$|codfiscepiva|codicefiscaleepartitaiva|partitaivaecodicefiscale)/, 'IT'],
  [/^(?:nif|cif|dni|nie)/, 'ES'],
  [/^(?:ustid|umsatzsteuerid)/, 'DE'],
  [/^(?:btw|omzetbelasting)/, 'NL'],
  [/^(?:tva|ntva|numerodetva|numerotva|nodetva)/, 'FR'],
  [/^(?:ondernemingsnummer)/, 'BE'],
  [/^abn/, 'AU'],
  [/^vat/, 'GB'],
];
const YOURS =
  /(?:your|ihre?|votre|uw|su|tu|twoj|twój|vostra|vs\.?|client|customer|buyer|kunden|klant|nabywcy|cliente)\W*$/i;
const FOOTER = 0.8;
const LINES_OF_ADDRESS = 6;
/**
 * Minimum length of the name of one of the organization's companies at which the name is searched for at the beginning
 * of lines.
 */
const NAME_LENGTH_MIN = 4;

interface FoundId extends Candidate {
  readonly role: Role | undefined;
  readonly isOwn: boolean;
  readonly country: string | null;
}

/** Finds the tax ids in the document and their owners (documents reference, 10.2). */
export function findTaxIdCandidates(
  document: TextDocument,
  zones: readonly PartyZone[],
  companies: readonly OwnCompany[],
): { readonly supplier: readonly FoundId[]; readonly buyer: readonly FoundId[] } {
  const found: FoundId[] = [];
  const add = (
    cell: ReadCell,
    match: { value: string; start: number; end: number; country: string | null; isProven: boolean },
    score: number,
    isLabelled: boolean,
  ): void => {
    if (found.some((other) => other.cell === cell && other.start < match.end && match.start < other.end)) return;
    const page = document.pages[cell.page];
    const isOwn = companies.some(({ taxId }) => taxId !== null && areSameTaxId(taxId, match.value));
    const role =
      isOwn ||
      isBelowOwnName(document, cell, companies) ||
      YOURS.test(
        cell.text
          .slice(0, match.start)
          .trimEnd()
          .replace(/(?<!\S)\S+$/, ''),
      )
        ? 'buyer'
        : roleOf(zones, cell);
    const place = (cell.top / Math.max(1, page?.height ?? 1) > FOOTER ? 0.1 : 0) + (match.isProven ? 0.15 : 0);
    found.push({
      value: match.value,
      cell,
      start: match.start,
      end: match.end,
      score: score + place + (role === 'supplier' ? 0.15 : 0) - (role === 'payee' ? 0.3 : 0),
      evidence: isLabelled ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL',
      isProven: match.isProven,
      method: isLabelled ? 'LABEL' : 'PATTERN',
      role,
      isOwn,
      country: match.country,
    });
  };
  for (const place of placesOf(document, 'taxId')) {
    const country = COUNTRY_BY_LABEL.find(([pattern]) => pattern.test(place.hit.key))?.[1] ?? null;
    for (const { cell, start, base } of place.regions) {
      const id = readLabelledTaxId(cell.text.slice(start), country, document.isOcr);
      if (id === undefined || base < 0.5) continue;
      const [from, to] = [start + id.start, start + id.end];
      const isSomethingElse =
        cell.amounts.some((amount) => amount.decimals === 2 && amount.start < to && from < amount.end) ||
        [...cell.dates, ...cell.ibans].some((other) => other.start < to && from < other.end);
      if (isSomethingElse) continue;
      add(cell, { ...id, start: from, end: to }, base * (0.7 + Math.min(0.3, place.hit.key.length / 40)), true);
      break;
    }
  }
  for (const cell of document.cells) {
    for (const id of cell.taxIds) add(cell, id, 0.6, false);
  }
  const proven = found.filter((id) => id.isProven || id.country !== null || id.evidence === 'SPECIFIC_LABEL');
  const buyer = proven.filter(({ role, isOwn }) => role === 'buyer' || isOwn);
  const supplier = proven.filter((id) => !buyer.includes(id) && !buyer.some((other) => other.value === id.value));
  return { supplier, buyer: [...buyer].sort((one, other) => Number(other.isOwn) - Number(one.isOwn)) };
}

/**
 * Checks whether an id is in the address of a company of the organization. Such an address may have no heading, and its
 * ids belong to the buyer.
 */
function isBelowOwnName(document: TextDocument, cell: ReadCell, companies: readonly OwnCompany[]): boolean {
  const names = companies.map(({ name }) => foldKey(name)).filter((key) => key.length >= NAME_LENGTH_MIN);
  const lines = document.lines[cell.page] ?? [];
  let top = cell.top;
  for (let index = cell.line; index >= Math.max(0, cell.line - LINES_OF_ADDRESS); index -= 1) {
    const near = lines[index]?.cells.find(({ left }) => Math.abs(left - cell.left) < 1.5 * cell.size);
    if (near === undefined) continue;
    if (top - near.bottom > 2 * cell.size) return false;
    if (names.some((name) => foldKey(near.text).startsWith(name))) return true;
    top = near.top;
  }
  return false;
}

/** Finds the local tax number if the document states no other tax id, as in `Steuernummer 201/113/40209`. */
export function findLocalTaxIds(document: TextDocument, zones: readonly PartyZone[]): Candidate[] {
  const found: Candidate[] = [];
  for (const place of placesOf(document, 'localTaxId')) {
    if (!/^(?:steuer|stnr|codicefiscale|cf|codfisc)/.test(place.hit.key)) continue;
    for (const { cell, start, base } of place.regions.slice(0, 2)) {
      const match = /^[\s:.]{0,40}((?:\d[\d /]{7,15}\d)|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z])/.exec(
        cell.text.slice(start),
      );
      if (match?.[1] === undefined || roleOf(zones, cell) === 'buyer') continue;
      const from = start + match[0].length - match[1].length;
      found.push({
        value: match[1].replace(/ /g, ''),
        cell,
        start: from,
        end: from + match[1].length,
        score: base * 0.85,
        evidence: 'SPECIFIC_LABEL',
        isProven: false,
        method: 'LABEL',
      });
      break;
    }
  }
  return found;
}
