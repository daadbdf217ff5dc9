import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, monthly, priced, varied, weekly } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, checkDigit, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import {
  additions,
  restartsEachYear,
  creditAndRebill,
  equalOfADay,
  late,
  rentOfEach,
  runOfADay,
  season,
  shipments,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const omaha = '0192a000-0000-7000-8000-00000000d101';
const winnipeg = '0192a000-0000-7000-8000-00000000d102';

export const freightCompanies = [
  { companyId: omaha, name: 'Sandhills Freight Brokerage LLC', taxId: '47-3381920', country: 'US' },
  { companyId: winnipeg, name: 'Sandhills Logistics Canada ULC', taxId: '814402913 RT0001', country: 'CA' },
];

export const freightRates = { USD: '1.09', CAD: '1.49' };

// prettier-ignore
const words = [
  'Cimarron', 'Platte Valley', 'Bighorn', 'Redtail', 'Loess Hills', 'Elkhorn', 'Niobrara', 'Pawnee', 'Ogallala', 'Sawtooth', 'Medicine Bow',
  'Tallgrass', 'Wapsie', 'Kickapoo', 'Ironwood', 'Great Basin', 'Cumberland Gap', 'Tar Heel', 'Piedmont', 'Chattahoochee', 'Okefenokee',
  'Blue Ridge', 'Shenandoah', 'Allegheny', 'Monongahela', 'Lackawanna', 'Susquehanna', 'Adirondack', 'Saginaw', 'Kalamazoo', 'Sheboygan',
  'Winnebago', 'Mesabi', 'Red River', 'Souris', 'Assiniboine', 'Qu Appelle', 'Churchill', 'Flin Flon', 'Moose Jaw', 'Kamloops', 'Nipigon',
  'Thunder Bay', 'Laurentian', 'Gaspé', 'Sandoval', 'Navarro', 'Dhillon', 'Grewal', 'Sidhu', 'Brar', 'Sokolov', 'Petrosyan', 'Hernandez',
  'Villarreal', 'Okonkwo', 'Tesfaye', 'Abdi', 'Kowalczyk', 'Lindqvist', 'McAllister', 'O Dwyer', 'Buchanan', 'Fairweather', 'Trujillo',
  'Castaneda', 'Espinoza', 'Whitmore', 'Ridgeway', 'Hollingsworth', 'Pemberton', 'Stockbridge', 'Yellowhead', 'Crowsnest', 'Bitterroot',
  'Palouse', 'Deschutes', 'Klamath', 'Tehachapi', 'Mojave', 'Gila Bend', 'Yuma', 'Pecos', 'Llano', 'Brazos', 'Sabine', 'Atchafalaya',
  'Pascagoula', 'Tombigbee', 'Wiregrass', 'Cape Fear', 'Delmarva', 'Chesapeake', 'Hudson', 'Merrimack', 'Penobscot', 'Aroostook',
  'Keweenaw', 'Wolverine', 'Buckeye', 'Hoosier', 'Badger', 'Hawkeye', 'Jayhawk', 'Sooner', 'Lone Star', 'Roadrunner', 'Coyote Creek',
];

const load = { form: 'L5#####' } as const;

const lines: readonly Line[] = [
  {
    // In the test data, carriers of truckloads bill one load each, at a rate that was agreed by telephone.
    tails: ['Trucking LLC', 'Transport Inc', 'Carriers LLC', 'Express Inc', 'Logistics LLC', '& Sons Trucking'],
    count: 16,
    land: 'US',
    numbers: {
      forms: ['{n4}', 'INV-{n5}', '{n5}', 'INV{n4}', '{yy}-{n4}', '#{n4}'],
      from: [900, 21_000],
      step: [1, 9],
    },
    rhythm: every(8, 30),
    price: priced([75_000, 90_000, 125_000, 140_000, 185_000, 220_000, 265_000, 310_000], 1),
    terms: [21, 30, 45],
    order: load,
  },
  {
    // In the test data, owners of one truck bill the freight broker by the mile.
    tails: ['Hauling', 'Trucking', 'Flatbed LLC', 'Reefer Lines LLC'],
    count: 8,
    land: 'US',
    numbers: { forms: ['{n3}', '{n4}', 'Inv {n3}'], from: [110, 1_400], step: [1, 4] },
    rhythm: every(11, 34),
    price: varied(168_000, 0.9),
    terms: [15, 30],
    order: load,
  },
  {
    // In the test data, carriers of part loads give their bills PRO numbers, whose last digit is a check digit.
    tails: ['Motor Freight', 'Freight Lines', 'LTL Inc', 'Freight System'],
    count: 7,
    land: 'US',
    numbers: {
      forms: ['{n9}-{c}', '{n9}{c}', '###-{n6}-{c}', '0{n8}{c}'],
      from: [100_200_300, 780_900_100],
      step: [40, 4_000],
    },
    rhythm: every(3, 9),
    price: varied(41_000, 1),
    terms: [15, 30],
    order: load,
  },
  {
    tails: ['Transport Ltd', 'Freightways Ltd', 'Cartage Inc'],
    count: 6,
    land: 'CA',
    numbers: { forms: ['{n6}', 'W{n6}', '{yy}{n5}', 'FB{n7}'], from: [20_000, 610_000], step: [3, 90] },
    rhythm: every(8, 22),
    price: varied(139_000, 0.8),
    terms: [30, 45],
    order: load,
  },
  {
    tails: ['Drayage LLC', 'Intermodal Inc', 'Container Services'],
    count: 4,
    land: 'US',
    numbers: { forms: ['DR{n6}', '{n6}', 'CHI-{n5}'], from: [30_000, 240_000], step: [2, 40] },
    rhythm: every(5, 16),
    price: varied(62_000, 0.6),
    order: { form: '@@@U#######' },
  },
  {
    tails: ['Warehousing Inc', 'Crossdock LLC', 'Cold Storage'],
    count: 4,
    land: 'US',
    numbers: { forms: ['{n6}', 'W-{yyyy}{mm}-{n3}', 'SI{n6}'], from: [1_000, 90_000], step: [1, 25] },
    rhythm: every(10, 21),
    price: varied(210_000, 0.5),
  },
  {
    tails: ['Fleet Fuel Card', 'Petroleum Network'],
    count: 2,
    land: 'US',
    numbers: { forms: ['NP{n8}', '{n9}'], from: [41_000_000, 90_000_000], step: [500, 9_000] },
    rhythm: weekly,
    price: varied(940_000, 0.4),
    terms: [7, 10],
  },
  {
    tails: ['Truck Parts', 'Tire & Wheel', 'Diesel Repair'],
    count: 4,
    land: 'US',
    numbers: { forms: ['{n7}', '##-{n6}', 'R{n5}'], from: [10_000, 900_000], step: [5, 300] },
    rhythm: every(7, 24),
    price: varied(48_000, 1),
    permille: 70,
  },
  {
    tails: ['Customs Brokers Inc', 'Brokerage Ltd'],
    count: 3,
    land: 'CA',
    numbers: { forms: ['{n8}', '1####-{n6}'], from: [300_000, 4_000_000], step: [10, 400] },
    rhythm: every(6, 15),
    price: varied(17_500, 0.7),
    terms: [10, 15],
  },
  {
    tails: ['Telematics Inc', 'Load Board', 'Software Inc'],
    count: 4,
    land: 'US',
    numbers: { forms: ['INV{n8}', 'SUB-{n6}', '{yyyy}{mm}-{n4}'], from: [10_000, 900_000], step: [30, 2_000] },
    rhythm: monthly(),
    price: fixed(84_000),
    recurs: true,
  },
];

const usual = (kind: string, count: number, land: 'US' | 'CA', tail: string, form: string): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: { tails: [tail], land, numbers: { forms: [form], from: [1_200, 60_000], step: [1, 14] } },
});

