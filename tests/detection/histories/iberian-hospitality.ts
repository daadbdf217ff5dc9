import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { every, fixed, metered, monthly, openBook, priced, varied, weekly, workday } from './book/book.js';
import type { Entry } from './book/book.js';
import { withCopies } from './book/copies.js';
import type { CopyKind } from './book/copies.js';
import {
  advancesAndFinalBill,
  billForEachCompany,
  changedBank,
  contractNumber,
  creditAndReissue,
  equalHalves,
  equalLoads,
  equalOnOneDay,
  lookAlikes,
  manyADay,
  onePrice,
  restartWithoutYear,
  returnsCredited,
  secondOfTheMonth,
  yearlyFee,
} from './book/look-alikes.js';
import type { Surroundings } from './book/look-alikes.js';
import { filled } from './book/pattern.js';
import { withPlanted } from './book/planted.js';
import { taxIdOf } from './book/trader.js';
import { billTrades, traderMaker } from './book/trades.js';
import type { Trade } from './book/trades.js';

const spanish = '0192a000-0000-7000-8000-00000000c201';
const portuguese = '0192a000-0000-7000-8000-00000000c202';

export const iberianCompanies = [
  { companyId: spanish, name: 'Hoteles Miramonte S.A.', taxId: taxIdOf('ES', randomFrom(11)), country: 'ES' },
  { companyId: portuguese, name: 'Pousadas Miramonte Lda.', taxId: taxIdOf('PT', randomFrom(12)), country: 'PT' },
];

export const iberianRates = { USD: '1.09', CHF: '0.95' };

// prettier-ignore
const familyNames = [
  'Aguilera', 'Alarcón', 'Almagro', 'Arriaga', 'Barrientos', 'Belmonte', 'Benavides', 'Bermejo', 'Bustamante', 'Caballero', 'Calatrava',
  'Camacho', 'Cárdenas', 'Carrasco', 'Casanova', 'Cervera', 'Cifuentes', 'Cordero', 'Cuevas', 'Delgado', 'Escobar', 'Espinosa', 'Estrada',
  'Fajardo', 'Figueroa', 'Fuentes', 'Galindo', 'Garrido', 'Granados', 'Guerrero', 'Herrera', 'Hidalgo', 'Ibáñez', 'Izquierdo', 'Jaramillo',
  'Jurado', 'Lafuente', 'Lizarraga', 'Lozano', 'Machado', 'Maldonado', 'Manrique', 'Marañón', 'Mendoza', 'Miralles', 'Montalbán', 'Montero',
  'Navarrete', 'Noguera', 'Ocampo', 'Olivares', 'Ordóñez', 'Orellana', 'Pacheco', 'Palomares', 'Pizarro', 'Quintana', 'Quiroga', 'Rebolledo',
  'Requena', 'Robledo', 'Salcedo', 'Salvatierra', 'Sandoval', 'Segovia', 'Sepúlveda', 'Talavera', 'Tejada', 'Torrijos', 'Ulloa', 'Urquijo',
  'Valdivia', 'Vallejo', 'Velasco', 'Villalobos', 'Zamora', 'Zaragoza', 'Zubizarreta', 'Abrantes', 'Albuquerque', 'Almeida', 'Azevedo',
  'Barbosa', 'Bragança', 'Cabral', 'Cardoso', 'Carvalho', 'Coutinho', 'Esteves', 'Evangelista', 'Faria', 'Ferreira', 'Figueiredo',
  'Fonseca', 'Furtado', 'Gouveia', 'Guimarães', 'Henriques', 'Lacerda', 'Leitão', 'Lourenço', 'Magalhães', 'Marinho', 'Mascarenhas',
  'Meireles', 'Monteiro', 'Noronha', 'Oliveira', 'Peixoto', 'Pestana', 'Pinheiro', 'Quaresma', 'Rebelo', 'Saldanha', 'Sampaio', 'Siqueira',
  'Taveira', 'Teixeira', 'Travassos', 'Valadares', 'Vasconcelos', 'Vilhena', 'Xavier', 'Etxeberria', 'Goikoetxea', 'Puigdemont', 'Ferragut',
  'Llorente', 'Masferrer', 'Riquelme', 'Sarmiento', 'Villaverde',
];

