// Creates the test bills of a maker of machine parts in the south of Germany. It buys steel, tools, freight,
// maintenance, temporary work and energy in five countries.
import { addDays } from '@invoicecontrol/values/calendar-date';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import {
  everyDays,
  everyMonths,
  fixed,
  hours,
  irregular,
  odd,
  openBook,
  orderDesk,
  pad,
  priceList,
  restarting,
  running,
  seasonal,
  shuffled,
  someHabit,
  traderOf,
  two,
  workday,
  billsOf,
} from './registers/ledger.js';
import type { Book, Trader } from './registers/ledger.js';
import { digits } from './registers/registers.js';
import type { Land } from './registers/registers.js';
import { plantAnomalies, plantCopies, related, slipsNamed, unrelated } from './registers/slips.js';

const FROM = '2024-01-03';
const TO = '2026-04-15';

const german =
  'Ackerle Bäuerle Brunnhuber Dangelmaier Eisenschmid Fauth Gaiser Häberlin Jehle Kottmann Lutzenberger Maurer Nusser Oberdorfer Pfisterer Rapp Schwenk Traub Uhlmann Vetterlein Wagenblast Zeiher Burkhart Dürr Ehmann Fritzsche Grünewald Hölzle Ingelfinger Kässbohrer Lohmiller Mergenthaler Nagold Osterrieder Probst Reinhold Stölzle Trautwein Unfried Volkwein Weitbrecht Zimmerlein Allgaier Bosslet Denzinger Eberspach Fröschle Gutekunst'.split(
    ' ',
  );
const austrian =
  'Aichhorn Brandstätter Edlbauer Gstöttner Hinteregger Kogler Lechthaler Mitterer Pichler Rauchenwald'.split(' ');
const swiss = 'Aebischer Bünzli Frauenfelder Gisler Hürlimann Imboden Kälin Odermatt'.split(' ');
const czech =
  'Kovoslužby Brněnská_ocel Hradecké_strojírny Valašská_doprava Plzeňské_nástroje Jihlavan_kov Morava_trans Ústecké_odlitky'
    .split(' ')
    .map((name) => name.replace('_', ' '));
const italian = 'Officine Bergamaschi_Utensili Trasporti Meccanica Fonderie Viteria_Brianza'.split(' ');
const italianNames = 'Gallarate Colnaghi Pedersoli Zanardini Cattaneo Ferrabosco'.split(' ');

