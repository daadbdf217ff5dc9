import { composeIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { Random } from '../../random.js';
import type { Numbering } from './numbering.js';
import { filled } from './pattern.js';

/** Supplier of a hand-written history, who sends bills. */
export interface Trader {
  readonly name: string;
  readonly country: Country;
  /** Tax id of the supplier. Absent for suppliers that state no tax id. */
  readonly taxId?: string;
  readonly iban?: string;
  readonly currency: string;
  /** Tax rate of the supplier. 0 if the customer owes the tax or the supplier is exempt. */
  readonly vatPercent: number;
  readonly termsDays: number;
  readonly numbers: Numbering;
  /** Number under which the supplier lists the customer. */
  readonly customerNumber: string;
  readonly companyId: string;
}

interface CountryForms {
  readonly currency: string;
  readonly vatPercent: number;
  /** Form of the tax ids of a supplier's country, in which `#` is a digit. */
  readonly taxId: string;
  readonly bban: string;
  readonly legalForms: readonly string[];
}

const countries = {
  SE: { currency: 'SEK', vatPercent: 25, taxId: '55########01', bban: '#'.repeat(20), legalForms: ['AB', 'HB'] },
  NO: { currency: 'NOK', vatPercent: 25, taxId: '9########', bban: '#'.repeat(11), legalForms: ['AS', 'ENK'] },
  DK: { currency: 'DKK', vatPercent: 25, taxId: '########', bban: '#'.repeat(14), legalForms: ['ApS', 'A/S', 'I/S'] },
  FI: { currency: 'EUR', vatPercent: 24, taxId: '########', bban: '#'.repeat(14), legalForms: ['Oy', 'Oyj', 'Ky'] },
  DE: { currency: 'EUR', vatPercent: 19, taxId: '#########', bban: '#'.repeat(18), legalForms: ['GmbH', 'AG'] },
  ES: {
    currency: 'EUR',
    vatPercent: 21,
    taxId: 'B########',
    bban: '#'.repeat(20),
    legalForms: ['S.L.', 'S.A.', 'S.L.U.'],
  },
  PT: {
    currency: 'EUR',
    vatPercent: 23,
    taxId: '5########',
    bban: '#'.repeat(21),
    legalForms: ['Lda.', 'S.A.', 'Unipessoal Lda'],
  },
  FR: { currency: 'EUR', vatPercent: 20, taxId: '###########', bban: '#'.repeat(23), legalForms: ['SARL', 'SAS'] },
  NL: {
    currency: 'EUR',
    vatPercent: 21,
    taxId: '#########B01',
    bban: 'RABO##########',
    legalForms: ['B.V.', 'V.O.F.'],
  },
  BE: { currency: 'EUR', vatPercent: 21, taxId: '0#########', bban: '#'.repeat(12), legalForms: ['BV', 'NV', 'CommV'] },
  LU: { currency: 'EUR', vatPercent: 17, taxId: '########', bban: '#'.repeat(16), legalForms: ['S.à r.l.', 'S.A.'] },
  IE: { currency: 'EUR', vatPercent: 23, taxId: '#######@', bban: 'AIBK##############', legalForms: ['Ltd', 'DAC'] },
  LT: { currency: 'EUR', vatPercent: 21, taxId: '#########', bban: '#'.repeat(16), legalForms: ['UAB'] },
} as const satisfies Record<string, CountryForms>;

export type Country = keyof typeof countries;

export function formsOf(country: Country): CountryForms {
  return countries[country];
}

/** Returns a tax id with correct check digits, which is found after about a hundred tries at most. */
export function taxIdOf(country: Country, random: Random): string {
  for (;;) {
    const body = filled(countries[country].taxId, random);
    if (taxIdValidity(body, country) === 'VALID') return `${country}${body}${country === 'NO' ? 'MVA' : ''}`;
  }
}

/** Returns a supplier's tax id whose last digit is wrong. */
export function wrongTaxId(taxId: string, random: Random): string {
  const places = [...taxId].flatMap((character, place) => (place > 1 && /\d/.test(character) ? [place] : []));
  for (;;) {
    const place = random.pick(places.slice(0, 7));
    const digit = String((Number(taxId.charAt(place)) + random.integer(1, 9)) % 10);
    const wrong = taxId.slice(0, place) + digit + taxId.slice(place + 1);
    const body = wrong.slice(2).replace('MVA', '');
    if (taxIdValidity(body, taxId.slice(0, 2)) === 'WRONG_CHECK_DIGIT') return wrong;
  }
}

export function ibanOf(country: Country, random: Random): string {
  for (;;) {
    const iban = validIban(country, filled(countries[country].bban, random));
    if (iban !== undefined) return iban;
  }
}

/** Returns a valid bank account that differs in one digit, or undefined if none was found. */
export function ibanBeside(iban: string, random: Random): string | undefined {
  const bban = iban.slice(4);
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    const places = [random.integer(bban.length - 8, bban.length - 1), random.integer(bban.length - 8, bban.length - 1)];
    let changed = bban;
    for (const place of places) changed = changed.slice(0, place) + random.integer(0, 9) + changed.slice(place + 1);
    const beside = changed === bban ? undefined : validIban(iban.slice(0, 2), changed);
    if (beside !== undefined) return beside;
  }
  return undefined;
}

function validIban(country: string, bban: string): string | undefined {
  const iban = composeIBAN({ countryCode: country, bban });
  return iban !== null && readBankAccount({ iban }).problems.length === 0 ? iban : undefined;
}
