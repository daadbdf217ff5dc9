import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, metered, monthly, priced, varied } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import {
  accountAsNumber,
  restartsEachYear,
  byMeter,
  contractAsNumber,
  creditAndRebill,
  equalOfADay,
  halves,
  oneFee,
  returns,
  runOfADay,
  shipments,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const ward = '0192a000-0000-7000-8000-00000000d801';
const clinic = '0192a000-0000-7000-8000-00000000d802';

export const wardCompanies = [
  { companyId: ward, name: 'Tsukinomi Ward Office', taxId: 'T3000020134451', country: 'JP' },
  { companyId: clinic, name: 'Tsukinomi Ward Clinic', taxId: 'T8000020134990', country: 'JP' },
];

export const wardRates = { JPY: '163', USD: '1.09' };

// prettier-ignore
const words = [
  'Akatsuki', 'Amano', 'Aoba', 'Asagiri', 'Asahina', 'Azuma', 'Chidori', 'Chikuma', 'Daikoku', 'Ebisuya', 'Enoki', 'Fujimori', 'Fukagawa',
  'Futaba', 'Ginsei', 'Hagiwara', 'Hanamizuki', 'Harukaze', 'Hasegawa', 'Hidaka', 'Hinode', 'Hirano', 'Hokushin', 'Ichikawa', 'Inaho',
  'Inokashira', 'Ishizue', 'Itabashi', 'Iwatani', 'Kaede', 'Kamiya', 'Kanazawa', 'Kashiwa', 'Kawasemi', 'Keyaki', 'Kikusui', 'Kinmokusei',
  'Kita Kanto', 'Kobayashi', 'Kohaku', 'Kujira', 'Kurosawa', 'Kusunoki', 'Matsubara', 'Midori', 'Minato', 'Miyabi', 'Mizuho', 'Momiji',
  'Murasaki', 'Musashino', 'Nagase', 'Nakamichi', 'Nishikawa', 'Nozomi', 'Ogawa', 'Okutama', 'Otowa', 'Rokko', 'Sagami', 'Sakuraba',
  'Sanwa', 'Sawada', 'Seiryu', 'Shinonome', 'Shirakaba', 'Sugita', 'Suzuran', 'Tachibana', 'Taiyo', 'Takamine', 'Tamagawa', 'Tanpopo',
  'Tatsumi', 'Tokiwa', 'Tomoe', 'Tsubaki', 'Tsubame', 'Uguisu', 'Umeda', 'Wakaba', 'Yamabuki', 'Yanagi', 'Yoshino', 'Yukishiro', 'Zelkova',
];

const lines: readonly Line[] = [
  {
    // In the test data, Japanese shops send one bill for the whole month, on its closing day.
    tails: ['Shoji KK', 'Trading Co., Ltd.', 'Kogyo KK', 'Jimuki Co., Ltd.', 'Bungu KK'],
    count: 10,
    land: 'JP',
    numbers: {
      forms: ['{yyyy}{mm}{n3}', '{n6}', 'No.{n5}', '{yy}{mm}{dd}-{n2}', '{n8}'],
      from: [20, 40_000],
      step: [1, 40],
    },
    rhythm: every(10, 31),
    price: varied(84_000, 0.9),
  },
  {
    tails: ['Kensetsu KK', 'Setsubi Co., Ltd.', 'Denki KK', 'Zoen KK'],
    count: 9,
    land: 'JP',
    numbers: { forms: ['{yyyy}-{n4}', 'R{n5}', '{n5}', 'K{n5}'], from: [20, 9_000], step: [1, 8] },
    rhythm: every(12, 34),
    price: varied(620_000, 1),
    order: { form: '契約####号' },
  },
  {
    tails: ['Kyushoku Center KK', 'Shokuhin Co., Ltd.', 'Seika KK', 'Beikoku KK'],
    count: 7,
    land: 'JP',
    numbers: { forms: ['{n6}', '{yyyy}{mm}{dd}{n2}', 'S{n5}'], from: [100, 70_000], step: [1, 30] },
    rhythm: every(4, 11),
    price: varied(128_000, 0.6),
    permille: 80,
  },
  {
    tails: ['Seiso Co., Ltd.', 'Building Maintenance KK', 'Keibi KK', 'Elevator KK'],
    count: 8,
    land: 'JP',
    numbers: { forms: ['{n7}', '{yyyy}{mm}-{n3}', 'M{n6}'], from: [200, 400_000], step: [2, 120] },
    rhythm: monthly({ day: 28 }),
    price: fixed(210_000),
    recurs: true,
    order: { form: '委####', isKept: true },
  },
  {
    tails: ['Denryoku', 'Gas KK', 'Netsu Kyokyu KK'],
    count: 4,
    land: 'JP',
    numbers: { forms: ['{n10}', '{n11}', '{yyyy}{mm}{n7}'], from: [300_000, 90_000_000], step: [800, 70_000] },
    rhythm: monthly(),
    price: metered(430_000),
    terms: [20, 30],
  },
  {
    tails: ['Shoten', 'Tosho KK', 'Insatsu KK'],
    count: 7,
    land: 'JP',
    numbers: { forms: ['{n5}', '{n4}', 'P-{n5}', '{yy}{n4}'], from: [50, 20_000], step: [1, 20] },
    rhythm: every(7, 22),
    price: varied(46_000, 0.9),
    order: { form: '物#####' },
  },
  {
    tails: ['Pharma Co., Ltd.', 'Medical KK', 'Rinsho Kensa KK'],
    count: 6,
    land: 'JP',
    numbers: { forms: ['{n8}', '{n9}', 'D{n7}'], from: [40_000, 9_000_000], step: [20, 900] },
    rhythm: every(4, 12),
    price: varied(95_000, 0.9),
  },
  {
    tails: ['Taxi KK', 'Bus KK', 'Unyu KK'],
    count: 4,
    land: 'JP',
    numbers: { forms: ['{n4}', '{yyyy}{mm}{n2}', 'T{n5}'], from: [10, 8_000], step: [1, 12] },
    rhythm: every(7, 20),
    price: priced([4_800, 7_200, 12_500, 33_000], 8),
    recurs: true,
  },
  {
    tails: ['Systems Co., Ltd.', 'Research Institute', 'Houmu Jimusho'],
    count: 4,
    land: 'JP',
    numbers: { forms: ['INV-{n6}', '{yyyy}{n4}', 'JP{n7}'], from: [100, 90_000], step: [1, 60] },
    rhythm: every(20, 40),
    price: varied(1_400_000, 0.7),
    order: { form: '契約####号' },
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 100): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'JP',
    permille,
    terms: [30],
    numbers: { forms: [form], from: [100, 30_000], step: [1, 10] },
  },
});