export function dachManufacturing(random: Random): Bill[] {
  const book = openBook(random, 'dach');
  const orders = orderDesk(random, (n) => `45000${n}`, 11_204);
  const projects = orderDesk(random, (n) => `BE-24-${pad(n, 5)}`, 310);
  const names = {
    DE: shuffled(random, german),
    AT: shuffled(random, austrian),
    CH: shuffled(random, swiss),
    CZ: shuffled(random, czech),
    IT: shuffled(random, italian),
  };
  let italians = 0;
  const supplier = (
    land: 'DE' | 'AT' | 'CH' | 'CZ' | 'IT',
    trade: string,
    options: { currency?: string; vat?: number } = {},
  ): Trader => {
    const base = names[land].pop() ?? `Nord ${digits(random, 3)}`;
    const forms: Record<typeof land, readonly string[]> = {
      DE: ['GmbH', 'GmbH', 'GmbH & Co. KG', 'KG', 'AG', 'e.K.'],
      AT: ['GmbH', 'Ges.m.b.H.', 'KG'],
      CH: ['AG', 'GmbH', 'SA'],
      CZ: ['s.r.o.', 's.r.o.', 'a.s.'],
      IT: ['S.r.l.', 'S.p.A.'],
    };
    const form = random.pick(forms[land]);
    const name =
      land === 'CZ'
        ? `${base} ${form}`
        : land === 'IT'
          ? `${base.replace('_', ' ')} ${italianNames[italians++] ?? 'Lodi'} ${form}`
          : `${base} ${trade} ${form}`;
    // In the test bills, suppliers from abroad charge the maker of machine parts no tax.
    return traderOf(random, land, name, {
      vat: options.vat ?? (land === 'DE' ? 190 : 0),
      currency: options.currency ?? (land === 'CZ' && random.chance(0.5) ? 'EUR' : undefined) ?? currencyIn(land),
    });
  };
  const style = (land: Land): 'de' | 'it' | 'cz' => (land === 'IT' ? 'it' : land === 'CZ' ? 'cz' : 'de');

  // Adds test bills for steel and castings, with irregular amounts and one order for each delivery.
  const makers: readonly [Land & ('DE' | 'AT' | 'CH' | 'CZ' | 'IT'), string][] = [
    ['DE', 'Stahlhandel'],
    ['DE', 'Edelstahl'],
    ['DE', 'Blechtechnik'],
    ['DE', 'Guss'],
    ['DE', 'Härterei'],
    ['DE', 'Oberflächentechnik'],
    ['AT', 'Stahl'],
    ['AT', 'Schmiede'],
    ['AT', 'Federn'],
    ['CH', 'Drehteile'],
    ['CH', 'Präzision'],
    ['CZ', ''],
    ['CZ', ''],
    ['CZ', ''],
    ['CZ', ''],
    ['IT', ''],
    ['IT', ''],
    ['IT', ''],
    ['DE', 'Normteile'],
    ['DE', 'Aluminium'],
    ['DE', 'Kunststoffe'],
    ['DE', 'Lackwerk'],
  ];
  for (const [land, trade] of makers) {
    const trader = supplier(land, trade);
    const typical = random.pick([640, 1800, 4200, 7600]) * (trader.currency === 'CZK' ? 25 : 1);
    book.stream({
      trader,
      dates: irregular(random, FROM, TO, random.pick([6, 9, 14, 22])),
      number: someHabit(random, style(land)),
      net: odd(random, typical),
      order: random.chance(0.75) ? orders.each(0.94) : orders.blanket(6),
      billedAgain: 0.006,
    });
  }
  // Adds test bills for tools and consumables, which are charged by price lists, so their amounts repeat.
  for (const trade of [
    'Werkzeuge',
    'Schleifmittel',
    'Schrauben',
    'Arbeitsschutz',
    'Schmierstoffe',
    'Messtechnik',
    'Bürobedarf',
    'Verpackung',
  ]) {
    const trader = supplier('DE', trade);
    const prices = Array.from({ length: 9 }, () => random.integer(1290, 24_900) / 100);
    book.stream({
      trader,
      dates: irregular(random, FROM, TO, 8),
      number: someHabit(random, 'de'),
      net: priceList(random, prices, [1, 2, 4, 5, 10, 20]),
      order: orders.each(0.7),
      recurs: true,
    });
  }
  // Adds test bills for freight, which is charged by tariffs with a monthly surcharge, mostly without orders.
  for (const land of ['DE', 'DE', 'DE', 'AT', 'CZ', 'CH', 'IT'] as const) {
    const trader = supplier(land, random.pick(['Spedition', 'Transporte', 'Logistik', 'Kurierdienst']), {
      currency: 'EUR',
    });
    const rates = Array.from({ length: 24 }, () => random.integer(9_000, 88_000));
    book.stream({
      trader,
      dates: irregular(random, FROM, TO, random.pick([4, 7, 11])),
      number: someHabit(random, style(land)),
      net: (date) => Math.round(random.pick(rates) * (1.04 + ((Number(date.slice(5, 7)) * 7) % 11) / 100)),
      recurs: true,
    });
  }
  // Adds test bills for maintenance visits at the factory, with irregular amounts.
  for (const trade of [
    'Kransysteme',
    'Hydraulik',
    'Elektroanlagen',
    'Druckluft',
    'Gebäudetechnik',
    'Maschinenservice',
    'Tore und Antriebe',
    'IT-Systeme',
  ]) {
    book.stream({
      trader: supplier('DE', trade),
      dates: irregular(random, FROM, TO, 19),
      number: someHabit(random, 'de'),
      net: odd(random, random.pick([380, 900, 2400]), 0.9),
      order: random.chance(0.5) ? projects.each(0.9) : () => undefined,
      billedAgain: 0.01,
    });
  }
  // Adds test bills for temporary work at the factory, which is charged in hours by week.
  for (const rate of [31.4, 34.85, 38.2, 29.95]) {
    book.stream({
      trader: supplier('DE', random.pick(['Personal', 'Zeitarbeit'])),
      dates: everyDays(addDays(FROM, 5), TO, 7).filter(() => random.chance(0.9)),
      number: someHabit(random, 'de'),
      net: hours(random, rate, 30, 160),
      order: orders.blanket(26),
      recurs: true,
    });
  }
  // Adds test bills for energy and water under a customer number or contract account, with higher amounts in winter.
  const power = supplier('DE', 'Stadtwerke', {});
  book.stream({
    trader: power,
    dates: everyMonths(random, FROM, TO, { day: 9 }),
    number: (date) => `7712345/${date.slice(0, 7)}`,
    net: seasonal(random, 14_300),
  });
  const gas = supplier('DE', 'Energie Vertrieb');
  book.stream({
    trader: gas,
    dates: everyMonths(random, FROM, TO, { day: 14 }),
    number: running(random, 510_000_000_000, 18_211, (n) => String(n)),
    net: seasonal(random, 8_700),
  });
  const water = supplier('DE', 'Wasserverband');
  book.stream({
    trader: water,
    dates: everyMonths(random, FROM, TO, { day: 3 }),
    number: () => water.customerNumber,
    net: fixed(612.4, 0.04),
    recurs: true,
    hardNegative: 'contract number as the number',
  });
  const heat = supplier('AT', 'Fernwärme');
  book.stream({
    trader: heat,
    dates: everyMonths(random, FROM, TO, { day: 20 }),
    number: () => 'KD 88301',
    net: seasonal(random, 2_900),
    hardNegative: 'customer number as the number, metered amounts',
  });

  honest(book, random, supplier, orders.each());
  plantAnomalies(
    book,
    random,
    [
      'accountForged',
      'accountChanged',
      'outlier',
      'totals',
      'rate',
      'badTaxId',
      'otherTaxId',
      'otherName',
      'foreignOrder',
      'numberReused',
      'lookalike',
      'sharedAccount',
      'dueBefore',
      'newAndLarge',
      'accountInvalid',
    ],
    3,
  );
  plantCopies(
    book,
    random,
    [
      ...slipsNamed(
        unrelated,
        'order',
        'orderAlone',
        'exchanged',
        'deliveryNote',
        'customerNumber',
        'proForma',
        'selfBilling',
        'factor',
        'archive',
        'reminder',
        'orderAndName',
        'deliveryNet',
      ),
      ...slipsNamed(
        related,
        'again',
        'nextDay',
        'swappedDate',
        'printed',
        'prefixLost',
        'prefixLetterLost',
        'prefixSwapped',
        'dropped',
        'doubled',
        'swapped',
        'misread',
        'letter',
        'suffix',
        'yearLost',
        'monthSlipped',
        'amountSwapped',
        'decimalSlip',
        'netForGross',
        'speltNoId',
        'upperNoForm',
        'accountAndNumber',
        'numberAndDate',
        'numberAndAmount',
        'otherCompany',
        'otherCurrency',
        'split',
      ),
    ],
    Math.round(book.drafts.length * 0.045),
    '2024-07-01',
  );
  return billsOf(book);
}

