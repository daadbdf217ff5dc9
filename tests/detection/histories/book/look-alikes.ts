import { addDays } from '@invoicecontrol/values/calendar-date';
import { every, monthly, weekly, workday } from './book.js';
import type { Book, Entry, Rhythm } from './book.js';
import { always, series } from './numbering.js';
import type { NumberForm, SeriesOptions } from './numbering.js';
import { filled } from './pattern.js';
import { ibanOf } from './trader.js';
import type { Country, Trader } from './trader.js';
import type { MakeTrader, Trade } from './trades.js';

/** Input of the functions that write correct test bills which look like faulty bills. */
export interface Surroundings {
  readonly book: Book;
  readonly makeTrader: MakeTrader;
  readonly companyIds: readonly string[];
}

/**
 * Options for correct test bills that resemble copies or anomalies: their kind, their suppliers, and how often they
 * occur.
 */
export interface LookAlikeOptions {
  readonly kind: string;
  readonly count: number;
  readonly country: Country;
  readonly trade: readonly string[];
  readonly form: NumberForm;
  readonly series?: SeriesOptions;
  readonly vatPercent?: number;
  readonly termsDays?: number;
}

type Write = (trader: Trader, surroundings: Surroundings, kind: string) => Entry[];

/** Adds the given number of suppliers, whose test bills the function `write` creates. */
export function lookAlikes(surroundings: Surroundings, options: LookAlikeOptions, write: Write): Entry[] {
  const { kind, count, form, series: ofSeries, termsDays = 30, vatPercent, ...rest } = options;
  const of: Pick<Trade, 'country' | 'trade' | 'numbers' | 'terms' | 'vatPercent'> = {
    ...rest,
    numbers: [[form, ofSeries ?? {}]],
    terms: [termsDays],
    ...(vatPercent !== undefined && { vatPercent }),
  };
  return Array.from({ length: count }, () => write(surroundings.makeTrader(of), surroundings, kind)).flat();
}

/** Writes several equal test bills on one day, repeatedly, as for rooms, policies, tickets or machines. */
export function equalOnOneDay(rhythm: Rhythm, countMax: number, typicalCents: number): Write {
  return (trader, { book }, hardNegative) => {
    const { random } = book;
    const netCents = priceOf(book, typicalCents);
    return rhythm(book).flatMap((date) =>
      Array.from({ length: random.integer(1, countMax) }, () =>
        book.enter(trader, { date, netCents, lagDays: 1, hardNegative }),
      ),
    );
  };
}

/** Writes test bills with the same price every week or every month. */
export function onePrice(rhythm: Rhythm, typicalCents: number): Write {
  return (trader, { book }, hardNegative) => {
    const netCents = priceOf(book, typicalCents);
    return rhythm(book).map((date) => book.enter(trader, { date, netCents, hardNegative }));
  };
}

/** Writes test bills for works that are paid in equal instalments under one order. */
export function equalRates(rates: number, daysBetween: number, typicalCents: number): Write {
  return (trader, { book }, hardNegative) =>
    every(
      110,
      190,
    )(book)
      .flatMap((start) => {
        const netCents = priceOf(book, typicalCents);
        const order = filled('45000#####', book.random);
        return Array.from({ length: rates }, (_, rate) => workday(addDays(start, rate * daysBetween)))
          .filter((date) => date <= book.lastDay)
          .map((date) => book.enter(trader, { date, netCents, order, hardNegative }));
      })
      .sort(byDate);
}

/** Writes all test bills of a contract with the same number and the same price. */
export function contractNumber(rhythm: Rhythm, typicalCents: number, form: NumberForm): Write {
  return (trader, surroundings, kind) =>
    onePrice(rhythm, typicalCents)({ ...trader, numbers: always(form, surroundings.book.random) }, surroundings, kind);
}

/** Writes test bills that use the customer number as the invoice number and have different amounts. */
export const customerNumber: Write = (trader, { book }, hardNegative) => {
  const number = filled('7######', book.random);
  return monthly()(book).map((date) =>
    book.enter(trader, { date, number, netCents: priceOf(book, 31_000) + book.random.integer(0, 90), hardNegative }),
  );
};

