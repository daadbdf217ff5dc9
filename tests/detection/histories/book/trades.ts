import { addDays } from '@invoicecontrol/values/calendar-date';
import type { Random } from '../../random.js';
import type { Book, Entry, Pricing, Rhythm } from './book.js';
import { series } from './numbering.js';
import type { NumberForm, SeriesOptions } from './numbering.js';
import { filled } from './pattern.js';
import { formsOf, ibanOf, taxIdOf } from './trader.js';
import type { Country, Trader } from './trader.js';

/** A trade in the test data, with the number of its suppliers, who all bill in the same way. */
export interface Trade {
  readonly count: number;
  readonly country: Country;
  /** Words that follow the family name in the name of a supplier, such as `Bygg` or `Lavandería`. */
  readonly trade: readonly string[];
  readonly rhythm: Rhythm;
  readonly pricing: Pricing;
  readonly numbers: readonly (readonly [form: NumberForm, options?: SeriesOptions])[];
  readonly terms: readonly number[];
  readonly vatPercent?: number;
  /**
   * Form of the order number on a bill. It is `new` for each bill or `kept` for some months. Absent if bills name no
   * order.
   */
  readonly order?: { readonly form: string; readonly change: 'new' | 'kept' };
}

/** Number of suppliers of a trade, of whom exactly one states no tax id. */
const WITHOUT_TAX_ID_EVERY = 10;
/** Number of bills that one long-running purchase order covers. */
const KEPT_ORDER_BILLS = 7;

/** Returns a function that creates suppliers of test bills with different family names. */
export function traderMaker(book: Book, familyNames: readonly string[], companyIds: readonly string[]) {
  const { random } = book;
  const free = shuffled(familyNames, random);
  let made = 0;
  return (
    of: Pick<Trade, 'country' | 'trade' | 'numbers' | 'terms' | 'vatPercent'>,
    changes: Partial<Trader> = {},
  ): Trader => {
    const { currency, vatPercent, legalForms } = formsOf(of.country);
    const familyName = free.pop();
    if (familyName === undefined) throw new RangeError('more family names are needed');
    const [form, options] = random.pick(of.numbers);
    made += 1;
    return {
      name: `${familyName} ${random.pick(of.trade)} ${random.pick(legalForms)}`,
      country: of.country,
      ...(made % WITHOUT_TAX_ID_EVERY !== 0 && { taxId: taxIdOf(of.country, random) }),
      iban: ibanOf(of.country, random),
      currency,
      vatPercent: of.vatPercent ?? vatPercent,
      termsDays: random.pick(of.terms),
      numbers: series(form, options ?? {}, random),
      customerNumber: filled(random.pick(['######', 'K-#####', '10####', 'D####']), random),
      companyId: random.pick(companyIds),
      ...changes,
    };
  };
}

export type MakeTrader = ReturnType<typeof traderMaker>;

/** Writes all test bills of the suppliers of the given trades into the history. */
export function billTrades(book: Book, makeTrader: MakeTrader, trades: readonly Trade[]): Entry[] {
  return trades.flatMap((trade) =>
    Array.from({ length: trade.count }, () => billTrader(book, makeTrader(trade), trade)).flat(),
  );
}

function billTrader(book: Book, trader: Trader, { rhythm, pricing, order }: Trade): Entry[] {
  const { random } = book;
  const price = pricing(random);
  const days = rhythm(book);
  let kept = order && filled(order.form, random);
  return days.map((date, index) => {
    const isNew = order?.change === 'new' || random.chance(1 / KEPT_ORDER_BILLS);
    if (order !== undefined && isNew) kept = filled(order.form, random);
    return book.enter(trader, {
      date,
      netCents: price(date),
      order: kept,
      spareUntil: days[index + 1] ?? addDays(date, 20),
    });
  });
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
