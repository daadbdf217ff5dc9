import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, monthly, priced, varied, weekly } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, checkDigit, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import { accountIn, taxIdIn } from './desk/lands.js';
import {
  restartsEachYear,
  contractAsNumber,
  creditAndRebill,
  eachCompany,
  equalOfADay,
  halves,
  late,
  movedBank,
  oneFee,
  rentOfEach,
  runOfADay,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const paper = '0192a000-0000-7000-8000-00000000d501';
const radio = '0192a000-0000-7000-8000-00000000d502';

export const mediaCompanies = [
  { companyId: paper, name: 'Norrsken Tidningar AB', taxId: taxIdIn('SE', randomFrom(51)), country: 'SE' },
  { companyId: radio, name: 'Norrsken Radio & Ljud AB', taxId: taxIdIn('SE', randomFrom(52)), country: 'SE' },
];

export const mediaRates = { SEK: '11.4', USD: '1.09', GBP: '0.85' };

// prettier-ignore
const words = [
  'Ahlström', 'Alfredsson', 'Arnell', 'Askling', 'Bergqvist', 'Billström', 'Bodin', 'Brodin', 'Burman', 'Cronqvist', 'Dahlgren', 'Danielsson',
  'Edström', 'Ekwall', 'Enlund', 'Ericson', 'Fahlén', 'Flodin', 'Forslund', 'Frisk', 'Gidlund', 'Granath', 'Gräns', 'Hallin', 'Hedin', 'Hjorth',
  'Hult', 'Håkansson', 'Ivarsson', 'Jarl', 'Jonasson', 'Karlberg', 'Kihlberg', 'Kullberg', 'Landin', 'Lantz', 'Lindblad', 'Lindeberg', 'Lund',
  'Lövgren', 'Magnusson', 'Malm', 'Moberg', 'Modin', 'Norling', 'Nylander', 'Olander', 'Oscarsson', 'Palm', 'Pettersson', 'Quist', 'Renberg',
  'Ring', 'Rosén', 'Rutström', 'Sahlin', 'Sellin', 'Sjöstedt', 'Skog', 'Stenberg', 'Strid', 'Svanström', 'Säfström', 'Tapper', 'Thelin',
  'Tjäder', 'Torell', 'Ullberg', 'Unger', 'Vallin', 'Viklund', 'Wadman', 'Wester', 'Wirén', 'Åberg', 'Åström', 'Öberg', 'Östlund', 'Kebnekaise',
  'Torne', 'Kalix', 'Lule', 'Pite', 'Skellefte', 'Ume', 'Höga Kusten', 'Polcirkeln', 'Midnattssol', 'Järven', 'Lavskrika', 'Fjällräv', 'Ripa',
];

const freelance: Line['numbers'] = {
  forms: ['{n}', '{yyyy}-{n2}', '{n3}', 'F{n}', '{yy}{n2}'],
  from: [3, 180],
  step: [1, 3],
};

const lines: readonly Line[] = [
  {
    tails: ['Text & Bild', 'Journalistik', 'Foto', 'Frilans', 'Produktion HB'],
    count: 16,
    land: 'SE',
    numbers: freelance,
    rhythm: every(14, 38),
    price: varied(780_000, 0.7),
    terms: [20, 30],
  },
  {
    tails: ['Bildbyrå AB', 'Nyhetsbyrå AB', 'Research AB'],
    count: 4,
    land: 'SE',
    numbers: { forms: ['{n6}', 'B{n5}', '1{n7}'], from: [8_000, 300_000], step: [2, 80] },
    rhythm: every(5, 14),
    price: priced([45_000, 62_000, 95_000, 120_000, 180_000], 6),
    recurs: true,
    permille: 60,
  },
  {
    tails: ['Tryckeri AB', 'Pappersbruk AB', 'Grafiska AB', 'Bokbinderi AB'],
    count: 6,
    land: 'SE',
    numbers: { forms: ['{n6}', '{n8}', 'FA-{n5}', '90{n6}'], from: [10_000, 700_000], step: [3, 90] },
    rhythm: every(6, 15),
    price: varied(5_400_000, 0.7),
    order: { form: 'NT-######' },
  },
  {
    tails: ['Tidningsbärare AB', 'Distribution AB', 'Bud & Åkeri AB'],
    count: 4,
    land: 'SE',
    numbers: { forms: ['{n7}', '{yyyy}{n5}', 'D{n6}'], from: [2_000, 400_000], step: [2, 60] },
    rhythm: weekly,
    price: varied(3_100_000, 0.35),
  },
  {
    tails: ['Ad Server GmbH', 'Programmatic GmbH', 'Cloud GmbH'],
    count: 4,
    land: 'DE',
    numbers: { forms: ['{n10}', 'INV{n8}', 'DE-{yyyy}-{n6}'], from: [400_000, 50_000_000], step: [500, 40_000] },
    rhythm: monthly(),
    price: varied(890_000, 0.4),
    terms: [30, 45],
  },
  {
    tails: ['Ljudteknik AB', 'Studio AB', 'Klippning AB', 'Scenteknik AB'],
    count: 7,
    land: 'SE',
    numbers: { forms: ['{n4}', '{n5}', '{yyyy}{n3}', 'K{n4}'], from: [100, 9_000], step: [1, 9] },
    rhythm: every(10, 28),
    price: varied(1_900_000, 0.8),
    order: { form: 'PROD ####' },
  },
  {
    tails: ['Konsult AB', 'Bemanning AB', 'Utveckling AB'],
    count: 5,
    land: 'SE',
    numbers: { forms: ['{n4}', '{n6}', '{yy}-{n4}'], from: [300, 80_000], step: [1, 20] },
    rhythm: monthly(),
    price: varied(9_600_000, 0.3),
    order: { form: 'AVR-####', isKept: true },
  },
  {
    tails: ['Fastigheter AB', 'Telefoni AB', 'Städ AB', 'Larm AB'],
    count: 6,
    land: 'SE',
    numbers: { forms: ['{n8}', '{n6}', 'H{n5}-{mm}'], from: [10_000, 4_000_000], step: [10, 700] },
    rhythm: monthly(),
    price: fixed(1_400_000),
    recurs: true,
  },
  {
    tails: ['Hyrbil AB', 'Resebyrå AB', 'Hotell AB'],
    count: 4,
    land: 'SE',
    numbers: { forms: ['{n7}', 'R{n6}', '##{n6}'], from: [30_000, 800_000], step: [10, 400] },
    rhythm: every(4, 14),
    price: varied(320_000, 0.9),
    permille: 120,
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 250): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'SE',
    permille,
    terms: [30],
    numbers: { forms: [form], from: [400, 60_000], step: [1, 12] },
  },
});