const year = { restart: 'year', from: 120 } as const;

const trades: readonly Trade[] = [
  {
    count: 9,
    country: 'ES',
    trade: ['Frutas', 'Pescados', 'Cárnicas', 'Lácteos', 'Bebidas'],
    rhythm: every(5, 14),
    pricing: varied(38_000),
    numbers: [
      ['YYYY/NNNNNN', year],
      ['A-NNNNNN', { from: 30_500 }],
      ['FV##/NNNNN'],
      ['NNNNNNN', { from: 2_204_500 }],
      ['VYY-NNNNN', year],
    ],
    terms: [15, 30],
    vatPercent: 10,
  },
  {
    count: 5,
    country: 'ES',
    trade: ['Panadería', 'Bollería', 'Cafés'],
    rhythm: weekly,
    pricing: priced([8_400, 10_250, 12_600, 17_380], 5),
    numbers: [['NNNNN', { from: 14_400, stepMax: 25 }], ['YYYY-NNNN', year], ['T##-NNNNNN']],
    terms: [0, 15],
    vatPercent: 4,
  },
  {
    count: 8,
    country: 'ES',
    trade: ['Lavandería', 'Lencería', 'Limpiezas'],
    rhythm: every(8, 20),
    pricing: varied(71_000, 0.5),
    numbers: [['L-NNNNN'], ['YYMM-NNN', { restart: 'month', stepMax: 9 }], ['FYYYY/NNNN', year]],
    terms: [30],
  },
  {
    count: 6,
    country: 'ES',
    trade: ['Energía', 'Aguas', 'Gas'],
    rhythm: monthly(),
    pricing: metered(230_000),
    numbers: [['FEYYNNNNNNNNNN', { from: 1_884_020, stepMax: 90_000 }], ['P#YYYYMM#NNNNN'], ['#########-YYYYMM']],
    terms: [20],
  },
  {
    count: 8,
    country: 'ES',
    trade: ['Viajes', 'Eventos', 'Reservas'],
    rhythm: every(6, 18),
    pricing: varied(94_000, 1),
    numbers: [['AG/YYYY/NNNN', year], ['NNNNNN', { from: 310_800 }], ['COM-NNNNN']],
    terms: [15, 30],
    order: { form: 'EXP ######', change: 'new' },
  },
  {
    count: 8,
    country: 'ES',
    trade: ['Climatización', 'Ascensores', 'Fontanería', 'Jardinería'],
    rhythm: every(12, 32),
    pricing: varied(58_000),
    numbers: [['NNN/YY', { restart: 'year', from: 20, stepMax: 6 }], ['YYNNNNN', year], ['MT-NNNNN']],
    terms: [30, 60],
    order: { form: 'OT-#####', change: 'new' },
  },
  {
    count: 12,
    country: 'PT',
    trade: ['Hortícolas', 'Mariscos', 'Talhos', 'Vinhos'],
    rhythm: every(7, 20),
    pricing: varied(42_000),
    numbers: [['FT YYYY/NNNN', year], ['FT A/NNNNN'], ['FAC 1YY/NNNNN', year], ['FT #@/NNNNN']],
    terms: [15, 30],
    vatPercent: 13,
  },
  {
    count: 7,
    country: 'PT',
    trade: ['Lavandarias', 'Manutenção', 'Segurança'],
    rhythm: every(13, 32),
    pricing: varied(66_000),
    numbers: [['FT YYYY/NNN', { restart: 'year', from: 8, stepMax: 7 }], ['FR ##/NNNNN'], ['FYYNNNNN', year]],
    terms: [30],
    order: { form: 'NE ######', change: 'new' },
  },
  {
    count: 6,
    country: 'ES',
    trade: ['Software', 'Telecom', 'Alquileres'],
    rhythm: monthly(),
    pricing: fixed(61_000),
    numbers: [
      ['TA#@NNNNNNNN', { from: 10_220_400, stepMax: 70_000 }],
      ['YYYY-MM-NNN', { restart: 'month', stepMax: 9 }],
      ['SUB-NNNNNN'],
    ],
    terms: [10, 30],
  },
  {
    count: 4,
    country: 'FR',
    trade: ['Champagne', 'Fromages'],
    rhythm: every(25, 60),
    pricing: varied(160_000),
    numbers: [
      ['FANNNNNN', { from: 40_200 }],
      ['YYYYMMNNN', { restart: 'month', stepMax: 30 }],
    ],
    terms: [45],
    vatPercent: 0,
    order: { form: 'CDE######', change: 'new' },
  },
];

