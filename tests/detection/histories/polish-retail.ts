// Creates the test bills of a chain of grocery shops in the south of Poland. It buys food, packaging, marketing,
// transport and leasing and pays rents; many of its small suppliers have the names of persons.
import { addDays } from '@invoicecontrol/values/calendar-date';
import { companies } from '../bill.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import {
  everyDays,
  everyMonths,
  fixed,
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
import { ibanIn, taxIdIn } from './registers/registers.js';
import { plantAnomalies, plantCopies, related, slipsNamed, unrelated } from './registers/slips.js';

const FROM = '2024-02-01';
const TO = '2026-05-31';

const surnames =
  'Adamczyk Bieniek Chmielewski Dudzik Ejsmont Figura Gajewski Hudziak Jurkowski Kaczmarek Lipiński Makowiecki Niedziela Ogrodnik Pawlikowski Rogala Sobczyk Tarnawski Urbaniak Wachowicz Zieliński Baranowska Ciesielska Drozd Fabisiak Głowacka Jaskólska Kwiecień Ligęza Mroczek Nalepa Orzechowska Piwowarczyk Rybak Stępniewska Tokarz Wrona Żurawska Błaszczyk Czapla Dębicki Gruszka Koziołek Łukasik Majcher Osiński Pietrzak Rzepka Słowik Trzaska Węgrzyn Zając Bobrowski Cebula Gołąb Kmiecik Wilczek Skowron Bednarz Stolarz'.split(
    ' ',
  );
const forenames =
  'Anna Bartosz Celina Dariusz Elżbieta Filip Grażyna Henryk Iwona Jacek Katarzyna Leszek Magdalena Norbert Oliwia Paweł Renata Sylwester Teresa Wojciech'.split(
    ' ',
  );
const brands =
  'Beskidex Polmlek_Podhale Wadowianka Krakpol Silesia_Pak Tatropol Karpatia Wisłoka Olkuszanka Jurapak Zagłębiak Soleczna Dunajec Rabanex Skawinex Bochniak Limanex Sądeczanka Gorczan Pieninex Orawex Podhalex Spiszanka Myślenex Chrzanex Trzebinex Libiążex Kętex Żywczanka Andrychex'
    .split(' ')
    .map((name) => name.replace('_', ' '));