const usuals: readonly Usual[] = [
  {
    ...usual('loads of one lane on one day', 2, 'US', 'Dedicated Lines', '{n6}'),
    play: equalOfADay(every(4, 9), 3, 96_000),
  },
  {
    ...usual('detention under the number of the load', 2, 'US', 'Haulers LLC', '{n5}'),
    play: additions(every(9, 18), 172_000, '-D'),
  },
  {
    ...usual('lumper receipts of one day', 1, 'US', 'Dock Services', 'RC{n7}'),
    play: runOfADay(every(6, 12), 4, 13_000),
  },
  { ...usual('freight corrected by a credit', 2, 'US', 'Freight Inc', '4{n8}'), play: creditAndRebill(64_000, 'CR') },
  { ...usual('rent of several trailers', 1, 'US', 'Trailer Leasing', 'TL{n6}'), play: rentOfEach(3, 65_000) },
  {
    ...usual('numbers begin again in January', 2, 'US', 'Bros Trucking', '{n}'),
    play: restartsEachYear(every(12, 26), 120_000),
  },
  {
    ...usual('stops of one order billed apart', 1, 'CA', 'Pool Distribution Ltd', 'PD{n5}'),
    play: shipments(every(22, 36), 44_000, '-'),
  },
  { ...usual('produce season', 2, 'US', 'Produce Haulers', '{n5}'), play: season([5, 6, 7], 140_000) },
  {
    ...usual('proof of delivery came late', 1, 'CA', 'Northern Haul Ltd', 'N{n5}'),
    play: late(every(10, 21), 180_000),
  },
  { ...usual('escort cars at one price', 1, 'US', 'Pilot Cars', '{n4}'), play: equalOfADay(every(12, 20), 2, 38_000) },
];

