import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { every, fixed, metered, monthly, openBook, varied, weekly, workday } from './book/book.js';
import type { Entry } from './book/book.js';
import { withCopies } from './book/copies.js';
import type { CopyKind } from './book/copies.js';
import {
  advancesAndFinalBill,
  billForEachCompany,
  changedBank,
  contractNumber,
  creditAndReissue,
  customerNumber,
  equalHalves,
  equalOnOneDay,
  equalRates,
  lookAlikes,
  onePrice,
  restartWithoutYear,
  secondOfTheMonth,
  sharedFactor,
  twoAccounts,
  yearlyFee,
} from './book/look-alikes.js';
import type { Surroundings } from './book/look-alikes.js';
import { filled } from './book/pattern.js';
import { withPlanted } from './book/planted.js';
import { taxIdOf } from './book/trader.js';
import { billTrades, traderMaker } from './book/trades.js';
import type { Trade } from './book/trades.js';

const dutch = '0192a000-0000-7000-8000-00000000c301';
const belgian = '0192a000-0000-7000-8000-00000000c302';

export const beneluxCompanies = [
  { companyId: dutch, name: 'Wielinga Adviesgroep B.V.', taxId: taxIdOf('NL', randomFrom(21)), country: 'NL' },
  { companyId: belgian, name: 'Wielinga Consult NV', taxId: taxIdOf('BE', randomFrom(22)), country: 'BE' },
];

export const beneluxRates = { USD: '1.09', CHF: '0.95' };

// prettier-ignore
const familyNames = [
  'Aalbers', 'Achterberg', 'Bakhuizen', 'Barendrecht', 'Beekhof', 'Bergsma', 'Blankenstein', 'Boekhoudt', 'Bosgraaf', 'Brandsma',
  'Buitenhuis', 'Coppens', 'Cuypers', 'Daalder', 'Dekeyser', 'Dijkgraaf', 'Doornbos', 'Duivendak', 'Eekhout', 'Elzinga', 'Engelhart',
  'Feenstra', 'Franssens', 'Geerlings', 'Goossens', 'Groeneveld', 'Haverkamp', 'Hendrickx', 'Heuvelman', 'Hoogendoorn', 'Huizinga',
  'Ingels', 'Jellema', 'Jongeneel', 'Kerkhof', 'Kloosterman', 'Koolhaas', 'Kuiper', 'Lambrechts', 'Langedijk', 'Leemans', 'Lievens',
  'Maertens', 'Meulenbelt', 'Middendorp', 'Moerman', 'Mulderij', 'Nauta', 'Nijhoff', 'Noordzij', 'Oosterhuis', 'Opdebeeck', 'Overmars',
  'Peeters', 'Pieterse', 'Postma', 'Quispel', 'Raaijmakers', 'Reitsma', 'Roelofs', 'Ruitenberg', 'Schaafsma', 'Schouten', 'Sikkema',
  'Slagter', 'Smeets', 'Spaargaren', 'Steenbeek', 'Stoffels', 'Swinnen', 'Terpstra', 'Timmermans', 'Tromp', 'Uitdehaag', 'Vandaele',
  'Vandenbroucke', 'Verhaeghe', 'Verbruggen', 'Vermeersch', 'Vinke', 'Visscher', 'Vogelzang', 'Vroegop', 'Waterman', 'Weijers', 'Westdijk',
  'Wiersma', 'Wouters', 'Ypma', 'Zandstra', 'Zijlstra', 'Zonneveld', 'Schmitz', 'Hoffmann', 'Thill', 'Kremer', 'Reuter', 'Majerus',
  'Clement', 'Faber', 'Bastien', 'Delacroix', 'Dumoulin', 'Fontaine', 'Gilsoul', 'Hubermont', 'Jacquemin', 'Lejeune', 'Marchal', 'Navez',
  'Pirotte', 'Renard', 'Servais', 'Thiry', 'Urbain', 'Warnier', 'Byrne', 'Callaghan', 'Donnelly', 'Fitzgerald', 'Kavanagh', 'Mulligan',
  'Appelboom', 'Brouwershaven', 'Drenthe', 'Everaert', 'Foppema', 'Graafland', 'Hiemstra', 'Idema', 'Kampinga', 'Lootsma',
  'Meinardi', 'Noteboom', 'Oppewal', 'Praamstra', 'Rijpkema', 'Stellingwerf', 'Tichelaar', 'Vandersmissen', 'Vlaeminck', 'Wijngaarden',
  'Beukelaar', 'Cornelissen', 'Devroede', 'Eggermont', 'Fockedey', 'Ghekiere', 'Haegeman', 'Jacobsma', 'Keirsebilck', 'Lammertyn', 'Molenaar',
  'Naaijkens', 'Ossewaarde', 'Pattyn', 'Rosseel', 'Snoeck', 'Tavernier', 'Uyttenhove', 'Vercruysse', 'Wyckmans',
];

