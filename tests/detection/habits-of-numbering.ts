import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents } from './bill.js';
import type { Habit } from './habit.js';
import { daysIn } from './habit.js';
import { numberApart, padded } from './numbering.js';

/**
 * Possible differences between the numbers of a customer's insurance policies: small for policies that were issued on
 * one day, large for policies of different years.
 */
const policySteps = [
  [13, 60],
  [70, 900],
  [1_000, 9_000],
] as const;

/** Correct bills whose numbers are similar, recur or are missing. */
export const habitsOfNumbering: Readonly<Record<string, Habit>> = {
  'numbers that restart each month': ({ months, random, bill, amount }) => {
    const usual = amount();
    return months.flatMap((month) =>
      daysIn(month, random.integer(1, 3), random).map((date, index) =>
        bill(date, {
          number: `FV/${index + 12}/${padded(month.monthOfYear, 2)}/${month.year}`,
          gross: random.chance(0.5) ? usual : amount(),
        }),
      ),
    );
  },
  'numbers that restart each year': ({ months, random, bill }) =>
    months.map((month) => bill(month.on(random.integer(1, 28)), { number: padded(month.monthOfYear + 30, 4) })),
  'equal rent under numbers that restart each year': ({ months, random, bill, amount }) => {
    const rent = amount();
    const letters = random.pick(['/FE', '/A', '']);
    let counter = 0;
    return months.map((month) => {
      counter = (month.monthOfYear === 1 ? random.integer(2, 5) : counter) + random.integer(1, 3);
      return bill(month.on(random.integer(1, 5)), { number: `${counter}${letters}`, gross: rent });
    });
  },
  'several bills a day with neighbouring numbers': ({ months, random, bill, amount }) => {
    const prices = [amount(), amount(), amount()];
    let counter = random.integer(1_000, 60_000);
    return months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = random.pick(prices);
      return [1, 2, 3].map(() => bill(date, { number: `INV-${++counter}`, gross }));
    });
  },
  'equal stays on one day with long numbers dozens apart': ({ months, random, bill }) => {
    const prices = [cents(random.integer(79, 180) * 100), cents(random.integer(79, 180) * 100)];
    let counter = random.integer(35, 89) * 100_000_000;
    return months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = random.pick(prices);
      const numbers = [(counter += random.integer(100, 900))];
      for (let stay = random.integer(1, 2); stay > 0; stay--) numbers.push(numberApart(numbers, random, 13, 80));
      counter = numbers.at(-1) ?? counter;
      return numbers.map((number) => bill(date, { number: String(number), gross }));
    });
  },
  'many rooms at one price on one day': ({ months, random, bill }) => {
    let counter = random.integer(1_000, 8_000) * 10_000;
    const rates = [89, 97, 112.5, 134].map((rate) => cents(Math.round(rate * random.integer(95, 140))));
    return months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = random.pick(rates);
      const first = (counter += random.integer(1_000, 9_000));
      const second = numberApart([first], random, 13, 60);
      // The first two invoice numbers differ by more than one typing error. The numbers of further hotel rooms may
      // differ from them by a single digit.
      const more = Array.from({ length: random.integer(1, 3) }, (_, index) => first + (index + 1) * 100);
      return [first, second, ...more].map((number) => bill(date, { number: String(number), gross }));
    });
  },
  'second series for services': ({ months, random, bill }) => {
    let counter = random.integer(10, 90);
    return months.flatMap((month) => [
      ...daysIn(month, 2, random).map((date) => bill(date)),
      ...(random.chance(0.3) ? [bill(month.on(25), { number: `SRV-${month.year}-${++counter}` })] : []),
    ]);
  },
  'insurance policies with equal premiums on one day': ({ months, random, bill, amount }) => {
    const premium = amount();
    const policies = [random.integer(10_000_000, 90_000_000)];
    while (policies.length < 7) {
      const [stepMin, stepMax] = random.pick(policySteps);
      policies.push(numberApart(policies, random, stepMin, stepMax));
    }
    return months
      .filter(({ monthOfYear }) => monthOfYear === 5)
      .flatMap((month) => policies.map((policy) => bill(month.on(20), { number: `KFZ-${policy}`, gross: premium })));
  },
  'letters of sites on one day': ({ months, random, bill, amount }) => {
    const sites = random.pick([
      ['/N', '/S'],
      [' HH', ' M'],
      ['-01', '-02'],
    ]);
    return months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = amount();
      const number = `${date.slice(2).replaceAll('-', '')}-01`;
      return sites.map((site) => bill(date, { number: `${number}${site}`, gross }));
    });
  },
  'two circles of numbers': ({ months, random, bill, amount }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 24));
      const counter = random.integer(1_000, 99_999);
      const gross = amount();
      return [
        bill(date, { number: `W-${counter}`, gross }),
        bill(addDays(date, random.integer(0, 4)), {
          number: `S-${counter}`,
          gross: random.chance(0.5) ? gross : amount(),
        }),
      ];
    }),
  'contract number as invoice number': ({ months, party, bill, amount }) => {
    const gross = amount();
    return months.map((month) => bill(month.on(1), { number: `V-${party.taxId.slice(-6)}`, gross }));
  },
  'contract number on dates that read swapped': ({ months, random, bill, amount }) => {
    const number = `LV-${random.integer(100_000, 999_999)}`;
    const gross = amount();
    return months.map((month) => bill(month.on(dayThatReadsSwapped(month.monthOfYear)), { number, gross }));
  },
  'customer number as invoice number': ({ months, random, bill }) => {
    const number = String(random.integer(1_000_000_000, 9_000_000_000));
    return months.map((month) => bill(month.on(8), { number }));
  },
  'the same number every year': ({ months, random, bill, another, amount }) =>
    months.slice(0, 8).flatMap((month, index) => {
      const later = months[index + 12];
      const by = another();
      const number = random.pick([`M-${random.integer(1_000, 9_999)}`, String(random.integer(10_000, 99_999))]);
      const fee = amount();
      const nextFee = random.chance(0.6) ? fee : cents(Math.round(Number(fee) * 105));
      const first = bill(month.on(random.integer(10, 14)), { by, number, gross: fee });
      return later === undefined
        ? [first]
        : [first, bill(later.on(random.integer(10, 14)), { by, number, gross: nextFee })];
    }),
  'bills without a number': ({ months, random, bill, amount }) => {
    const number = random.pick(['ohne', 'none', 'n/a', 'brak', '-']);
    const usual = amount();
    return months.map((month) => bill(month.on(10), { number, gross: random.chance(0.3) ? usual : amount() }));
  },
  'instalments under one number': ({ months, bill, nextNumber, amount }) => {
    const gross = amount();
    return months
      .filter(({ monthOfYear }) => monthOfYear % 4 === 1)
      .flatMap((month) => {
        const date = month.on(5);
        const number = nextNumber(date);
        return [1, 2, 3].map((n) => bill(addDays(date, (n - 1) * 30), { number: `${number}/${n}`, gross }));
      });
  },
  'instalments counted of twelve': ({ months, random, bill, nextNumber, amount }) => {
    const gross = amount();
    const number = nextNumber(months[0]?.on(5) ?? '');
    const words = random.pick([(n: number) => `${n}/12`, (n: number) => `Rate ${n}`]);
    return months
      .slice(0, 12)
      .map((month, index) => bill(month.on(5), { number: `${number} ${words(index + 1)}`, gross }));
  },
  'instalments with letters': ({ months, bill, nextNumber, amount }) =>
    months
      .filter(({ monthOfYear }) => monthOfYear % 4 === 1)
      .flatMap((month) => {
        const date = month.on(5);
        const number = nextNumber(date);
        const gross = amount();
        return ['A', 'B', 'C', 'D'].map((letter, index) =>
          bill(addDays(date, index * 30), { number: `${number}${letter}`, gross }),
        );
      }),
  'deliveries numbered under one': ({ months, random, bill, nextNumber, amount }) =>
    months
      .filter(({ monthOfYear }) => monthOfYear % 2 === 0)
      .flatMap((month) => {
        const date = month.on(5);
        const number = nextNumber(date);
        const usual = amount();
        return [1, 2, 3].map((n) =>
          bill(addDays(date, n * 4), { number: `${number}-${n}`, gross: random.chance(0.5) ? usual : amount() }),
        );
      }),
  'supplement under the number with a suffix': ({ months, random, bill }) =>
    months.flatMap((month) => {
      const first = bill(month.on(random.integer(1, 12)));
      const { invoice_number: number, issue_date: date, gross_amount: gross } = first.invoice;
      return [
        first,
        bill(addDays(date, random.integer(3, 15)), {
          number: number + random.pick(['-N', '/1', '-2', ' KOR']),
          gross: cents(Math.round(Number(gross) * random.integer(5, 25))),
        }),
      ];
    }),
  'second bill of the month under its number with -2': ({ months, random, bill, amount }) => {
    const account = random.integer(1_000, 9_999);
    const gross = amount();
    return months.flatMap((month) => {
      const number = `${account}/${month.on(1).slice(0, 7)}`;
      return [bill(month.on(5), { number, gross }), bill(month.on(20), { number: `${number}-2`, gross })];
    });
  },
  'weekly bills counted within the month': ({ months, random, bill, amount }) => {
    const account = random.integer(10_000, 99_999);
    const gross = amount();
    return months.flatMap((month) =>
      [1, 2, 3, 4].map((week) =>
        bill(month.on(week * 7), { number: `${account}/${month.on(1).slice(0, 7)}-${week}`, gross }),
      ),
    );
  },
  'equal bills of one day around the serial that equals the year': ({ months, random, bill, amount }) => {
    const gross = amount();
    return months
      .filter(({ monthOfYear }) => monthOfYear >= 2 && monthOfYear <= 4)
      .flatMap((month) => {
        const date = month.on(random.integer(1, 28));
        // The serial numbers are chosen so that the second bill in March has the last two digits of the year as its
        // serial number.
        const first = (month.year % 100) + 2 * (month.monthOfYear - 3) - 1;
        return [first, first + 1].map((serial) => bill(date, { number: `${month.year}.${padded(serial, 4)}`, gross }));
      });
  },
  'series whose letters contain each other': ({ months, random, bill }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 24));
      const counter = random.integer(1_000, 99_999);
      return ['M', 'MS'].map((series) => bill(date, { number: `${series}-${counter}` }));
    }),
  'fee whose counter differs in one digit each month': ({ months, random, bill, amount }) => {
    const gross = amount();
    const start = random.integer(23_000_000, 23_000_099);
    return months
      .slice(0, 10)
      .map((month, index) => bill(month.on(random.integer(26, 28)), { number: `VF${start + index * 100}`, gross }));
  },
  'two bills a month, numbered by it': ({ months, bill, amount }) => {
    const gross = amount();
    return months.flatMap((month) =>
      [1, 2].map((n) => bill(month.on(14 * n), { number: `${month.on(1).slice(0, 7)}-${n}`, gross })),
    );
  },
  'customer number with the month after it': ({ months, random, bill, amount }) => {
    const customer = random.integer(1_000_000, 9_000_000);
    const gross = amount();
    return months.map((month) =>
      bill(month.on(3), { number: `${customer}${padded(month.monthOfYear, 2)}${month.year % 100}`, gross }),
    );
  },
  'meters of one day': ({ months, random, bill, amount }) => {
    const meters = Array.from({ length: 4 }, () => `4400${random.integer(1_000_000, 9_999_999)}`);
    const gross = amount();
    return months
      .filter(({ monthOfYear }) => monthOfYear % 2 === 0)
      .flatMap((month) =>
        meters.map((meter) =>
          bill(month.on(9), { number: `${meter}-${month.year % 100}${padded(month.monthOfYear, 2)}`, gross }),
        ),
      );
  },
  'tickets with numbers by chance': ({ months, random, bill }) =>
    months.flatMap((month) => {
      const date = month.on(random.integer(1, 28));
      const gross = random.pick(['19.90', '29.90', '59.90']);
      return [1, 2].map(() => bill(date, { number: String(random.integer(1_000_000_000, 9_999_999_999)), gross }));
    }),
  'reference of every quarter': ({ months, random, party, bill, another, amount }) => {
    const contracts = [party, another()].map((by) => ({
      by,
      number: String(random.integer(1_000_000_000, 9_000_000_000)),
      gross: amount(),
    }));
    return months
      .filter(({ monthOfYear }) => monthOfYear % 3 === 2)
      .flatMap((month) => contracts.map((contract) => bill(month.on(15), contract)));
  },
  'new numbering after a change of system': ({ months, random, bill }) => {
    let counter = random.integer(1_000, 60_000);
    return months.map((month, index) =>
      bill(
        month.on(random.integer(1, 28)),
        index < months.length / 2 ? {} : { number: `N${month.year}-${String(++counter)}` },
      ),
    );
  },
  'same short number at another supplier': ({ months, random, bill, another }) => {
    const other = another();
    return months.flatMap((month, index) => {
      const number = String(100 + index);
      const [date = '', later = ''] = daysIn(month, 2, random);
      return [bill(date, { number }), bill(later, { number, by: other })];
    });
  },
};

/**
 * Returns a day of the month for which the dates of two neighbouring months look like one date with day and month
 * swapped: 02-03 and 03-02. January and December have no such day and get day 5.
 */
function dayThatReadsSwapped(monthOfYear: number): number {
  if (monthOfYear === 1 || monthOfYear === 12) return 5;
  return monthOfYear % 2 === 0 ? monthOfYear + 1 : monthOfYear - 1;
}
