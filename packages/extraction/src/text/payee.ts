import type { OwnCompany } from '../reading.js';
import { foldKey, foldText, normaliseText } from './normalise.js';
import { roleOf } from './parties.js';
import type { PartyZone } from './parties.js';
import { BANK, cleanName, LEGAL_FORM, nameOfZone } from './supplier-name.js';
import { hasKind, leadingLabel } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** Labels of the owner of a bank account, in folded letters. */
const ACCOUNT_OWNER =
  /^(?:account(?:name|holder|nameof)|beneficiary(?:name)?|kontoinhaber|zahlungsempfanger|titulaireducompte|beneficiaire|posiadaczrachunku|titulardelacuenta|beneficiario|intestatarioconto|intestatoa|tennamevan|tnv|rekeninghouder|prijemceplatby|majiteluctu|kontohaver(?:snavn)?|modtagernavn|kontoeier|kontohavare|betalningsmottagare|saaja|saajannimi|tilinomistaja|kedvezmenyezett|szamlatulajdonos|bankszamlatulajdonosa|titular(?:cont|daconta)?|beneficiarplata|favorecido|δικαιουχος)$/;
/** Matches `Current account` after `Account name`, which names a kind of bank account and not its owner. */
const KIND_OF_ACCOUNT =
  /(?:current|business|client|savings|trading|girokonto|geschäftskonto|euro|usd|gbp) (?:current |euro )?(?:account|konto|a\/c)/i;
/** Words for a factoring company. A bank is the payee only if such words show that it bought the claim. */
const FACTOR = /factor|receivable|forderung|affacturage|faktoring/i;

/**
 * Returns the party to whom a document asks to pay, if it is not the supplier: the name in a remittance block, or the
 * owner of the account. Undefined if the document names no such party.
 */
export function findPayeeName(
  document: TextDocument,
  zones: readonly PartyZone[],
  supplier: string | undefined,
  buyers: readonly (string | undefined)[],
  companies: readonly OwnCompany[],
): string | undefined {
  if (supplier === undefined) return undefined;
  const known = [supplier, ...buyers, ...companies.map(({ name }) => name)].filter((name) => name !== undefined);
  return [...payeesOfZones(zones), ...accountOwners(document, zones)]
    .filter((name) => !BANK.test(name) || FACTOR.test(name))
    .find((name) => !known.some((other) => areOneParty(name, other)));
}

function payeesOfZones(zones: readonly PartyZone[]): string[] {
  return zones
    .filter(({ role }) => role === 'payee')
    .flatMap((zone) => {
      const named = nameOfZone(zone);
      return (named && cleanName(named.text, true)) ?? [];
    });
}

function accountOwners(document: TextDocument, zones: readonly PartyZone[]): string[] {
  return document.cells.flatMap((cell) => {
    const hit = cell.labels.find((label) => hasKind(label, 'partyName') && ACCOUNT_OWNER.test(label.key));
    if (hit === undefined || roleOf(zones, cell) === 'buyer') return [];
    const rest = cell.text.slice(hit.end);
    const text = /^[\s:.]*$/.test(rest) ? textBeside(document, cell) : /^\s*[:.]/.test(rest) ? rest : undefined;
    const name = text === undefined || KIND_OF_ACCOUNT.test(text) ? undefined : cleanName(text, true);
    return name === undefined || /\d{3}/.test(name) ? [] : [name];
  });
}

function textBeside(document: TextDocument, cell: ReadCell): string | undefined {
  const next = document.lines[cell.page]?.[cell.line]?.cells[cell.index + 1];
  return next !== undefined && leadingLabel(next) === undefined ? next.text : undefined;
}

/**
 * Checks whether two names on a document may be those of one party: all words of one are words of the other, apart from
 * legal forms. A letterhead often states a shorter name than the bank account does.
 */
export function areOneParty(left: string, right: string): boolean {
  const [short, long] = [wordsOf(left), wordsOf(right)].toSorted((one, other) => one.length - other.length);
  if (short === undefined || long === undefined || short.length === 0) return true;
  return short.every((word) => long.includes(word)) || keyOf(left) === keyOf(right);
}

function wordsOf(name: string): string[] {
  const plain = withoutLegalForm(name);
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => foldText(word).key)
    .filter((word) => word.length > 1);
}

/**
 * Returns the name of a firm without its legal form. In the document, the legal form may be at the end of the name or
 * before it.
 */
function withoutLegalForm(name: string): string {
  const plain = normaliseText(name);
  const form = LEGAL_FORM.exec(plain);
  return form === null ? plain : `${plain.slice(0, form.index)} ${plain.slice(form.index + form[0].length)}`;
}

function keyOf(name: string): string {
  return foldKey(withoutLegalForm(name));
}