const year = { restart: 'year', from: 60 } as const;

const trades: readonly Trade[] = [
  {
    count: 11,
    country: 'NL',
    trade: ['Advies', 'Interim', 'Vertaalbureau', 'Ontwerp', 'Trainingen'],
    rhythm: every(13, 32),
    pricing: varied(310_000),
    numbers: [
      ['YYYYNNN', { restart: 'year', from: 3, stepMax: 3 }],
      ['YYYY-NNN', { restart: 'year', from: 12, stepMax: 4 }],
      ['FNNNN', { from: 412 }],
      ['NN-YYYY', { restart: 'year', from: 1, stepMax: 3 }],
    ],
    terms: [14, 30],
    order: { form: 'PO-######', change: 'kept' },
  },
  {
    count: 9,
    country: 'BE',
    trade: ['Consulting', 'Drukkerij', 'Catering', 'Events'],
    rhythm: every(9, 25),
    pricing: varied(120_000),
    numbers: [['V/YYYY/NNNN', year], ['YYNNNN', year], ['VENNNNN'], ['YYYY/A/NNN', year]],
    terms: [30],
    order: { form: 'BST######', change: 'new' },
  },
  {
    count: 6,
    country: 'NL',
    trade: ['Uitzend', 'Schoonmaak', 'Koeriers'],
    rhythm: weekly,
    pricing: varied(180_000, 0.5),
    numbers: [['NNNNNNN', { from: 2_400_300 }], ['YYWNNNN', year], ['####.NNNNN'], ['UB-NNNNNN']],
    terms: [14, 30],
    order: { form: 'INH-#####', change: 'kept' },
  },
  {
    count: 7,
    country: 'NL',
    trade: ['Software', 'Hosting', 'Cloud'],
    rhythm: monthly(),
    pricing: varied(48_000, 0.3),
    numbers: [
      ['INV-NNNNN'],
      ['NLYYYYMMNNNNN', { restart: 'month', stepMax: 90 }],
      ['INNNNNNNN', { from: 20_330_100, stepMax: 4_000 }],
    ],
    terms: [14],
  },
  {
    count: 7,
    country: 'BE',
    trade: ['Telecom', 'Mobile'],
    rhythm: monthly(),
    pricing: varied(61_000, 0.2),
    numbers: [
      ['NNNNNNNNNN', { from: 5_508_812_000, stepMax: 90_000 }],
      ['YYYYMMNNNNNN', { restart: 'month', stepMax: 900 }],
    ],
    terms: [20],
  },
  {
    count: 7,
    country: 'NL',
    trade: ['Lease', 'Autoleasing', 'Kantoorverhuur'],
    rhythm: monthly(),
    pricing: fixed(72_000),
    numbers: [['LNNNNNNN', { from: 2_880_100, stepMax: 300 }], ['####-YYYYMM'], ['VFYYNNNNNN', year]],
    terms: [14, 30],
  },
  {
    count: 5,
    country: 'LU',
    trade: ['Assurances', 'Fiduciaire'],
    rhythm: monthly({ every: 3 }),
    pricing: varied(210_000, 0.4),
    numbers: [
      ['YYYY/NNNNN', year],
      ['NNNNNN', { from: 300_100 }],
    ],
    terms: [30],
    vatPercent: 0,
  },
  {
    count: 6,
    country: 'BE',
    trade: ['Énergie', 'Gaz'],
    rhythm: monthly(),
    pricing: metered(96_000),
    numbers: [['YYYYNNNNNNNN', { from: 3_300_200, stepMax: 9_000 }], ['##########/MM/YYYY']],
    terms: [15],
  },
  {
    count: 7,
    country: 'NL',
    trade: ['Freelance', 'Fotografie', 'Teksten'],
    rhythm: every(20, 45),
    pricing: varied(110_000, 0.6),
    numbers: [
      ['NN', { from: 14, stepMax: 2 }],
      ['YYYYMMDD-NN', { restart: 'day', from: 0, stepMax: 1 }],
      ['FYY-NNN', { restart: 'year', from: 2, stepMax: 3 }],
    ],
    terms: [14],
  },
  {
    count: 4,
    country: 'IE',
    trade: ['Platforms', 'Analytics'],
    rhythm: monthly(),
    pricing: varied(83_000, 0.4),
    numbers: [
      ['IE-NNNNNNNN', { from: 10_400_200, stepMax: 9_000 }],
      ['AD@@NNNNNN', { stepMax: 700 }],
    ],
    terms: [30],
    vatPercent: 0,
  },
  {
    count: 8,
    country: 'BE',
    trade: ['Logistiek', 'Onderhoud', 'Bewaking'],
    rhythm: every(8, 20),
    pricing: varied(74_000),
    numbers: [['NNNNNN', { from: 240_100 }], ['FYYYYNNNN', year], ['@@-NNNNN']],
    terms: [30, 60],
    order: { form: '45########', change: 'new' },
  },
];

