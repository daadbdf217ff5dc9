import type { Candidate } from './candidates.js';
import { findIbans } from './ibans.js';
import type { IbanMatch } from './ibans.js';
import type { PartyZone } from './parties.js';
import { roleOf } from './parties.js';
import { placesOf } from './regions.js';
import type { ReadCell, TextDocument } from './text-document.js';

export interface AccountReading {
  readonly ibans: readonly Candidate[];
  /** A text that looks like an IBAN but is invalid, as printed. */
  readonly invalid: string | null;
  /** A UK bank account without an IBAN. */
  readonly domestic: { readonly sortCode: Candidate; readonly accountNumber: Candidate } | undefined;
}

/** Labels of a bank account that will be debited, so the account belongs to the buyer. */
const PAYERS_ACCOUNT =
  /abgebucht|abbuchung|eingezogen|mandat|prelev|domicilia(?:ción|cion)|adeudo|addebit|incasso|lastschrift|direct debit|polecenie zaplaty|automatisch afgeschreven|geincasseerd|\*{3}/i;
const BANK_WORDS =
  /iban|bank|konto|rekening|\brib\b|coordinate|cuenta|rachun|bonifico|überweis|ueberweis|virement|transfer|przelew|transferencia|overma|\bbic\b|swift/i;

/** Matches the beginning of an IBAN at the end of a line of the document. */
const BROKEN_IBAN = /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){0,6}$/u;
const TRANSFER =
  /overma|überweis|ueberweis|virement|virer|transfer|przelew|bonifico|storten|indbetal|innbetal|átutal|plata in cont/i;

/** Finds the bank accounts to pay to (documents reference, 10.2). */
export function findAccounts(document: TextDocument, zones: readonly PartyZone[]): AccountReading {
  const ibans: Candidate[] = [];
  let invalid: string | null = null;
  for (const cell of document.cells) {
    for (const match of [...cell.ibans, ...ibanOverTwoLines(document, cell)]) {
      const near = textAround(document, cell);
      const isAnnounced = BANK_WORDS.test(near);
      if (!match.isValid) {
        if (isAnnounced) invalid ??= match.raw;
        continue;
      }
      const isPayers =
        PAYERS_ACCOUNT.test(fold(textOfLine(document, cell))) && !isTransfer(cell.text.slice(0, match.start));
      if (isPayers) continue;
      const role = roleOf(zones, cell);
      const score =
        0.8 +
        (isAnnounced ? 0.2 : 0) -
        (role === 'buyer' ? 0.5 : 0) +
        (role === 'supplier' || role === 'payee' ? 0.1 : 0);
      ibans.push({
        value: match.value,
        cell,
        start: match.start,
        end: match.end,
        // The first bank account that a document states gets the highest score.
        score: score - ibans.length * 0.11,
        evidence: isAnnounced ? 'SPECIFIC_LABEL' : 'GENERIC_LABEL',
        isProven: true,
        method: isAnnounced ? 'LABEL' : 'PATTERN',
      });
    }
  }
  return { ibans, invalid: ibans.length === 0 ? invalid : null, domestic: findDomesticAccount(document) };
}

/**
 * Finds an IBAN that a line break in the document divides. The reported position is that of the part on the first line.
 */
function ibanOverTwoLines(document: TextDocument, cell: ReadCell): IbanMatch[] {
  const begin = BROKEN_IBAN.exec(cell.text);
  const lines = document.lines[cell.page] ?? [];
  const next = lines[cell.line + 1]?.cells.find(({ left }) => Math.abs(left - cell.left) < 2 * cell.size);
  if (begin === null || next === undefined || (lines[cell.line]?.cells.length ?? 0) > cell.index + 1) return [];
  const found = findIbans(`${begin[0]} ${next.text}`).find(({ start, isValid }) => start === 0 && isValid);
  return found === undefined ? [] : [{ ...found, start: begin.index, end: cell.text.length }];
}

/**
 * Checks whether the sentence before a bank account in a document asks for a transfer to the account, after a sentence
 * about a direct debit.
 */
function isTransfer(before: string): boolean {
  return TRANSFER.test(before.split(/[.?!;] /).at(-1) ?? '');
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l');
}

function textOfLine(document: TextDocument, cell: ReadCell): string {
  const lines = document.lines[cell.page] ?? [];
  const before = lines[cell.line - 1]?.cells.find(({ left }) => Math.abs(left - cell.left) < 2 * cell.size);
  return `${before?.text ?? ''} ${(lines[cell.line]?.cells ?? []).map(({ text }) => text).join(' ')}`;
}

function textAround(document: TextDocument, cell: ReadCell): string {
  const lines = document.lines[cell.page] ?? [];
  return lines
    .slice(Math.max(0, cell.line - 3), cell.line + 2)
    .flatMap(({ cells }) => cells.map(({ text }) => text))
    .join(' ');
}

const SORT_CODE = /(?:sort(?:ing)?[ -]?code|\bs\/c)(?: ?(?:no|number))?\W{0,4}(\d{2}[- ]?\d{2}[- ]?\d{2})(?!\d)/i;
const ACCOUNT_NUMBER = /\b(?:account|a\/c|acct?)\.?(?: ?(?:number|no|num|#))?\W{0,4}(\d{6,8}|\d{4} \d{4})(?! ?\d)/i;

function findDomesticAccount(document: TextDocument): AccountReading['domestic'] {
  const sortCode = findBehind(document, SORT_CODE);
  const accountNumber = findBehind(document, ACCOUNT_NUMBER);
  return sortCode === undefined || accountNumber === undefined ? undefined : { sortCode, accountNumber };
}

/** Finds a pattern of a bank account number with its label, in one text cell or in two cells of a line. */
function findBehind(document: TextDocument, pattern: RegExp): Candidate | undefined {
  for (const cell of document.cells) {
    const lines = document.lines[cell.page] ?? [];
    const right = lines[cell.line]?.cells[cell.index + 1];
    const below = lines[cell.line + 1]?.cells.find((lower) => Math.abs(lower.left - cell.left) < 2 * cell.size);
    const found = [undefined, right, below]
      .map((next) => ({ next, match: pattern.exec(next === undefined ? cell.text : `${cell.text} ${next.text}`) }))
      .find(({ match }) => match !== null);
    const raw = found?.match?.[1];
    if (found?.match === undefined || found.match === null || raw === undefined) continue;
    const at = found.match.input.indexOf(raw, found.match.index);
    const place = found.next !== undefined && at >= cell.text.length ? found.next : cell;
    const start = place === cell ? at : at - cell.text.length - 1;
    return {
      value: raw.replace(/\D/g, ''),
      cell: place,
      start,
      end: start + raw.length,
      score: 1,
      evidence: 'SPECIFIC_LABEL',
      isProven: false,
      method: 'LABEL',
    };
  }
  return undefined;
}

/**
 * Finds numbers that follow an IBAN label but do not have the format of an IBAN. Such numbers are reported but never
 * stored as `iban`.
 */
export function findMalformedIban(document: TextDocument): string | null {
  for (const place of placesOf(document, 'iban')) {
    if (place.hit.key !== 'iban') continue;
    for (const { cell, start, end } of place.regions.slice(0, 2)) {
      const match = /^[\s:.]*([A-Z]{2}\d{2}(?: ?[A-Z0-9]){8,30})/.exec(cell.text.slice(start, end));
      if (match?.[1] !== undefined && !cell.ibans.some(({ isValid }) => isValid)) return match[1].trim();
    }
  }
  return null;
}