const usuals: readonly Usual[] = [
  {
    ...of('lunches of one price for several schools', 2, 'Bento KK', '{n6}', 80),
    play: equalOfADay(every(5, 10), 4, 68_000),
  },
  { ...of('slips of one day', 1, 'Yakuhin KK', '{n7}'), play: runOfADay(every(4, 8), 4, 31_000) },
  { ...of('a bill for each water meter', 1, 'Suido Kyoku', '{n8}'), play: byMeter(6, 42_000, '5##-####') },
  { ...of('customer number on every bill', 2, 'Tsushin KK', '{n8}'), play: accountAsNumber('0#########', 58_000) },
  { ...of('lease number on every bill', 1, 'Lease KK', '{n6}'), play: contractAsNumber('L-#######', 74_000) },
  { ...of('numbers begin again in January', 2, 'Kobo', '{n}'), play: restartsEachYear(every(12, 26), 52_000) },
  { ...of('fee once a year', 2, 'Kyokai', '{yyyy}{n3}', 0), play: oneFee(monthly({ every: 12 }), 120_000) },
  { ...of('halves before and after the works', 1, 'Koumuten', '{yy}{n4}'), play: halves(900_000) },
  { ...of('deliveries of one order', 1, 'Kagu KK', 'F{n5}'), play: shipments(every(18, 30), 160_000, '-') },
  { ...of('books returned', 1, 'Shobo KK', '{n6}'), play: returns(every(8, 16), 43_000) },
  { ...of('taken back and billed again', 1, 'Print KK', 'Q{n5}'), play: creditAndRebill(77_000, 'R') },
];

