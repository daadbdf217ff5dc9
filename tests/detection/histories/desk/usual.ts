// Contains correct bills that resemble copies or faults, as suppliers of many trades send them every month.
import { addDays } from '@invoicecontrol/values/calendar-date';
import { every, monthly, workday } from '../book/book.js';
import type { Rhythm } from '../book/book.js';
import { filled } from '../book/pattern.js';
import type { Charge, Desk, Line, Paper, Vendor } from './desk.js';
import { accountIn } from './lands.js';

/** Suppliers whose test bills are all correct, but resemble one kind of fault. */
export interface Usual {
  readonly kind: string;
  readonly count: number;
  readonly line: Omit<Line, 'count' | 'rhythm' | 'price'>;
  readonly play: Play;
}

type Bills = (charge: Omit<Charge, 'kind'>) => Paper;
type Play = (desk: Desk, vendor: Vendor, bill: Bills) => Paper[];

export function usualBills(desk: Desk, usuals: readonly Usual[]): Paper[] {
  return usuals.flatMap(({ kind, count, line, play }) =>
    Array.from({ length: count }, () => {
      const vendor = desk.hire(line);
      return play(desk, vendor, (charge) => desk.receive(vendor, { ...charge, kind }));
    }).flat(),
  );
}

/** Returns a price for the test bills of a supplier, near a typical price, in steps as in price lists. */
function nearly({ random }: Desk, typical: number, step = 5): number {
  return step * Math.max(1, Math.round((typical * (0.55 + 0.9 * random.next())) / step));
}

function odd(desk: Desk, typical: number): number {
  return nearly(desk, typical) + desk.random.integer(1, 97);
}

const until = ({ lastDay }: Desk, ...days: readonly string[]): string[] => days.filter((day) => day <= lastDay);

/** Writes test bills for several loads, rooms or tickets of one price on one day. */
export function equalOfADay(rhythm: Rhythm, max: number, typical: number): Play {
  return (desk, _vendor, bill) => {
    const net = nearly(desk, typical);
    return rhythm(desk).flatMap((date) =>
      Array.from({ length: desk.random.integer(1, max) }, () => bill({ date, net, lag: 1 })),
    );
  };
}

/** Writes many small test bills of one day under consecutive numbers. */
export function runOfADay(rhythm: Rhythm, max: number, typical: number): Play {
  return (desk, _vendor, bill) =>
    rhythm(desk).flatMap((date) =>
      Array.from({ length: desk.random.integer(2, max) }, () => bill({ date, net: odd(desk, typical), lag: 1 })),
    );
}

/** Writes one test bill for each meter on the day of the reading. Some meters cost only the basic charge. */
export function byMeter(meters: number, typical: number, form: string): Play {
  return (desk, _vendor, bill) => {
    const { random } = desk;
    const basic = nearly(desk, typical / 6);
    const accounts = Array.from({ length: meters }, () => ({
      account: filled(form, random),
      use: nearly(desk, typical),
    }));
    return monthly()(desk).flatMap((date) =>
      accounts.map(({ account, use }) => {
        const net = random.chance(0.15) ? basic : basic + Math.round(use * (0.6 + 0.8 * random.next()));
        return bill({ date, net, number: `${account}-${date.slice(2, 4)}${date.slice(5, 7)}`, note: account, lag: 2 });
      }),
    );
  };
}

/** Writes test bills with different amounts that all have the account number as the invoice number. */
export function accountAsNumber(form: string, typical: number): Play {
  return (desk, _vendor, bill) => {
    const number = filled(form, desk.random);
    return monthly()(desk).map((date) => bill({ date, number, net: odd(desk, typical) }));
  };
}

/** Writes test bills with one price that all have the contract number as the invoice number. */
export function contractAsNumber(form: string, typical: number): Play {
  return (desk, _vendor, bill) => {
    const number = filled(form, desk.random);
    const net = nearly(desk, typical);
    return monthly()(desk).map((date) => bill({ date, number, net }));
  };
}

/**
 * Writes a test bill and, some days later, a bill for an additional charge. The second bill has the number of the first
 * bill with an added mark.
 */
