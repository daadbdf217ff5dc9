import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { every, fixed, metered, monthly, openBook, priced, varied, weekly, workday } from './book/book.js';
import { withCopies } from './book/copies.js';
import type { CopyKind } from './book/copies.js';
import {
  billForEachCompany,
  changedBank,
  contractNumber,
  creditAndReissue,
  equalHalves,
  equalLoads,
  equalOnOneDay,
  equalRates,
  lookAlikes,
  restartWithoutYear,
  retention,
  returnsCredited,
  sharedFactor,
  twoAccounts,
  yearlyFee,
} from './book/look-alikes.js';
import type { Surroundings } from './book/look-alikes.js';
import type { Entry } from './book/book.js';
import { withPlanted } from './book/planted.js';
import { filled } from './book/pattern.js';
import { taxIdOf } from './book/trader.js';
import { billTrades, traderMaker } from './book/trades.js';
import type { Trade } from './book/trades.js';

const swedish = '0192a000-0000-7000-8000-00000000c101';
const norwegian = '0192a000-0000-7000-8000-00000000c102';
const danish = '0192a000-0000-7000-8000-00000000c103';

export const nordicCompanies = [
  { companyId: swedish, name: 'Granudden Entreprenad AB', taxId: taxIdOf('SE', randomFrom(1)), country: 'SE' },
  { companyId: norwegian, name: 'Granudden Anlegg AS', taxId: taxIdOf('NO', randomFrom(2)), country: 'NO' },
  { companyId: danish, name: 'Granudden Byg ApS', taxId: taxIdOf('DK', randomFrom(3)), country: 'DK' },
];

export const nordicRates = { SEK: '11.42', NOK: '11.71', DKK: '7.46', USD: '1.09', CHF: '0.95' };

// prettier-ignore
const familyNames = [
  'Abrahamsson', 'Ahlgren', 'Almqvist', 'Backlund', 'Bergström', 'Björkman', 'Blomkvist', 'Carlstedt', 'Dahlberg', 'Edlund', 'Ekholm',
  'Engström', 'Fagerlund', 'Falkenberg', 'Forsberg', 'Fransson', 'Friberg', 'Gustavsson', 'Hagström', 'Hallberg', 'Hedlund', 'Hellström',
  'Holmgren', 'Isaksson', 'Jakobsson', 'Kjellberg', 'Klingberg', 'Lagerqvist', 'Lidström', 'Lindahl', 'Ljungqvist', 'Lundmark', 'Malmborg',
  'Mattsson', 'Melander', 'Nordqvist', 'Nyström', 'Odelberg', 'Palmgren', 'Rosengren', 'Rydberg', 'Sandström', 'Sjögren', 'Skoglund',
  'Stenmark', 'Sundqvist', 'Söderlund', 'Tegner', 'Thorsell', 'Törnblom', 'Vikander', 'Wallenius', 'Westberg', 'Wikström', 'Zetterlund',
  'Aasen', 'Andreassen', 'Bakken', 'Brekke', 'Bråthen', 'Dalseth', 'Eidsvåg', 'Fjeldstad', 'Furuseth', 'Gjerdrum', 'Haugland', 'Hovland',
  'Iversen', 'Kjelstad', 'Kvamme', 'Langeland', 'Løvås', 'Moen', 'Myklebust', 'Nygård', 'Opdal', 'Rønning', 'Sandvik', 'Skaugen', 'Solheim',
  'Strand', 'Tangen', 'Thoresen', 'Ulvestad', 'Vangsnes', 'Aagaard', 'Bech', 'Bundgaard', 'Christoffersen', 'Damgaard', 'Eskildsen',
  'Frandsen', 'Gregersen', 'Hedegaard', 'Jeppesen', 'Kirkegaard', 'Lauridsen', 'Mikkelsen', 'Nørgaard', 'Overgaard', 'Poulsen', 'Quist',
  'Rasmussen', 'Skovgaard', 'Toft', 'Uldall', 'Vestergaard', 'Winther', 'Østergaard', 'Hämäläinen', 'Kauppinen', 'Laaksonen', 'Mäkelä',
  'Niemelä', 'Ojanen', 'Peltonen', 'Rautio', 'Salonen', 'Tuominen', 'Virtanen', 'Ylönen', 'Heikkinen', 'Anundsson', 'Bohlin', 'Cederholm',
  'Dufva', 'Eliasson', 'Fryklund', 'Grönvall', 'Hultgren', 'Ingemarsson', 'Jernberg', 'Kronqvist', 'Levander', 'Mossberg', 'Norrman',
  'Ohlsson', 'Persbrandt', 'Ramstedt', 'Svedberg', 'Trulsson', 'Uggla', 'Vretblad', 'Yngvesson', 'Åkerblom', 'Ödmark', 'Hjelmeland',
  'Krogstad', 'Lillebø', 'Mjølnerud', 'Rypdal', 'Tveit', 'Bjerregaard', 'Dyhr', 'Fuglsang', 'Guldager', 'Hvidberg', 'Kofoed',
];

