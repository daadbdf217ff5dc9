import { composeIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { Random } from './random.js';

/** The seven countries of the generated suppliers, with their conventions. */
export const countries = {
  DE: {
    currency: 'EUR',
    vatPercent: 19,
    taxDigits: 9,
    bban: '99999999dddddddddd',
    forms: ['GmbH', 'AG', 'GmbH & Co. KG', 'e.K.'],
    words: ['Nord', 'Rhein', 'Berg', 'Wald', 'Stahl', 'Licht', 'Wasser', 'Korn', 'Hansa', 'Elbe', 'Main', 'Falken'],
    trades: ['Logistik', 'Metallbau', 'Elektrotechnik', 'Druckerei', 'Spedition', 'Bürobedarf', 'Gebäudereinigung'],
  },
  PL: {
    currency: 'PLN',
    vatPercent: 23,
    taxDigits: 10,
    bban: 'dddddddddddddddddddddddd',
    forms: ['Sp. z o.o.', 'S.A.', 'Sp. j.'],
    words: ['Wisła', 'Tatry', 'Polny', 'Żubr', 'Orzeł', 'Sosna', 'Bałtyk', 'Kraków', 'Jantar', 'Łąka', 'Dąb', 'Mazur'],
    trades: ['Transport', 'Budownictwo', 'Usługi', 'Hurtownia', 'Serwis', 'Poligrafia', 'Meble'],
  },
  FR: {
    currency: 'EUR',
    vatPercent: 20,
    taxDigits: 11,
    bban: 'ddddddddddddddddddddddd',
    forms: ['SARL', 'SAS', 'SA'],
    words: ['Loire', 'Alpes', 'Soleil', 'Chêne', 'Rivière', 'Étoile', 'Garonne', 'Mistral', 'Atlantique', 'Vallée'],
    trades: ['Transports', 'Imprimerie', 'Menuiserie', 'Conseil', 'Distribution', 'Nettoyage', 'Informatique'],
  },
  GB: {
    currency: 'GBP',
    vatPercent: 20,
    taxDigits: 9,
    bban: 'NWBKdddddddddddddd',
    forms: ['Ltd', 'PLC', 'LLP'],
    words: ['Thames', 'Oak', 'Harbour', 'Kingsway', 'Severn', 'Albion', 'Castle', 'Meadow', 'Pennine', 'Falcon'],
    trades: ['Catering', 'Packaging', 'Engineering', 'Stationery', 'Haulage', 'Software', 'Facilities'],
  },
  IT: {
    currency: 'EUR',
    vatPercent: 22,
    taxDigits: 11,
    bban: 'Xdddddddddddddddddddddd',
    forms: ['S.r.l.', 'S.p.A.', 'S.n.c.'],
    words: ['Tevere', 'Lavanda', 'Aurora', 'Vesuvio', 'Adriatica', 'Olivo', 'Ponte', 'Marmo', 'Toscana', 'Stella'],
    trades: ['Trasporti', 'Edilizia', 'Grafica', 'Servizi', 'Forniture', 'Impianti', 'Consulenza'],
  },
  ES: {
    currency: 'EUR',
    vatPercent: 21,
    taxDigits: 8,
    bban: 'dddddddddddddddddddd',
    forms: ['S.L.', 'S.A.', 'S.L.U.'],
    words: ['Ebro', 'Levante', 'Sierra', 'Naranja', 'Andalucía', 'Molino', 'Castilla', 'Brisa', 'Roble', 'Duero'],
    trades: ['Transportes', 'Construcciones', 'Imprenta', 'Limpiezas', 'Suministros', 'Asesores', 'Sistemas'],
  },
  NL: {
    currency: 'EUR',
    vatPercent: 21,
    taxDigits: 9,
    bban: 'INGBdddddddddd',
    forms: ['B.V.', 'N.V.', 'V.O.F.'],
    words: ['Maas', 'Polder', 'Molen', 'Tulp', 'Zuider', 'Haven', 'Dijk', 'Amstel', 'Waal', 'Veluwe'],
    trades: ['Transport', 'Techniek', 'Drukkerij', 'Schoonmaak', 'Bouw', 'Kantoor', 'Advies'],
  },
} as const;

export type CountryCode = keyof typeof countries;
const countryCodes = Object.keys(countries) as CountryCode[];

/** A supplier that the generator of histories has created. */
export interface Party {
  readonly country: CountryCode;
  readonly name: string;
  readonly taxId: string;
  readonly iban: string;
  readonly currency: string;
  readonly vatPercent: number;
}

/** Returns a function that creates suppliers whose names, tax ids and accounts are all different and valid. */
export function partyMaker(random: Random): (country?: CountryCode) => Party {
  const names = new Set<string>();
  return (country = random.pick(countryCodes)) => {
    const { currency, vatPercent, forms, words, trades } = countries[country];
    let core: string;
    do core = `${random.pick<string>(words)} ${random.pick<string>(words)} ${random.pick<string>(trades)}`;
    while (names.has(core));
    names.add(core);
    return {
      country,
      name: `${core} ${random.pick<string>(forms)}`,
      taxId: validTaxId(country, random),
      iban: validIban(country, random),
      currency,
      vatPercent,
    };
  };
}

/** Tries numbers of a tax id until one has correct check digits, which takes about ten to a hundred tries. */
export function validTaxId(country: CountryCode, random: Random): string {
  for (;;) {
    const number = digits(countries[country].taxDigits, random);
    const body = country === 'ES' ? `B${number}` : country === 'NL' ? `${number}B01` : number;
    if (taxIdValidity(body, country) === 'VALID') return `${country}${body}`;
  }
}

export function validIban(country: CountryCode, random: Random): string {
  for (;;) {
    const bban = countries[country].bban
      .replaceAll('d', () => digits(1, random))
      .replaceAll('9', () => digits(1, random));
    const iban = composeIBAN({ countryCode: country, bban });
    if (iban !== null && readBankAccount({ iban }).problems.length === 0) return iban;
  }
}

function digits(count: number, random: Random): string {
  return Array.from({ length: count }, () => String(random.integer(0, 9))).join('');
}