function resembling(surroundings: Surroundings): Entry[] {
  const of = (kind: string, trade: string, form: string) =>
    ({ kind, count: 3, country: 'NL', trade: [trade], form }) as const;
  return [
    ...lookAlikes(
      surroundings,
      { ...of('policies at one premium', 'Verzekeringen', 'PNNNNNNN'), vatPercent: 0 },
      equalOnOneDay(monthly({ every: 3 }), 5, 44_000),
    ),
    ...lookAlikes(surroundings, of('cars at one rate', 'Wagenpark', 'LNNNNNN'), equalOnOneDay(monthly(), 3, 52_000)),
    ...lookAlikes(
      surroundings,
      of('subscription each month', 'Abonnementen', 'SUB-NNNNNN'),
      onePrice(monthly(), 9_900),
    ),
    ...lookAlikes(surroundings, of('one price each week', 'Fruitmand', 'YYYYNNNN'), onePrice(weekly, 6_500)),
    ...lookAlikes(
      surroundings,
      of('contract number on every bill', 'Copiers', 'NNN'),
      contractNumber(monthly(), 31_000, '##-#####-#'),
    ),
    ...lookAlikes(
      surroundings,
      of('contract number each quarter', 'Alarm', 'NNN'),
      contractNumber(monthly({ every: 3 }), 22_000, 'CTR######'),
    ),
    ...lookAlikes(surroundings, of('customer number on every bill', 'Waterbedrijf', 'NNN'), customerNumber),
    ...lookAlikes(surroundings, of('advances and a final bill', 'Stadswarmte', 'NNNNNNNN'), advancesAndFinalBill),
    ...lookAlikes(surroundings, of('second bill of the month', 'Administratie', 'NNN'), secondOfTheMonth),
    ...lookAlikes(
      surroundings,
      { ...of('credited and billed again', 'Reclame', 'YYYYNNNN'), country: 'BE' },
      creditAndReissue,
    ),
    ...lookAlikes(surroundings, { ...of('equal halves', 'Websites', 'YYYY-NNNN'), country: 'BE' }, equalHalves),
    ...lookAlikes(surroundings, of('three equal rates', 'Implementatie', 'INNNNN'), equalRates(3, 30, 650_000)),
    ...lookAlikes(surroundings, of('a bill for each company', 'Salarisverwerking', 'NNNNNN'), billForEachCompany),
    ...lookAlikes(
      surroundings,
      { ...of('numbers begin again without a year', 'Coaching', 'N'), country: 'BE' },
      restartWithoutYear,
    ),
    ...lookAlikes(surroundings, of('two accounts in turn', 'Makelaars', 'NNNNNN'), twoAccounts),
    ...lookAlikes(surroundings, { ...of('bank changed once', 'Notariaat', 'YYYYNNNNN'), country: 'BE' }, changedBank),
    ...sharedFactor(surroundings, { ...of('shared account of a factor', 'Detachering', 'YYYYNNNN'), count: 6 }),
    ...lookAlikes(surroundings, { ...of('yearly fee', 'Keurmerk', 'NNNNNN'), count: 6 }, yearlyFee),
  ];
}

