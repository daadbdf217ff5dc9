import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Entry, Episode, Scene, Supplier } from './journal.js';
import { centsOf, decimal, relabelled, workday, write } from './journal.js';

/** Adds correct test bills that look like copies and that suppliers send occasionally. */

const isNot =
  (...kinds: readonly string[]) =>
  ({ trade }: Supplier): boolean =>
    !kinds.includes(trade.pricing.kind) && trade.rhythm.kind !== 'yearly';

const isFree = (supplier: Supplier): boolean =>
  isNot('fixed')(supplier) && supplier.series.hasSerial && supplier.trade.rhythm.kind !== 'monthly';

function alike(
  scene: Scene,
  name: string,
  count: number,
  written: (index: number) => { readonly order?: string } = () => ({}),
): Entry[] {
  const { world, supplier, date } = scene;
  const net = supplier.price(date);
  return Array.from({ length: count }, (_bill, index) =>
    write(world, supplier, date, { net, hardNegative: name, ...written(index) }),
  );
}

function credit(entry: Entry, number: string, date: string, name: string, claim: string): Entry {
  const { bill } = entry;
  const negative = (amount: string | undefined): string => decimal(-centsOf(amount ?? '0'));
  const changed: Bill = withInvoice(bill, {
    invoice_number: number,
    issue_date: date,
    due_date: date,
    net_amount: negative(bill.invoice.net_amount),
    tax_amount: negative(bill.invoice.tax_amount),
    gross_amount: negative(bill.invoice.gross_amount),
  });
  return { ...entry, bill: { ...changed, arrival: date, claim, hardNegative: name } };
}

const all = (share: number): readonly Episode[] => [
  {
    name: 'two jobs of one price on one day',
    share,
    fits: (supplier) => isFree(supplier) && supplier.trade.pricing.kind === 'list',
    play: (scene) => alike(scene, 'two jobs of one price on one day', 2),
  },
  {
    name: 'one price on one day for two orders',
    share,
    fits: (supplier) => isFree(supplier) && supplier.trade.orders === 'always',
    play: (scene) =>
      alike(scene, 'one price on one day for two orders', 2, () => ({ order: scene.world.order(scene.date) })),
  },
  {
    name: 'instalments of one order',
    share,
    fits: isFree,
    play: (scene) => {
      const { world, supplier, date, later } = scene;
      const name = 'instalments of one order';
      const [net, order] = [supplier.price(date), world.order(date)];
      for (const month of [1, 2]) {
        const day = workday(addDays(date, month * 30));
        later(day, () => [write(world, supplier, day, { net, order, hardNegative: name })]);
      }
      return [write(world, supplier, date, { net, order, hardNegative: name })];
    },
  },
  {
    name: 'half before, half behind the delivery',
    share,
    fits: isFree,
    play: ({ world, supplier, date, later }) => {
      const name = 'half before, half behind the delivery';
      const [net, order] = [supplier.price(date), world.order(date)];
      const day = workday(addDays(date, world.random.integer(9, 45)));
      later(day, () => [write(world, supplier, day, { net, order, hardNegative: name })]);
      return [write(world, supplier, date, { net, order, hardNegative: name })];
    },
  },
  {
    name: 'credited and billed again',
    share,
    fits: isFree,
    play: ({ world, supplier, date, later }) => {
      const name = 'credited and billed again';
      const first = write(world, supplier, date, { lag: 1, hardNegative: name });
      const back = workday(addDays(date, world.random.integer(4, 15)));
      const again = workday(addDays(back, world.random.integer(0, 3)));
      const net = centsOf(first.bill.invoice.net_amount ?? '0');
      const order = first.bill.invoice.purchase_order_ref ?? null;
      const mark = world.random.pick(['GS', 'KOR', 'CN', 'AV']);
      later(back, () => [credit(first, `${mark}-${supplier.series.next(back)}`, back, name, world.claim())]);
      later(again, () => [write(world, supplier, again, { net, order, hardNegative: name, lag: 1 })]);
      return [first];
    },
  },
  {
    name: 'addition to a bill under its number with a mark',
    share,
    fits: isFree,
    play: ({ world, supplier, date, later }) => {
      const first = write(world, supplier, date);
      const day = workday(addDays(date, world.random.integer(3, 20)));
      const net = Math.round(centsOf(first.bill.invoice.net_amount ?? '0') * (0.05 + world.random.next() * 0.2));
      const number = `${first.bill.invoice.invoice_number}-N`;
      const hardNegative = 'addition to a bill under its number with a mark';
      later(day, () => [write(world, supplier, day, { net: Math.max(net, 900), number, hardNegative })]);
      return [first];
    },
  },
  {
    name: 'the same delivery a week later',
    share,
    fits: isFree,
    play: ({ world, supplier, date, later }) => {
      const hardNegative = 'the same delivery a week later';
      const net = supplier.price(date);
      const day = workday(addDays(date, 7));
      later(day, () => [write(world, supplier, day, { net, hardNegative })]);
      return [write(world, supplier, date, { net, hardNegative })];
    },
  },
  {
    name: 'the same service a year later',
    share,
    fits: isFree,
    play: ({ world, supplier, date, later }) => {
      const hardNegative = 'the same service a year later';
      const net = supplier.price(date);
      const day = workday(addDays(date, 364));
      later(day, () => [write(world, supplier, day, { net, hardNegative })]);
      return [write(world, supplier, date, { net, hardNegative })];
    },
  },
  {
    name: 'recharged to two companies',
    share,
    fits: (supplier) => isFree(supplier) && supplier.chargesTax,
    play: ({ world, supplier, date }) => {
      const net = supplier.price(date);
      return world.companies
        .slice(0, 2)
        .map((company) => write(world, supplier, date, { net, company, hardNegative: 'recharged to two companies' }));
    },
  },
  {
    name: 'many small bills of one day',
    share,
    fits: (supplier) => isFree(supplier) && supplier.trade.pricing.kind !== 'hours',
    play: ({ world, supplier, date }) =>
      Array.from({ length: world.random.integer(3, 5) }, () =>
        write(world, supplier, date, { hardNegative: 'many small bills of one day' }),
      ),
  },
  {
    name: 'late bill of last year',
    share: share * 4,
    fits: isFree,
    play: ({ world, supplier, date }) => {
      const entry = write(world, supplier, date, { lag: world.random.integer(30, 75) });
      return [relabelled(entry, 'bill that came months late')];
    },
  },
  {
    name: 'a much larger job that repeats',
    share: share / 2,
    fits: isFree,
    play: ({ world, supplier, date }) => [
      write(world, supplier, date, {
        net: Math.round(supplier.price(date) * 2.2),
        hardNegative: 'job of twice the usual size',
      }),
    ],
  },
];

/**
 * Returns the episodes with the given names, or all episodes. Each episode replaces about the given share of the bills
 * for which it is possible.
 */
export function episodesOf(share: number, names?: readonly string[]): readonly Episode[] {
  return all(share).filter(({ name }) => names?.includes(name) ?? true);
}
