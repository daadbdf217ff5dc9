import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents, inUkForm, withSupplier } from './bill.js';
import type { Bill } from './bill.js';
import type { Books, Habit } from './habit.js';
import { padded } from './numbering.js';
import type { Party } from './parties.js';

/** Correct bills of suppliers that share data with other suppliers, or whose data varies. */
export const habitsOfParties: Readonly<Record<string, Habit>> = {
  'bank account written in two UK forms': ({ months, random, bill, another }) => {
    const british = another('GB');
    return months.map((month, index) => {
      const written = bill(month.on(random.integer(1, 28)), { by: british });
      return index % 2 === 0 ? written : inUkForm(written);
    });
  },
  'two accounts in regular use': ({ months, random, party, bill, another }) => {
    const { iban: second } = another();
    return months.map((month, index) =>
      bill(month.on(random.integer(1, 28)), { iban: index % 2 === 0 ? party.iban : second }),
    );
  },
  'new account for every bill at one bank': ({ months, random, party, bill }) =>
    months.map((month, index) => bill(month.on(random.integer(1, 28)), { iban: virtualAccount(party.iban, index) })),
  'shared account of a factor': ({ months, random, bill, factorIban }) =>
    months.map((month) => bill(month.on(random.integer(1, 28)), { iban: factorIban })),
  'numbers that coincide at the account of a factor': ({ months, random, bill, another, amount, factorIban: iban }) => {
    const other = another();
    const instalment = amount();
    const gross = (): string => (random.chance(0.5) ? instalment : amount());
    return months.slice(0, -5).flatMap((month, index) => {
      const date = month.on(random.integer(1, 28));
      const number = index + 7;
      return [
        bill(date, { number: `AR-${month.year}-${padded(number, 5)}`, gross: gross(), iban }),
        bill(addDays(date, random.integer(70, 150)), {
          by: other,
          number: `${month.year}/${padded(number, 4)}`,
          gross: gross(),
          iban,
        }),
      ];
    });
  },
  'group of companies with nearly one name': ({ months, random, party, bill, another }) => {
    const sister = another();
    return months.flatMap((month) => [
      bill(month.on(random.integer(1, 28))),
      bill(month.on(random.integer(1, 28)), { by: sister, name: memberName(party.name, 'Immobilien') }),
    ]);
  },
  'group of companies that bill the same on one day': ({ months, random, party, bill, another, amount }) => {
    const members = ['Nord', 'Service', 'Holding'].map((word) => ({
      ...another(),
      name: memberName(party.name, word),
    }));
    return months
      .filter(({ monthOfYear }) => monthOfYear % 2 === 0)
      .flatMap((month) => {
        const date = month.on(random.integer(1, 28));
        const gross = amount();
        let counter = random.integer(1, 400);
        return members.map((by) =>
          bill(date, { by, gross, number: `${month.year}-${padded((counter += random.integer(1, 9)), 4)}` }),
        );
      });
  },
  'name written in changing ways': ({ months, random, party, bill }) =>
    months.map((month, index) =>
      bill(month.on(random.integer(1, 28)), {
        name: index % 2 === 0 ? party.name : party.name.toUpperCase().replaceAll('.', ''),
      }),
    ),
  'contractors with one simple number and fee': (books) =>
    billsOfContractors(books, (bill, index) =>
      withSupplier(bill, { bank_account: undefined, ...(index === 0 ? { tax_id: undefined } : {}) }),
    ),
  'contractors with one simple number and fee, bare tax ids': (books) =>
    billsOfContractors(books, (bill) =>
      withSupplier(bill, { bank_account: undefined, tax_id: bill.invoice.supplier.tax_id?.slice(2) }),
    ),
};

/**
 * Freelancers with the same conditions send bills with the invoice number "1/04/2026" or "2/04/2026" on the last day of
 * a month, for the same fee.
 */
function billsOfContractors(
  { months, random, bill, another }: Books,
  identified: (bill: Bill, index: number) => Bill,
): Bill[] {
  const fee = cents(random.integer(10_000, 20_000) * 123);
  const people: readonly Party[] = peopleNames(random).map((name) => ({ ...another('PL'), name }));
  return months
    .filter(({ monthOfYear }) => monthOfYear % 3 === 0)
    .flatMap((month) =>
      people.map((by, index) => {
        const number = `${random.pick([1, 1, 1, 2])}/${padded(month.monthOfYear, 2)}/${month.year}`;
        return identified(bill(month.on(28), { by, number, gross: fee }), index);
      }),
    );
}

const firstNames = ['Anna', 'Piotr', 'Marek', 'Ewa', 'Tomasz', 'Joanna'];
const surnames = ['Nowak', 'Król', 'Mazur', 'Zając', 'Wójcik', 'Lis', 'Dudek', 'Sikora', 'Baran', 'Pawlak', 'Górski'];

function peopleNames(random: Books['random']): string[] {
  const shift = random.integer(0, surnames.length - 1);
  return firstNames.map((first, index) => `${first} ${surnames[(shift + index) % surnames.length] ?? ''}`);
}

/** Returns another bank account at the same bank, with different last digits and matching check digits. */
function virtualAccount(iban: string, index: number): string {
  const body = `${iban.slice(4, -4)}${String(1_000 + index * 7)}`;
  const numeric = `${body}${iban.slice(0, 2)}00`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(numeric) % 97n);
  return `${iban.slice(0, 2)}${String(check).padStart(2, '0')}${body}`;
}

/** Returns the name of a company of a group: the name of the group with its second word replaced by the given word. */
function memberName(name: string, word: string): string {
  const [first = '', , ...rest] = name.split(' ');
  return [first, word, ...rest].join(' ');
}
