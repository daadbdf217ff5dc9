import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from '../bill.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, metered, monthly, varied, workday } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import {
  accountAsNumber,
  additions,
  byMeter,
  contractAsNumber,
  creditAndRebill,
  eachCompany,
  equalOfADay,
  estimates,
  oneFee,
  season,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const ontario = '0192a000-0000-7000-8000-00000000d201';
const alberta = '0192a000-0000-7000-8000-00000000d202';
const scotia = '0192a000-0000-7000-8000-00000000d203';

export const utilityCompanies = [
  { companyId: ontario, name: 'Kestrel Point Property Management Inc', taxId: '865190447 RT0001', country: 'CA' },
  { companyId: alberta, name: 'Kestrel Point West Ltd', taxId: '721508836 RT0001', country: 'CA' },
  { companyId: scotia, name: 'Kestrel Point Atlantic Ltd', taxId: '139944027 RT0001', country: 'CA' },
];

export const utilityRates = { CAD: '1.49', USD: '1.09' };

// prettier-ignore
const words = [
  'Grand River', 'Speed River', 'Nottawasaga', 'Severn', 'Trent Hills', 'Kawartha', 'Rideau', 'Gatineau', 'Madawaska', 'Muskoka', 'Almaguin',
  'Manitoulin', 'Bruce', 'Saugeen', 'Maitland', 'Thames Valley', 'Essex', 'Lambton', 'Haldimand', 'Welland', 'Credit Valley', 'Humber', 'Rouge',
  'Bow Valley', 'Elbow River', 'Battle River', 'Red Deer', 'Peace Country', 'Athabasca', 'Lac la Biche', 'Wetaskiwin', 'Crowfoot', 'Drumheller',
  'Lethbridge', 'Cypress', 'Annapolis', 'Minas', 'Cobequid', 'Musquodoboit', 'Bras d Or', 'Cape Sable', 'Lunenburg', 'Pictou', 'Antigonish',
  'Margaree', 'Peggy Cove', 'Fundy', 'Chignecto', 'Harcourt', 'Ashworth', 'Fitzgerald', 'Tremblay', 'Bouchard', 'Gauthier', 'Pelletier', 'Lévesque',
  'Singh', 'Chaudhry', 'Nguyen', 'MacIsaac', 'MacPhee', 'Campbell', 'Fraser', 'Stewart', 'Morrison', 'Zwicker', 'Eisnor', 'Kowal', 'Melnyk',
  'Shevchenko', 'Romaniuk', 'Da Silva', 'Ferraro', 'Esposito', 'Bianchi', 'Papadakis', 'Hargrove', 'Tuckahoe', 'Wrenfield', 'Oakridge', 'Birchmount',
  'Maple Leaf', 'Evergreen', 'Cedarbrae', 'Larkspur', 'Foxglove', 'Sumac', 'Trillium', 'Aspen Grove', 'Fireweed', 'Mayflower', 'Blue Heron',
];