export function additions(rhythm: Rhythm, typical: number, mark: string, share = 0.3): Play {
  return (desk, vendor, bill) =>
    rhythm(desk).flatMap((date) => {
      const { random } = desk;
      const number = vendor.next(date);
      const order = desk.order('L######', date);
      const first = bill({ date, number, order, net: odd(desk, typical) });
      const [later] = until(desk, workday(addDays(date, random.integer(2, 14))));
      if (later === undefined || !random.chance(share)) return [first];
      return [first, bill({ date: later, number: `${number}${mark}`, order, net: odd(desk, typical / 9) })];
    });
}

/**
 * Writes test bills for the shipments of one purchase order. Their invoice numbers differ only in the suffix, and their
 * amounts differ.
 */
export function shipments(rhythm: Rhythm, typical: number, mark = '-'): Play {
  return (desk, vendor, bill) =>
    rhythm(desk).flatMap((start) => {
      const { random } = desk;
      const number = vendor.next(start);
      const order = desk.order('PO-######', start);
      return Array.from({ length: random.integer(1, 4) }, (_, part) => ({
        part,
        date: workday(addDays(start, 5 * part)),
      }))
        .filter(({ date }) => date <= desk.lastDay)
        .map(({ part, date }) => bill({ date, order, number: `${number}${mark}${part + 1}`, net: odd(desk, typical) }));
    });
}

/** Writes a test bill, its credit note, and the bill with the right price. */
export function creditAndRebill(typical: number, credit = 'CM', isSamePrice = false): Play {
  return (desk, vendor, bill) =>
    every(
      12,
      30,
    )(desk).flatMap((date) => {
      const { random } = desk;
      const number = vendor.next(date);
      const order = desk.order('45########', date);
      const net = odd(desk, typical);
      const first = bill({ date, number, order, net, lag: 1 });
      const [back, rebilled] = until(
        desk,
        workday(addDays(date, random.integer(3, 9))),
        workday(addDays(date, random.integer(10, 12))),
      );
      if (back === undefined || rebilled === undefined || !random.chance(0.3)) return [first];
      return [
        first,
        bill({ date: back, number: `${credit}${number}`, order, net: -net, lag: 0 }),
        bill({ date: rebilled, order, net: isSamePrice ? net : Math.round(net * 0.94), lag: 1 }),
      ];
    });
}

/** Writes test bills with one monthly price for each of several rented things. */
export function rentOfEach(things: number, typical: number): Play {
  return (desk, _vendor, bill) => {
    const prices = Array.from({ length: things }, () => nearly(desk, typical, 500));
    return monthly({ day: 1 })(desk).flatMap((date) => prices.map((net) => bill({ date, net, lag: 1 })));
  };
}

/** Writes the test bills of a supplier that charges the same fee each time. */
export function oneFee(rhythm: Rhythm, typical: number): Play {
  return (desk, _vendor, bill) => {
    const net = nearly(desk, typical, 100);
    return rhythm(desk).map((date) => bill({ date, net }));
  };
}

/** Writes test bills that are numbered from one again in each year, without the year in the number. */
export function restartsEachYear(rhythm: Rhythm, typical: number): Play {
  return (desk, _vendor, bill) => {
    let year = '';
    let serial = 0;
    return rhythm(desk).map((date) => {
      serial = date.slice(0, 4) === year ? serial + 1 : 1;
      year = date.slice(0, 4);
      return bill({ date, number: String(serial), net: odd(desk, typical) });
    });
  };
}

/** Writes two test bills, a deposit and a balance, of the same amount under one order. */
export function halves(typical: number): Play {
  return (desk, _vendor, bill) =>
    every(
      40,
      90,
    )(desk).flatMap((date) => {
      const net = odd(desk, typical);
      const order = desk.order('C-#####', date);
      return until(desk, date, workday(addDays(date, desk.random.integer(20, 50)))).map((day) =>
        bill({ date: day, net, order }),
      );
    });
}