const year = { restart: 'year', from: 300 } as const;

const trades: readonly Trade[] = [
  {
    count: 13,
    country: 'SE',
    trade: ['Bygg', 'Schakt', 'Tak', 'Måleri', 'Plåt'],
    rhythm: every(9, 26),
    pricing: varied(4_800_000),
    numbers: [
      ['NNNN', { from: 2_100, stepMax: 4 }],
      ['FNNNNN', { stepMax: 9 }],
      ['YYYY-NNN', { ...year, stepMax: 3 }],
      ['@-NNNNN'],
    ],
    terms: [20, 30],
    vatPercent: 0,
    order: { form: 'P##-####', change: 'kept' },
  },
  {
    count: 9,
    country: 'SE',
    trade: ['Trävaror', 'Järnhandel', 'Elgrossist', 'Rörhandel', 'Maskinuthyrning'],
    rhythm: every(4, 13),
    pricing: varied(640_000),
    numbers: [
      ['NNNNNNNN', { from: 40_221_870, stepMax: 600 }],
      ['##-NNNNNNN', { from: 1_883_200, stepMax: 90 }],
      ['YYMMNNNN', { restart: 'month', stepMax: 60 }],
      ['SF-NNNNNN', { from: 120_400 }],
    ],
    terms: [30],
    order: { form: '45##-######', change: 'new' },
  },
  {
    count: 10,
    country: 'NO',
    trade: ['Betong', 'Stillas', 'Graving', 'Rørlegger', 'Elektro'],
    rhythm: every(8, 24),
    pricing: varied(3_900_000),
    numbers: [
      ['NNNNN', { from: 10_400, stepMax: 6 }],
      ['YYYYNNNN', year],
      ['AO####-NNN'],
      ['NNNNNN', { from: 304_500, stepMax: 40 }],
    ],
    terms: [14, 30],
    order: { form: 'PRJ-#####', change: 'kept' },
  },
  {
    count: 9,
    country: 'DK',
    trade: ['Murer', 'Tømrer', 'Kloak', 'VVS', 'Stilladser'],
    rhythm: every(9, 24),
    pricing: varied(2_100_000),
    numbers: [
      ['NNNNN', { from: 20_100, stepMax: 7 }],
      ['YY-NNNN', year],
      ['FA NNNNNN', { from: 301_000 }],
      ['NNNN-YY', year],
    ],
    terms: [8, 14, 30],
    order: { form: 'SAG ######', change: 'kept' },
  },
  {
    count: 6,
    country: 'FI',
    trade: ['Elementti', 'Teräs', 'Nosturi'],
    rhythm: every(15, 33),
    pricing: varied(720_000),
    numbers: [['NNNNNN', { from: 210_300 }], ['LNNNNN'], ['YYYY/NNNN', year]],
    terms: [14, 30],
    vatPercent: 0,
    order: { form: '45########', change: 'new' },
  },
  {
    count: 4,
    country: 'SE',
    trade: ['Bemanning', 'Städ', 'Bevakning'],
    rhythm: weekly,
    pricing: varied(1_150_000, 0.5),
    numbers: [['NNNNNN', { from: 88_100, stepMax: 70 }], ['YYVNNNN', year], ['####-NNNNN']],
    terms: [15, 30],
    order: { form: 'RAM-####', change: 'kept' },
  },
  {
    count: 5,
    country: 'NO',
    trade: ['Energi', 'Fjernvarme'],
    rhythm: monthly(),
    pricing: metered(480_000),
    numbers: [['NNNNNNNNN', { from: 500_233_100, stepMax: 9_000 }], ['######-YYYYMM']],
    terms: [14],
  },
  {
    count: 7,
    country: 'SE',
    trade: ['Leasing', 'Fastigheter', 'Telekom'],
    rhythm: monthly(),
    pricing: fixed(920_000),
    numbers: [['NNNNNNNN', { from: 61_002_000, stepMax: 900 }], ['H####-YYYYMM'], ['YYYYNNNNN', year]],
    terms: [30],
  },
  {
    count: 5,
    country: 'DK',
    trade: ['Grus', 'Asfalt', 'Container'],
    rhythm: every(4, 12),
    pricing: priced([84_000, 112_500, 139_000, 227_500], 4),
    numbers: [['NNNNNN', { from: 700_120, stepMax: 30 }], ['G-NNNNN']],
    terms: [14, 30],
    order: { form: 'SAG ######', change: 'kept' },
  },
  {
    count: 5,
    country: 'DE',
    trade: ['Baumaschinen', 'Schalung'],
    rhythm: every(20, 45),
    pricing: varied(810_000),
    numbers: [['RE-YYYY-NNNNN', year], ['RYYMMNNN', { restart: 'month', stepMax: 20 }], ['9NNNNNNN']],
    terms: [30],
    vatPercent: 0,
    order: { form: '45########', change: 'new' },
  },
  {
    count: 8,
    country: 'SE',
    trade: ['Konsult', 'Arkitekt', 'Geoteknik', 'Mätning'],
    rhythm: monthly(),
    pricing: varied(3_100_000, 0.5),
    numbers: [
      ['NNN', { from: 140, stepMax: 2 }],
      ['YYYY:NN', { restart: 'year', from: 4, stepMax: 3 }],
      ['P#### NN', { from: 1, stepMax: 1 }],
    ],
    terms: [30],
  },
];