function resembling(surroundings: Surroundings): Entry[] {
  const of = (kind: string, trade: string, form: string) =>
    ({ kind, count: 3, country: 'ES', trade: [trade], form, vatPercent: 10 }) as const;
  return [
    ...lookAlikes(
      surroundings,
      of('rooms at one price on one day', 'Hotel', 'F-NNNNNN'),
      equalOnOneDay(every(14, 30), 5, 9_800),
    ),
    ...lookAlikes(
      surroundings,
      of('a bill for each guest', 'Hostal', 'YYYY/NNNNN'),
      manyADay([6_400, 7_900, 11_200], 3),
    ),
    ...lookAlikes(
      surroundings,
      of('tickets of one day', 'Billetes', 'NNNNNNNN'),
      manyADay([4_390, 12_450, 18_870, 23_115], 3),
    ),
    ...lookAlikes(surroundings, of('one price each week', 'Orquesta', 'NNNN'), onePrice(weekly, 36_000)),
    ...lookAlikes(
      surroundings,
      of('one price each fortnight', 'Piscinas', 'YYYY-NNN'),
      onePrice(every(13, 15), 28_000),
    ),
    ...lookAlikes(
      surroundings,
      of('contract number on every bill', 'Parking', 'NNN'),
      contractNumber(monthly(), 42_000, 'C-#####'),
    ),
    ...lookAlikes(surroundings, of('second bill of the month', 'Música', 'NNN'), secondOfTheMonth),
    ...lookAlikes(
      surroundings,
      { ...of('a bill for each company', 'Asesores', 'FNNNNN'), vatPercent: 21 },
      billForEachCompany,
    ),
    ...lookAlikes(
      surroundings,
      { ...of('returns credited', 'Cervezas', 'FT YYYY/NNNNN'), country: 'PT' },
      returnsCredited,
    ),
    ...lookAlikes(
      surroundings,
      { ...of('credited and billed again', 'Mobiliario', 'NNNNNN'), vatPercent: 21 },
      creditAndReissue,
    ),
    ...lookAlikes(surroundings, of('equal halves', 'Bodas', 'BO-NNNN'), equalHalves),
    ...lookAlikes(
      surroundings,
      { ...of('numbers begin again without a year', 'Fotografía', 'N'), country: 'PT' },
      restartWithoutYear,
    ),
    ...lookAlikes(surroundings, of('equal loads in a week', 'Hielo', 'NNNNNN'), equalLoads(5_400)),
    ...lookAlikes(
      surroundings,
      { ...of('advances and a final bill', 'Térmica', '######-NNN'), count: 2 },
      advancesAndFinalBill,
    ),
    ...lookAlikes(surroundings, { ...of('yearly fee', 'Licencias', 'YYYY/NNNNN'), count: 5 }, yearlyFee),
    ...lookAlikes(surroundings, of('bank changed once', 'Flores', 'NNNNN'), changedBank),
  ];
}

