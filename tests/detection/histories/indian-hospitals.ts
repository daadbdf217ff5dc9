import { withInvoice, withSupplier } from '../bill.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, monthly, priced, varied, weekly } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, fiscalYear, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import {
  additions,
  contractAsNumber,
  creditAndRebill,
  eachCompany,
  equalOfADay,
  late,
  oneFee,
  returns,
  runOfADay,
  shipments,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const pune = '0192a000-0000-7000-8000-00000000d301';
const nashik = '0192a000-0000-7000-8000-00000000d302';

export const hospitalCompanies = [
  { companyId: pune, name: 'Sahyadri Ghat Hospitals Pvt Ltd', taxId: '27AAHCS4417Q1Z3', country: 'IN' },
  { companyId: nashik, name: 'Godavari Heart Institute LLP', taxId: '27ABKFG2086L1Z9', country: 'IN' },
];

export const hospitalRates = { INR: '92', USD: '1.09' };

// prettier-ignore
const words = [
  'Ashirwad', 'Balaji', 'Chintamani', 'Dhanvantari', 'Ekadant', 'Gajanan', 'Harihar', 'Indrayani', 'Jeevandeep', 'Kaveri', 'Lokmanya',
  'Mahalaxmi', 'Navjeevan', 'Omkar', 'Panchsheel', 'Raghav', 'Samarth', 'Trimurti', 'Udyog', 'Vighnaharta', 'Yashoda', 'Zenith', 'Arogya',
  'Bhairav', 'Chaitanya', 'Deccan', 'Everest', 'Falcon', 'Girnar', 'Himgiri', 'Ishwar', 'Jagdamba', 'Konark', 'Laxminarayan', 'Malhar',
  'Narmada', 'Oswal', 'Parakh', 'Rajhans', 'Sanjeevani', 'Tapti', 'Ujjwal', 'Varad', 'Wardha', 'Amrutvahini', 'Bhagirath', 'Cosmos',
  'Devgiri', 'Elixir', 'Fortune', 'Gomti', 'Hindustan', 'Ideal', 'Jyoti', 'Kamdhenu', 'Lotus', 'Mewar', 'Nirmal', 'Orchid', 'Pragati',
  'Regal', 'Shivneri', 'Torna', 'Unity', 'Vishal', 'Swastik', 'Anand', 'Bharat Surgicals', 'Crescent', 'Dwarka', 'Eastern', 'Futura',
  'Gokul', 'Horizon', 'Imperial', 'Janki', 'Krishna', 'Lifeline', 'Matoshree', 'Nandini', 'Om Sai', 'Prabhat', 'Rukmini', 'Suvarna',
  'Tirupati', 'Utkarsh', 'Vasundhara', 'Shah', 'Mehta', 'Kulkarni', 'Deshpande', 'Patil', 'Joshi', 'Bhandari', 'Agarwal', 'Goenka',
];

const order = { form: 'SGH/PO/{fy}/#####' } as const;

