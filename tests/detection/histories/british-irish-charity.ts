// Creates the test bills of a charity with an English and an Irish company. The bills, in pounds and euros, come from
// training, utilities, agencies, venues, insurers and partners that receive grants.
import { addDays } from '@invoicecontrol/values/calendar-date';
import { companies } from '../bill.js';
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
import { plantAnomalies, plantCopies, related, slipsNamed, unrelated } from './registers/slips.js';

const FROM = '2024-01-08';
const TO = '2026-06-20';

const british =
  'Aldersley Birkbeck Cottesmore Danbrook Eastleigh Farringford Greystoke Harcastle Inglewood Jessop Kirkby Lambourne Melksham Northcott Oakhanger Pemberley Quarndon Rothbury Selwood Tattersall Underhill Venables Wetherden Yarrowby Ashbourne Blackthorn Crosfield Derwent Ellingham Fenwick Gisburn Holmewood Ivinghoe Kettleshaw Lyddington Marchmont Netherby Osmaston Prestbury Ravensden Stanhope Thornaby Uppingham Wensley Yelverton Amberley Bramcote Chilworth Dovedale Elmstead Frensham Goodnestone Hartpury Ilmington Kedleston Longstock Mapperley'.split(
    ' ',
  );
const irish =
  'Ballymore Carrigeen Drumcliff Ennisroe Fermoyle Glencullen Inishglora Kilbracken Lisnaskea Moyvalley Rathcoole Shanagarry Tullaroan Clonsilla Dunboyne'.split(
    ' ',
  );

