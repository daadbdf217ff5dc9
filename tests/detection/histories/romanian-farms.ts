import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, metered, monthly, priced, varied } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import { taxIdIn } from './desk/lands.js';
import {
  accountAsNumber,
  additions,
  advanceReversed,
  restartsEachYear,
  creditAndRebill,
  eachCompany,
  equalOfADay,
  late,
  movedBank,
  oneFee,
  season,
  shipments,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const fields = '0192a000-0000-7000-8000-00000000d601';
const cattle = '0192a000-0000-7000-8000-00000000d602';

export const farmCompanies = [
  { companyId: fields, name: 'Câmpia Bărăganului Agro SRL', taxId: taxIdIn('RO', randomFrom(61)), country: 'RO' },
  { companyId: cattle, name: 'Ferma Ialomița Zootehnie SRL', taxId: taxIdIn('RO', randomFrom(62)), country: 'RO' },
];

export const farmRates = { RON: '4.98', USD: '1.09' };

// prettier-ignore
const words = [
  'Agricola', 'Alutus', 'Argeșul', 'Bistrița', 'Brădet', 'Bucegi', 'Buzăul', 'Carpatica', 'Ceahlăul', 'Cerna', 'Cetatea', 'Cireșul', 'Codrul',
  'Cozia', 'Crasna', 'Crișul', 'Dâmbovița', 'Dobrogea', 'Dorna', 'Dunărea', 'Făgăraș', 'Fântânele', 'Feteasca', 'Floarea Soarelui', 'Gorunul',
  'Grâul Auriu', 'Hârtibaciu', 'Holda', 'Izvorul', 'Jiul', 'Lotru', 'Lunca', 'Măcin', 'Mărăști', 'Mierla', 'Milcovul', 'Mureșul', 'Neajlov',
  'Neamțul', 'Nera', 'Oituz', 'Oltenia', 'Orizont', 'Ovidiu', 'Parâng', 'Pelicanul', 'Plugul', 'Prahova', 'Prutul', 'Râul Doamnei', 'Rapița',
  'Retezat', 'Rodna', 'Romanița', 'Sălcioara', 'Sămânța', 'Sărata', 'Semenic', 'Siretul', 'Slatina', 'Snagov', 'Someșul', 'Spicul', 'Stejarul',
  'Suceava', 'Șoimul', 'Târnava', 'Telega', 'Timișul', 'Tisa', 'Trotușul', 'Turda', 'Țarina', 'Ulmeni', 'Vâlcea', 'Vedea', 'Vidraru', 'Vlăsia',
  'Vrancea', 'Zăbala', 'Zimbrul', 'Zorile', 'Zăvoiul', 'Cernavodă', 'Hațeg', 'Apuseni', 'Moldoveanu', 'Ciucaș', 'Piatra Craiului',
];

const lines: readonly Line[] = [
  {
    // In the test data, most Romanian suppliers of seed begin their invoice numbers with a series of letters.
    tails: ['Semințe SRL', 'Îngrășăminte SRL', 'Agrochim SRL', 'Inputuri Agricole SA'],
    count: 10,
    land: 'RO',
    numbers: {
      forms: ['AGR {n6}', 'SEM-{n5}', 'seria BZ nr {n5}', '{n7}', 'IF{n4}', 'FCT{n6}'],
      from: [300, 90_000],
      step: [1, 30],
    },
    rhythm: every(7, 22),
    price: varied(1_450_000, 1),
    terms: [30, 60, 90],
    order: { form: 'CMD ####' },
  },
  {
    tails: ['Petrol SRL', 'Carburanți SA'],
    count: 4,
    land: 'RO',
    numbers: { forms: ['PET{n7}', '{n9}', 'MOT {n6}'], from: [40_000, 9_000_000], step: [20, 900] },
    rhythm: every(4, 10),
    price: varied(1_900_000, 0.6),
    terms: [15, 30],
  },
  {
    tails: ['Utilaje Agricole SRL', 'Piese Tractoare SRL', 'Service Combine SRL'],
    count: 8,
    land: 'RO',
    numbers: { forms: ['UA {n5}', '{n5}', 'PT{yy}{n4}', 'SRV-{n4}'], from: [100, 50_000], step: [1, 25] },
    rhythm: every(6, 22),
    price: varied(280_000, 1),
    order: { form: 'NC####' },
  },
  {
    tails: ['Cabinet Veterinar _', 'Vet SRL', 'Laborator SRL'],
    count: 5,
    land: 'RO',
    numbers: { forms: ['{n4}', 'VET {n4}', '{n3}/{yyyy}'], from: [20, 4_000], step: [1, 7] },
    rhythm: every(8, 24),
    price: varied(165_000, 0.8),
    permille: 90,
  },
  {
    tails: ['Transport Cereale SRL', 'Trans SRL', 'Logistic SRL'],
    count: 8,
    land: 'RO',
    numbers: { forms: ['{n4}', 'TR {n5}', 'DJ-{n4}', '{n6}'], from: [50, 9_000], step: [1, 9] },
    rhythm: every(6, 20),
    price: priced([110_000, 135_000, 160_000, 195_000, 240_000], 3),
    terms: [30, 45],
    recurs: true,
  },
  {
    tails: ['Furaje SRL', 'Nutreț SA', 'Premixuri SRL'],
    count: 6,
    land: 'RO',
    numbers: { forms: ['FUR{n6}', '{n8}', 'NC {n5}'], from: [2_000, 300_000], step: [2, 80] },
    rhythm: every(5, 14),
    price: varied(960_000, 0.7),
    permille: 90,
    order: { form: 'CMD ####' },
  },
  {
    tails: ['Electrica Furnizare', 'Gaz SA', 'Apele _'],
    count: 4,
    land: 'RO',
    numbers: { forms: ['{n10}', 'EF{yy}{n9}', '{n8}'], from: [200_000, 90_000_000], step: [300, 50_000] },
    rhythm: monthly(),
    price: metered(620_000),
    terms: [15],
  },
  {
    tails: ['Leasing IFN SA', 'Asigurări SA', 'Telecom SA', 'Contabilitate SRL'],
    count: 5,
    land: 'RO',
    numbers: { forms: ['{n8}', 'LS {n6}', 'RTC{n7}', '{n5}/{yyyy}'], from: [4_000, 5_000_000], step: [10, 900] },
    rhythm: monthly(),
    price: fixed(420_000),
    recurs: true,
  },
  {
    tails: ['Agrartechnik GmbH', 'Saatzucht GmbH', 'Melktechnik GmbH'],
    count: 4,
    land: 'DE',
    numbers: { forms: ['{n7}', 'RE{yy}{n5}', '4{n8}'], from: [9_000, 600_000], step: [5, 200] },
    rhythm: every(20, 50),
    price: varied(640_000, 0.9),
    order: { form: 'CMD ####' },
  },
  {
    tails: ['Construcții SRL', 'Hale Metalice SRL', 'Irigații SRL'],
    count: 5,
    land: 'RO',
    numbers: { forms: ['{n3}', 'CB {n4}', '{yyyy}{n3}'], from: [10, 900], step: [1, 4] },
    rhythm: every(14, 34),
    price: varied(2_300_000, 0.9),
    order: { form: 'CTR ###/{yyyy}', isKept: true },
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 190): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'RO',
    permille,
    terms: [30],
    numbers: { forms: [form], from: [200, 40_000], step: [1, 12] },
  },
});

