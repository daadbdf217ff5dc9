import { leadingLabel, hasKind } from './text-document.js';
import type { LabelHit, LabelKind } from './labels.js';
import type { ReadCell, TextDocument } from './text-document.js';

/**
 * Role of a party. A payee is a party to whom the payment goes, such as a factoring company or the remittance address
 * of the supplier. A payee is not necessarily the supplier.
 */
export type Role = 'supplier' | 'buyer' | 'payee';

const roles: readonly Role[] = ['supplier', 'buyer', 'payee'];

/** The heading of a party, such as "Bill to", with the text cells below it. */
export interface PartyZone {
  readonly role: Role;
  readonly heading: ReadCell;
  /** Text after the heading in the same cell, as in `Bill to: Acme Ltd`. */
  readonly rest: string;
  readonly restStart: number;
  readonly cells: readonly ReadCell[];
}

const INVOICE_KINDS: readonly LabelKind[] = ['number', 'issueDate', 'gross'];
const LINES_OF_ZONE_MAX = 12;
const GAP_SIZES_MAX = 3.2;
/**
 * Words that are the heading of an address at the top of a document page, but part of a sentence or a payment slip
 * further down.
 */
const PREPOSITIONS: ReadonlySet<string> = new Set(['to', 'for', 'from', 'an', 'aan', 'von', 'van', 'payer']);
const PREPOSITIONS_WITHIN = 0.5;
/**
 * Headings of an address that are shorter than this count only if the cell contains nothing else or a colon follows.
 */
const SHORT_HEADING = 12;

/** Words before a request for payment, as in `Please make cheques payable to`. */
const COURTESY = /^(?:please|kindly|bitte|merci de|prosimy|por favor|per favore|gelieve)\W*$/i;

/** Finds the blocks of text under a heading of the supplier, the buyer or the payee. */
export function findPartyZones(document: TextDocument): PartyZone[] {
  const zones: PartyZone[] = [];
  for (const cell of document.cells) {
    const hit = cell.labels.find(
      (label) =>
        hasKind(label, ...roles) &&
        (label.start <= 1 || (hasKind(label, 'payee') && COURTESY.test(cell.text.slice(0, label.start)))),
    );
    if (hit === undefined) continue;
    if (PREPOSITIONS.has(hit.key) && cell.top > PREPOSITIONS_WITHIN * (document.pages[cell.page]?.height ?? 1))
      continue;
    const after = cell.text.slice(hit.end);
    const rest = after.replace(/^[\s:.;/()-]+/, '');
    const isClosed = /^[\s)]*[:.]/.test(after);
    if (rest !== '' && !isClosed && !isSecondHeading(cell, hit.end)) {
      if (hit.key.length < SHORT_HEADING || rest.length > 60) continue;
    }
    const role = roles.find((one) => hasKind(hit, one)) ?? 'buyer';
    const isHeading = isSecondHeading(cell, hit.end);
    zones.push({
      role,
      heading: cell,
      rest: isHeading ? '' : rest,
      restStart: cell.text.length - rest.length,
      cells: cellsOfZone(document, cell),
    });
  }
  return zones;
}

/** Matches headings of a party with two names, as in `Käufer/Leistungsempfänger` or `Cedente / Prestatore`. */
function isSecondHeading(cell: ReadCell, from: number): boolean {
  return cell.labels.some(
    ({ start, end, ...label }) =>
      start >= from &&
      start <= from + 4 &&
      label.entries.some(({ kind }) => roles.some((role) => role === kind)) &&
      // In the text cell `Landlord: Landlord Estates LLP`, the second "Landlord" is part of the company name.
      (!cell.text.slice(from, start).includes(':') || /^[\s:)]*$/.test(cell.text.slice(end))),
  );
}

function cellsOfZone(document: TextDocument, heading: ReadCell): ReadCell[] {
  const lines = document.lines[heading.page] ?? [];
  const left = heading.left - 1.5 * heading.size;
  const neighbour = lines[heading.line]?.cells.find(({ index }) => index > heading.index);
  const limit = neighbour?.left ?? Infinity;
  let right = heading.right;
  let bottom = heading.bottom;
  const found: ReadCell[] = [];
  for (let index = heading.line + 1; index < lines.length && found.length < 2 * LINES_OF_ZONE_MAX; index += 1) {
    const line = lines[index];
    if (line === undefined || index > heading.line + 2 * LINES_OF_ZONE_MAX) break;
    const own = line.cells.filter(
      (cell) => cell.left >= left && cell.left < Math.min(right + heading.size, limit - heading.size),
    );
    const first = own[0];
    if (first === undefined) {
      if (line.top - bottom > GAP_SIZES_MAX * heading.size) break;
      continue;
    }
    if (first.top - bottom > GAP_SIZES_MAX * Math.max(heading.size, first.size)) break;
    const label = leadingLabel(first);
    if (label !== undefined && hasKind(label, ...roles) && found.length > 0 && !hasKind(label, 'partyName')) break;
    if (line.isItemHeader || (label !== undefined && isOfInvoice(label))) break;
    found.push(first);
    // The name of a party may be in the column next to its label, as in `Name:   Acme GmbH`.
    const second = line.cells[first.index + 1];
    if (first.text.endsWith(':') && second !== undefined && second.left < limit - heading.size) found.push(second);
    right = Math.max(right, first.right);
    bottom = Math.max(bottom, first.bottom);
  }
  return found;
}

/** Checks whether a label announces the number, a date or a total of the invoice, which no address contains. */
function isOfInvoice({ entries }: LabelHit): boolean {
  return entries.some(({ kind, isSpecific }) => isSpecific && INVOICE_KINDS.includes(kind));
}

/** Returns the party of the invoice to which a text cell belongs, according to the headings above the cell. */
export function roleOf(zones: readonly PartyZone[], cell: ReadCell): Role | undefined {
  return zones.find((zone) => zone.heading === cell || zone.cells.includes(cell))?.role;
}