const lines: readonly Line[] = [
  {
    // In the test data, the bill of a utility has its own invoice number, next to the numbers of the account and the
    // meter.
    tails: ['Hydro Inc', 'Electric', 'Power Distribution'],
    count: 9,
    land: 'CA',
    numbers: {
      forms: ['{n12}', '####-{n8}', 'E{yy}{mm}{n6}', '{n10}'],
      from: [200_000, 40_000_000],
      step: [300, 90_000],
    },
    rhythm: monthly(),
    price: metered(310_000),
    permille: 130,
    terms: [16, 20],
  },
  {
    tails: ['Gas Distribution', 'Natural Gas Co-op'],
    count: 5,
    land: 'CA',
    numbers: { forms: ['{n9}', 'G-{n7}', '{yyyy}{mm}{n6}'], from: [100_000, 9_000_000], step: [100, 30_000] },
    rhythm: monthly(),
    price: metered(190_000),
    permille: 50,
    terms: [18, 21],
  },
  {
    tails: ['Town of _', 'Municipality of _', 'Regional Water'],
    count: 8,
    land: 'CA',
    numbers: { forms: ['{n7}', 'UT{n6}', '{yy}-{n6}'], from: [10_000, 700_000], step: [200, 4_000] },
    rhythm: monthly({ every: 2 }),
    price: varied(88_000, 0.4),
    permille: 0,
    terms: [21],
  },
  {
    tails: ['Plumbing & Heating Ltd', 'Mechanical Inc', 'Boiler Services'],
    count: 8,
    land: 'CA',
    numbers: { forms: ['{n5}', 'W{n5}', '{yy}{n4}', 'INV-{n6}'], from: [2_000, 80_000], step: [1, 30] },
    rhythm: every(9, 28),
    price: varied(72_000, 1),
    permille: 130,
    order: { form: 'WO-######' },
  },
  {
    tails: ['Snow & Landscape', 'Property Services', 'Grounds Ltd'],
    count: 6,
    land: 'CA',
    numbers: { forms: ['{n4}', '{yyyy}-{n3}', 'SI-{n5}'], from: [200, 9_000], step: [1, 9] },
    rhythm: every(10, 20),
    price: varied(145_000, 0.5),
    permille: 130,
    order: { form: '4500####', isKept: true },
  },
  {
    tails: ['Waste Services', 'Disposal Corp'],
    count: 4,
    land: 'CA',
    numbers: { forms: ['{n10}', '00{n6}-{mm}{yy}', 'H{n8}'], from: [50_000, 5_000_000], step: [90, 6_000] },
    rhythm: monthly(),
    price: varied(93_000, 0.3),
    permille: 150,
  },
  {
    tails: ['Elevator Ltd', 'Fire Protection', 'Security Inc'],
    count: 6,
    land: 'CA',
    numbers: { forms: ['{n8}', 'SV{n6}', '5{n7}'], from: [70_000, 3_000_000], step: [30, 900] },
    rhythm: monthly(),
    price: fixed(64_000),
    permille: 130,
    recurs: true,
  },
  {
    tails: ['Building Supply', 'Paint & Flooring', 'Hardware Wholesale'],
    count: 6,
    land: 'CA',
    numbers: { forms: ['{n7}', '##-{n6}', '{n4}-{yy}'], from: [1_000, 400_000], step: [5, 200] },
    rhythm: every(5, 15),
    price: varied(31_000, 1),
    permille: 150,
    order: { form: 'KP#####' },
  },
  {
    tails: ['Telecom', 'Cable & Internet'],
    count: 4,
    land: 'CA',
    numbers: { forms: ['{n9}', '#######{yyyy}{mm}{dd}'], from: [4_000_000, 70_000_000], step: [900, 50_000] },
    rhythm: monthly(),
    price: varied(46_000, 0.12),
    permille: 130,
  },
  {
    tails: ['Engineering Inc', 'Law Office', 'Appraisals'],
    count: 4,
    land: 'CA',
    numbers: { forms: ['{n5}', '{yyyy}{n3}', 'M####-{n3}'], from: [100, 20_000], step: [1, 20] },
    rhythm: every(20, 45),
    price: varied(260_000, 0.8),
    permille: 130,
  },
];

const of = (kind: string, count: number, tail: string, form: string, permille = 130): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: {
    tails: [tail],
    land: 'CA',
    permille,
    terms: [21],
    numbers: { forms: [form], from: [9_000, 800_000], step: [2, 60] },
  },
});

