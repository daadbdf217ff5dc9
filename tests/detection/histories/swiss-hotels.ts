import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, metered, monthly, priced, varied, weekly } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, checkDigit, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import { taxIdIn } from './desk/lands.js';
import {
  restartsEachYear,
  contractAsNumber,
  creditAndRebill,
  eachCompany,
  equalOfADay,
  halves,
  movedBank,
  oneFee,
  returns,
  runOfADay,
  season,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';
import { randomFrom } from '../random.js';

const engadin = '0192a000-0000-7000-8000-00000000d401';
const leman = '0192a000-0000-7000-8000-00000000d402';
const ticino = '0192a000-0000-7000-8000-00000000d403';

export const hotelCompanies = [
  { companyId: engadin, name: 'Berghotel Val Sinestra AG', taxId: taxIdIn('CH', randomFrom(41)), country: 'CH' },
  { companyId: leman, name: 'Hôtel du Débarcadère SA', taxId: taxIdIn('CH', randomFrom(42)), country: 'CH' },
  { companyId: ticino, name: 'Albergo Monte Ceneri Sagl', taxId: taxIdIn('CH', randomFrom(43)), country: 'CH' },
];

export const hotelRates = { CHF: '0.95', USD: '1.09', GBP: '0.85' };

// prettier-ignore
const words = [
  'Aebischer', 'Ammann', 'Bachofner', 'Balmer', 'Bigler', 'Brunner', 'Caflisch', 'Camenzind', 'Casutt', 'Clavadetscher', 'Derungs', 'Dubach',
  'Egger', 'Fankhauser', 'Fässler', 'Flückiger', 'Gadient', 'Gerber', 'Gschwend', 'Haldimann', 'Hüsler', 'Imboden', 'Inderbitzin', 'Jenny',
  'Kälin', 'Knecht', 'Kuonen', 'Lötscher', 'Luginbühl', 'Marti', 'Nägeli', 'Niederberger', 'Oberholzer', 'Oeschger', 'Pfister', 'Rüegg',
  'Ryffel', 'Schlatter', 'Schwegler', 'Stalder', 'Tobler', 'Tschudi', 'Uebelhart', 'Vonmoos', 'Wüthrich', 'Zgraggen', 'Zumbühl', 'Aubert',
  'Berthoud', 'Blanc', 'Bovet', 'Chappuis', 'Corboz', 'Cuendet', 'Dufour', 'Favre', 'Genoud', 'Jaquet', 'Monnier', 'Pasche', 'Perrottet',
  'Rochat', 'Savary', 'Tinguely', 'Vuilleumier', 'Bernasconi', 'Bianda', 'Cattaneo', 'Ferrari-Lepori', 'Gaggini', 'Lepori', 'Maggi',
  'Pedrazzini', 'Quadri', 'Rezzonico', 'Snozzi', 'Vanoni', 'Zanetti', 'Piz Lagrev', 'Silvretta', 'Albula', 'Bernina', 'Rhône', 'Lavaux',
  'Chasseral', 'Säntis', 'Napf', 'Rigi', 'Pilatus', 'Gotthard', 'Leventina', 'Maggia', 'Edelweiss', 'Alpstein', 'Jungfraujoch',
];

const lines: readonly Line[] = [
  {
    tails: ['Comestibles AG', 'Frischdienst AG', 'Primeurs SA', 'Ortofrutta SA', 'Gastro Grosshandel AG'],
    count: 9,
    land: 'CH',
    numbers: { forms: ['{n7}', '{yy}{n6}', 'RG-{n6}', '2{n8}'], from: [20_000, 900_000], step: [4, 160] },
    rhythm: every(2, 8),
    price: varied(74_000, 0.9),
    permille: 26,
    terms: [10, 20, 30],
  },
  {
    tails: ['Metzgerei', 'Bäckerei', 'Käserei', 'Boulangerie', 'Macelleria'],
    count: 8,
    land: 'CH',
    numbers: { forms: ['{n5}', '{n4}', '{yyyy}/{n4}', 'R{n5}'], from: [300, 22_000], step: [1, 14] },
    rhythm: every(5, 13),
    price: varied(52_000, 0.7),
    permille: 26,
  },
  {
    tails: ['Weine AG', 'Getränke AG', 'Vins SA', 'Vini Sagl'],
    count: 6,
    land: 'CH',
    numbers: { forms: ['{n6}', 'F{n5}', '{yy}-{n5}'], from: [1_000, 200_000], step: [2, 50] },
    rhythm: every(7, 21),
    price: priced([1_450, 1_890, 2_300, 3_100, 4_400], 90),
    order: { form: '####' },
    recurs: true,
  },
  {
    tails: ['Textilpflege AG', 'Blanchisserie SA', 'Lavanderia SA'],
    count: 4,
    land: 'CH',
    numbers: { forms: ['{n6}', '{yyyy}{mm}-{n3}', 'WL{n5}'], from: [3_000, 120_000], step: [1, 30] },
    rhythm: weekly,
    price: varied(160_000, 0.45),
  },
  {
    tails: ['Haustechnik AG', 'Elektro AG', 'Sanitär GmbH', 'Liftbau AG', 'Menuiserie Sàrl'],
    count: 8,
    land: 'CH',
    numbers: { forms: ['{n5}', '{yy}{n4}', 'RE{n6}', '{n4}-{yy}'], from: [400, 60_000], step: [1, 16] },
    rhythm: every(12, 36),
    price: varied(124_000, 1),
    order: { form: 'A##-###' },
  },
  {
    tails: ['Kraftwerke', 'Energie AG', 'Services Industriels'],
    count: 4,
    land: 'CH',
    numbers: { forms: ['{n9}', '4{n7}.{mm}', '{yyyy}-{n6}'], from: [100_000, 80_000_000], step: [200, 20_000] },
    rhythm: monthly(),
    price: metered(460_000),
    terms: [30],
  },
  {
    // In the test data, booking portals bill the hotel a commission for each month.
    tails: ['Reservations GmbH', 'Travel Portal AG'],
    count: 3,
    land: 'DE',
    numbers: { forms: ['1{n9}', 'RSV{yy}{mm}{n5}'], from: [5_000_000, 90_000_000], step: [2_000, 90_000] },
    rhythm: monthly({ day: 3 }),
    price: varied(680_000, 0.8),
    terms: [14],
  },
  {
    tails: ['Personal AG', 'Temporärbüro GmbH'],
    count: 3,
    land: 'CH',
    numbers: { forms: ['{n6}', 'T{yy}{n5}'], from: [9_000, 90_000], step: [3, 40] },
    rhythm: weekly,
    price: varied(238_000, 0.4),
    terms: [10],
  },
  {
    tails: ['Hotelsoftware AG', 'Kassensysteme AG', 'Telecom AG'],
    count: 5,
    land: 'CH',
    numbers: { forms: ['{n8}', 'SUB{n6}', 'R-{yyyy}-{n4}'], from: [10_000, 5_000_000], step: [20, 900] },
    rhythm: monthly(),
    price: fixed(58_000),
    recurs: true,
  },
  {
    tails: ['Floristik', 'Fotografie', 'Musik', 'Kaminfeger'],
    count: 5,
    land: 'CH',
    numbers: { forms: ['{n3}', '{yyyy}-{n2}', '{n4}'], from: [10, 900], step: [1, 5] },
    rhythm: every(10, 32),
    price: varied(43_000, 0.8),
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 81): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'CH',
    permille,
    terms: [30],
    numbers: { forms: [form], from: [900, 70_000], step: [1, 15] },
  },
});