export function britishIrishCharity(random: Random): Bill[] {
  const book = openBook(random, 'gb');
  const orders = orderDesk(random, (n) => `PO${pad(n, 6)}`, 3_120);
  const names = { GB: shuffled(random, british), IE: shuffled(random, irish) };
  const supplier = (land: 'GB' | 'IE', trade: string, vat?: number): Trader =>
    traderOf(
      random,
      land,
      `${names[land].pop() ?? `Wold ${digits(random, 3)}`} ${trade} ${land === 'IE' ? random.pick(['Ltd', 'Limited', 'CLG']) : random.pick(['Ltd', 'Ltd', 'Limited', 'LLP', 'plc'])}`,
      {
        vat: vat ?? (land === 'GB' ? 200 : 230),
        account: land === 'GB' && random.chance(0.65) ? 'uk' : 'iban',
        terms: random.pick([7, 14, 30, 30, 30]),
        taxIdShare: 0.97,
      },
    );

  // Adds test bills of trainers, designers and consultants, who charge the charity irregular amounts.
  for (const [land, trade, typical, gap] of [
    ['GB', 'Training', 870, 12],
    ['GB', 'Safeguarding Training', 1240, 18],
    ['IE', 'Training', 930, 16],
    ['GB', 'Design', 1480, 20],
    ['GB', 'Print', 620, 9],
    ['IE', 'Print', 540, 14],
    ['GB', 'Consulting', 3900, 24],
    ['GB', 'Research', 5600, 30],
    ['IE', 'Evaluation', 4100, 33],
    ['GB', 'Translation', 390, 8],
    ['GB', 'Legal', 2700, 22],
    ['IE', 'Solicitors', 2100, 28],
    ['GB', 'IT Support', 990, 13],
    ['GB', 'Media', 1700, 19],
    ['GB', 'Events', 3300, 26],
  ] as const) {
    book.stream({
      trader: supplier(land, trade),
      dates: irregular(random, FROM, TO, gap),
      number: someHabit(random, 'uk'),
      net: odd(random, typical, 0.9),
      order: random.chance(0.7) ? orders.each(0.9) : () => undefined,
      billedAgain: 0.01,
    });
  }
  // Adds test bills of shops and travel agents from which the charity buys supplies and tickets.
  for (const [land, trade, gap] of [
    ['GB', 'Stationers', 8],
    ['GB', 'Catering', 6],
    ['IE', 'Catering', 9],
    ['GB', 'Coaches', 11],
    ['GB', 'Food Supplies', 5],
    ['IE', 'Coaches', 19],
    ['GB', 'Furniture', 34],
    ['GB', 'Clothing', 29],
    ['GB', 'Medical', 15],
  ] as const) {
    book.stream({
      trader: supplier(land, trade),
      dates: irregular(random, FROM, TO, gap),
      number: someHabit(random, 'uk'),
      net: odd(random, random.pick([160, 420, 880])),
      order: orders.each(0.8),
      billedAgain: 0.005,
    });
  }
  // Adds test bills of agencies, which charge the charity for hours by week, with one bill for each worker.
  for (const rate of [18.75, 22.4, 27.15]) {
    book.stream({
      trader: supplier('GB', random.pick(['Care Staffing', 'Social Work Agency', 'Recruitment'])),
      dates: everyDays(addDays(FROM, 4), TO, 7),
      number: someHabit(random, 'uk'),
      net: hours(random, rate, 12, 80),
      order: orders.blanket(13),
      recurs: true,
    });
  }
  // Adds test bills of suppliers that charge the charity by price lists: books, postage, translation blocks, DBS
  // checks.
  for (const [trade, prices] of [
    ['Books', [8.99, 12.5, 14.99, 25]],
    ['Postage', [110, 165, 220]],
    ['Criminal Record Checks', [21.5, 43, 49.5]],
    ['First Aid', [34, 58, 96]],
  ] as const) {
    book.stream({
      trader: supplier('GB', trade),
      dates: irregular(random, FROM, TO, 9),
      number: someHabit(random, 'uk'),
      net: priceList(random, prices, [4, 6, 8, 12, 20]),
      recurs: true,
    });
  }
  // Adds test bills of utilities for metered use, with long invoice numbers and 5 % VAT for the charity.
  for (let site = 0; site < 6; site += 1) {
    const land = site < 4 ? 'GB' : 'IE';
    const trader = supplier(land, random.pick(['Energy', 'Power', 'Gas']), site < 4 ? 50 : 90);
    const account = digits(random, 8);
    book.stream({
      trader,
      dates: everyMonths(random, FROM, TO, { day: 5 + site * 3 }),
      number:
        site % 2 === 0
          ? running(random, 200_310_400 + site * 7_000_000, 31_007, (n) => String(n))
          : (date) => `${account}/${date.slice(0, 7)}`,
      net: seasonal(random, 430 + 190 * site),
    });
  }
  for (const [trade, net] of [
    ['Broadband', 54],
    ['Payroll', 186],
    ['Cloud', 612.4],
    ['Waste', 88.5],
    ['Pest Control', 71],
  ] as const) {
    book.stream({
      trader: supplier('GB', trade),
      dates: everyMonths(random, FROM, TO),
      number: someHabit(random, 'uk'),
      net: fixed(net, 0.04),
      recurs: true,
    });
  }
  // Adds test bills of partners of the charity, who bill their grants every quarter, without tax.
  for (let partner = 0; partner < 7; partner += 1) {
    const trader = supplier(
      partner < 5 ? 'GB' : 'IE',
      random.pick(['Foundation', 'Community Trust', 'Youth Project']),
      0,
    );
    book.stream({
      trader,
      dates: everyMonths(random, FROM, TO, { months: 3, day: 10 + partner }),
      number:
        partner % 2 === 0
          ? (date) => `GRANT Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`
          : someHabit(random, 'uk'),
      net: fixed(5000 + 2500 * partner),
      recurs: true,
      hardNegative: 'the grant of each quarter',
    });
  }
  // Adds test bills of sole traders who charge the charity no tax.
  for (const name of [
    'Megan Pryce',
    'Callum Ferris',
    'Siobhán Keane',
    'Rosalind Utting',
    'Devon Achebe',
    'Tilda Marsh',
    'Padraig Mullins',
    'Gwyneth Rees',
  ]) {
    const trader = traderOf(random, name === 'Siobhán Keane' || name === 'Padraig Mullins' ? 'IE' : 'GB', name, {
      vat: 0,
      taxIdShare: 0,
      account: name.includes('P') ? 'iban' : 'uk',
      terms: 14,
    });
    book.stream({
      trader,
      dates: irregular(random, FROM, TO, 17),
      number: running(random, random.integer(1, 160), 0.08, (n) => (random.chance(1) ? `${n}` : '')),
      net: odd(random, random.pick([180, 320, 540]), 0.8),
    });
  }

  honest(book, random, supplier, orders.each());
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
      'terms',
      'foreignOrder',
      'numberReused',
      'lookalike',
      'currency',
      'sharedAccount',
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
        'reminder',
        'archive',
        'meter',
        'fileName',
        'factor',
        'orderAndName',
      ),
      ...slipsNamed(
        related,
        'again',
        'nextDay',
        'swappedDate',
        'printed',
        'label',
        'prefixLost',
        'prefixLetterLost',
        'dropped',
        'doubled',
        'swapped',
        'misread',
        'letter',
        'suffix',
        'monthSlipped',
        'amountSwapped',
        'decimalSlip',
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
    Math.round(book.drafts.length * 0.05),
    '2024-07-01',
  );
  return billsOf(book);
}