/** Writes test bills for a purchase in equal parts, with `k/n` added to the invoice number. */
export function parcels(parts: number, typical: number): Play {
  return (desk, vendor, bill) =>
    every(
      200,
      320,
    )(desk).flatMap((start) => {
      const number = vendor.next(start);
      const net = nearly(desk, typical);
      const order = desk.order('{yyyy}NE######', start);
      return Array.from({ length: parts }, (_, part) => ({ part, date: workday(addDays(start, 30 * part)) }))
        .filter(({ date }) => date <= desk.lastDay)
        .map(({ part, date }) => bill({ date, net, order, number: `${number}-${part + 1}/${parts}` }));
    });
}

/**
 * Writes test bills for measured works of one contract, each with another amount and numbered by the month of
 * measurement.
 */
export function measurements(typical: number, order: string): Play {
  return (desk, _vendor, bill) => {
    const contract = desk.order(order, desk.firstDay);
    return monthly()(desk).map((date) => bill({ date, order: contract, net: odd(desk, typical) }));
  };
}

/**
 * Writes a test bill for an advance. Later, a credit note reverses the advance, and a bill for the whole amount follows
 * on the same day.
 */
export function advanceReversed(typical: number): Play {
  return (desk, _vendor, bill) =>
    every(
      30,
      70,
    )(desk).flatMap((date) => {
      const whole = odd(desk, typical);
      const advance = Math.round(whole / 2);
      const order = desk.order('CTR ####', date);
      const [end] = until(desk, workday(addDays(date, desk.random.integer(15, 40))));
      const first = bill({ date, net: advance, order });
      if (end === undefined) return [first];
      return [first, bill({ date: end, net: -advance, order }), bill({ date: end, net: whole, order })];
    });
}

/**
 * Writes the test bills of a utility: an estimate, and bills by meter reading in the next months. Occasionally the
 * estimate is credited.
 */
export function estimates(typical: number): Play {
  return (desk, vendor, bill) =>
    monthly()(desk).flatMap((date) => {
      const { random } = desk;
      const net = odd(desk, typical);
      const first = bill({ date, net });
      const [read] = until(desk, workday(addDays(date, 13)));
      if (read === undefined || !random.chance(0.2)) return [first];
      const actual = Math.round(net * (0.7 + 0.5 * random.next()));
      const number = numberOfCredit(vendor, read);
      return [first, bill({ date: read, net: -net, number, lag: 0 }), bill({ date: read, net: actual, lag: 1 })];
    });
}

const numberOfCredit = (vendor: Vendor, date: string): string => `CR${vendor.next(date)}`;

/** Writes test bills for the same fee to each company of the customer on one day. */
export function eachCompany(typical: number): Play {
  return (desk, _vendor, bill) => {
    const net = nearly(desk, typical, 100);
    const companies = [...new Set(desk.companyIds)];
    return monthly()(desk).flatMap((date) => companies.map((companyId) => bill({ date, net, companyId })));
  };
}

/** Writes test bills of a supplier that changes its bank once and announces the change. */
export function movedBank(rhythm: Rhythm, typical: number): Play {
  return (desk, { land, iban }, bill) => {
    const days = rhythm(desk);
    const moved = accountIn(land, desk.random);
    return days.map((date, index) =>
      bill({ date, net: odd(desk, typical), iban: index < days.length / 2 ? iban : moved }),
    );
  };
}

/** Writes the test bills of a busy season, which are several times as high as in the months before. */
export function season(months: readonly number[], typical: number): Play {
  return (desk, _vendor, bill) =>
    every(
      7,
      16,
    )(desk).map((date) => {
      const isHigh = months.includes(Number(date.slice(5, 7)));
      return bill({ date, net: odd(desk, isHigh ? 4 * typical : typical) });
    });
}

/** Writes test bills that arrive weeks after their date, because a third party confirms them first. */
export function late(rhythm: Rhythm, typical: number): Play {
  return (desk, _vendor, bill) =>
    rhythm(desk).map((date) => bill({ date, net: odd(desk, typical), lag: desk.random.integer(25, 70) }));
}

/** Writes test bills and credit notes for returned goods in one number series. */
export function returns(rhythm: Rhythm, typical: number): Play {
  return (desk, _vendor, bill) =>
    rhythm(desk).map((date) => {
      const net = odd(desk, typical);
      return bill({ date, net: desk.random.chance(0.15) ? -Math.round(net / 5) : net });
    });
}