const lines: readonly Line[] = [
  {
    // In the test data, Indian wholesalers of medicines number their bills by the fiscal year, which begins in April.
    tails: ['Pharma', 'Medical Agencies', 'Drug House', 'Distributors', 'Healthcare Pvt Ltd'],
    count: 15,
    land: 'IN',
    numbers: {
      forms: ['PH/{fy}/{n5}', 'S{n6}', 'GST-{n5}', 'CR/{n6}', 'INV/{yy}{mm}/{n4}', '@@{n7}', 'TI-{n5}'],
      from: [200, 40_000],
      step: [2, 60],
      restart: 'fiscal year',
    },
    rhythm: every(4, 14),
    price: varied(3_400_000, 1),
    permille: 120,
    terms: [30, 45, 60],
    order,
  },
  {
    tails: ['Surgicals', 'Meditech Pvt Ltd', 'Implants LLP', 'Ortho Care'],
    count: 9,
    land: 'IN',
    numbers: { forms: ['{n4}/{fy}', 'SI/{yyyy}/{n5}', 'MH{n7}', 'DC-{n5}'], from: [100, 9_000], step: [1, 14] },
    rhythm: every(7, 24),
    price: varied(9_800_000, 0.9),
    permille: 120,
    terms: [45, 60, 90],
    order,
  },
  {
    tails: ['Oxygen Pvt Ltd', 'Medical Gases'],
    count: 3,
    land: 'IN',
    numbers: { forms: ['MG{n6}', '{n7}', 'PN-{n6}'], from: [9_000, 200_000], step: [2, 40] },
    rhythm: every(3, 8),
    price: priced([42_000, 58_500, 96_000, 131_000], 6),
    permille: 120,
    recurs: true,
  },
  {
    tails: ['Diagnostics', 'Pathology Services', 'Blood Centre'],
    count: 5,
    land: 'IN',
    numbers: { forms: ['{yyyy}/{mm}/{n4}', 'LAB{n6}', 'BC/{n5}'], from: [100, 30_000], step: [1, 20] },
    rhythm: every(7, 16),
    price: varied(1_900_000, 0.7),
    permille: 0,
  },
  {
    tails: ['Manpower Services', 'Facility Management', 'Security Services'],
    count: 5,
    land: 'IN',
    numbers: { forms: ['{n3}/{yyyy}', 'FM/{yy}-{mm}/{n3}', 'INV{n4}'], from: [10, 900], step: [1, 5] },
    rhythm: monthly(),
    price: varied(28_000_000, 0.25),
    order: { form: 'WO/####/{yy}', isKept: true },
  },
  {
    tails: ['Caterers', 'Dairy Farm', 'Vegetables & Fruits', 'Provision Stores'],
    count: 6,
    land: 'IN',
    numbers: { forms: ['{n3}', '{n4}', 'B{n4}', '{mm}/{n3}'], from: [20, 3_000], step: [1, 6] },
    rhythm: every(4, 10),
    price: varied(1_250_000, 0.6),
    permille: 50,
    terms: [15, 30],
  },
  {
    tails: ['Biomedical Engineers', 'Imaging Service Pvt Ltd', 'Lift Maintenance'],
    count: 4,
    land: 'IN',
    numbers: { forms: ['AMC/{n5}', 'SRV{n6}', '{yy}{n6}'], from: [1_000, 90_000], step: [3, 200] },
    rhythm: monthly({ every: 3 }),
    price: fixed(14_500_000),
    recurs: true,
  },
  {
    tails: ['Linen & Laundry', 'Waste Management Ltd', 'Pest Control'],
    count: 4,
    land: 'IN',
    numbers: { forms: ['{n5}', 'BMW/{yy}{mm}/{n3}', 'L-{n4}'], from: [50, 20_000], step: [1, 12] },
    rhythm: every(10, 20),
    price: varied(2_600_000, 0.4),
  },
  {
    tails: ['Printers', 'Stationery Mart', 'Computers', 'Electricals'],
    count: 6,
    land: 'IN',
    numbers: { forms: ['{n4}', 'T/{n4}/{fy}', 'CS-{n5}', 'GST/{n4}'], from: [50, 8_000], step: [1, 20] },
    rhythm: every(10, 30),
    price: varied(1_100_000, 1),
    order,
  },
  {
    tails: ['Locum Doctors', 'Nursing Bureau'],
    count: 2,
    land: 'IN',
    numbers: { forms: ['{n4}', 'NB/{n4}'], from: [100, 900], step: [1, 4] },
    rhythm: weekly,
    price: varied(4_200_000, 0.35),
    permille: 0,
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 120): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'IN',
    permille,
    terms: [30],
    numbers: { forms: [form], from: [300, 50_000], step: [1, 18] },
  },
});