/** Adds correct test bills of the charity that look like copies or fraud. */
function honest(
  book: Book,
  random: Random,
  supplier: (land: 'GB' | 'IE', trade: string, vat?: number) => Trader,
  order: () => string | undefined,
): void {
  // Adds the test bills of a hotel, which charges the charity for each room on one day, with the same price and
  // neighbouring numbers.
  const hotel = supplier('GB', 'Hotel');
  const hotelNumber = running(random, 88_120, 30, (n) => `F${n}`);
  for (const date of irregular(random, FROM, TO, 21)) {
    const net = random.pick([9_500, 11_200, 12_400, 19_000, 22_400]);
    for (let room = 0; room < random.integer(2, 5); room += 1)
      book.add(hotel, { number: hotelNumber(date), date, net, recurs: true, hardNegative: 'equal rooms' });
  }
  // Adds the test bills of a hall that the charity hires each week.
  const hall = supplier('GB', 'Community Hall', 0);
  book.stream({
    trader: hall,
    dates: everyDays('2024-01-11', TO, 7),
    number: running(random, 410, 0.7, (n) => `H${n}`),
    net: fixed(85),
    recurs: true,
    hardNegative: 'weekly fee',
  });
  // Adds the test bills of a college, which charges the charity for each place on a course separately.
  const course = supplier('IE', 'College', 0);
  const courseNumber = running(random, 61_000, 3, (n) => `BK${n}`);
  for (const date of irregular(random, FROM, TO, 28)) {
    const net = random.pick([29_500, 34_000, 48_000]);
    const reference = order();
    for (let place = 0; place < random.integer(1, 4); place += 1)
      book.add(course, {
        number: courseNumber(date),
        date,
        net,
        order: reference,
        recurs: true,
        hardNegative: 'places on one course',
      });
  }
  // Adds the test bills of an insurer, which charges the charity for each policy separately.
  const insurer = supplier('GB', 'Insurance', 0);
  for (const year of [2024, 2025, 2026])
    for (let policy = 0; policy < 6; policy += 1)
      book.add(insurer, {
        number: `CH/${10_400 + policy * 3}/${year}`,
        date: `${year}-04-01`,
        net: policy < 4 ? 31_850 : 127_400 + policy,
        recurs: true,
        hardNegative: 'policies of one premium',
      });
  const van = supplier('GB', 'Motor Insurance', 0);
  for (const year of [2024, 2025, 2026])
    for (let policy = 0; policy < 4; policy += 1)
      book.add(van, {
        number: `MV${digits(random, 7)}`,
        date: `${year}-02-1${policy % 2}`,
        net: 71_300,
        recurs: true,
        hardNegative: 'policies of one premium',
      });
  // Adds two test bills of a venue that the charity hires: one for the deposit and one for the balance.
  const venue = supplier('IE', 'Conference Centre');
  const venueNumber = running(random, 2_400, 0.8, (n) => `CC-${n}`);
  for (const date of irregular(random, FROM, TO, 48)) {
    const net = random.integer(60_000, 390_000);
    const reference = order();
    for (const on of [date, workday(addDays(date, random.integer(25, 60)))])
      if (on < TO)
        book.add(venue, {
          number: venueNumber(on),
          date: on,
          net,
          order: reference,
          recurs: true,
          hardNegative: 'deposit and balance',
        });
  }
  // Adds the test bills of a builder, who credits a bill to the charity and issues it again with an order number.
  const builder = supplier('GB', 'Builders');
  const builderNumber = running(random, 7_710, 0.5, (n) => `INV-${n}`);
  irregular(random, FROM, TO, 20).forEach((date, i) => {
    const net = random.integer(45_000, 310_000);
    const first = book.add(builder, { number: builderNumber(date), date, net, companyId: companies.main });
    if (i % 5 !== 4) return;
    const credit = workday(addDays(date, 5));
    book.add(builder, {
      number: `CN-${digits(random, 4)}`,
      date: credit,
      net: -net,
      hardNegative: 'credit note',
      companyId: companies.main,
      arrival: addDays(credit, 1),
    });
    const next = workday(addDays(credit, 3));
    book.add(builder, {
      number: builderNumber(next),
      date: next,
      net,
      recurs: true,
      hardNegative: 'issued again after credit',
      companyId: companies.main,
      arrival: [addDays(next, 2), addDays(first.arrival, 11)].sort()[1] ?? next,
    });
  });
  // Adds the test bills of a cleaner, who sends the charity one bill for each site and marks the sites by letters.
  const cleaner = supplier('GB', 'Cleaning');
  const cleanerNumber = restarting(random, 0.05, 4, (n, d) => `${d.slice(2, 4)}${pad(n, 3)}`);
  for (const date of everyMonths(random, FROM, TO, { day: 28 })) {
    const number = cleanerNumber(date);
    for (const site of ['A', 'B', 'C'])
      book.add(cleaner, {
        number: `${number}${site}`,
        date,
        net: 43_200,
        recurs: true,
        hardNegative: 'one bill for each site, with its letter',
      });
  }
  // Adds the test bills of a landlord, who charges the rent under the lease number, together with a service charge.
  const landlord = supplier('GB', 'Estates', 0);
  book.stream({
    trader: landlord,
    dates: everyMonths(random, FROM, TO, { months: 3, day: 25 }),
    number: () => 'LEASE 40117',
    net: fixed(6250),
    recurs: true,
    hardNegative: 'contract number as the number',
  });
  const water = supplier('GB', 'Water', 0);
  book.stream({
    trader: water,
    dates: everyMonths(random, FROM, TO, { day: 18 }),
    number: () => water.customerNumber,
    net: odd(random, 140, 0.4),
    hardNegative: 'customer number as the number, metered amounts',
  });
  // Adds the test bills of a phone company, which charges the charity for several lines with equal plans.
  const phone = supplier('IE', 'Mobile');
  for (const date of everyMonths(random, FROM, TO, { day: 7 }))
    for (const line of [1, 2, 3, 4])
      book.add(phone, {
        number: `86${4_410 + line}-${date.slice(2, 4)}${date.slice(5, 7)}`,
        date,
        net: 2_500,
        recurs: true,
        hardNegative: 'lines of one plan',
      });
  // Adds the test bills of a staffing agency, which sends the charity a second bill for a week, with the suffix `/2`.
  const agency = supplier('GB', 'Night Staffing');
  for (const date of everyDays('2024-01-12', TO, 7)) {
    const week = two(1 + Math.floor((Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 604_800_000));
    book.add(agency, {
      number: `${date.slice(0, 4)}W${week}`,
      date,
      net: 74_400,
      recurs: true,
      hardNegative: 'second bill of the week, /2',
    });
    if (random.chance(0.45))
      book.add(agency, {
        number: `${date.slice(0, 4)}W${week}/2`,
        date,
        net: 74_400,
        recurs: true,
        hardNegative: 'second bill of the week, /2',
      });
  }
  // Adds the test bills of a roofer, who charges the charity for a building project in instalments.
  const roof = supplier('GB', 'Roofing');
  for (let job = 0; job < 4; job += 1) {
    const net = random.integer(280_000, 900_000);
    for (let stage = 1; stage <= 4; stage += 1)
      book.add(roof, {
        number: `J${1180 + job * 6} stage ${stage}`,
        date: workday(addDays('2024-02-12', job * 190 + stage * 28)),
        net,
        order: `PO9000${job}`,
        recurs: true,
        hardNegative: 'stages of one job',
      });
  }
  // Adds test bills for an audit fee, charged once a year, and for a membership fee with the year in its number.
  const audit = supplier('GB', 'Audit');
  for (const year of [2024, 2025, 2026]) {
    book.add(audit, {
      number: `AUD-${year}`,
      date: `${year}-05-20`,
      net: 840_000,
      recurs: true,
      hardNegative: 'the same contract, another year',
    });
    book.add(audit, {
      number: `VAT-${year}`,
      date: `${year}-05-20`,
      net: 120_000,
      recurs: true,
      hardNegative: 'the same contract, another year',
    });
  }
  const member = supplier('IE', 'Federation', 0);
  for (const year of [2024, 2025, 2026])
    for (const seat of [1, 2])
      book.add(member, {
        number: `M${seat}07/${year}`,
        date: `${year}-01-1${seat}`,
        net: 45_000,
        recurs: true,
        hardNegative: 'the same contract, another year',
      });
  // Adds the test bills of two branches of one landlord, each of which lets a charity shop.
  const east = traderOf(random, 'GB', 'Wychwood Lettings East Ltd', { vat: 0, taxIdShare: 1, account: 'uk' });
  const west = traderOf(random, 'GB', 'Wychwood Lettings West Ltd', { vat: 0, taxIdShare: 1, account: 'uk' });
  for (const [trader, start] of [
    [east, 2010],
    [west, 2044],
  ] as const) {
    const habit = running(random, start, 0.1, (n) => `RENT${n}`);
    for (const date of everyMonths(random, FROM, TO, { day: 1 }))
      book.add(trader, {
        number: habit(date),
        date,
        net: 95_000,
        recurs: true,
        hardNegative: 'sister companies, one amount and day',
      });
  }
  // Adds the test bills of a supplier of the charity that sends no bill for a year, so that the next one comes after a
  // long pause.
  const rare = supplier('GB', 'Archives');
  const rareNumber = running(random, 512, 0.2, (n) => `AR${pad(n, 5)}`);
  for (const date of [...everyDays('2024-01-22', '2024-10-10', 24), '2026-02-02']) {
    const added = book.add(rare, { number: rareNumber(date), date, net: random.integer(30_000, 80_000) });
    if (date === '2026-02-02')
      book.replace(added, {
        ...added,
        anomaly: { name: 'silent for a year', expected: ['SUPPLIER_DORMANT_REACTIVATED'] },
      });
  }
}