const usuals: readonly Usual[] = [
  { ...of('a bill for each meter on one day', 1, 'Public Utilities', '{n8}'), play: byMeter(7, 42_000, '3###-######') },
  { ...of('suite meters with equal charges', 1, 'Submetering', '{n8}'), play: byMeter(9, 6_000, '88######') },
  { ...of('account number on every bill', 2, 'Energy', '{n8}'), play: accountAsNumber('####-#####-##', 120_000) },
  { ...of('contract number on every bill', 1, 'Equipment Rental', '{n8}'), play: contractAsNumber('RC######', 39_000) },
  { ...of('estimate replaced by a reading', 2, 'Steam & Chilled Water', '{n7}', 50), play: estimates(230_000) },
  { ...of('credited and billed at the right rate', 1, 'Lighting', 'C{n6}'), play: creditAndRebill(58_000, 'CN') },
  { ...of('water heaters at one rent', 1, 'Comfort Rentals', '{n9}'), play: equalOfADay(monthly(), 5, 4_200) },
  {
    ...of('levy once a year', 2, 'Conservation Authority', '{yyyy}-{n5}', 0),
    play: oneFee(monthly({ every: 12 }), 310_000),
  },
  { ...of('one fee for each company', 1, 'Accounting LLP', '{n6}'), play: eachCompany(70_000) },
  { ...of('winter bills several times as high', 2, 'Fuels', '{n7}'), play: season([12, 1, 2], 66_000) },
  { ...of('disposal fee behind the number', 1, 'Bin Rental', '{n6}'), play: additions(every(9, 20), 48_000, '-DF') },
];

/** Kinds of repeated bills that the test data contain only for bills by meter. */
const own: Readonly<Record<string, Again>> = {
  'statement and its remittance slip': numberTyped((paper) => {
    const digits = numberOf(paper).replace(/\D/g, '');
    return digits.length < 7 ? undefined : `${paper.vendor.account.replace(/\D/g, '')}${digits}`;
  }),
  'amount with the balance brought forward': entered(
    ({ bill }, random) => at(bill, Math.round(centsOf(bill.invoice.gross_amount) * (1.9 + 0.2 * random.next()))),
    [20, 34],
  ),
  'amount after the due date': entered(
    ({ bill }) => at(bill, Math.round(centsOf(bill.invoice.gross_amount) * 1.05)),
    [10, 25],
  ),
  'date of the meter reading': entered(({ bill }, random) => {
    const date = addDays(bill.invoice.issue_date, -random.integer(3, 8));
    return withInvoice(bill, { issue_date: date, due_date: addDays(date, 21) });
  }),
  'spaces as printed on the stub': numberTyped((paper) => {
    const digits = numberOf(paper).replace(/\D/g, '');
    return digits.length < 8 ? undefined : digits.replace(/(\d{4})(?=\d)/g, '$1 ');
  }),
  'unrelated: the meter for the number': numberTyped(({ note }) => note),
  'unrelated: the address for the number': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('1### QUEEN ST W', random) }),
  ),
  'unrelated: bill corrected under a number of its own': entered(
    ({ bill }, random): Bill | undefined => {
      const date = workday(addDays(bill.invoice.issue_date, random.integer(2, 9)));
      return withInvoice(bill, {
        invoice_number: filled('9#########', random),
        issue_date: date,
        due_date: addDays(date, 21),
      });
    },
    [1, 4],
  ),
};

/**
 * Returns the test bills of a manager of houses in three provinces, whose suppliers bill by meter and by work order.
 */
export function canadianUtilities(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-01-04',
    lastDay: '2026-02-27',
    companyIds: [ontario, ontario, ontario, alberta, scotia],
    words,
    accounts: ['####-####-###', '8########', '00######'],
    notes: ['J######', 'MTR-######', '60#######'],
  });
  const papers = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    papers,
    [
      'forty times the highest amount',
      'two digits too many in the amount',
      'total that is no sum',
      'due before its date',
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
      'zeros put before the number',
      'a digit left out',
      'two digits turned',
      'only the end of a long number',
      'number made a power of ten by a spreadsheet',
      'late fee added',
      'tax left off',
      'neither tax id nor account',
      'booked at the sister company',
      'unrelated: the account for the number',
      'unrelated: the order for the number',
      'unrelated: a reminder with a number of its own',
      'unrelated: billed again under the next number',
      'unrelated: the payment reference for the number',
    ],
    own,
  );
}
