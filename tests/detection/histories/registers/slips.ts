// Lists the copies and the faults of single bills from which the histories in this folder choose.
import { addDays } from '@invoicecontrol/values/calendar-date';
import { companies } from '../../bill.js';
import type { Random } from '../../random.js';
import { shuffled, traderOf } from './ledger.js';
import type { Book, Draft, Trader } from './ledger.js';
import { digits, ibanIn, taxIdIn, withCheckDigits } from './registers.js';

type Changes = Partial<Draft>;

export interface Slip {
  readonly name: string;
  readonly weight: number;
  /**
   * True if the copied test bill may have a recurring amount. This is possible only if the number stays recognizable.
   */
  readonly ofRecurring?: boolean;
  /** Returns the changed fields of each copy that is created from a test bill. */
  make(draft: Draft, random: Random): readonly Changes[] | undefined;
}

/** Returns the named entries of a catalogue of copies or faults, in the order of the given names. */
export function slipsNamed<K extends string>(catalogue: Readonly<Record<K, Slip>>, ...names: readonly K[]): Slip[] {
  return names.map((name) => catalogue[name]);
}

/**
 * Minimum number of copied bills of each kind. With fewer copies, the result would not show how well the engine finds
 * this kind of copy.
 */
const COPIES_OF_A_KIND_MIN = 5;

/** Copies test bills of the history, each at most once. The kinds of copies occur in proportion to their weights. */
export function plantCopies(book: Book, random: Random, slips: readonly Slip[], count: number, from: string): void {
  const total = slips.reduce((sum, { weight }) => sum + weight, 0);
  const disturbed = new Set(book.drafts.filter(({ anomaly }) => anomaly !== undefined).map(({ trader }) => trader));
  const copied = new Set(book.drafts.filter(({ mutation }) => mutation !== undefined).map(({ claim }) => claim));
  const sources = shuffled(random, book.drafts).filter(
    (draft) =>
      draft.gross > 6000 &&
      draft.date >= from &&
      draft.mutation === undefined &&
      draft.anomaly === undefined &&
      draft.hardNegative === undefined &&
      !disturbed.has(draft.trader) &&
      !copied.has(draft.claim),
  );
  for (const slip of slips) {
    let wanted = Math.max(COPIES_OF_A_KIND_MIN, Math.round((count * slip.weight) / total));
    for (const draft of sources) {
      if (wanted === 0) break;
      if (copied.has(draft.claim) || (draft.recurs && slip.ofRecurring !== true)) continue;
      const made = slip.make(draft, random);
      if (made === undefined) continue;
      copied.add(draft.claim);
      wanted -= 1;
      made.forEach((changes) => {
        const lag = random.pick([1, 2, 3, 5, 8, 12, 17, 24, 33, 45]);
        const date = changes.date ?? draft.date;
        const latest = [addDays(draft.arrival, lag), addDays(date, 1)].sort().at(-1) ?? draft.arrival;
        book.drafts.push({
          ...draft,
          due: addDays(date, draft.trader.terms),
          arrival: changes.arrival ?? latest,
          ...changes,
          mutation: slip.name,
        });
      });
    }
  }
}

// Numbers

/** Returns the positions of the digits of an invoice number that are not part of the date or year. */
function digitSpots(draft: Draft): number[] {
  const year = draft.date.slice(0, 4);
  const compact = draft.date.replaceAll('-', '');
  const masked = [compact, compact.slice(0, 6), `${draft.date.slice(5, 7)}/${year}`, year].reduce(
    (text, part) => text.replace(part, '#'.repeat(part.length)),
    draft.number,
  );
  return [...masked].flatMap((c, i) => (/[0-9]/.test(c) ? [i] : []));
}

const at = (text: string, i: number, put: string, length = 1): string =>
  text.slice(0, i) + put + text.slice(i + length);

const numberSlip = (
  name: string,
  weight: number,
  change: (draft: Draft, random: Random) => string | undefined,
  ofRecurring = false,
): Slip => ({
  name,
  weight,
  ofRecurring,
  make(draft, random) {
    const number = change(draft, random);
    return number === undefined || number === draft.number ? undefined : [{ number }];
  },
});