/** Writes a test bill, its credit note, and the bill again under a new number. */
export const creditAndReissue: Write = (trader, { book }, hardNegative) =>
  every(
    28,
    60,
  )(book).flatMap((date) => {
    const { random } = book;
    const netCents = priceOf(book, 190_000) + random.integer(1, 99);
    const first = book.enter(trader, { date, netCents, lagDays: 1, hardNegative });
    const creditDay = workday(addDays(date, random.integer(2, 9)));
    if (!random.chance(0.4) || addDays(creditDay, 4) > book.lastDay) return [first];
    const credit = book.enter(trader, { date: creditDay, netCents: -netCents, lagDays: 1, hardNegative });
    const again = book.enter(trader, {
      date: workday(addDays(creditDay, random.integer(1, 3))),
      netCents,
      lagDays: 1,
      hardNegative,
    });
    return [first, credit, again];
  });

/** Writes two test bills, an advance and a remainder, that have the same amount. */
export const equalHalves: Write = (trader, { book }, hardNegative) =>
  every(
    70,
    130,
  )(book).flatMap((date) => {
    const netCents = priceOf(book, 420_000) + book.random.integer(1, 99);
    const order = filled('A-####/##', book.random);
    const rest = workday(addDays(date, book.random.integer(25, 60)));
    return [date, rest]
      .filter((day) => day <= book.lastDay)
      .map((day) => book.enter(trader, { date: day, netCents, order, hardNegative }));
  });

/** Writes one test bill for each site or company, on the same day and with the same price. */
export const billForEachCompany: Write = (trader, { book, companyIds }, hardNegative) => {
  const netCents = priceOf(book, 64_000);
  return monthly()(book).flatMap((date) =>
    companyIds.map((companyId) =>
      book.enter(trader, {
        date,
        netCents,
        companyId,
        order: `SITE ${companyIds.indexOf(companyId) + 1}`,
        hardNegative,
      }),
    ),
  );
};

/** Writes test bills whose number is the month, with the suffix `-2` on the second bill of a month. */
export const secondOfTheMonth: Write = (trader, { book }, hardNegative) => {
  const account = filled('####', book.random);
  const netCents = priceOf(book, 88_000);
  return monthly({ day: 5 })(book).flatMap((date) => {
    const number = `${account}/${date.slice(0, 7)}`;
    const second = workday(`${date.slice(0, 8)}20`);
    return [
      book.enter(trader, { date, number, netCents, hardNegative }),
      ...(second > book.lastDay
        ? []
        : [book.enter(trader, { date: second, number: `${number}-2`, netCents, hardNegative })]),
    ];
  });
};

/** Writes test bills whose numbers restart each January without the year, so that the same number recurs every year. */
export const restartWithoutYear: Write = (trader, { book }, hardNegative) => {
  const numbers = series('N', { from: 0, stepMax: 1, restart: 'year' }, book.random);
  return every(
    16,
    34,
  )(book).map((date) =>
    book.enter(
      { ...trader, numbers },
      { date, netCents: priceOf(book, 76_000) + book.random.integer(0, 99), hardNegative },
    ),
  );
};

/** Writes test bills of a supplier who alternates between two accounts from the beginning. */
export const twoAccounts: Write = (trader, { book }, hardNegative) => {
  const second = ibanOf(trader.country, book.random);
  const first = trader.iban ?? second;
  return every(
    9,
    22,
  )(book).map((date) =>
    book.enter(trader, {
      date,
      netCents: priceOf(book, 52_000) + book.random.integer(0, 99),
      iban: book.random.chance(0.5) ? first : second,
      hardNegative,
    }),
  );
};

/**
 * Writes test bills of a supplier who announces a new bank account and then keeps it. The change should cause one
 * finding.
 */
export const changedBank: Write = (trader, { book }, hardNegative) => {
  const days = every(12, 26)(book);
  const movedOn = days[Math.floor(days.length * 0.6)] ?? book.lastDay;
  const newIban = ibanOf(trader.country, book.random);
  return days.map((date) =>
    book.enter(trader, {
      date,
      netCents: priceOf(book, 58_000) + book.random.integer(0, 99),
      ...(date >= movedOn && { iban: newIban }),
      hardNegative,
    }),
  );
};

/**
 * Adds several suppliers who all ask for payment to the account of one factoring company, but number their bills
 * separately.
 */