/** Kinds of test bills that only offices receive, in addition to the usual kinds. */
const own: Readonly<Record<string, CopyKind>> = {
  'reminder with a fee': ({ bill }, random) => {
    const { net_amount: _net, tax_amount: _tax, ...invoice } = bill.invoice;
    const gross = `${Number(invoice.gross_amount.split('.')[0]) + 40}.${invoice.gross_amount.split('.')[1] ?? '00'}`;
    const number = `Aanmaning ${invoice.invoice_number}`;
    return {
      copies: [copied({ ...bill, invoice: { ...invoice, gross_amount: gross, invoice_number: number } }, random)],
    };
  },
  'subscription billed again with the series of the new year': ({ bill }, random) => {
    const year = bill.invoice.issue_date.slice(0, 4);
    const number = bill.invoice.invoice_number.replace(year, String(Number(year) + 1));
    return number === bill.invoice.invoice_number
      ? undefined
      : { copies: [copied(withInvoice(bill, { invoice_number: number }), random)] };
  },
  'sent to the sister company as well': ({ bill }, random) => ({
    copies: [{ ...copied(bill, random), companyId: bill.companyId === dutch ? belgian : dutch }],
  }),
  'customer number before the number': ({ bill, trader }, random) => ({
    copies: [
      copied(withInvoice(bill, { invoice_number: `${trader.customerNumber}/${bill.invoice.invoice_number}` }), random),
    ],
  }),
  'trade name and another account form': ({ bill }, random) => {
    const iban = bill.invoice.supplier.bank_account?.iban?.replace(/(.{4})/g, '$1 ').trim();
    const name = bill.invoice.supplier.name.split(' ').slice(0, 2).toReversed().join(' ');
    return iban === undefined
      ? undefined
      : { copies: [copied(withSupplier(bill, { name, bank_account: { iban } }), random)] };
  },
  'unrelated: bailiff claims it again': ({ bill }, random) => ({
    copies: [
      {
        ...withInvoice(bill, { invoice_number: filled('DOS ######', random) }),
        arrival: workday(addDays(bill.arrival, random.integer(45, 80))),
      },
    ],
  }),
  'unrelated: structured payment reference typed as the number': ({ bill }, random) => ({
    copies: [copied(withInvoice(bill, { invoice_number: filled('+++###/####/#####+++', random) }), random)],
  }),
};

function copied(bill: Bill, random: Random): Bill {
  return { ...bill, arrival: workday(addDays(bill.arrival, random.integer(1, 24))) };
}

/**
 * Creates the test bills that two consultancies in the Netherlands and Belgium receive in two and a half years:
 * contracts, subscriptions, policies and freelancers.
 */
export function beneluxServices(random: Random): Bill[] {
  const book = openBook(random, '2023-07-03', '2025-12-19');
  const makeTrader = traderMaker(book, familyNames, [dutch, dutch, belgian]);
  const entries = [
    ...billTrades(book, makeTrader, trades),
    ...resembling({ book, makeTrader, companyIds: [dutch, belgian] }),
  ];
  const planted = withPlanted(
    book,
    entries,
    [
      'account at a bank of another country',
      'another account of the same country, sooner due',
      'account with digits changed',
      'account of another supplier',
      'impostor with a like name',
      'another valid tax id',
      'tax id with a wrong check digit',
      'name of somebody else',
      'sixty times the usual amount',
      'totals that do not add up',
      'more tax than any rate',
      'contract price up by half',
      'due within two days',
      'another currency',
      'dated weeks ahead',
    ],
    56,
  );
  return withCopies(planted, {
    book,
    share: 0.045,
    own,
    names: [
      'entered twice',
      'number printed otherwise',
      'reminder word before the number',
      'copy mark behind the number',
      'prefix letters lost',
      'digits swapped',
      'number cut short',
      'day and month swapped',
      'net for gross',
      'number misread, amount with a slip',
      'split into two parts',
      'unrelated: order typed as the number',
      'unrelated: customer number typed as the number',
      'unrelated: reminder with a number of its own',
      'unrelated: pro forma, then invoice',
      'unrelated: self-billing, then the invoice of the supplier',
      'unrelated: billed again under the next number',
      'unrelated: sent again by a factor',
      'unrelated: date typed as the number',
    ],
  });
}