/** Kinds of test bills that only hotels receive, in addition to the usual kinds. */
const own: Readonly<Record<string, CopyKind>> = {
  'series letter of the branch lost and zeros dropped': ({ bill }, random) => {
    const number = bill.invoice.invoice_number.replace(/^[A-Z]+[-/ ]?/, '').replace(/(^|\D)0+(?=\d)/g, '$1');
    const isShorter = number !== bill.invoice.invoice_number && /\d{3}/.test(number);
    return isShorter ? { copies: [copied(withInvoice(bill, { invoice_number: number }), random)] } : undefined;
  },
  'year of the number typed in two digits': ({ bill }, random) => {
    const number = bill.invoice.invoice_number.replace(/20(2\d)/, '$1');
    return number === bill.invoice.invoice_number
      ? undefined
      : { copies: [copied(withInvoice(bill, { invoice_number: number }), random)] };
  },
  'by e-mail and again on paper without accents': ({ bill }, random) => ({
    copies: [
      copied(
        withSupplier(bill, { name: bill.invoice.supplier.name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase() }),
        random,
      ),
    ],
  }),
  'month of the bill slipped in the number': ({ bill }, random) => {
    const month = bill.invoice.issue_date.slice(0, 7);
    const next = addDays(`${month}-28`, 7).slice(0, 7);
    const number = bill.invoice.invoice_number
      .replace(month, next)
      .replace(month.replace('-', ''), next.replace('-', ''));
    return number === bill.invoice.invoice_number
      ? undefined
      : { copies: [copied(withInvoice(bill, { invoice_number: number }), random)] };
  },
  'unrelated: booking typed as the number': ({ bill }, random) => ({
    copies: [copied(withInvoice(bill, { invoice_number: filled('RES@@####', random) }), random)],
  }),
  'unrelated: ticket first, then a full invoice': ({ bill }, random) => {
    const ticket = withInvoice(bill, { invoice_number: filled('T###-####', random) });
    return { original: { ...ticket, arrival: bill.invoice.issue_date }, copies: [copied(bill, random)] };
  },
};

function copied(bill: Bill, random: Random): Bill {
  return { ...bill, arrival: workday(addDays(bill.arrival, random.integer(1, 24))) };
}

/**
 * Creates the test bills that a hotel group in Spain and Portugal receives in twenty months. Many of them are small,
 * many have the same price, and few contain mistakes.
 */
export function iberianHospitality(random: Random): Bill[] {
  const book = openBook(random, '2024-03-04', '2025-10-31');
  const makeTrader = traderMaker(book, familyNames, [spanish, spanish, portuguese]);
  const entries = [
    ...billTrades(book, makeTrader, trades),
    ...resembling({ book, makeTrader, companyIds: [spanish, portuguese] }),
  ];
  const planted = withPlanted(
    book,
    entries,
    [
      'account at a bank of another country',
      'another account of the same country, sooner due',
      'account with wrong check digits',
      'impostor with a like name',
      'tax id with a wrong check digit',
      'name of somebody else',
      'sixty times the usual amount',
      'decimal point slipped',
      'totals that do not add up',
      'due before it was issued',
      'contract price up by half',
      'addressed to another party',
      'nothing to pay',
    ],
    46,
  );
  return withCopies(planted, {
    book,
    share: 0.035,
    own,
    names: [
      'entered twice',
      'sent again with a reminder',
      'number printed otherwise',
      'letter read for a digit',
      'digit doubled',
      'wrong digit',
      'day and month swapped',
      'day of receipt typed as the date',
      'digits of the amount swapped',
      'net for gross',
      'without tax id and account',
      'supplier spelled otherwise, no tax id',
      'unrelated: order typed as the number',
      'unrelated: delivery note typed as the number',
      'unrelated: customer number typed as the number',
      'unrelated: date typed as the number',
      'unrelated: billed again under the next number',
    ],
  });
}