const droppedDigit = (draft: Draft, random: Random): string | undefined => {
  const spots = digitSpots(draft);
  return spots.length < 4 ? undefined : at(draft.number, random.pick(spots), '');
};
const doubledDigit = (draft: Draft, random: Random): string | undefined => {
  const spots = digitSpots(draft);
  if (spots.length < 3) return undefined;
  const i = random.pick(spots);
  return at(draft.number, i, draft.number.charAt(i).repeat(2));
};
const swappedDigits = (draft: Draft, random: Random): string | undefined => {
  const spots = digitSpots(draft).filter(
    (i) => /^[0-9]{2}$/.test(draft.number.slice(i, i + 2)) && draft.number[i] !== draft.number[i + 1],
  );
  if (spots.length < 3) return undefined;
  const i = random.pick(spots);
  return at(draft.number, i, `${draft.number[i + 1]}${draft.number[i]}`, 2);
};
const misreadDigit = (draft: Draft, random: Random): string | undefined => {
  const spots = digitSpots(draft).slice(0, -1);
  if (spots.length < 3) return undefined;
  const i = random.pick(spots);
  const read: Record<string, string> = {
    '0': '8',
    '1': '7',
    '2': '7',
    '3': '8',
    '4': '9',
    '5': '6',
    '6': '5',
    '7': '1',
    '8': '3',
    '9': '4',
  };
  return at(draft.number, i, read[draft.number.charAt(i)] ?? '0');
};
const letterDigit = (draft: Draft, random: Random): string | undefined => {
  const read: Record<string, string> = { '0': 'O', '1': 'I', '5': 'S', '8': 'B', '2': 'Z' };
  const spots = digitSpots(draft).filter((i) => draft.number.charAt(i) in read);
  if (spots.length === 0 || digitSpots(draft).length < 4) return undefined;
  const i = random.pick(spots);
  return at(draft.number, i, read[draft.number.charAt(i)] ?? '0');
};

/** Finds the month in an invoice number. The year must be next to it, as in `2026-03` or `03/2026`. */
function monthBesideYear(number: string, date: string): number | undefined {
  const [year = '', month = ''] = date.split('-');
  const match = new RegExp(`(?<=${year}[-/])${month}(?![0-9])|(?<=[-/])${month}(?=[-/]${year})`).exec(number);
  return match === null ? undefined : match.index;
}

const otherAccount = (draft: Draft, random: Random): Changes => ({
  account: { iban: ibanIn(draft.trader.land, random) },
});

const misspelt = (name: string, random: Random): string => {
  const i = random.integer(1, Math.max(1, name.indexOf(' ') - 2));
  return at(name, i, `${name[i + 1]}${name[i]}`, 2);
};
const withoutForm = (name: string): string =>
  name.replace(
    / (GmbH & Co\. KG|GmbH|AG|KG|s\.r\.o\.|S\.r\.l\.|S\.p\.A\.|Sp\. z o\.o\.|Sp\. j\.|S\.A\.|Ltd|Limited|LLP|plc|CLG|a\.s\.|e\.K\.)$/,
    '',
  );

const amountOf = (gross: number, draft: Draft): Changes => {
  const net = Math.round((gross * draft.net) / draft.gross);
  return { gross, net, tax: gross - net };
};