const usuals: readonly Usual[] = [
  {
    ...of('lorries of one day at one price', 2, 'Cărăuși SRL', 'CR {n5}'),
    play: equalOfADay(every(5, 11), 3, 150_000),
  },
  { ...of('advance reversed in the last bill', 2, 'Tractoare SRL', 'TT {n5}'), play: advanceReversed(7_400_000) },
  { ...of('deliveries of one contract', 1, 'Motorină SRL', 'MT{n5}'), play: shipments(every(16, 30), 2_200_000, '/') },
  {
    ...of('transport under the number of the goods', 1, 'Var Agricol SRL', 'VA{n5}'),
    play: additions(every(9, 18), 510_000, '-T'),
  },
  { ...of('numbers begin again in January', 2, 'II', '{n}', 0), play: restartsEachYear(every(13, 28), 190_000) },
  {
    ...of('rent of land once a year', 3, 'Arendator PFA', '{n2}/{yyyy}', 0),
    play: oneFee(monthly({ every: 12 }), 1_300_000),
  },
  { ...of('one fee for both farms', 1, 'Consultanță SRL', '{n4}'), play: eachCompany(240_000) },
  {
    ...of('place of consumption on every bill', 1, 'Apă Canal SA', '{n6}', 90),
    play: accountAsNumber('LC######', 110_000),
  },
  { ...of('spring and autumn sowing', 2, 'Lucrări Agricole SRL', 'LA {n4}'), play: season([3, 4, 9, 10], 420_000) },
  { ...of('bank changed and announced', 1, 'Ambalaje SRL', 'AMB{n4}'), play: movedBank(every(10, 18), 230_000) },
  { ...of('storno and new bill', 2, 'Cereale SRL', 'CRL {n5}'), play: creditAndRebill(1_800_000, 'ST') },
  { ...of('weighed at the silo and billed late', 1, 'Siloz SRL', 'SZ{n5}'), play: late(every(10, 20), 670_000) },
];