/** Kinds of repeated bills that the test data contain only for freight carriers. */
const own: Readonly<Record<string, Again>> = {
  'PRO without its check digit': numberTyped((paper) => {
    const number = numberOf(paper);
    const digits = number.replace(/\D/g, '');
    const isPro = digits.length >= 9 && digits.endsWith(checkDigit(digits.replace(/^0+/, '').slice(0, -1)));
    return isPro ? number.replace(/-?\d$/, '') : undefined;
  }),
  'code of the carrier before the PRO': numberTyped((paper) => {
    const digits = numberOf(paper).replace(/\D/g, '');
    const code = paper.vendor.name
      .replace(/[^A-Za-z]/g, '')
      .slice(0, 4)
      .toUpperCase();
    return digits.length < 6 ? undefined : `${code}${digits}`;
  }),
  'balance due with lumper and detention': (paper, random) => {
    const more = at(paper.bill, centsOf(paper.bill.invoice.gross_amount) + 100 * random.integer(75, 240));
    return more && { again: [{ ...more, arrival: addDays(more.arrival, random.integer(5, 20)) }] };
  },
  'load behind the number': numberTyped((paper) => {
    const order = paper.bill.invoice.purchase_order_ref;
    return order === undefined ? undefined : `${numberOf(paper)} / ${order}`;
  }),
  'sold to a factor who bills under his name': entered(({ bill }, random) => {
    const factor = random.pick(['Tidewater Receivables Corp', 'Keystone Factoring LLC', 'Apex Prairie Capital']);
    return withSupplier(bill, { name: `${bill.invoice.supplier.name} c/o ${factor}`, tax_id: undefined });
  }),
  'unrelated: bill of lading for the number': numberTyped(({ note }, random) =>
    random.pick([note, `BOL ${note}`, `BOL${note}`]),
  ),
  'unrelated: schedule of a factor': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('SCH-####-##', random) }),
  ),
  'unrelated: trailer and day for the number': entered(({ bill }, random): Bill => {
    const [, month = '', day = ''] = bill.invoice.issue_date.split('-');
    return withInvoice(bill, { invoice_number: `${filled('53##', random)}-${month}${day}` });
  }),
};

/** Returns the test bills of a freight broker in Nebraska and Manitoba that pays carriers by the load. */
export function americanFreight(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-08-05',
    lastDay: '2025-12-19',
    companyIds: [omaha, omaha, omaha, omaha, winnipeg],
    words,
    accounts: ['SANDFB', '10####', '7######', 'C-#####'],
    notes: ['7########', '00#######', 'SHB-######'],
  });
  const papers = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    papers,
    [
      'forty times the highest amount',
      'two digits too many in the amount',
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
      'leading zeros dropped',
      'a letter or dot behind it so that the system takes it',
      'a key beside the right one',
      'billed again with a mark and no credit',
      'date of the stamp of receipt',
      'short form of the supplier without tax id',
      'number and date each with a slip',
      'split by cost centre',
      'booked at the sister company',
      'unrelated: the order for the number',
      'unrelated: the date for the number',
      'unrelated: billed again under the next number',
      'unrelated: the statement of the month',
      'unrelated: a quotation that was paid before',
    ],
    own,
  );
}