export function sharedFactor(surroundings: Surroundings, options: LookAlikeOptions): Entry[] {
  const iban = ibanOf(options.country, surroundings.book.random);
  return lookAlikes(surroundings, options, (trader, { book }, hardNegative) =>
    every(
      14,
      30,
    )(book).map((date) =>
      book.enter(
        { ...trader, iban },
        { date, netCents: priceOf(book, 97_000) + book.random.integer(0, 99), hardNegative },
      ),
    ),
  );
}

/** Writes test bills for the same fee each year, under numbers of a yearly series. */
export const yearlyFee: Write = (trader, { book }, hardNegative) => {
  const netCents = priceOf(book, 240_000);
  return monthly({ every: 12 })(book).map((date) => book.enter(trader, { date, netCents, hardNegative }));
};

/** Writes test bills for equal advances each month, and once a year a final bill with another amount. */
export const advancesAndFinalBill: Write = (trader, { book }, hardNegative) => {
  const advance = priceOf(book, 38_000);
  return monthly({ day: 3 })(book).flatMap((date) => {
    const bill = book.enter(trader, { date, netCents: advance, hardNegative });
    if (!date.startsWith('02', 5)) return [bill];
    const netCents = Math.round(advance * (0.2 + 1.3 * book.random.next())) + 7;
    return [bill, book.enter(trader, { date: workday(addDays(date, 12)), netCents, hardNegative })];
  });
};

/**
 * Writes test bills for deliveries from a price list, often two or three equal deliveries in a week, each with a
 * separate number and delivery note.
 */
export function equalLoads(typicalCents: number): Write {
  return (trader, { book }, hardNegative) => {
    const price = priceOf(book, typicalCents);
    return every(
      1,
      6,
    )(book).map((date) => {
      const { random } = book;
      return book.enter(trader, {
        date,
        netCents: price * random.pick([1, 1, 2, 2, 3, 4]),
        order: undefined,
        hardNegative,
      });
    });
  };
}

/** Writes test credit notes for returns, with numbers of the same series as the bills. */
export const returnsCredited: Write = (trader, { book }, hardNegative) =>
  every(
    6,
    15,
  )(book).map((date) => {
    const netCents = priceOf(book, 45_000) + book.random.integer(0, 99);
    return book.enter(trader, {
      date,
      netCents: book.random.chance(0.12) ? -Math.round(netCents / 6) : netCents,
      hardNegative,
    });
  });

/**
 * Writes partial and final test bills for works. Earlier payments are deducted, and five percent are retained and
 * billed at the end.
 */
export const retention: Write = (trader, { book }, hardNegative) =>
  every(
    140,
    220,
  )(book)
    .flatMap((start, project) => {
      const { random } = book;
      const order = filled('45001#####', random);
      const parts = Array.from({ length: 4 }, () => priceOf(book, 2_400_000) + random.integer(1, 99));
      const kept = parts.reduce((sum, part) => sum + Math.round(part / 20), 0);
      return [...parts.map((part) => part - Math.round(part / 20)), kept]
        .map((netCents, index) => ({
          netCents,
          date: workday(addDays(start, 28 * index)),
          number: `${100 + project}-${index + 1}`,
        }))
        .filter(({ date }) => date <= book.lastDay)
        .map((supply) =>
          book.enter(trader, { ...supply, number: `${trader.customerNumber}-${supply.number}`, order, hardNegative }),
        );
    })
    .sort(byDate);

/** Writes one test bill for each guest or job of a day, with neighbouring numbers and some equal prices. */
export function manyADay(prices: readonly number[], countMax: number): Write {
  return (trader, { book }, hardNegative) =>
    weekly(book).flatMap((date) =>
      Array.from({ length: book.random.integer(1, countMax) }, () =>
        book.enter(trader, { date, netCents: book.random.pick(prices), lagDays: 2, hardNegative }),
      ),
    );
}

function priceOf({ random }: Book, typicalCents: number): number {
  return 50 * Math.round((typicalCents * Math.exp((random.next() - 0.5) * 1.4)) / 50);
}

function byDate(left: Entry, right: Entry): number {
  const [earlier, later] = [left.bill.invoice.issue_date, right.bill.invoice.issue_date];
  return earlier < later ? -1 : earlier > later ? 1 : 0;
}
