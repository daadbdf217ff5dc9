import { composeIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { Random } from '../../random.js';
import { filled } from '../book/pattern.js';

/** Forms in which the bills of a country state the supplier and the tax. */
interface LandForms {
  readonly currency: string;
  /** The usual tax rate of the country in tenths of a percent; 0 if bills do not state the tax separately. */
  readonly permille: number;
  /** Form of the tax ids of the country, in which `#` is a digit and `@` a letter. */
  readonly taxId: string;
  /** Share of the suppliers whose bills state a tax id. */
  readonly taxIdShare: number;
  /** Forms of the part of an IBAN after its check digits; empty if bills of the country state no IBAN. */
  readonly accounts: readonly string[];
}

const lands = {
  US: { currency: 'USD', permille: 0, taxId: '##-#######', taxIdShare: 0.12, accounts: [] },
  CA: { currency: 'CAD', permille: 50, taxId: '######### RT0001', taxIdShare: 0.9, accounts: [] },
  CH: {
    currency: 'CHF',
    permille: 81,
    taxId: 'CHE-###.###.### MWST',
    taxIdShare: 0.9,
    accounts: ['00761############', '80808############', '09000############'],
  },
  SE: {
    currency: 'SEK',
    permille: 250,
    taxId: 'SE556#######01',
    taxIdShare: 0.92,
    accounts: ['50000000##########'.padEnd(20, '#'), '60000000############', '30000000############'],
  },
  RO: {
    currency: 'RON',
    permille: 190,
    taxId: 'RO########',
    taxIdShare: 0.93,
    accounts: ['BTRLRONCRT##########', 'RZBR00000600########', 'INGB0000999#########'],
  },
  BR: { currency: 'BRL', permille: 0, taxId: '##.###.###/0001-##', taxIdShare: 0.97, accounts: [] },
  IN: { currency: 'INR', permille: 180, taxId: '27@@@@@####@1Z#', taxIdShare: 0.92, accounts: [] },
  JP: { currency: 'JPY', permille: 100, taxId: 'T#############', taxIdShare: 0.9, accounts: [] },
  DE: {
    currency: 'EUR',
    permille: 0,
    taxId: 'DE#########',
    taxIdShare: 1,
    accounts: ['60050101##########', '43060967##########'],
  },
  AT: {
    currency: 'EUR',
    permille: 0,
    taxId: 'ATU########',
    taxIdShare: 1,
    accounts: ['12000###########', '20815###########'],
  },
  LT: { currency: 'EUR', permille: 0, taxId: 'LT#######1#', taxIdShare: 1, accounts: ['32500###########'] },
} as const satisfies Record<string, LandForms>;

export type Land = keyof typeof lands;

export function formsOf(land: Land): LandForms {
  return lands[land];
}

const TRIES_MAX = 50_000;

/** Returns a tax id whose check digits are right wherever the product knows a rule for the country. */
export function taxIdIn(land: Land, random: Random): string {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const taxId = filled(lands[land].taxId, random);
    if (isRight(taxId, land)) return taxId;
  }
  throw new RangeError(`no tax id was found for ${land}`);
}

function isRight(taxId: string, land: Land): boolean {
  const { body = '', country = land } = parseTaxId(taxId) ?? {};
  return country === land && ['VALID', 'UNCHECKED'].includes(taxIdValidity(body, country));
}

/** Returns the tax id with another last digit, or undefined if that is no fault in this country. */
export function mistyped(taxId: string, land: Land): string | undefined {
  const place = taxId.search(/[0-9](?=[^0-9]*$)/);
  const isSuffixed = land === 'SE';
  const at = isSuffixed ? place - 3 : place;
  const wrong = taxId.slice(0, at) + String((Number(taxId[at]) + 4) % 10) + taxId.slice(at + 1);
  const { body = '', country = land } = parseTaxId(wrong) ?? {};
  return taxIdValidity(body, country) === 'WRONG_CHECK_DIGIT' ? wrong : undefined;
}

/** Returns a bank account of the country, or undefined if bills of the country state none. */
export function accountIn(land: Land, random: Random): string | undefined {
  const forms: readonly string[] = lands[land].accounts;
  if (forms.length === 0) return undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const iban = composeIBAN({ countryCode: land, bban: filled(random.pick(forms), random) });
    if (iban !== null && readBankAccount({ iban }).problems.length === 0) return iban;
  }
  throw new RangeError(`no account was found for ${land}`);
}

/** Returns a bank account at the same bank that differs in one digit and in the check digits. */
export function accountNear(iban: string, random: Random): string | undefined {
  const bban = iban.slice(4);
  const at = bban.length - random.integer(2, 6);
  const near = bban.slice(0, at) + String((Number(bban[at]) + random.integer(1, 9)) % 10) + bban.slice(at + 1);
  const changed = composeIBAN({ countryCode: iban.slice(0, 2), bban: near });
  return changed !== null && readBankAccount({ iban: changed }).problems.length === 0 ? changed : undefined;
}