/** Kinds of repeated bills that the test data contain only for Romania. */
const own: Readonly<Record<string, Again>> = {
  'series left off': numberTyped((paper) => {
    const rest = numberOf(paper).replace(/^(seria )?[A-Z]+[- ]?(nr )?/, '');
    return rest.length < 4 ? undefined : rest;
  }),
  'seria and nr written out': numberTyped((paper) => {
    const [, series, serial] = /^([A-Z]{2,4})[- ]?(\d{4,})$/.exec(numberOf(paper)) ?? [];
    return series === undefined || serial === undefined ? undefined : `Seria ${series} nr. ${serial}`;
  }),
  'SC before the supplier, without signs, no tax id': entered(({ bill, vendor }) =>
    vendor.land === 'RO'
      ? withSupplier(bill, {
          tax_id: undefined,
          name: `S.C. ${bill.invoice.supplier.name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()}`,
        })
      : undefined,
  ),
  'tax id without RO': entered(({ bill, vendor }) =>
    vendor.taxId?.startsWith('RO') ? withSupplier(bill, { tax_id: vendor.taxId.slice(2) }) : undefined,
  ),
  'penalties for delay added': entered(
    ({ bill }, random) => at(bill, Math.round(centsOf(bill.invoice.gross_amount) * (1.01 + 0.03 * random.next()))),
    [35, 60],
  ),
  'stornat written behind, no credit': numberTyped(
    (paper, random) => `${numberOf(paper)}${random.pick([' CORECTATA', '-COR', ' bis', '/1'])}`,
  ),
  'unrelated: dispatch note for the number': numberTyped(({ note }, random) =>
    random.pick([note, `AVIZ ${note}`, `Aviz nr. ${note}`]),
  ),
  'unrelated: proforma paid first': ({ bill }, random) => {
    const date = addDays(bill.invoice.issue_date, -random.integer(3, 12));
    const first = withInvoice(bill, {
      invoice_number: filled(random.pick(['PF ####', 'PROF###', 'proforma ##']), random),
      issue_date: date,
      due_date: addDays(date, 5),
    });
    return { first: { ...first, arrival: date }, again: [bill] };
  },
  'unrelated: index of the upload for the number': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('5#########', random) }),
  ),
  'unrelated: receipt for the number': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('Chitanța ####', random) }),
  ),
};

const RATE_RAISED_ON = '2025-08-01';

/**
 * Creates the history of farms with fields and cattle in the plain of the Danube. The tax rate rises in August 2025.
 */
export function romanianFarms(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-02-01',
    lastDay: '2026-02-27',
    companyIds: [fields, fields, cattle],
    words,
    accounts: ['CL####', '1####', '00####'],
    notes: ['####', 'BZ ####', '10####'],
    permilleOn: (permille, date) => {
      if (date < RATE_RAISED_ON) return permille;
      return permille === 190 ? 210 : permille === 90 ? 110 : permille;
    },
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
      'payable at once',
      'dated next month',
      'addressed to somebody else',
      'order of another supplier',
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
      'leading zeros dropped',
      'a letter or dot behind it so that the system takes it',
      'two digits turned',
      'read by a scanner',
      'date of the stamp of receipt',
      'tax left off',
      'digits of the amount turned',
      'neither tax id nor account',
      'split by cost centre',
      'booked at the sister company',
      'unrelated: the order for the number',
      'unrelated: the account for the number',
      'unrelated: billed again under the next number',
      'unrelated: the date for the number',
    ],
    own,
  );
}