export function polishRetail(random: Random): Bill[] {
  const book = openBook(random, 'pl');
  const orders = orderDesk(random, (n) => `ZAM/${n}/H`, 20_113);
  const people = shuffled(random, surnames);
  const firms = shuffled(random, brands);
  const person = (trade: string, vat = 230): Trader => {
    const fullName = `${random.pick(forenames)} ${people.pop() ?? 'Kowal'}`;
    return traderOf(random, 'PL', random.chance(0.5) ? `${trade} ${fullName}` : `${fullName} ${trade}`, {
      vat,
      taxIdShare: 0.82,
      terms: random.pick([7, 14, 14, 21]),
    });
  };
  const firm = (trade: string, vat = 230, currency = 'PLN'): Trader =>
    traderOf(
      random,
      'PL',
      `${firms.pop() ?? 'Polex'} ${trade} ${random.pick(['Sp. z o.o.', 'Sp. z o.o.', 'S.A.', 'Sp. j.'])}`,
      { vat, currency, taxIdShare: 0.96 },
    );

  // Adds test bills of bakers, dairies, greengrocers and butchers, who charge 5 or 8 % VAT and send several bills a
  // week.
  for (const [trade, vat, typical, gap] of [
    ['Piekarnia', 50, 420, 5],
    ['Cukiernia', 80, 310, 8],
    ['Ubojnia', 50, 1900, 7],
    ['Warzywa i Owoce', 50, 680, 4],
    ['Pasieka', 50, 540, 30],
    ['Gospodarstwo Rolne', 0, 730, 11],
    ['Masarnia', 50, 1250, 6],
    ['Rybna', 50, 880, 12],
    ['Zielarnia', 80, 260, 26],
    ['Piekarnia', 50, 510, 6],
    ['Ferma Drobiu', 50, 1400, 9],
    ['Sady', 50, 960, 16],
  ] as const) {
    book.stream({
      trader: person(trade, vat),
      dates: irregular(random, FROM, TO, gap),
      number: someHabit(random, 'pl'),
      net: odd(random, typical),
      order: random.chance(0.3) ? orders.each(0.8) : () => undefined,
      billedAgain: 0.006,
    });
  }
  for (const [trade, vat, typical, gap] of [
    ['Mleczarnia', 50, 3300, 7],
    ['Hurtownia', 80, 5200, 8],
    ['Napoje', 230, 4100, 9],
    ['Makarony', 50, 1800, 20],
    ['Chemia', 230, 2600, 13],
    ['Słodycze', 80, 2900, 12],
    ['Przyprawy', 80, 900, 25],
    ['Mrożonki', 50, 3700, 11],
    ['Kawa', 230, 2200, 17],
    ['Import', 80, 6400, 18],
  ] as const) {
    book.stream({
      trader: firm(trade, vat),
      dates: irregular(random, FROM, TO, gap),
      number: someHabit(random, 'pl'),
      net: odd(random, typical),
      order: orders.each(0.93),
      billedAgain: 0.006,
    });
  }
  // Adds test bills of suppliers of packaging, who charge the grocery shops by price lists.
  for (const trade of ['Opakowania', 'Folie', 'Etykiety', 'Kartony']) {
    book.stream({
      trader: firm(trade),
      dates: irregular(random, FROM, TO, 13),
      number: someHabit(random, 'pl'),
      net: priceList(random, [18.4, 32.9, 47.5, 61.2, 120, 244.8], [5, 10, 20, 25, 50]),
      order: orders.each(0.85),
      recurs: true,
    });
  }
  // Adds test bills of private persons who let the shops for a fixed monthly amount with indexation. Their invoice
  // numbers contain the month.
  for (let shop = 0; shop < 8; shop += 1) {
    book.stream({
      trader: person('Najem', random.pick([0, 230])),
      dates: everyMonths(random, FROM, TO, { day: random.integer(1, 5) }),
      number: restarting(random, 0.04, 4, (_n, d) => `${random.pick(['1'])}/${d.slice(5, 7)}/${d.slice(0, 4)}`),
      net: fixed(2600 + 350 * shop, 0.05),
      recurs: true,
    });
  }
  // Adds test bills of private persons for repairs, marketing, cleaning and bookkeeping, with irregular or round
  // amounts.
  for (const trade of [
    'Usługi Remontowe',
    'Serwis Chłodniczy',
    'Elektryka',
    'Hydraulika',
    'Ogrody',
    'Transport',
    'Transport',
    'Usługi Transportowe',
    'Grafika',
    'Fotografia',
    'Szkolenia BHP',
    'Ślusarstwo',
  ]) {
    book.stream({
      trader: person(trade, random.pick([0, 80, 230, 230])),
      dates: irregular(random, FROM, TO, random.pick([9, 15, 24])),
      number: someHabit(random, 'pl'),
      net: odd(random, random.pick([340, 780, 1600]), 0.9),
      billedAgain: 0.008,
    });
  }
  for (const trade of ['Marketing', 'Media', 'Reklama']) {
    book.stream({
      trader: firm(trade),
      dates: everyMonths(random, FROM, TO, { day: 25, jitter: 3 }),
      number: someHabit(random, 'pl'),
      net: odd(random, 6400, 1.1),
      order: orders.each(0.6),
      billedAgain: 0.02,
    });
  }
  // Adds test bills of carriers, who charge by route, and of parcel services, which charge by week.
  for (const trade of ['Logistyka', 'Spedycja', 'Kurier', 'Chłodnie']) {
    const routes = Array.from({ length: 18 }, () => random.integer(22_000, 190_000));
    book.stream({
      trader: firm(trade, 230, trade === 'Spedycja' ? 'EUR' : 'PLN'),
      dates: irregular(random, FROM, TO, 6),
      number: someHabit(random, 'pl'),
      net: () => random.pick(routes),
      recurs: true,
    });
  }
  // Adds test bills for power and gas, which are charged for each meter of a shop.
  const power = firm('Energia');
  for (let meter = 0; meter < 4; meter += 1) {
    const site = 31_200_400 + 1_117 * meter;
    book.stream({
      trader: power,
      dates: everyMonths(random, FROM, TO, { day: 8 + meter }),
      number: (date) => `${site}/${date.slice(2, 4)}/${date.slice(5, 7)}F`,
      net: seasonal(random, 2100 + 600 * meter),
    });
  }
  book.stream({
    trader: firm('Gaz'),
    dates: everyMonths(random, FROM, TO, { day: 17 }),
    number: running(random, 700_210_000, 9_113, (n) => `P/${n}/0001/${two(n % 90)}`),
    net: seasonal(random, 3300),
  });
  // Adds test bills of the accountant, the alarm service and the software supplier, who charge round monthly fees.
  for (const [trade, net] of [
    ['Biuro Rachunkowe', 1800],
    ['Ochrona', 2450],
    ['Kasy Fiskalne', 369],
    ['Odpady', 540.5],
    ['Internet', 129.9],
  ] as const) {
    book.stream({
      trader: firm(trade),
      dates: everyMonths(random, FROM, TO, { day: random.integer(3, 26) }),
      number: someHabit(random, 'pl'),
      net: fixed(net, 0.06),
      recurs: true,
    });
  }

  honest(book, random, person, firm);
  plantAnomalies(
    book,
    random,
    [
      'accountChanged',
      'accountForged',
      'accountInvalid',
      'outlier',
      'totals',
      'rate',
      'badTaxId',
      'otherTaxId',
      'otherName',
      'dueBefore',
      'foreignOrder',
      'numberReused',
      'lookalike',
      'currency',
      'bankAbroad',
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
        'factor',
        'archive',
        'reminder',
        'fileName',
        'deliveryNet',
        'selfBilling',
      ),
      ...slipsNamed(
        related,
        'again',
        'nextDay',
        'printed',
        'label',
        'dropped',
        'doubled',
        'swapped',
        'misread',
        'suffix',
        'yearLost',
        'reordered',
        'monthSlipped',
        'monthCut',
        'amountSwapped',
        'withoutCents',
        'netForGross',
        'speltNoId',
        'upperNoForm',
        'noAccount',
        'nameAndNumber',
        'numberAndDate',
        'otherCompany',
        'split',
      ),
    ],
    Math.round(book.drafts.length * 0.038),
    '2024-08-01',
  );
  return billsOf(book);
}