const usuals: readonly Usual[] = [
  { ...of('lift tickets at one price', 2, 'Bergbahnen AG', '{n6}', 38), play: equalOfADay(every(5, 12), 3, 24_000) },
  { ...of('slips of one day', 1, 'Fischhandel AG', '{n6}', 26), play: runOfADay(every(3, 6), 3, 31_000) },
  { ...of('empties credited', 2, 'Brauerei AG', '{n6}'), play: returns(every(6, 13), 64_000) },
  { ...of('deposit and balance of one amount', 1, 'Ofenbau AG', '{yy}{n4}'), play: halves(530_000) },
  { ...of('number of the lease on every bill', 1, 'Leasing AG', '{n5}'), play: contractAsNumber('V-######', 89_000) },
  { ...of('a fee for each house', 1, 'Treuhand AG', '{n5}'), play: eachCompany(120_000) },
  { ...of('numbers begin again in January', 2, 'Schreinerei', '{n}'), play: restartsEachYear(every(14, 30), 88_000) },
  {
    ...of('levy once a year', 2, 'Gebäudeversicherung', '{yyyy}.{n5}', 0),
    play: oneFee(monthly({ every: 12 }), 340_000),
  },
  { ...of('winter season', 2, 'Skiverleih GmbH', '{n5}'), play: season([12, 1, 2, 3], 46_000) },
  { ...of('bank changed and announced', 2, 'Reinigung GmbH', '{n5}'), play: movedBank(every(9, 18), 71_000) },
  {
    ...of('credited and billed to the right house', 1, 'Papeterie AG', 'P{n5}'),
    play: creditAndRebill(22_000, 'G', true),
  },
];