export const related = {
  again: numberIdentical('the same bill again', {}),
  nextDay: {
    name: 'again with the date of entry',
    weight: 3,
    make: (draft: Draft, random: Random) => [{ date: addDays(draft.date, random.pick([1, 2, 3, 4])) }],
  },
  swappedDate: {
    name: 'day and month exchanged',
    weight: 2,
    make(draft: Draft) {
      const [year = '', month = '', day = ''] = draft.date.split('-');
      const date = `${year}-${day}-${month}`;
      return Number(day) > 12 || day === month || date > draft.arrival ? undefined : [{ date }];
    },
  },
  printed: numberSlip(
    'number in another print',
    3,
    ({ number }, random) =>
      random.pick([
        number.replaceAll(/[-/ .]/g, ''),
        number.replaceAll(/[-/.]/g, ' '),
        number.toLowerCase(),
        number.replaceAll('/', '-'),
      ]),
    true,
  ),
  label: numberSlip(
    'a label in front',
    2,
    ({ number }, random) => `${random.pick(['Rechnung Nr. ', 'Invoice ', 'Faktura ', 'Inv No ', 'RE '])}${number}`,
    true,
  ),
  prefixLost: numberSlip('letters in front lost', 3, ({ number }) =>
    /^[A-Z]{1,4}[-/ ]?[0-9]{4}/.test(number) ? number.replace(/^[A-Z]+[-/ ]?/, '') : undefined,
  ),
  prefixLetterLost: numberSlip('one letter of the prefix lost', 3, ({ number }) =>
    /^[A-Z]{2,4}[-/ ]?[0-9]{4}/.test(number) ? number.slice(1) : undefined,
  ),
  prefixSwapped: numberSlip('letters of the prefix exchanged', 2, ({ number }) =>
    /^[A-Z]{2}[-/ ]?[0-9]{4}/.test(number) && number[0] !== number[1]
      ? `${number[1]}${number[0]}${number.slice(2)}`
      : undefined,
  ),
  dropped: numberSlip('a digit missing', 4, droppedDigit),
  doubled: numberSlip('a digit doubled', 4, doubledDigit),
  swapped: numberSlip('two digits exchanged', 4, swappedDigits),
  misread: numberSlip('a digit misread', 3, misreadDigit),
  letter: numberSlip('a digit read as a letter', 3, letterDigit, true),
  suffix: numberSlip(
    'a suffix added',
    3,
    ({ number }, random) => `${number}${random.pick(['A', '-1', '/1', ' KOPIE', ' COPY', '-R', ' (2)', '.1'])}`,
  ),
  yearLost: numberSlip('the year left out', 3, ({ number, date }) => {
    const without = number.replace(new RegExp(`[-/ ]?${date.slice(0, 4)}[-/ ]?`), (part) =>
      part.length === 6 ? part.charAt(0) : '',
    );
    return without === number || without.replaceAll(/[^0-9]/g, '').length < 3 ? undefined : without;
  }),
  reordered: numberSlip('year put to the other end', 1, ({ number, date }) => {
    const year = date.slice(0, 4);
    if (number.startsWith(`${year}-`) || number.startsWith(`${year}/`)) return `${number.slice(5)}/${year}`;
    return number.endsWith(`/${year}`) ? `${year}/${number.slice(0, -5)}` : undefined;
  }),
  monthSlipped: numberSlip('the month in the number slipped', 3, ({ number, date }) => {
    const month = date.slice(5, 7);
    const match = monthBesideYear(number, date);
    if (match === undefined || month === '01') return undefined;
    return at(number, match, String(Number(month) - 1).padStart(2, '0'), 2);
  }),
  monthCut: numberSlip('the month in the number cut', 2, ({ number, date }) => {
    const match = monthBesideYear(number, date);
    return match === undefined || match === 0 || number.replaceAll(/[^0-9]/g, '').length < 7
      ? undefined
      : at(number, match - 1, '', 3);
  }),
  amountSwapped: {
    name: 'digits of the amount exchanged',
    weight: 3,
    make(draft: Draft) {
      const text = String(draft.gross);
      for (let i = 0; i < text.length - 3; i += 1) {
        if (text[i] !== text[i + 1] && !(i === 0 && text[1] === '0'))
          return [amountOf(Number(at(text, i, `${text[i + 1]}${text[i]}`, 2)), draft)];
      }
      return undefined;
    },
  },
  decimalSlip: {
    name: 'the decimal point slipped',
    weight: 2,
    make: (draft: Draft) => (draft.gross % 10 === 0 ? undefined : [amountOf(draft.gross * 100, draft)]),
  },
  withoutCents: {
    name: 'the cents left out',
    weight: 2,
    make: (draft: Draft) =>
      draft.gross % 100 === 0 ? undefined : [amountOf(Math.floor(draft.gross / 100) * 100, draft)],
  },
  netForGross: {
    name: 'net for gross',
    weight: 4,
    make: (draft: Draft) => (draft.tax === 0 ? undefined : [{ gross: draft.net, tax: 0 }]),
  },
  speltNoId: {
    name: 'supplier misspelt, without tax id',
    weight: 3,
    make: (draft: Draft, random: Random) => [{ name: misspelt(draft.name, random), taxId: undefined }],
  },
  upperNoForm: {
    name: 'supplier in capitals without legal form, other account',
    weight: 2,
    make(draft: Draft, random: Random) {
      return [{ name: withoutForm(draft.name).toUpperCase(), taxId: undefined, ...otherAccount(draft, random) }];
    },
  },
  noAccount: {
    name: 'without account and order, one digit missing',
    weight: 3,
    make(draft: Draft, random: Random) {
      const number = droppedDigit(draft, random);
      return number === undefined ? undefined : [{ number, account: undefined, order: undefined }];
    },
  },
  accountAndNumber: {
    name: 'another account and two digits exchanged',
    weight: 2,
    make(draft: Draft, random: Random) {
      const number = swappedDigits(draft, random);
      return number === undefined ? undefined : [{ number, ...otherAccount(draft, random) }];
    },
  },
  numberAndDate: {
    name: 'a digit doubled and the date of entry',
    weight: 3,
    make(draft: Draft, random: Random) {
      const number = doubledDigit(draft, random);
      return number === undefined ? undefined : [{ number, date: addDays(draft.date, random.pick([1, 2, 4])) }];
    },
  },
  numberAndAmount: {
    name: 'a letter for a digit and the cents left out',
    weight: 2,
    make(draft: Draft, random: Random) {
      const number = letterDigit(draft, random);
      if (number === undefined || draft.gross % 100 === 0) return undefined;
      return [{ number, ...amountOf(Math.floor(draft.gross / 100) * 100, draft) }];
    },
  },
  nameAndNumber: {
    name: 'supplier misspelt and a digit missing',
    weight: 2,
    make(draft: Draft, random: Random) {
      const number = droppedDigit(draft, random);
      return number === undefined ? undefined : [{ number, name: misspelt(draft.name, random), taxId: undefined }];
    },
  },
  otherCompany: {
    name: 'booked in the other company',
    weight: 3,
    make: (draft: Draft) => [{ companyId: draft.companyId === companies.main ? companies.second : companies.main }],
  },
  otherCurrency: {
    name: 'another currency, same figures',
    weight: 1,
    make: (draft: Draft) => [{ currency: draft.currency === 'EUR' ? 'CHF' : 'EUR' }],
  },
  split: {
    name: 'split into two parts',
    weight: 3,
    make(draft: Draft, random: Random) {
      if (draft.gross < 40_000) return undefined;
      const first = Math.round(draft.gross * (0.3 + 0.4 * random.next()));
      const marks = random.pick([
        ['-1', '-2'],
        ['/1', '/2'],
        ['A', 'B'],
        [' Teil 1', ' Teil 2'],
      ] as const);
      const arrival = addDays(draft.arrival, random.integer(3, 25));
      return [
        { number: `${draft.number}${marks[0]}`, ...amountOf(first, draft), arrival },
        { number: `${draft.number}${marks[1]}`, ...amountOf(draft.gross - first, draft), arrival: addDays(arrival, 1) },
      ];
    },
  },
} satisfies Record<string, Slip>;