/** Adds correct test bills of the shops that look like copies or fraud. */
function honest(
  book: Book,
  random: Random,
  person: (trade: string, vat?: number) => Trader,
  firm: (trade: string, vat?: number, currency?: string) => Trader,
): void {
  // Adds the test bills of a married couple that lets one shop to the company. Each spouse bills half of the rent, with
  // the same number, amount and day.
  const wife: Trader = { ...traderOf(random, 'PL', 'Krystyna Zawadzka Najem', { vat: 230, taxIdShare: 1 }) };
  const husband: Trader = {
    ...wife,
    name: 'Marek Zawadzki Najem',
    taxId: taxIdIn('PL', random),
    account: { iban: ibanIn('PL', random) },
  };
  for (const date of everyMonths(random, FROM, TO, { day: 4 })) {
    for (const trader of [wife, husband])
      book.add(trader, {
        number: `1/${date.slice(5, 7)}/${date.slice(0, 4)}`,
        date,
        net: 245_000,
        recurs: true,
        hardNegative: 'a couple bills half the rent each',
      });
  }
  // Adds the test bills of a bakery that delivers crates of one size to three shops on one day, at the same price.
  const bakery = person('Piekarnia Rzemieślnicza', 50);
  const bakeryNumber = restarting(random, 4, 7, (n, d) => `FV/${n}/${d.slice(5, 7)}/${d.slice(0, 4)}`);
  for (const date of everyDays('2024-02-05', TO, 7)) {
    const net = 6_300 * random.integer(3, 7);
    for (let shop = 0; shop < 3; shop += 1)
      book.add(bakery, { number: bakeryNumber(date), date, net, recurs: true, hardNegative: 'one bill for each shop' });
  }
  // Adds the test bills of a leasing company, which bills each leased car separately.
  const lease = firm('Leasing');
  for (const [i, date] of everyMonths(random, FROM, TO, { day: 1 }).entries()) {
    for (let car = 1; car <= 3; car += 1)
      book.add(lease, {
        number: `L/${4470 + car}/${pad(i + 1, 3)}/${date.slice(0, 4)}`,
        date,
        net: 112_740,
        recurs: true,
        hardNegative: 'leases of one rate',
      });
  }
  // Adds the test bills of a supplier of shop fittings, who charges in instalments.
  const fittings = firm('Wyposażenie Sklepów');
  for (let contract = 0; contract < 6; contract += 1) {
    const net = random.integer(310_000, 1_400_000);
    for (let part = 1; part <= 3; part += 1) {
      const date = workday(addDays('2024-03-11', contract * 120 + part * 30));
      if (date < TO)
        book.add(fittings, {
          number: `FV ${110 + contract * 9}/${date.slice(0, 4)} rata ${part}`,
          date,
          net,
          recurs: true,
          hardNegative: 'instalments of one contract',
        });
    }
  }
  // Adds two test bills of a joiner for one job: a deposit and a final amount.
  const joiner = person('Stolarnia');
  const joinerNumber = restarting(random, 0.3, 4, (n, d) => `${n}/${d.slice(0, 4)}`);
  for (const date of irregular(random, FROM, TO, 64)) {
    const net = random.integer(190_000, 720_000);
    for (const on of [date, workday(addDays(date, 33))])
      if (on < TO)
        book.add(joiner, {
          number: joinerNumber(on),
          date: on,
          net,
          recurs: true,
          hardNegative: 'deposit and final half',
        });
  }
  // Adds the test bills of a dairy, which corrects a bill to zero and issues it again under a new number.
  const dairy = firm('Sery', 50);
  const dairyNumber = restarting(random, 1, 4, (n, d) => `FS-${n}/${d.slice(2, 4)}`);
  irregular(random, FROM, TO, 17).forEach((date, i) => {
    const net = random.integer(70_000, 340_000);
    const first = book.add(dairy, { number: dairyNumber(date), date, net, companyId: companies.main });
    if (i % 5 !== 3) return;
    const credit = workday(addDays(date, 7));
    book.add(dairy, {
      number: `KOR-${first.number}`,
      date: credit,
      net: -net,
      hardNegative: 'credit note',
      companyId: companies.main,
      arrival: addDays(credit, 1),
    });
    const next = workday(addDays(credit, 2));
    book.add(dairy, {
      number: dairyNumber(next),
      date: next,
      net,
      recurs: true,
      hardNegative: 'issued again after credit',
      companyId: companies.main,
      arrival: [addDays(next, 3), addDays(first.arrival, 13)].sort()[1] ?? next,
    });
  });
  // Adds the test bills of the waterworks, which use the contract number as the invoice number.
  const water = firm('Wodociągi', 80);
  book.stream({
    trader: water,
    dates: everyMonths(random, FROM, TO, { day: 15 }),
    number: () => '1100/W/2231',
    net: fixed(318.6, 0.07),
    recurs: true,
    hardNegative: 'contract number as the number',
  });
  const phone = firm('Telekom');
  book.stream({
    trader: phone,
    dates: everyMonths(random, FROM, TO, { day: 21 }),
    number: () => phone.customerNumber,
    net: odd(random, 940, 0.4),
    hardNegative: 'customer number as the number, metered amounts',
  });
  // Adds the test bills of one insurer for many policies with the same premium.
  const insurer = firm('Ubezpieczenia', 0);
  for (const year of [2024, 2025, 2026])
    for (let policy = 0; policy < 7; policy += 1)
      book.add(insurer, {
        number: `PO${10_477_120 + policy * 31 + (year - 2024) * 5_003}`,
        date: `${year}-03-12`,
        net: 64_200,
        recurs: true,
        hardNegative: 'policies of one premium',
      });
  // Adds weekly test bills of a cleaner. The invoice numbers restart each year and do not contain the year.
  const cleaner = person('Sprzątanie', 0);
  book.stream({
    trader: cleaner,
    dates: everyDays('2024-02-02', TO, 7),
    number: restarting(random, 0.14, 4, (n) => `${n}`),
    net: fixed(560),
    recurs: true,
    hardNegative: 'weekly fee, numbers from 1 each year',
  });
  // Adds the test bills of an alarm company, which sometimes charges the shops for two months on one day.
  const alarm = firm('Monitoring');
  everyMonths(random, FROM, TO, { day: 6 }).forEach((date, i) => {
    const billed = i % 5 === 3 ? addDays(date, 30) : date;
    book.add(alarm, {
      number: `M/${date.slice(5, 7)}/${date.slice(0, 4)}`,
      date: billed,
      net: 18_900,
      recurs: true,
      hardNegative: 'two months billed on one day',
    });
  });
  // Adds the test bills of a carrier, who often sends the shops a second bill on the same day, with the suffix /2.
  const carrier = person('Przewozy');
  for (const date of new Set(irregular(random, FROM, TO, 6))) {
    const net = random.pick([38_000, 42_000, 55_000]);
    const number = `${date.slice(8)}${date.slice(5, 7)}/${date.slice(2, 4)}`;
    book.add(carrier, { number: `${number}/1`, date, net, recurs: true, hardNegative: 'second trip of the day, /2' });
    if (random.chance(0.5))
      book.add(carrier, { number: `${number}/2`, date, net, recurs: true, hardNegative: 'second trip of the day, /2' });
  }
  // Adds the test bills of a father and his son, whose companies have nearly the same name, but different ids and
  // accounts.
  const father = traderOf(random, 'PL', 'Stanisław Bukowiec Transport', { vat: 230, taxIdShare: 1 });
  const son = traderOf(random, 'PL', 'Tomasz Bukowiec Transport', { vat: 230, taxIdShare: 1 });
  for (const [trader, start] of [
    [father, 51],
    [son, 77],
  ] as const) {
    book.stream({
      trader,
      dates: irregular(random, FROM, TO, 18),
      number: restarting(random, 0.1, 4, (n, d) => `${n + start}/${d.slice(0, 4)}`),
      net: () => random.pick([90_000, 120_000, 135_000]),
      recurs: true,
      hardNegative: 'father and son at one price',
    });
  }
  // Adds test bills for a franchise fee that the shops pay every quarter.
  const franchise = firm('Franczyza', 230, 'EUR');
  book.stream({
    trader: franchise,
    dates: everyMonths(random, FROM, TO, { months: 3, day: 2 }),
    number: (date) => `Q${Math.ceil(Number(date.slice(5, 7)) / 3)}/${date.slice(0, 4)}`,
    net: fixed(4500),
    recurs: true,
    hardNegative: 'the fee of each quarter',
  });
  // Adds the test bills of a supplier of Christmas trees, who bills the shops only in December.
  const trees = person('Choinki', 80);
  for (const year of [2024, 2025])
    for (let k = 1; k <= 6; k += 1)
      book.add(trees, {
        number: `${k}/12/${year}`,
        date: `${year}-12-${two(k * 3)}`,
        net: random.integer(110_000, 240_000),
        hardNegative: 'once a year in season',
      });
  // Adds the test bills of a repairer of scales, who sends the shops no bill for a year, so that the next one comes
  // after a long pause.
  const rare = person('Serwis Wag');
  const rareNumber = restarting(random, 0.2, 4, (n, d) => `${n}/S/${d.slice(0, 4)}`);
  for (const date of [...everyDays('2024-02-20', '2024-11-01', 21), '2026-02-10']) {
    const added = book.add(rare, { number: rareNumber(date), date, net: random.integer(40_000, 90_000) });
    if (date === '2026-02-10')
      book.replace(added, {
        ...added,
        anomaly: { name: 'silent for a year', expected: ['SUPPLIER_DORMANT_REACTIVATED'] },
      });
  }
}