function currencyIn(land: Land): string {
  return land === 'CH' ? 'CHF' : land === 'CZ' ? 'CZK' : 'EUR';
}

type MakeSupplier = (
  land: 'DE' | 'AT' | 'CH' | 'CZ' | 'IT',
  trade: string,
  options?: { currency?: string; vat?: number },
) => Trader;

/** Adds correct test bills of the factory that look like copies or fraud. */
function honest(book: Book, random: Random, supplier: MakeSupplier, order: () => string | undefined): void {
  // Adds test bills for an order of which each half is delivered by a separate lorry: equal amounts on one day, with
  // separate delivery notes.
  const wire = supplier('DE', 'Drahtwerk');
  const wireNumber = running(random, 60_410, 2, (n) => `DR${n}`);
  for (const date of irregular(random, FROM, TO, 38)) {
    const net = random.integer(210_000, 480_000);
    const reference = order();
    for (let i = 0; i < random.integer(2, 3); i += 1)
      book.add(wire, {
        number: wireNumber(date),
        date,
        net,
        order: reference,
        recurs: true,
        hardNegative: 'equal loads of one order on one day',
      });
  }
  // Adds the test bills of a security company, one for each site, with the same amount and neighbouring numbers.
  const guard = supplier('DE', 'Wachschutz');
  const guardNumber = restarting(random, 0.6, 4, (n, d) => `${d.slice(0, 4)}-${pad(n, 4)}`);
  for (const date of everyMonths(random, FROM, TO, { day: 28 }))
    for (let site = 0; site < 3; site += 1)
      book.add(guard, {
        number: guardNumber(date),
        date,
        net: 184_000,
        recurs: true,
        hardNegative: 'one bill for each site',
      });
  // Adds test bills for a machine that is paid in instalments: one contract and four equal parts.
  const press = supplier('AT', 'Pressenbau');
  for (let contract = 0; contract < 5; contract += 1) {
    const net = random.integer(900_000, 2_900_000);
    const first = addDays(FROM, 60 + contract * 140);
    for (let part = 1; part <= 4; part += 1) {
      const date = workday(addDays(first, (part - 1) * 42));
      if (date < TO)
        book.add(press, {
          number: `AZ-${24_310 + contract * 17}/${part}`,
          date,
          net,
          order: `45000${98_000 + contract}`,
          recurs: true,
          hardNegative: 'instalments of one contract',
        });
    }
  }
  // Adds two test bills for a machine, a deposit and a final bill, each for half of the price.
  const tooling = supplier('CH', 'Formenbau');
  const toolNumber = running(random, 4_120, 0.5, (n) => `T-${n}`);
  for (const date of irregular(random, FROM, TO, 70)) {
    const net = random.integer(400_000, 1_900_000);
    const reference = order();
    book.add(tooling, {
      number: toolNumber(date),
      date,
      net,
      order: reference,
      recurs: true,
      hardNegative: 'deposit and final half',
    });
    const final = workday(addDays(date, random.integer(30, 55)));
    if (final < TO)
      book.add(tooling, {
        number: toolNumber(final),
        date: final,
        net,
        order: reference,
        recurs: true,
        hardNegative: 'deposit and final half',
      });
  }
  // Adds the test bills of a crane hire company, which bills the wrong party, credits that bill and issues it again
  // under another number.
  const crane = supplier('DE', 'Kranverleih');
  const craneNumber = running(random, 30_900, 1.5, (n) => `KV-${n}`);
  irregular(random, FROM, TO, 24).forEach((date, i) => {
    const net = random.integer(60_000, 290_000);
    const reference = order();
    const first = book.add(crane, { number: craneNumber(date), date, net, order: reference, companyId: COMPANY });
    if (i % 4 !== 2) return;
    const credit = workday(addDays(date, 6));
    book.add(crane, {
      number: `G${craneNumber(credit)}`,
      date: credit,
      net: -net,
      order: reference,
      hardNegative: 'credit note',
      companyId: COMPANY,
      arrival: addDays(credit, 1),
    });
    const next = workday(addDays(credit, 4));
    book.add(crane, {
      number: craneNumber(next),
      date: next,
      net,
      order: reference,
      recurs: true,
      hardNegative: 'issued again after credit',
      companyId: COMPANY,
      arrival: [addDays(next, 2), addDays(first.arrival, 12)].sort()[1] ?? next,
    });
  });
  // Adds the test bills of a software supplier, which often sends the factory a second bill in a month, with the suffix
  // -2.
  const software = supplier('DE', 'Software');
  for (const date of everyMonths(random, FROM, TO, { day: 12 })) {
    const month = `${date.slice(0, 7)}`;
    book.add(software, {
      number: `W-1180/${month}`,
      date,
      net: 41_900,
      recurs: true,
      hardNegative: 'a second bill of the month, -2',
    });
    if (random.chance(0.6))
      book.add(software, {
        number: `W-1180/${month}-2`,
        date,
        net: 41_900,
        recurs: true,
        hardNegative: 'a second bill of the month, -2',
      });
  }
  // Adds test bills for many leases that have the same amount and are billed on one day.
  const lease = supplier('DE', 'Leasing');
  const leaseNumber = running(random, 8_100_200, 40, (n) => String(n));
  for (const date of everyMonths(random, FROM, TO, { day: 1 }))
    for (let car = 0; car < 4; car += 1)
      book.add(lease, {
        number: leaseNumber(date),
        date,
        net: 38_890,
        recurs: true,
        hardNegative: 'leases of one rate',
      });
  // Adds test bills for yearly contracts, whose numbers differ only in the year.
  for (const trade of ['Prüfdienst', 'Brandschutz', 'Versicherungsmakler']) {
    const yearly = supplier('DE', trade, trade === 'Versicherungsmakler' ? { vat: 0 } : {});
    const net = random.integer(80_000, 700_000);
    for (const year of [2024, 2025, 2026])
      for (let k = 1; k <= 3; k += 1)
        book.add(yearly, {
          number: `${year}-${k}0${k}7`,
          date: `${year}-0${k}-1${k}`,
          net: net * k,
          recurs: true,
          hardNegative: 'the same contract, another year',
        });
  }
  // Adds the test bills of a cleaner, who numbers them from 1 each year, without the year in the number.
  const cleaning = supplier('DE', 'Gebäudereinigung');
  book.stream({
    trader: cleaning,
    dates: everyMonths(random, FROM, TO, { day: 27 }),
    number: restarting(random, 0.12, 4, (n) => `${n}`),
    net: fixed(2_310),
    recurs: true,
    hardNegative: 'numbers from 1 each year',
  });
  // Adds test bills for a weekly canteen fee, whose invoice numbers contain the number of the week.
  const canteen = supplier('DE', 'Catering', { vat: 70 });
  book.stream({
    trader: canteen,
    dates: everyDays('2024-01-05', TO, 7),
    number: (date) =>
      `KW${two(Math.min(53, Math.ceil((1 + (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 86_400_000) / 7)))}-${date.slice(0, 4)}`,
    net: fixed(486),
    recurs: true,
    hardNegative: 'weekly fee',
  });
  // Adds the test bills of an agency for two temporary workers who have the same shifts: equal hours and neighbouring
  // invoice numbers.
  const agency = supplier('DE', 'Arbeitskräfte');
  const agencyNumber = running(random, 51_004, 9, (n) => `R${n}`);
  for (const date of everyDays('2024-01-08', TO, 7)) {
    const net = random.integer(120, 160) * 832;
    for (let person = 0; person < random.integer(1, 3); person += 1)
      book.add(agency, {
        number: agencyNumber(date),
        date,
        net,
        recurs: true,
        hardNegative: 'equal hours of several people',
      });
  }
  // Adds the similar test bills of two sister companies of one group.
  const north = supplier('DE', 'Recycling Nord');
  const sisterBase = north.name.split(' ')[0] ?? '';
  const south: Trader = { ...traderOf(random, 'DE', north.name.replace('Nord', 'Süd'), { vat: 190, taxIdShare: 1 }) };
  for (const [trader, start] of [
    [{ ...north, name: `${sisterBase} Recycling Nord GmbH` }, 410],
    [{ ...south, name: `${sisterBase} Recycling Süd GmbH` }, 388],
  ] as const) {
    const habit = running(random, start, 0.1, (n, d) => `${d.slice(0, 4)}/${n}`);
    for (const date of everyMonths(random, FROM, TO, { day: 28 }))
      book.add(trader, {
        number: habit(date),
        date,
        net: 57_500,
        recurs: true,
        hardNegative: 'sister companies, one amount and day',
      });
  }
  // Adds the test bills of a landlord, who sometimes charges the factory the rent of two months on one day.
  const rent = supplier('DE', 'Hallenvermietung');
  everyMonths(random, FROM, TO, { day: 2 }).forEach((date, i) => {
    const billed = i % 6 === 5 ? date : i % 6 === 4 ? addDays(date, 31) : date;
    book.add(rent, {
      number: `Miete ${date.slice(5, 7)}/${date.slice(0, 4)}`,
      date: billed,
      net: 640_000,
      recurs: true,
      hardNegative: 'two months billed on one day',
    });
  });
  // Adds the test bills of a supplier that sends the factory no bill for a year, so that the next one comes after a
  // long pause.
  const rare = supplier('DE', 'Sondermaschinen');
  const rareNumber = running(random, 2_011, 0.3, (n) => `SM-${n}`);
  for (const date of [...everyDays('2024-01-20', '2024-10-01', 28), '2026-01-19']) {
    const added = book.add(rare, { number: rareNumber(date), date, net: random.integer(90_000, 160_000) });
    if (date === '2026-01-19')
      book.replace(added, {
        ...added,
        anomaly: { name: 'silent for a year', expected: ['SUPPLIER_DORMANT_REACTIVATED'] },
      });
  }
  // Adds test bills for three purchases from one supplier that are just below the approval limit.
  const fixtures = supplier('AT', 'Vorrichtungsbau');
  const fixtureNumber = running(random, 7_300, 0, (n) => `V${n}`);
  for (const date of irregular(random, FROM, '2025-08-01', 25))
    book.add(fixtures, { number: fixtureNumber(date), date, net: random.integer(380_000, 720_000) });
  (['2025-09-08', '2025-09-10', '2025-09-12'] as const).forEach((date, i) => {
    const added = book.add(fixtures, {
      number: fixtureNumber(date),
      date,
      net: [973_100, 961_840, 984_350][i] ?? 0,
      hardNegative: 'first bills of a split purchase',
      arrival: addDays(date, 1),
    });
    if (i === 2) {
      const { hardNegative: _, ...split } = added;
      book.replace(added, {
        ...split,
        anomaly: { name: 'three bills under the limit', expected: ['SPLIT_BELOW_THRESHOLD'] },
      });
    }
  });
}

const COMPANY = '0192a000-0000-7000-8000-00000000c001';