const usuals: readonly Usual[] = [
  { ...of('challans of one day', 1, 'Chemists', 'C{n6}'), play: runOfADay(every(3, 7), 4, 610_000) },
  {
    ...of('implants of one price for two patients', 2, 'Cardiac Devices', 'CD/{n5}'),
    play: equalOfADay(every(6, 14), 2, 4_800_000),
  },
  { ...of('part deliveries of one order', 2, 'Equipments', 'EQ{n5}'), play: shipments(every(18, 30), 5_200_000, '/') },
  { ...of('expired goods returned', 2, 'Life Sciences', 'LS{n6}'), play: returns(every(5, 12), 2_100_000) },
  { ...of('rate difference credited and billed', 1, 'Remedies', 'R/{n5}'), play: creditAndRebill(2_900_000, 'CN/') },
  {
    ...of('contract number on every bill', 1, 'Medical Leasing', 'X{n5}', 180),
    play: contractAsNumber('LEASE/####', 18_000_000),
  },
  { ...of('one retainer for both hospitals', 1, 'Advocates', '{n3}/{yyyy}', 180), play: eachCompany(5_000_000) },
  { ...of('licence once a year', 2, 'Softwares', 'LIC{n5}', 180), play: oneFee(monthly({ every: 12 }), 21_000_000) },
  { ...of('freight behind the number', 1, 'Scientific', 'SC{n5}'), play: additions(every(8, 16), 3_300_000, '/F') },
  {
    ...of('bills passed by the insurer first', 1, 'Ambulance Services', 'A{n4}', 0),
    play: late(every(9, 18), 740_000),
  },
];

/** Kinds of repeated bills that the test data contain only for India. */
const own: Readonly<Record<string, Again>> = {
  'fiscal year put behind the number': numberTyped((paper) =>
    /2\d-2\d|20\d\d/.test(numberOf(paper))
      ? undefined
      : `${numberOf(paper)}/${fiscalYear(paper.bill.invoice.issue_date)}`,
  ),
  'series of the stockist left off': numberTyped((paper) => {
    const rest = numberOf(paper)
      .replace(/^[A-Z]+[-/]?/, '')
      .replace(/^\d\d-\d\d\//, '');
    return rest.length < 4 ? undefined : rest;
  }),
  'tax deducted at source from the total': entered(({ bill }) => {
    const net = centsOf(bill.invoice.net_amount ?? '0');
    return at(bill, centsOf(bill.invoice.gross_amount) - Math.round(net / 50));
  }),
  'total rounded to whole rupees': entered(({ bill }) => {
    const gross = centsOf(bill.invoice.gross_amount);
    return at(bill, 100 * Math.round(gross / 100));
  }),
  'M/s before the supplier, no tax id': entered(({ bill }) =>
    withSupplier(bill, { name: `M/s. ${bill.invoice.supplier.name}`, tax_id: undefined }),
  ),
  'unrelated: challan for the number': numberTyped(({ note }, random) =>
    random.pick([note, `DC/${note}`, `CH-${note}`]),
  ),
  'unrelated: number of the goods receipt': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled(`GRN/${fiscalYear(bill.arrival)}/#####`, random) }),
  ),
  'unrelated: reference of the e-invoice': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('1725###########', random) }),
  ),
  'unrelated: day with strokes for the number': entered(({ bill }) => {
    const [year = '', month = '', day = ''] = bill.invoice.issue_date.split('-');
    return withInvoice(bill, { invoice_number: `${day}/${month}/${year}` });
  }),
};

/** Returns the test bills of two hospitals in Maharashtra for medicines, implants, gases, contractors and kitchens. */
export function indianHospitals(random: Random): ReturnType<typeof withAgain> {
  const desk = openDesk(random, {
    firstDay: '2024-04-02',
    lastDay: '2026-01-30',
    companyIds: [pune, pune, pune, nashik],
    words,
    accounts: ['SGH-###', 'C####', '11####'],
    notes: ['####', '#####', '1###'],
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
      'number without its punctuation',
      'leading zeros dropped',
      'a key beside the right one',
      'read by a scanner',
      'date of the stamp of receipt',
      'day and month exchanged',
      'tax left off',
      'digits of the amount turned',
      'short form of the supplier without tax id',
      'neither tax id nor account',
      'mark behind the number and the amount turned',
      'booked at the sister company',
      'unrelated: the order for the number',
      'unrelated: a quotation that was paid before',
      'unrelated: billed again under the next number',
      'unrelated: the statement of the month',
    ],
    own,
  );
}
