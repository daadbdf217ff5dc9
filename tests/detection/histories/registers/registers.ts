// Creates tax ids and accounts with valid check digits for fictional suppliers.
import type { Random } from '../../random.js';

export type Land = 'DE' | 'AT' | 'CH' | 'CZ' | 'IT' | 'PL' | 'GB' | 'IE';

/** Returns a tax id of the country in the form in which its suppliers print it. */
export function taxIdIn(land: Land, random: Random): string {
  for (;;) {
    const id = tryTaxId[land](random);
    if (id !== undefined) return id;
  }
}

/** Returns an IBAN of the country at one of a few banks of the country. */
export function ibanIn(land: Land, random: Random): string {
  return withCheckDigits(land, bban[land](random));
}

/** Returns the IBAN with the two check digits that match its other characters. */
export function withCheckDigits(land: string, bbanText: string): string {
  const numeric = [...`${bbanText}${land}00`].map((c) => (/[0-9]/.test(c) ? c : String(c.charCodeAt(0) - 55))).join('');
  const check = 98n - (BigInt(numeric) % 97n);
  return `${land}${String(check).padStart(2, '0')}${bbanText}`;
}

export function digits(random: Random, count: number): string {
  let text = '';
  for (let i = 0; i < count; i += 1) text += String(random.integer(0, 9));
  return text;
}

const tryTaxId: Record<Land, (random: Random) => string | undefined> = {
  DE(random) {
    const body = `${random.integer(1, 3)}${digits(random, 7)}`;
    let product = 10;
    for (const digit of body) {
      const sum = (Number(digit) + product) % 10 || 10;
      product = (2 * sum) % 11;
    }
    return `DE${body}${(11 - product) % 10}`;
  },
  AT(random) {
    const body = digits(random, 7);
    let sum = 4;
    [...body].forEach((digit, i) => {
      const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
      sum += value > 9 ? value - 9 : value;
    });
    return `ATU${body}${(10 - (sum % 10)) % 10}`;
  },
  CH(random) {
    const body = `1${digits(random, 7)}`;
    const check = (11 - (weighted(body, [5, 4, 3, 2, 7, 6, 5, 4]) % 11)) % 11;
    if (check === 10) return undefined;
    return `CHE-${body.slice(0, 3)}.${body.slice(3, 6)}.${body.slice(6)}${check} MWST`;
  },
  CZ(random) {
    const body = `${random.integer(2, 7)}${digits(random, 6)}`;
    const rest = 11 - (weighted(body, [8, 7, 6, 5, 4, 3, 2]) % 11);
    return `CZ${body}${rest === 10 ? 0 : rest === 11 ? 1 : rest}`;
  },
  IT(random) {
    const body = `0${digits(random, 6)}0${random.integer(10, 99)}`;
    let sum = 0;
    [...body].forEach((digit, i) => {
      const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
      sum += value > 9 ? value - 9 : value;
    });
    return `IT${body}${(10 - (sum % 10)) % 10}`;
  },
  PL(random) {
    const body = `${random.integer(5, 9)}${random.integer(1, 9)}${digits(random, 7)}`;
    const check = weighted(body, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11;
    return check === 10 ? undefined : `PL${body}${check}`;
  },
  GB(random) {
    const body = `${random.integer(1, 8)}${digits(random, 6)}`;
    const check = 97 - (weighted(body, [8, 7, 6, 5, 4, 3, 2]) % 97);
    return check === 97 ? undefined : `GB${body}${String(check).padStart(2, '0')}`;
  },
  IE(random) {
    const body = `${random.integer(3, 9)}${digits(random, 6)}`;
    return `IE${body}${'WABCDEFGHIJKLMNOPQRSTUV'.charAt(weighted(body, [8, 7, 6, 5, 4, 3, 2]) % 23)}`;
  },
};

const bban: Record<Land, (random: Random) => string> = {
  DE: (random) => `${random.pick(['37040044', '50010517', '70150000', '60050101', '20041133'])}${digits(random, 10)}`,
  AT: (random) => `${random.pick(['12000', '20111', '32000', '14000'])}${digits(random, 11)}`,
  CH: (random) => `${random.pick(['00762', '08401', '09000', '00230'])}${digits(random, 12)}`,
  CZ(random) {
    for (;;) {
      const body = `${random.integer(1, 9)}${digits(random, 8)}`;
      const rest = (11 - (weighted(body, [6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11)) % 11;
      if (rest !== 10) return `${random.pick(['0800', '0300', '0100', '2010'])}000000${body}${rest}`;
    }
  },
  IT(random) {
    const body = `${random.pick(['02008', '03069', '05034'])}${random.pick(['01600', '11700', '12001'])}${digits(random, 12)}`;
    return `${cin(body)}${body}`;
  },
  PL(random) {
    const body = random.pick(['1020102', '1140200', '1090135', '2490000', '1050144']);
    const check = (10 - (weighted(body, [3, 9, 7, 1, 3, 9, 7]) % 10)) % 10;
    return `${body}${check}${digits(random, 16)}`;
  },
  GB: (random) =>
    random.pick(['BARC203045', 'NWBK601613', 'LOYD309634', 'HBUK400515', 'MIDL401122']) + digits(random, 8),
  IE: (random) => random.pick(['AIBK931152', 'BOFI900017', 'IPBS990609']) + digits(random, 8),
};

const CIN_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];

function cin(body: string): string {
  let sum = 0;
  [...body].forEach((digit, i) => {
    sum += i % 2 === 0 ? (CIN_ODD[Number(digit)] ?? 0) : Number(digit);
  });
  return String.fromCharCode(65 + (sum % 26));
}

function weighted(body: string, weights: readonly number[]): number {
  return [...body].reduce((sum, digit, i) => sum + Number(digit) * (weights[i] ?? 0), 0);
}
