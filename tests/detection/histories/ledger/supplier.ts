import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { Random } from '../../random.js';

/** Forms of tax ids: each `#` is replaced by a digit so that the check digits are correct. */
const taxForms: Readonly<Record<string, string>> = {
  LT: 'LT#######1#',
  LV: 'LV40#########',
  EE: 'EE10#######',
  FI: 'FI########',
  PL: 'PL##########',
  DE: 'DE#########',
  FR: 'FR###########',
  IT: 'IT0##########',
  ES: 'ESB########',
  CH: 'CHE#########MWST',
  CZ: 'CZ########',
  SK: 'SK2#########',
  HU: 'HU########',
  RO: 'RO########',
  AT: 'ATU########',
  SI: 'SI########',
};

/** Forms of the part of an IBAN after the check digits, by bank. */
const accountForms: Readonly<Record<string, readonly string[]>> = {
  LT: ['73000100########', '70440600########', '40100510########', '32500########'.padEnd(16, '#')],
  LV: ['HABA0551#########', 'UNLA0055#########', 'PARX0022#########', 'RIKO0002#########'],
  EE: ['2200221#########', '1010220#########', '7700771#########'],
  FI: ['123456########', '500001########', '800012########'],
  PL: ['1140200400003###########', '1020553400001###########', '1090256400000###########', '2490000500004###########'],
  DE: ['50070010##########', '37040044##########', '20041133##########', '70150000##########'],
  FR: [
    '30004008#############'.padEnd(23, '#'),
    '30003032###############',
    '10278060###############',
    '14506000###############',
  ],
  IT: ['#####', '#####'],
  ES: ['2100041845##########', '0049150005##########', '0182237042##########', '3058001010##########'],
  CH: ['00700############', '08390############', '04835############'],
  CZ: ['0100000000##########', '0800000000##########', '0300000000##########', '5500000000##########'],
  SK: ['1100000000##########', '0200000000##########', '0900000000##########'],
  HU: ['10402142################', '11705008################', '12001008################'],
  RO: ['BTRLRONCRT##########', 'RNCB0074##########01', 'BRDE450S############'],
  AT: ['20111###########', '32000###########', '14000###########'],
  SI: ['02010##########', '06000##########', '19100##########'],
};

function filled(form: string, random: Random): string {
  return form.replace(/#/g, () => String(random.integer(0, 9)));
}

export function taxIdOf(country: string, random: Random): string {
  const form = taxForms[country] ?? '';
  for (let tries = 0; tries < 20_000; tries++) {
    const id = filled(form, random);
    const { body = '', country: stated = '' } = parseTaxId(id) ?? {};
    if (stated === country && taxIdValidity(body, country) === 'VALID') return id;
  }
  throw new RangeError(`no tax id for ${country}`);
}

/** Returns the IBAN of an account, with check digits by ISO 7064 (modulus 97). */
function ibanOf(country: string, bban: string): string {
  const text = `${bban}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  let rest = 0;
  for (const digit of text) rest = (rest * 10 + Number(digit)) % 97;
  return `${country}${String(98 - rest).padStart(2, '0')}${bban}`;
}

const italianBanks = ['0306909606', '0200805364', '0538712900', '0103002800'];

function accountForm(country: string, random: Random): string {
  if (country === 'IT')
    return `${random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'])}${random.pick(italianBanks)}############`;
  return random.pick(accountForms[country] ?? []);
}

/** Returns a valid bank account. `bank` sets the first characters after the check digits. */
export function accountOf(country: string, random: Random, bank?: string): string {
  for (let tries = 0; tries < 50_000; tries++) {
    const form = accountForm(country, random);
    if (bank !== undefined && !form.startsWith(bank) && country !== 'IT') continue;
    const iban = ibanOf(country, filled(form, random));
    if (readBankAccount({ iban }).problems.length === 0) return iban;
  }
  throw new RangeError(`no account for ${country}`);
}

/** Returns the given IBAN with one or two of its last eight digits changed and with the check digits that then apply. */
export function nearAccount(iban: string, random: Random): string {
  const country = iban.slice(0, 2);
  const bban = iban.slice(4);
  for (let tries = 0; tries < 50_000; tries++) {
    const digits = [...bban];
    for (let change = 0; change < 2; change++) {
      const at = random.integer(bban.length - 8, bban.length - 1);
      digits[at] = String(random.integer(0, 9));
    }
    const candidate = ibanOf(country, digits.join(''));
    if (candidate !== iban && readBankAccount({ iban: candidate }).problems.length === 0) return candidate;
  }
  return accountOf(country, random);
}

/** Legal forms by country. The name of the supplier replaces `_`. */
const legalForms: Readonly<Record<string, readonly string[]>> = {
  LT: ['UAB _', '_, UAB', 'UAB „_“', 'AB _'],
  LV: ['SIA _', 'SIA "_"', '_ SIA', 'AS _'],
  EE: ['_ OÜ', 'OÜ _', '_ AS', 'AS _'],
  FI: ['_ Oy', '_ Oyj', '_ Oy Ab'],
  PL: ['_ Sp. z o.o.', '_ S.A.', '_ sp. z o.o. sp. k.', '_ Sp. j.'],
  DE: ['_ GmbH', '_ AG', '_ GmbH & Co. KG', '_ e.K.'],
  FR: ['_ SARL', 'SAS _', '_ SAS', 'SCEA _', '_ SA'],
  IT: ['_ S.r.l.', '_ S.p.A.', '_ S.n.c.', 'Società Agricola _'],
  ES: ['_ S.L.', '_ S.A.', '_ S.L.U.'],
  CH: ['_ AG', '_ SA', '_ GmbH', '_ Sàrl'],
  CZ: ['_ s.r.o.', '_, s.r.o.', '_ a.s.', '_, spol. s r.o.'],
  SK: ['_ s.r.o.', '_, s. r. o.', '_ a.s.'],
  HU: ['_ Kft.', '_ Zrt.', '_ Bt.'],
  RO: ['SC _ SRL', '_ S.R.L.', '_ SA'],
  AT: ['_ GmbH', '_ KG', '_ e.U.', '_ GesmbH'],
  SI: ['_ d.o.o.', '_, d.o.o.', '_ s.p.', '_ d.d.'],
};

export function legalName(core: string, country: string, random: Random): string {
  return random.pick(legalForms[country] ?? ['_']).replace('_', core);
}

/** Returns the highest legal VAT rate of a country on a day, in tenths of a percent. */
export function standardRate(country: string, date: string): number {
  switch (country) {
    case 'LT':
    case 'LV':
    case 'CZ':
    case 'ES':
      return 210;
    case 'EE':
      return date < '2025-07-01' ? 220 : 240;
    case 'FI':
      return date < '2024-09-01' ? 240 : 255;
    case 'PL':
      return 230;
    case 'DE':
      return 190;
    case 'FR':
    case 'AT':
      return 200;
    case 'IT':
    case 'SI':
      return 220;
    case 'CH':
      return 81;
    case 'SK':
      return date < '2025-01-01' ? 200 : 230;
    case 'HU':
      return 270;
    case 'RO':
      return date < '2025-08-01' ? 190 : 210;
    default:
      return 0;
  }
}
