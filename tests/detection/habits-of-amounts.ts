import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents, companies } from './bill.js';
import type { Habit } from './habit.js';
import { daysIn } from './habit.js';

/** Correct bills whose amounts recur or are related. */
export const habitsOfAmounts: Readonly<Record<string, Habit>> = {
  'monthly retainer of equal amounts': ({ months, bill, amount }) => {
    const gross = amount();
    return months.map((month) => bill(month.on(3), { gross }));
  },
  'indexation every January': ({ months, bill, amount }) => {
    const first = Number(amount());
    return months.map((month, index) =>
      bill(month.on(2), { gross: cents(Math.round(first * 100 * 1.04 ** Math.floor(index / 12))) }),
    );
  },
  'yearly supplier': ({ months, bill, another }) => {
    const suppliers = Array.from({ length: 10 }, () => another());
    return months
      .filter(({ monthOfYear }) => monthOfYear === 4)
      .flatMap((month) => suppliers.map((by) => bill(month.on(12), { by })));
  },
  'price list of few amounts': ({ months, random, bill, amount }) => {
    const prices = Array.from({ length: 5 }, () => amount());
    return months.flatMap((month) =>
      daysIn(month, 3, random).map((date) => bill(date, { gross: random.pick(prices) })),
    );
  },
  'credit and re-issue': ({ months, random, bill, nextNumber }) =>
    months.flatMap((month) => {
      const first = bill(month.on(random.integer(1, 15)));
      if (!random.chance(0.3)) return [first];
      const { gross_amount: gross, invoice_number: number, issue_date: date } = first.invoice;
      const credit = bill(addDays(date, 4), { number: `CN-${number}`, gross: `-${gross}` });
      const again = random.pick([nextNumber(date), `${number} KOR`]);
      return [first, credit, bill(addDays(date, 5), { number: again, gross })];
    }),
  'partial deliveries on one order': ({ months, random, party, bill, amount }) => {
    const prices = Array.from({ length: 5 }, () => amount());
    return months.map((month) =>
      bill(month.on(random.integer(1, 28)), {
        gross: random.pick(prices),
        order: `PO-${party.taxId.slice(-5)}-${month.year}`,
      }),
    );
  },
  'deliveries of one order within days': ({ months, random, bill, amount }) =>
    months
      .filter(({ monthOfYear }) => monthOfYear % 2 === 0)
      .flatMap((month) => {
        const order = `PO-${random.integer(4_500_000, 4_599_999)}`;
        const usual = amount();
        let date = month.on(random.integer(1, 10));
        return Array.from({ length: random.integer(3, 4) }, () => {
          date = addDays(date, random.integer(1, 6));
          return bill(date, { order, gross: random.chance(0.6) ? usual : amount() });
        });
      }),
  'equal bills every week': ({ months, bill, amount }) => {
    const gross = amount();
    return months.slice(0, 8).flatMap((month) => [4, 11, 18, 25].map((day) => bill(month.on(day), { gross })));
  },
  'repeat orders at one price': ({ months, random, bill, amount }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 20));
      const gross = amount();
      return [bill(date, { gross }), bill(addDays(date, random.integer(1, 5)), { gross })];
    }),
  'advance and final bill of equal halves': ({ months, random, bill, amount }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 14));
      const half = { gross: amount(), order: `PO-${random.integer(4_500_000, 4_599_999)}` };
      return [bill(date, half), bill(addDays(date, random.integer(10, 18)), half)];
    }),
  'deposit and final bill of equal halves, now and then': ({ months, random, bill, amount }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 14));
      if (random.chance(0.7)) return daysIn(month, 2, random).map((day) => bill(day));
      const half = { gross: amount(), order: `PO-${random.integer(4_500_000, 4_599_999)}` };
      return [bill(date, half), bill(addDays(date, random.integer(7, 24)), half)];
    }),
  'equal deliveries on two orders, now and then': ({ months, random, bill, amount }) =>
    months.flatMap((month) => {
      const order = random.integer(4_500_000, 4_599_000);
      if (random.chance(0.7)) return daysIn(month, 2, random).map((day) => bill(day));
      const [date, gross] = [month.on(random.integer(1, 28)), amount()];
      return [order, order + 7].map((each) => bill(date, { gross, order: String(each) }));
    }),
  'fee of every month among other bills': ({ months, random, bill, amount }) => {
    const gross = amount();
    return months.flatMap((month) => [
      bill(month.on(2), { gross }),
      ...daysIn(month, 2, random).map((date) => bill(date)),
    ]);
  },
  'equal digits in two currencies on one day': ({ months, random, bill }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = random.pick(['99.00', '249.00']);
      return [bill(date, { gross, currency: 'GBP' }), bill(date, { gross, currency: 'EUR' })];
    }),
  'equal bills to two companies': ({ months, random, bill, amount }) => {
    const gross = amount();
    return months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      return [bill(date, { gross }), bill(date, { gross, companyId: companies.second })];
    });
  },
  'two currencies': ({ months, random, party, bill }) =>
    months.map((month, index) =>
      bill(month.on(random.integer(1, 28)), { currency: index % 2 === 0 ? party.currency : 'USD' }),
    ),
};