function numberIdentical(name: string, changes: Changes): Slip {
  return { name, weight: 5, ofRecurring: true, make: () => [changes] };
}

// Each of these kinds of copied test bills has an invoice number that is not related to the number of the original
// bill.

const unrelatedSlip = (
  name: string,
  weight: number,
  make: (draft: Draft, random: Random) => Changes | undefined,
): Slip => ({
  name: `unrelated: ${name}`,
  weight,
  make(draft, random) {
    const changes = make(draft, random);
    return changes === undefined ? undefined : [changes];
  },
});

export const unrelated = {
  order: unrelatedSlip('the order typed as the number', 5, ({ order }) =>
    order === undefined ? undefined : { number: order },
  ),
  orderAlone: unrelatedSlip('the order typed as the number, order field empty', 3, ({ order }) =>
    order === undefined ? undefined : { number: order, order: undefined },
  ),
  exchanged: unrelatedSlip('number and order exchanged', 3, ({ number, order }) =>
    order === undefined ? undefined : { number: order, order: number },
  ),
  deliveryNote: unrelatedSlip('the delivery note typed as the number', 5, (draft, random) => ({
    number: `${random.pick(['LS-', 'L', 'WZ ', 'DN', '80'])}${digits(random, 6)}`,
    date: addDays(draft.date, random.pick([0, 0, 0, -1, -2, -4])),
  })),
  customerNumber: unrelatedSlip('the customer number typed as the number', 4, (draft) => ({
    number: draft.trader.customerNumber,
  })),
  proForma: unrelatedSlip('the pro forma sent again', 4, (draft, random) => ({
    number: `${random.pick(['PF-', 'PROF ', 'P/', 'PI'])}${digits(random, 4)}`,
    date: addDays(draft.date, -random.integer(2, 16)),
  })),
  selfBilling: unrelatedSlip('the number of our self-billing', 3, (draft, random) => ({
    number: `${random.pick(['GS-', 'SB', 'GUT'])}${draft.date.slice(0, 4)}${digits(random, 4)}`,
    date: addDays(draft.date, random.pick([0, 0, 1, 3])),
  })),
  factor: unrelatedSlip('sent again by a factor', 4, (draft, random) => ({
    number: `${random.pick(['F', 'AB', 'CF-'])}${digits(random, 8)}`,
    account: { iban: ibanIn(draft.trader.land, random) },
    date: addDays(draft.date, random.pick([0, 0, 2, 5])),
  })),
  reminder: unrelatedSlip('the number of a reminder', 3, (draft, random) => ({
    number: `${random.pick(['MA', 'MAHN ', 'REM-', 'ST'])}${digits(random, 5)}`,
    date: addDays(draft.date, random.integer(18, 48)),
  })),
  archive: unrelatedSlip('the number of the archive', 4, (_draft, random) => ({
    number: `${random.pick(['ER', 'DOC', 'SCAN', '5100'])}${digits(random, 6)}`,
  })),
  meter: unrelatedSlip('the meter typed as the number', 2, (_draft, random) => ({
    number: `1ESM${digits(random, 9)}`,
    order: undefined,
  })),
  fileName: unrelatedSlip('the name of the file', 2, (draft, random) => ({
    number: `${random.pick(['scan', 'IMG', 'mail'])}_${draft.arrival.replaceAll('-', '')}_${digits(random, 3)}`,
  })),
  orderAndName: unrelatedSlip('the order typed, supplier misspelt without tax id', 2, (draft, random) =>
    draft.order === undefined
      ? undefined
      : { number: draft.order, name: misspelt(draft.name, random), taxId: undefined },
  ),
  deliveryNet: unrelatedSlip('the delivery note typed, net for gross', 2, (draft, random) =>
    draft.tax === 0 ? undefined : { number: `LS${digits(random, 6)}`, gross: draft.net, tax: 0 },
  ),
} satisfies Record<string, Slip>;