function resembling(surroundings: Surroundings): Entry[] {
  const of = (kind: string, trade: string, form: string) =>
    ({ kind, count: 3, country: 'SE', trade: [trade], form }) as const;
  return [
    ...lookAlikes(
      surroundings,
      { ...of('instalments at one price', 'Betongelement', 'FNNNNN'), vatPercent: 0 },
      equalRates(4, 28, 6_000_000),
    ),
    ...lookAlikes(
      surroundings,
      { ...of('retention billed at the end', 'Anläggning', 'NNNN'), vatPercent: 0 },
      retention,
    ),
    ...lookAlikes(
      surroundings,
      of('equal machines on one day', 'Maskin', 'HNNNNNN'),
      equalOnOneDay(monthly(), 4, 410_000),
    ),
    ...lookAlikes(surroundings, of('equal loads in a week', 'Grustag', 'NNNNNNN'), equalLoads(96_000)),
    ...lookAlikes(surroundings, { ...of('equal halves', 'Hiss', 'YYYY-NNNN'), country: 'NO' }, equalHalves),
    ...lookAlikes(
      surroundings,
      { ...of('credited and billed again', 'Glas', 'NNNNNN'), country: 'DK' },
      creditAndReissue,
    ),
    ...lookAlikes(
      surroundings,
      of('contract number on every bill', 'Finans', 'NNN'),
      contractNumber(monthly(), 390_000, '####-######'),
    ),
    ...lookAlikes(surroundings, of('a bill for each company', 'Redovisning', 'NNNNN'), billForEachCompany),
    ...lookAlikes(
      surroundings,
      { ...of('numbers begin again without a year', 'Snickeri', 'N'), country: 'NO' },
      restartWithoutYear,
    ),
    ...lookAlikes(surroundings, { ...of('two accounts in turn', 'Verktyg', 'NNNNNN'), country: 'DK' }, twoAccounts),
    ...lookAlikes(surroundings, of('bank changed once', 'Isolering', 'NNNNN'), changedBank),
    ...sharedFactor(surroundings, { ...of('shared account of a factor', 'Åkeri', 'NNNNN'), count: 6 }),
    ...lookAlikes(surroundings, { ...of('yearly fee', 'Besiktning', 'YYYYNNNNN'), count: 6 }, yearlyFee),
    ...lookAlikes(surroundings, { ...of('returns credited', 'Kemi', 'KNNNNNN'), country: 'NO' }, returnsCredited),
  ];
}