const usuals: readonly Usual[] = [
  {
    ...of('pictures at one fee on one day', 2, 'Pressbild AB', '{n6}', 60),
    play: equalOfADay(every(5, 12), 3, 85_000),
  },
  { ...of('notices of one day', 1, 'Annonsbyrå AB', 'AN{n6}'), play: runOfADay(every(5, 9), 4, 140_000) },
  { ...of('numbers begin again in January', 2, 'Illustration', '{n}'), play: restartsEachYear(every(14, 30), 640_000) },
  { ...of('halves of a production', 1, 'Film AB', '{yy}{n3}'), play: halves(7_200_000) },
  { ...of('rent of several rooms', 1, 'Lokaler AB', 'HY{n6}'), play: rentOfEach(3, 1_100_000) },
  { ...of('agreement on every bill', 1, 'Kopiator AB', '{n5}'), play: contractAsNumber('AVT ######', 480_000) },
  { ...of('one service for both companies', 1, 'Redovisning AB', '{n5}'), play: eachCompany(1_900_000) },
  { ...of('licence once a year', 2, 'Arkiv AB', '{yyyy}{n4}'), play: oneFee(monthly({ every: 12 }), 4_600_000) },
  { ...of('credited and billed again', 1, 'Reklam AB', '{n6}'), play: creditAndRebill(1_700_000, 'K') },
  { ...of('bank changed and announced', 1, 'Översättning AB', '{n4}'), play: movedBank(every(10, 20), 390_000) },
  { ...of('royalties reported months later', 1, 'Musikförlag AB', 'RY{n5}', 60), play: late(every(14, 26), 520_000) },
];