/** Kinds of repeated bills that the test data contain only for Swiss hotels. */
const own: Readonly<Record<string, Again>> = {
  'reference of the payment part that contains the number': numberTyped((paper, random) => {
    const digits = numberOf(paper).replace(/\D/g, '');
    if (digits.length < 5) return undefined;
    const body = `${filled('##', random)}${paper.vendor.account.replace(/\D/g, '').padStart(8, '0')}${digits.padStart(16, '0')}`;
    return `${body}${checkDigit(body)}`.replace(/(\d{5})(?=\d)/g, '$1 ');
  }),
  'total rounded to five centimes': entered(({ bill }) => {
    const gross = centsOf(bill.invoice.gross_amount);
    return at(bill, 5 * Math.round(gross / 5));
  }),
  'second reminder in words': numberTyped(
    (paper, random) =>
      `${random.pick(['2. Mahnung', 'Rappel no 2', '2° sollecito', 'Zahlungserinnerung'])} ${numberOf(paper)}`,
    [20, 45],
  ),
  'same figures in euros': entered(({ bill, vendor }) =>
    vendor.currency === 'CHF' ? withInvoice(bill, { currency: 'EUR' }) : undefined,
  ),
  'year of the number in two digits': numberTyped((paper) => {
    const year = paper.bill.invoice.issue_date.slice(0, 4);
    return numberOf(paper).includes(year) ? numberOf(paper).replace(year, year.slice(2)) : undefined;
  }),
  'under the name of its owner': entered(({ bill }, random) => {
    const [word = ''] = bill.invoice.supplier.name.split(' ');
    return withSupplier(bill, { name: `${random.pick(['Hans', 'Urs', 'Luc', 'Reto'])} ${word}`, tax_id: undefined });
  }),
  'unrelated: delivery slip for the number': numberTyped(({ note }, random) =>
    random.pick([note, `LS ${note}`, `BL${note}`]),
  ),
  'unrelated: number of the booking': entered(({ bill }, random): Bill =>
    withInvoice(bill, { invoice_number: filled('RES-@@####', random) }),
  ),
  'unrelated: collected by an agency': entered(
    ({ bill }, random) => {
      const date = addDays(bill.invoice.issue_date, random.integer(50, 80));
      return withSupplier(
        withInvoice(bill, {
          invoice_number: filled('IN-######', random),
          issue_date: date,
          due_date: addDays(date, 10),
        }),
        {
          name: 'Helvetia Inkasso AG',
          tax_id: undefined,
        },
      );
    },
    [0, 3],
  ),
};

/** Returns the test bills of three hotels in Graubünden, Vaud and Ticino, with suppliers in three languages. */
export function swissHotels(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-05-06',
    lastDay: '2026-01-30',
    companyIds: [engadin, engadin, leman, ticino],
    words,
    accounts: ['1#####', '40####', 'K####'],
    notes: ['8#####', '####', '30#####'],
  });
  const papers = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    papers,
    [
      'account at a foreign bank',
      'account with one digit changed',
      'account of another supplier',
      'account that no bank has',
      'tax id mistyped',
      'another tax id under the known name',
      'a stranger under the known tax id',
      'forty times the highest amount',
      'total that is no sum',
      'due before its date',
      'dated next month',
      'a currency it never billed in',
      'addressed to somebody else',
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
      'a letter or dot behind it so that the system takes it',
      'a digit left out',
      'two digits turned',
      'read by a scanner',
      'early payment discount taken off',
      'tax left off',
      'day and month exchanged',
      'neither tax id nor account',
      'number and date each with a slip',
      'split by cost centre',
      'unrelated: the account for the number',
      'unrelated: the payment reference for the number',
      'unrelated: billed again under the next number',
      'unrelated: a reminder with a number of its own',
      'unrelated: the date for the number',
    ],
    own,
  );
}