/** Kinds of test bills that only building sites cause, in addition to the usual kinds. */
const own: Readonly<Record<string, CopyKind>> = {
  'progress bill typed with the project before the number': ({ bill }, random) => {
    const order = bill.invoice.purchase_order_ref;
    if (order === undefined) return undefined;
    return {
      copies: [copied(withInvoice(bill, { invoice_number: `${order}/${bill.invoice.invoice_number}` }), random)],
    };
  },
  'payment reference that contains the number': ({ bill, trader }, random) => {
    const digits = bill.invoice.invoice_number.replace(/\D/g, '');
    if (digits.length < 5) return undefined;
    const reference = `${trader.customerNumber.replace(/\D/g, '')}${digits}${random.integer(0, 9)}`;
    return { copies: [copied(withInvoice(bill, { invoice_number: reference }), random)] };
  },
  'to the sister company as well': ({ bill }, random) => {
    const companyId = bill.companyId === swedish ? norwegian : swedish;
    return { copies: [{ ...copied(bill, random), companyId }] };
  },
  'scanned by a poor reader: number and name': ({ bill }, random) => {
    const number = bill.invoice.invoice_number.replace('0', 'O').replace('1', 'l').replace('5', 'S');
    const name = bill.invoice.supplier.name.replace('rn', 'm').replace('ö', 'o').replace('l', 'I');
    return number === bill.invoice.invoice_number
      ? undefined
      : { copies: [copied(withSupplier(withInvoice(bill, { invoice_number: number }), { name }), random)] };
  },
  'unrelated: project typed as the number': ({ bill }, random) => ({
    copies: [copied(withInvoice(bill, { invoice_number: filled('Projekt ####', random) }), random)],
  }),
  'unrelated: payment reference typed as the number': ({ bill }, random) => ({
    copies: [copied(withInvoice(bill, { invoice_number: filled('###############', random) }), random)],
  }),
};

function copied(bill: Bill, random: Random): Bill {
  return { ...bill, arrival: workday(addDays(bill.arrival, random.integer(1, 24))) };
}

/**
 * Creates the test bills that a building contractor in Sweden, Norway and Denmark receives in two years. This history
 * is difficult: subcontractors bill from sites, scans are poor, and each bill shows five numbers.
 */
export function nordicConstruction(random: Random): Bill[] {
  const book = openBook(random, '2024-01-08', '2025-12-19');
  const companyIds = nordicCompanies.map(({ companyId }) => companyId);
  const makeTrader = traderMaker(book, familyNames, [swedish, swedish, norwegian, danish]);
  const entries = [
    ...billTrades(book, makeTrader, trades),
    ...resembling({ book, makeTrader, companyIds: companyIds.slice(0, 2) }),
  ];
  const planted = withPlanted(
    book,
    entries,
    [
      'account at a bank of another country',
      'another account of the same country, sooner due',
      'account with digits changed',
      'account of another supplier',
      'account with wrong check digits',
      'impostor with a like name',
      'another valid tax id',
      'tax id with a wrong check digit',
      'sixty times the usual amount',
      'totals that do not add up',
      'more tax than any rate',
      'dated weeks ahead',
      'order of another supplier',
      'another currency',
      'addressed to another party',
    ],
    60,
  );
  return withCopies(planted, {
    book,
    share: 0.05,
    own,
    names: [
      'entered twice',
      'sent again with a reminder',
      'letter read for a digit',
      'copy mark behind the number',
      'prefix letters lost',
      'digit missing',
      'digits swapped',
      'day of receipt typed as the date',
      'digits of the amount swapped',
      'supplier spelled otherwise, no tax id',
      'number and date with a slip each',
      'split into two parts',
      'unrelated: order typed as the number',
      'unrelated: number and order swapped',
      'unrelated: delivery note typed as the number',
      'unrelated: customer number typed as the number',
      'unrelated: self-billing, then the invoice of the supplier',
      'unrelated: billed again under the next number',
      'unrelated: sent again by a factor',
    ],
  });
}