/** Returns a payment reference that a Swedish bank accepts: the number, its length and a check digit. */
const ocrOf = (digits: string): string => {
  const body = `${digits}${(digits.length + 2) % 10}`;
  return `${body}${checkDigit(body)}`;
};

/** Kinds of repeated bills that the test data contain only for Sweden and for newsrooms. */
const own: Readonly<Record<string, Again>> = {
  'OCR number made of the number': numberTyped((entry) => {
    const digits = numberOf(entry).replace(/\D/g, '');
    return digits.length < 4 ? undefined : ocrOf(digits);
  }),
  'OCR number with the customer in front': numberTyped((entry) => {
    const digits = numberOf(entry).replace(/\D/g, '');
    return digits.length < 5 ? undefined : ocrOf(`${entry.vendor.account.replace(/\D/g, '')}${digits}`);
  }),
  'reminder with its fee of sixty kronor': (entry, random) => {
    const more =
      entry.vendor.currency === 'SEK' ? at(entry.bill, centsOf(entry.bill.invoice.gross_amount) + 6_000) : undefined;
    const number = random.pick([
      `Påminnelse ${numberOf(entry)}`,
      `${numberOf(entry)} P1`,
      `2:a påminnelsen ${numberOf(entry)}`,
      numberOf(entry),
    ]);
    return (
      more && {
        again: [
          { ...withInvoice(more, { invoice_number: number }), arrival: addDays(more.arrival, random.integer(32, 45)) },
        ],
      }
    );
  },
  'under the personal name of the writer': entered(({ bill }, random) => {
    const [word = ''] = bill.invoice.supplier.name.split(' ');
    return withSupplier(bill, { name: `${random.pick(['Anna', 'Per', 'Elin', 'Jonas'])} ${word}`, tax_id: undefined });
  }),
  'name of the production behind the number': numberTyped(
    (entry, random) => `${numberOf(entry)} ${filled('avsnitt #', random)}`,
  ),
  'Aktiebolag for AB, no tax id': entered(({ bill }) => {
    const name = bill.invoice.supplier.name.replace(/ AB$/, ' Aktiebolag');
    return name === bill.invoice.supplier.name ? undefined : withSupplier(bill, { name, tax_id: undefined });
  }),
  'unrelated: sold to a finance company': entered(
    ({ bill, vendor }, random) => {
      const iban = accountIn(vendor.land, random);
      const moved = withInvoice(bill, { invoice_number: filled('77########', random) });
      return iban === undefined ? undefined : withSupplier(moved, { bank_account: { iban } });
    },
    [4, 25],
  ),
  'unrelated: number of the self-billing': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('HON-2#-####', random) }),
  ),
  'unrelated: issue of the paper for the number': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('nr ##/2#', random) }),
  ),
};

/** Returns the test bills of a newspaper and radio company in the north of Sweden that pays many freelancers. */
export function swedishMedia(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-01-08',
    lastDay: '2026-03-27',
    companyIds: [paper, paper, paper, radio],
    words,
    accounts: ['#####', '1###', '55####'],
    notes: ['F####', '2######', 'OR-####'],
  });
  const entries = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    entries,
    [
      'account at a foreign bank',
      'account with one digit changed',
      'account of another supplier',
      'account that no bank has',
      'tax id mistyped',
      'another tax id under the known name',
      'a stranger under the known tax id',
      'two digits too many in the amount',
      'total that is no sum',
      'due before its date',
      'payable at once',
      'dated next month',
      'a currency it never billed in',
      'order of another supplier',
      'nothing is due',
    ],
    4,
  );
  return withAgain(
    desk,
    faulty,
    [
      'keyed from the paper after the portal',
      'leading zeros dropped',
      'zeros put before the number',
      'a key beside the right one',
      'a digit left out',
      'billed again with a mark and no credit',
      'date of the stamp of receipt',
      'last year typed in January',
      'short form of the supplier without tax id',
      'digits of the amount turned',
      'number and date each with a slip',
      'booked at the sister company',
      'unrelated: the account for the number',
      'unrelated: the paper behind it for the number',
      'unrelated: billed again under the next number',
      'unrelated: the payment reference for the number',
      'unrelated: the date for the number',
    ],
    own,
  );
}