// Single rows

/** Adds one anomaly to each of `perKind` test bills, which are correct bills with enough history before them. */
export function plantAnomalies(
  book: Book,
  random: Random,
  kinds: readonly (keyof typeof anomalies)[],
  perKind: number,
): void {
  const touched = new Set<Trader>();
  const earlier = new Set(
    book.drafts
      .filter(
        (draft) => draft.mutation !== undefined || draft.hardNegative !== undefined || draft.anomaly !== undefined,
      )
      .map(({ trader }) => trader),
  );
  const byTrader = new Map<Trader, Draft[]>();
  for (const draft of book.drafts) byTrader.set(draft.trader, [...(byTrader.get(draft.trader) ?? []), draft]);
  for (const kind of kinds) {
    let wanted = perKind;
    for (const [trader, drafts] of shuffled(random, [...byTrader])) {
      if (wanted === 0) break;
      if (touched.has(trader) || earlier.has(trader)) continue;
      const ordered = [...drafts].sort((a, b) => (a.date < b.date ? -1 : 1));
      const last = ordered.at(-1);
      if (ordered.length < 16 || last === undefined || ordered.some(({ arrival }) => arrival > last.arrival)) continue;
      const planted = anomalies[kind]({ trader, ordered, last, random, book });
      if (!planted) continue;
      touched.add(trader);
      wanted -= 1;
    }
  }
}

interface Scene {
  readonly trader: Trader;
  /** Bills of a generated supplier history in the order of their dates. */
  readonly ordered: readonly Draft[];
  readonly last: Draft;
  readonly random: Random;
  readonly book: Book;
}

const plant = (scene: Scene, draft: Draft, name: string, expected: readonly string[], changes: Changes): boolean => {
  scene.book.replace(draft, { ...draft, ...changes, anomaly: { name, expected } });
  return true;
};
/** Returns a later test bill of a supplier that has at least twelve bills before it. */
const someLate = ({ ordered, random }: Scene): Draft => ordered[random.integer(12, ordered.length - 1)] as Draft;

const varies = ({ ordered }: Scene): boolean =>
  !ordered.some(({ recurs }) => recurs) && ordered.every(({ gross }) => gross > 0);

