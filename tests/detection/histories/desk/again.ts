import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import { centsOf, decimal, workday } from '../book/book.js';
import { filled } from '../book/pattern.js';
import { checkDigit } from './desk.js';
import type { Desk, Paper } from './desk.js';

/**
 * Function that repeats a test bill: it returns the bills with which the supplier requests the same payment again, or
 * undefined if the bill cannot be repeated in this way.
 */
export type Again = (paper: Paper, random: Random, desk: Desk) => Returned | undefined;

interface Returned {
  /**
   * An earlier document for the same payment, which takes the place of the original bill. The original bill is then the
   * repetition.
   */
  readonly first?: Bill;
  readonly again: readonly Bill[];
}

type Lag = readonly [number, number];

const SOON: Lag = [1, 28];

function afterwards(bill: Bill, [min, max]: Lag, random: Random): Bill {
  const latest = bill.arrival > bill.invoice.issue_date ? bill.arrival : bill.invoice.issue_date;
  return { ...bill, arrival: workday(addDays(latest, random.integer(min, max))) };
}

/** Returns a function that enters a test bill a second time, with another invoice number. */
export function numberTyped(change: (paper: Paper, random: Random) => string | undefined, lag: Lag = SOON): Again {
  return (paper, random) => {
    const { bill } = paper;
    const number = change(paper, random);
    if (number === undefined || number === '' || number === bill.invoice.invoice_number) return undefined;
    return { again: [afterwards(withInvoice(bill, { invoice_number: number }), lag, random)] };
  };
}

/** Returns a function that enters a test bill a second time, with a change in a field other than the invoice number. */
export function entered(change: (paper: Paper, random: Random, desk: Desk) => Bill | undefined, lag = SOON): Again {
  return (paper, random, desk) => {
    const bill = change(paper, random, desk);
    return bill && { again: [afterwards(bill, lag, random)] };
  };
}

export const numberOf = ({ bill }: Paper): string => bill.invoice.invoice_number;

/** Returns the longest run of digits of an invoice number, or undefined if every run is shorter than `least`. */
function longestRun(number: string, least: number): { readonly at: number; readonly digits: string } | undefined {
  const runs = [...number.matchAll(/\d+/g)].map(({ index, 0: digits }) => ({ at: index, digits }));
  return runs.reduce<(typeof runs)[number] | undefined>(
    (best, run) => (run.digits.length >= (best?.digits.length ?? least) ? run : best),
    undefined,
  );
}

function inRun(number: string, least: number, change: (digits: string) => string): string | undefined {
  const run = longestRun(number, least);
  return run && number.slice(0, run.at) + change(run.digits) + number.slice(run.at + run.digits.length);
}

const skipsDigit = (number: string, random: Random): string | undefined =>
  inRun(number, 5, (digits) => {
    const at = random.integer(1, digits.length - 1);
    return digits.slice(0, at) + digits.slice(at + 1);
  });

const turnsDigits = (number: string, random: Random): string | undefined =>
  inRun(number, 4, (digits) => {
    const pairs = [...digits].flatMap((digit, at) => (at > 0 && digit !== digits[at - 1] ? [at] : []));
    if (pairs.length === 0) return digits;
    const at = random.pick(pairs);
    return `${digits.slice(0, at - 1)}${digits.charAt(at)}${digits.charAt(at - 1)}${digits.slice(at + 1)}`;
  });

const missesKey = (number: string, random: Random): string | undefined =>
  inRun(number, 5, (digits) => {
    const at = random.integer(0, digits.length - 1);
    const key = Number(digits[at]);
    // The keys next to each digit on the number pad. A mistyped bill has such a digit in place of the right one.
    const beside = [key - 1, key + 1, key - 3, key + 3].filter((each) => each >= 0 && each <= 9);
    return digits.slice(0, at) + String(random.pick(beside)) + digits.slice(at + 1);
  });

/** Returns the test bill with another gross amount, and net and tax in the same proportion. */
export function at(bill: Bill, gross: number): Bill | undefined {
  const before = centsOf(bill.invoice.gross_amount);
  if (gross === before || gross <= 0) return undefined;
  const unit = unitOf(bill);
  const net =
    unit * Math.round((centsOf(bill.invoice.net_amount ?? bill.invoice.gross_amount) * gross) / before / unit);
  return withInvoice(bill, {
    gross_amount: decimal(gross),
    net_amount: decimal(net),
    tax_amount: decimal(gross - net),
  });
}