const fullWidth = (text: string): string =>
  text.replace(/[0-9A-Z-]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));

/** Kinds of repeated bills that the test data contain only for Japan. */
const own: Readonly<Record<string, Again>> = {
  'number in wide signs': numberTyped((paper) => fullWidth(numberOf(paper))),
  'branch number of a second print': numberTyped(
    (paper, random) => `${numberOf(paper)}${random.pick(['-01', '-2', '(再)', ' 再発行', '-R'])}`,
  ),
  'bank charge taken off': entered(({ bill }, random) =>
    at(bill, centsOf(bill.invoice.gross_amount) - 100 * random.pick([440, 550, 660, 880])),
  ),
  'tax of each line rounded': entered(({ bill }, random) =>
    at(bill, centsOf(bill.invoice.gross_amount) + 100 * random.pick([-2, -1, 1, 2])),
  ),
  'Kabushiki Kaisha written out, no tax id': entered(({ bill }) => {
    const name = bill.invoice.supplier.name.replace(/ KK$| Co\., Ltd\.$/, ' Kabushiki Kaisha');
    return name === bill.invoice.supplier.name ? undefined : withSupplier(bill, { name, tax_id: undefined });
  }),
  'date of the closing for the date of the bill': entered(
    ({ bill }) => {
      const end = addDays(`${addDays(`${bill.invoice.issue_date.slice(0, 7)}-01`, 32).slice(0, 7)}-01`, -1);
      return end === bill.invoice.issue_date
        ? undefined
        : { ...withInvoice(bill, { issue_date: end, due_date: addDays(end, 30) }), arrival: end };
    },
    [1, 6],
  ),
  'unrelated: slip of the delivery for the number': numberTyped(({ note }, random) => random.pick([note, `納${note}`])),
  'unrelated: the estimate for the number': ({ bill }, random) => {
    const date = addDays(bill.invoice.issue_date, -random.integer(6, 25));
    const first = withInvoice(bill, {
      invoice_number: filled('見積####', random),
      issue_date: date,
      due_date: addDays(date, 30),
    });
    return { first: { ...first, arrival: date }, again: [bill] };
  },
  'unrelated: no number but the month': entered(({ bill }) =>
    withInvoice(bill, { invoice_number: `${Number(bill.invoice.issue_date.slice(5, 7))}月分` }),
  ),
};

/** Returns the test bills of a ward of a city in Kanto with schools, offices and a clinic. */
export function japaneseWard(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-04-01',
    lastDay: '2026-03-27',
    companyIds: [ward, ward, ward, clinic],
    words,
    accounts: ['######', '10###', 'T-####'],
    notes: ['######', '####', '20####'],
  });
  const papers = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    papers,
    [
      'a stranger under the known tax id',
      'another tax id under the known name',
      'forty times the highest amount',
      'two digits too many in the amount',
      'total that is no sum',
      'due before its date',
      'payable at once',
      'dated next month',
      'a currency it never billed in',
      'addressed to somebody else',
      'order of another supplier',
      'nothing is due',
      'number of an earlier bill',
    ],
    4,
  );
  return withAgain(
    desk,
    faulty,
    [
      'keyed from the paper after the portal',
      'sent once more with the statement',
      'number without its punctuation',
      'a digit left out',
      'two digits turned',
      'last year typed in January',
      'date of the stamp of receipt',
      'tax left off',
      'short form of the supplier without tax id',
      'split by cost centre',
      'mark behind the number and the amount turned',
      'booked at the sister company',
      'unrelated: the order for the number',
      'unrelated: the account for the number',
      'unrelated: the date for the number',
      'unrelated: billed again under the next number',
      'unrelated: the statement of the month',
      'unrelated: a reminder with a number of its own',
    ],
    own,
  );
}