export const anomalies = {
  accountChanged: (scene: Scene) =>
    scene.trader.account !== undefined &&
    plant(scene, scene.last, 'account changed', ['BANK_ACCOUNT_CHANGED'], {
      account: { iban: ibanIn(scene.trader.land, scene.random) },
    }),
  accountForged(scene: Scene) {
    const iban = scene.trader.account?.iban;
    if (iban === undefined || scene.trader.land === 'IT' || scene.trader.land === 'CZ') return false;
    const body = iban.slice(4);
    const i = body.length - 3;
    const forged = at(body, i, String((Number(body[i]) + 4) % 10));
    return plant(
      scene,
      scene.last,
      'account forged by one digit',
      ['BANK_ACCOUNT_NEAR_MATCH', 'BANK_ACCOUNT_CHANGED'],
      {
        account: { iban: withCheckDigits(iban.slice(0, 2), forged) },
      },
    );
  },
  accountInvalid(scene: Scene) {
    const iban = scene.trader.account?.iban;
    if (iban === undefined) return false;
    return plant(scene, scene.last, 'account with wrong check digits', ['BANK_ACCOUNT_INVALID'], {
      account: { iban: at(iban, iban.length - 2, String((Number(iban.at(-2)) + 3) % 10)) },
    });
  },
  outlier(scene: Scene) {
    if (!varies(scene)) return false;
    const largest = Math.max(...scene.ordered.map(({ gross }) => gross));
    const draft = someLate(scene);
    return plant(
      scene,
      draft,
      'many times the usual amount',
      ['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT'],
      amountOf(largest * 5 + 1234, draft),
    );
  },
  totals(scene: Scene) {
    const draft = someLate(scene);
    if (draft.tax === 0 || draft.trader.land === 'IT' || draft.gross < 20_000) return false;
    return plant(scene, draft, 'totals do not add up', ['TAX_ARITHMETIC_MISMATCH'], {
      gross: Math.round(draft.gross * 1.037) + 139,
    });
  },
  rate(scene: Scene) {
    const draft = someLate(scene);
    if (draft.taxId === undefined || draft.tax === 0) return false;
    const tax = Math.round(draft.net * 0.29);
    return plant(scene, draft, 'tax above the highest rate', ['TAX_RATE_IMPLAUSIBLE'], { tax, gross: draft.net + tax });
  },
  badTaxId(scene: Scene) {
    const { taxId } = scene.trader;
    const spot = taxId === undefined ? -1 : taxId.search(/[0-9][^0-9]*$/);
    if (taxId === undefined || spot < 0) return false;
    return plant(scene, someLate(scene), 'tax id with a wrong check digit', ['SUPPLIER_TAX_ID_INVALID'], {
      taxId: at(taxId, spot, String((Number(taxId[spot]) + 1) % 10)),
    });
  },
  otherTaxId: (scene: Scene) =>
    scene.trader.taxId !== undefined &&
    plant(
      scene,
      scene.last,
      'another tax id under the known name',
      ['SUPPLIER_TAX_ID_CHANGED', 'SUPPLIER_LOOKALIKE_NAME'],
      {
        taxId: taxIdIn(scene.trader.land, scene.random),
      },
    ),
  otherName: (scene: Scene) =>
    scene.trader.taxId !== undefined &&
    plant(scene, scene.last, 'another name under the known tax id', ['SUPPLIER_NAME_MISMATCH'], {
      name: 'Quintex Ogledd Verkauf',
    }),
  dueBefore(scene: Scene) {
    const draft = someLate(scene);
    return plant(scene, draft, 'due before it was issued', ['DUE_DATE_BEFORE_ISSUE'], {
      due: addDays(draft.date, -11),
    });
  },
  terms(scene: Scene) {
    if (scene.trader.terms < 30) return false;
    const draft = someLate(scene);
    return plant(scene, draft, 'due within three days', ['PAYMENT_TERMS_CHANGED'], { due: addDays(draft.date, 3) });
  },
  currency: (scene: Scene) =>
    plant(scene, scene.last, 'a currency it never used', ['CURRENCY_CHANGED'], {
      currency: scene.trader.currency === 'EUR' ? 'USD' : 'EUR',
    }),
  foreignOrder(scene: Scene) {
    const draft = someLate(scene);
    if (draft.order === undefined) return false;
    const other = scene.book.drafts.find(
      (each) =>
        each.trader !== scene.trader &&
        each.order !== undefined &&
        each.companyId === draft.companyId &&
        each.anomaly === undefined &&
        each.mutation === undefined &&
        each.date < addDays(draft.date, -20) &&
        each.date > addDays(draft.date, -90),
    );
    if (other === undefined) return false;
    return plant(scene, draft, 'the order of another supplier', ['PO_SUPPLIER_MISMATCH'], { order: other.order });
  },
  numberReused(scene: Scene) {
    if (!varies(scene)) return false;
    const draft = someLate(scene);
    const before = scene.ordered[scene.ordered.indexOf(draft) - 2];
    if (
      before === undefined ||
      before.number.replaceAll(/[^0-9]/g, '').length < 6 ||
      before.date < addDays(draft.date, -200)
    )
      return false;
    if (before.date.slice(0, 4) !== draft.date.slice(0, 4) || Math.abs(before.gross - draft.gross) < 0.1 * draft.gross)
      return false;
    if (before.date > addDays(draft.date, -7) || before.companyId !== draft.companyId) return false;
    return plant(scene, draft, 'the number of another bill', ['INVOICE_NUMBER_REUSED', 'SUSPECTED_DUPLICATE'], {
      number: before.number,
    });
  },
  lookalike(scene: Scene) {
    const { random, trader, last, book } = scene;
    const words = trader.name.split(' ');
    const long = words.findIndex((word) => word.length >= 6);
    if (long < 0) return false;
    const word = words[long] ?? '';
    const i = random.integer(2, word.length - 2);
    const forged = [...words];
    forged[long] = random.pick([
      at(word, i, ''),
      at(word, i, `${word[i]}${word[i]}`),
      at(word, i, word[i] === 'e' ? 'a' : 'e'),
    ]);
    if (forged.join(' ') === trader.name) return false;
    const stranger: Trader = {
      ...traderOf(random, trader.land, forged.join(' '), { vat: trader.vat }),
      currency: trader.currency,
    };
    const date = addDays(last.date, 3);
    book.add(stranger, {
      number: `${digits(random, 5)}`,
      date,
      net: Math.round(last.net * 1.3) + 777,
      arrival: addDays(date, 2),
    });
    const added = book.drafts.at(-1) as Draft;
    return plant(scene, added, 'a name that looks like a known one', ['SUPPLIER_LOOKALIKE_NAME'], {});
  },
  sharedAccount(scene: Scene) {
    const { random, trader, last, book } = scene;
    if (trader.account === undefined) return false;
    const stranger: Trader = {
      ...traderOf(random, trader.land, `Vexilo ${digits(random, 2)} Prime`, { vat: trader.vat, taxIdShare: 1 }),
      currency: trader.currency,
      account: trader.account,
    };
    const date = addDays(last.date, 5);
    const added = book.add(stranger, {
      number: `VX-${digits(random, 4)}`,
      date,
      net: 87_311,
      arrival: addDays(date, 2),
    });
    return plant(scene, added, 'the account of another supplier', ['BANK_ACCOUNT_SHARED'], {});
  },
  newAndLarge(scene: Scene) {
    const { random, last, book, trader } = scene;
    const stranger = traderOf(random, trader.land, `Morvanta Projekt ${digits(random, 2)}`, {
      vat: trader.vat,
      taxIdShare: 1,
    });
    const added = book.add(stranger, {
      number: `MP-${digits(random, 4)}`,
      date: last.date,
      net: trader.land === 'CZ' ? 480_000_000 : 38_000_000,
    });
    return plant(scene, added, 'a large first bill', ['SUPPLIER_NEW_HIGH_VALUE'], {});
  },
  bankAbroad(scene: Scene) {
    const { random, last, book, trader } = scene;
    const land = trader.land === 'CZ' ? 'IT' : 'CZ';
    const stranger: Trader = {
      ...traderOf(random, trader.land, `Ostravan ${digits(random, 2)} Halmer`, { vat: trader.vat, taxIdShare: 1 }),
      account: { iban: ibanIn(land, random) },
    };
    const added = book.add(stranger, { number: `OH-${digits(random, 4)}`, date: last.date, net: 64_190 });
    return plant(scene, added, 'an account in another country', ['BANK_COUNTRY_MISMATCH'], {});
  },
} satisfies Record<string, (scene: Scene) => boolean>;