/** Returns the smallest unit of a bill amount. Yen have no smaller unit, but amounts are stored in hundredths. */
const unitOf = ({ invoice }: Bill): number => (invoice.currency === 'JPY' ? 100 : 1);

function share(bill: Bill, factor: number): Bill | undefined {
  const unit = unitOf(bill);
  return at(bill, Math.round((centsOf(bill.invoice.gross_amount) * factor) / unit) * unit);
}

function amountTurned(bill: Bill, random: Random): Bill | undefined {
  const turned = turnsDigits(String(centsOf(bill.invoice.gross_amount) / unitOf(bill)), random);
  return turned === undefined || turned.startsWith('0') ? undefined : at(bill, Number(turned) * unitOf(bill));
}

function dated(bill: Bill, date: string): Bill {
  return withInvoice(bill, { issue_date: date, due_date: addDays(date, 30) });
}

function abbreviated(name: string, random: Random): string {
  return random.pick([
    name.toUpperCase().replace(/[.,]/g, ''),
    name.split(' ').slice(0, -1).join(' '),
    name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
    name.replace(/[,.]/g, '').replace(/ and | & | et | und | e /g, ' + '),
  ]);
}

/** Ways in which every office may enter a test bill a second time. A history adds the ways that occur in its trade. */
export const everywhere = {
  'keyed from the paper after the portal': entered(({ bill }) => bill, [0, 21]),
  'sent once more with the statement': entered(({ bill }) => bill, [26, 62]),
  'number without its punctuation': numberTyped((paper) => {
    const bare = numberOf(paper).replace(/[^A-Za-z0-9]/g, '');
    return bare.length < 5 ? undefined : bare;
  }),
  'leading zeros dropped': numberTyped((paper) => {
    const bare = numberOf(paper).replace(/(^|[^0-9])0+(?=[0-9]{3})/, '$1');
    return bare;
  }),
  'zeros put before the number': numberTyped((paper) => {
    const run = longestRun(numberOf(paper), 3);
    return run && run.at === 0 ? numberOf(paper).padStart(10, '0') : undefined;
  }),
  'a letter or dot behind it so that the system takes it': numberTyped(
    (paper, random) => `${numberOf(paper)}${random.pick(['A', 'B', '.', '-1', '-2', 'X', '*', 'DUP'])}`,
  ),
  'a key beside the right one': numberTyped((paper, random) => missesKey(numberOf(paper), random)),
  'a digit left out': numberTyped((paper, random) => skipsDigit(numberOf(paper), random)),
  'two digits turned': numberTyped((paper, random) => turnsDigits(numberOf(paper), random)),
  'read by a scanner': numberTyped((paper, random) => {
    const misread: Readonly<Record<string, string>> = { 0: 'O', 1: 'l', 5: 'S', 8: 'B', 6: 'G', 2: 'Z' };
    const places = [...numberOf(paper)].flatMap((sign, place) => (misread[sign] === undefined ? [] : [place]));
    if (places.length === 0) return undefined;
    const place = random.pick(places);
    return (
      numberOf(paper).slice(0, place) + (misread[numberOf(paper)[place] ?? ''] ?? '') + numberOf(paper).slice(place + 1)
    );
  }),
  'only the end of a long number': numberTyped((paper) => {
    const bare = numberOf(paper).replace(/[^A-Za-z0-9]/g, '');
    return bare.length < 9 ? undefined : bare.slice(-7);
  }),
  'number made a power of ten by a spreadsheet': numberTyped((paper) => {
    const number = numberOf(paper);
    const power = Number(number)
      .toExponential(5)
      .replace(/e\+(?=\d$)/, 'e+0');
    return /^\d{11,}$/.test(number) ? power.toUpperCase() : undefined;
  }),
  'billed again with a mark and no credit': (paper, random) => {
    const { bill } = paper;
    const changed = share(bill, random.pick([0.87, 0.93, 0.96, 1.04, 1.08]));
    const number = `${numberOf(paper)}${random.pick(['-REV', 'R', '-R1', ' CORR', '-C', ' REVISED', '-V2'])}`;
    const date = addDays(bill.invoice.issue_date, random.integer(3, 25));
    return (
      changed && { again: [afterwards(withInvoice(dated(changed, date), { invoice_number: number }), [0, 5], random)] }
    );
  },
  'late fee added': entered(({ bill }) => share(bill, 1.015), [30, 60]),
  'early payment discount taken off': entered(({ bill }) => share(bill, 0.98)),
  'tax left off': entered(({ bill }) => {
    const { net_amount: net = '0.00', gross_amount: gross } = bill.invoice;
    return net === gross ? undefined : withInvoice(bill, { gross_amount: net, net_amount: net, tax_amount: '0.00' });
  }),
  'digits of the amount turned': entered(({ bill }, random) => amountTurned(bill, random)),
  'date of the stamp of receipt': entered(({ bill }) =>
    dated(bill, bill.arrival === bill.invoice.issue_date ? addDays(bill.arrival, 3) : bill.arrival),
  ),
  'last year typed in January': entered(({ bill }) => {
    const { issue_date: date } = bill.invoice;
    return /-0[12]-(0|1)/.test(date) ? dated(bill, `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`) : undefined;
  }),
  'day and month exchanged': entered(({ bill }) => {
    const [year = '', month = '', day = ''] = bill.invoice.issue_date.split('-');
    const date = `${year}-${day}-${month}`;
    return Number(day) > 12 || day === month || date > bill.arrival ? undefined : dated(bill, date);
  }),
  'short form of the supplier without tax id': entered(({ bill }, random) => {
    const name = abbreviated(bill.invoice.supplier.name, random);
    return name === bill.invoice.supplier.name ? undefined : withSupplier(bill, { tax_id: undefined, name });
  }),
  'neither tax id nor account': entered(({ bill }) => {
    const { tax_id: taxId, bank_account: account } = bill.invoice.supplier;
    return taxId === undefined && account === undefined
      ? undefined
      : withSupplier(bill, { tax_id: undefined, bank_account: undefined });
  }),
  'number and date each with a slip': entered(({ bill }, random) => {
    const number = random.pick([missesKey, turnsDigits, skipsDigit])(bill.invoice.invoice_number, random);
    if (number === undefined || number === bill.invoice.invoice_number) return undefined;
    return withInvoice(dated(bill, addDays(bill.invoice.issue_date, random.pick([-1, 1, 1, 2, 4]))), {
      invoice_number: number,
    });
  }),
  'mark behind the number and the amount turned': entered((paper, random) => {
    const bill = amountTurned(paper.bill, random);
    return bill && withInvoice(bill, { invoice_number: `${numberOf(paper)}-1` });
  }),
  'booked at the sister company': entered(({ bill }, random, { companyIds }) => {
    const others = companyIds.filter((companyId) => companyId !== bill.companyId);
    return others.length === 0 ? undefined : { ...bill, companyId: random.pick(others) };
  }),
  'split by cost centre': (paper, random) => {
    const { bill } = paper;
    const gross = centsOf(bill.invoice.gross_amount);
    const unit = unitOf(bill);
    if (gross < 60_000) return undefined;
    const centres = random.pick([2, 2, 3]);
    const mark = random.pick(['-', '/', ' CC', '-S']);
    const first = random.integer(1, 6);
    const parts: Bill[] = [];
    for (let part = 0, rest = gross; part < centres; part++) {
      const own = part === centres - 1 ? rest : Math.round((gross * (0.2 + 0.25 * random.next())) / unit) * unit;
      rest -= own;
      const ofCentre = at(bill, own);
      if (ofCentre !== undefined)
        parts.push(withInvoice(ofCentre, { invoice_number: `${numberOf(paper)}${mark}${first + part}` }));
    }
    const lag = random.integer(2, 20);
    return { again: parts.map((part) => afterwards(part, [lag, lag], random)) };
  },
  'unrelated: the order for the number': (paper, random) => {
    const { purchase_order_ref: order, ...invoice } = paper.bill.invoice;
    if (order === undefined) return undefined;
    const kept = random.chance(0.6) ? { purchase_order_ref: order } : {};
    return {
      again: [afterwards({ ...paper.bill, invoice: { ...invoice, invoice_number: order, ...kept } }, SOON, random)],
    };
  },
  'unrelated: the account for the number': numberTyped(({ vendor }) => vendor.account),
  'unrelated: the paper behind it for the number': numberTyped(({ note }) => note),
  'unrelated: the date for the number': numberTyped(({ bill }, random) => {
    const [year = '', month = '', day = ''] = bill.invoice.issue_date.split('-');
    return random.pick([`${month}${day}${year.slice(2)}`, `${day}.${month}.${year}`, `${year}${month}${day}`]);
  }),
  'unrelated: the statement of the month': (paper, random) => {
    const end = addDays(`${addDays(`${paper.bill.invoice.issue_date.slice(0, 7)}-01`, 32).slice(0, 7)}-01`, -1);
    const bill = withInvoice(dated(paper.bill, end), {
      invoice_number: filled(random.pick(['STMT######', 'ST-#####', 'S########']), random),
    });
    return { again: [afterwards(bill, [1, 12], random)] };
  },
  'unrelated: a reminder with a number of its own': entered(
    ({ bill }, random) =>
      withInvoice(dated(bill, addDays(bill.invoice.issue_date, random.integer(32, 50))), {
        invoice_number: filled(random.pick(['R#######', '99#####', 'DUN-####']), random),
      }),
    [0, 4],
  ),
  'unrelated: a quotation that was paid before': ({ bill }, random) => {
    const date = addDays(bill.invoice.issue_date, -random.integer(4, 20));
    const number = filled(random.pick(['Q-#####', 'PRO-###', 'QU####', 'PI/###']), random);
    const first = { ...withInvoice(dated(bill, date), { invoice_number: number }), arrival: workday(date) };
    return { first, again: [bill] };
  },
  'unrelated: billed again under the next number': ({ bill, skipped }, random) =>
    skipped && {
      again: [afterwards(withInvoice(dated(bill, skipped.date), { invoice_number: skipped.number }), [0, 6], random)],
    },
  'unrelated: the payment reference for the number': numberTyped(({ vendor }, random) => {
    const digits = `${vendor.account.replace(/\D/g, '')}${filled('######', random)}`;
    return `${digits}${checkDigit(digits)}`;
  }),
} as const satisfies Record<string, Again>;

export type EverywhereName = keyof typeof everywhere;

/** Share of the ordinary test bills that arrive a second time. */
const AGAIN_SHARE = 0.047;

/**
 * Enters a share of the plain test bills a second time, with about as many second entries of each kind, and returns all
 * bills. A second entry under an unrelated number is made only if the supplier does not repeat the amount, because
 * otherwise no reader could recognise the entry.
 */
export function withAgain(
  desk: Desk,
  papers: readonly Paper[],
  names: readonly EverywhereName[],
  own: Readonly<Record<string, Again>>,
): Bill[] {
  const { random } = desk;
  const kinds = new Map<string, Again>([
    ...names.map((name): [string, Again] => [name, everywhere[name]]),
    ...Object.entries(own),
  ]);
  const made = new Map([...kinds.keys()].map((name) => [name, 0]));
  const wanted = Math.round(papers.length * AGAIN_SHARE);
  const bills = new Map<Paper, readonly Bill[]>();
  for (const paper of inAnyOrder(papers, random)) {
    if (bills.size === wanted) break;
    if (paper.bill.hardNegative !== undefined || paper.bill.anomaly !== undefined) continue;
    const rarest = [...made].sort(([, left], [, right]) => left - right);
    for (const [name, count] of rarest) {
      if (name.startsWith('unrelated: ') && paper.vendor.recurs) continue;
      const returned = kinds.get(name)?.(paper, random, desk);
      if (returned === undefined) continue;
      made.set(name, count + 1);
      bills.set(paper, [returned.first ?? paper.bill, ...returned.again.map((bill) => ({ ...bill, mutation: name }))]);
      break;
    }
  }
  return papers.flatMap((paper) => bills.get(paper) ?? [paper.bill]);
}

export function inAnyOrder<T>(items: readonly T[], random: Random): T[] {
  const places = new Map(items.map((item) => [item, random.next()]));
  return [...items].sort((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
}
