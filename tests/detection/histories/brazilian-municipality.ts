import { addDays } from '@invoicecontrol/values/calendar-date';
import { withInvoice, withSupplier } from '../bill.js';
import type { Bill } from '../bill.js';
import { randomFrom } from '../random.js';
import type { Random } from '../random.js';
import { centsOf, every, fixed, metered, monthly, varied } from './book/book.js';
import { filled } from './book/pattern.js';
import { at, entered, numberOf, numberTyped, withAgain } from './desk/again.js';
import type { Again } from './desk/again.js';
import { billLines, openDesk } from './desk/desk.js';
import type { Line } from './desk/desk.js';
import { withFaults } from './desk/faults.js';
import { taxIdIn } from './desk/lands.js';
import {
  accountAsNumber,
  restartsEachYear,
  byMeter,
  equalOfADay,
  late,
  measurements,
  oneFee,
  parcels,
  rentOfEach,
  returns,
  runOfADay,
  usualBills,
} from './desk/usual.js';
import type { Usual } from './desk/usual.js';

const city = '0192a000-0000-7000-8000-00000000d701';
const health = '0192a000-0000-7000-8000-00000000d702';
const schools = '0192a000-0000-7000-8000-00000000d703';

export const municipalCompanies = [
  {
    companyId: city,
    name: 'Prefeitura Municipal de Pedra Bonita do Sul',
    taxId: taxIdIn('BR', randomFrom(71)),
    country: 'BR',
  },
  {
    companyId: health,
    name: 'Fundo Municipal de Saúde de Pedra Bonita do Sul',
    taxId: taxIdIn('BR', randomFrom(72)),
    country: 'BR',
  },
  {
    companyId: schools,
    name: 'Fundo Municipal de Educação de Pedra Bonita do Sul',
    taxId: taxIdIn('BR', randomFrom(73)),
    country: 'BR',
  },
];

export const municipalRates = { BRL: '6.2', USD: '1.09' };

// prettier-ignore
const words = [
  'Água Clara', 'Alvorada', 'Araucária', 'Aroeira', 'Bandeirante', 'Barra Mansa', 'Beija-Flor', 'Bela Vista', 'Boa Esperança', 'Bom Jesus',
  'Cachoeira', 'Caiçara', 'Campo Belo', 'Capivari', 'Carvalho', 'Cerrado', 'Cruzeiro', 'Diamantina', 'Dois Irmãos', 'Estrela', 'Figueira',
  'Flamboyant', 'Gameleira', 'Garça', 'Girassol', 'Guarani', 'Horizonte', 'Iguaçu', 'Imbuia', 'Ipê Amarelo', 'Itapema', 'Jacarandá',
  'Jequitibá', 'Juriti', 'Lagoa Azul', 'Laranjeiras', 'Macaúba', 'Mangueira', 'Mantiqueira', 'Monte Verde', 'Moreira', 'Nascimento',
  'Nova Era', 'Oliveira', 'Ouro Fino', 'Palmeiras', 'Pantanal', 'Paranoá', 'Pau Brasil', 'Peroba', 'Piracema', 'Planalto', 'Pontual',
  'Primavera', 'Quaresmeira', 'Queiroz', 'Ribeirão', 'Rio Doce', 'Sabiá', 'Salgueiro', 'Santa Luzia', 'São Bento', 'Seringal', 'Serra Azul',
  'Siqueira', 'Tangará', 'Teixeira', 'Timbó', 'Tocantins', 'Três Marias', 'Tupi', 'Uirapuru', 'União', 'Vale Novo', 'Vargem Alta', 'Vera Cruz',
  'Vitória Régia', 'Xingu', 'Yara', 'Zona Norte', 'Zumbi', 'Farroupilha', 'Gaúcha', 'Candeias', 'Buriti', 'Embaúba', 'Cambará', 'Sucupira',
];

const empenho = { form: '{yyyy}NE######' } as const;

const lines: readonly Line[] = [
  {
    // In the test data, suppliers of goods send an electronic nota fiscal with a number of nine digits.
    tails: ['Distribuidora Ltda', 'Comércio de Alimentos Ltda', 'Papelaria ME', 'Materiais Ltda', 'Atacado S.A.'],
    count: 14,
    land: 'BR',
    numbers: { forms: ['{n9}', '{n6}', '{n}', 'NF {n5}', '{n4}'], from: [300, 90_000], step: [1, 60] },
    rhythm: every(7, 22),
    price: varied(640_000, 1),
    order: empenho,
  },
  {
    // In the test data, services are billed with a nota fiscal of the city, whose number contains the year in many
    // cities.
    tails: ['Serviços Ltda', 'Limpeza e Conservação Ltda', 'Engenharia Ltda', 'Consultoria S/S', 'Vigilância Ltda'],
    count: 10,
    land: 'BR',
    numbers: { forms: ['{yyyy}{n11}', '{yyyy}{n5}', '{n8}', '{n}'], from: [10, 4_000], step: [1, 14] },
    rhythm: every(14, 31),
    price: varied(2_700_000, 0.7),
    order: { ...empenho, isKept: true },
  },
  {
    tails: ['Medicamentos Ltda', 'Hospitalar Ltda', 'Produtos Médicos S.A.'],
    count: 8,
    land: 'BR',
    numbers: { forms: ['{n9}', '{n7}', '{n6}'], from: [9_000, 700_000], step: [10, 400] },
    rhythm: every(5, 16),
    price: varied(890_000, 0.9),
    order: empenho,
    terms: [30, 45],
  },
  {
    tails: ['Auto Posto _', 'Combustíveis Ltda'],
    count: 3,
    land: 'BR',
    numbers: { forms: ['{n6}', '{n9}'], from: [2_000, 90_000], step: [2, 90] },
    rhythm: every(4, 9),
    price: varied(1_150_000, 0.5),
    terms: [15],
  },
  {
    tails: ['Autopeças Ltda', 'Oficina Mecânica ME', 'Pneus Ltda'],
    count: 6,
    land: 'BR',
    numbers: { forms: ['{n5}', '{n}', '{n6}'], from: [90, 30_000], step: [1, 30] },
    rhythm: every(7, 24),
    price: varied(310_000, 1),
    order: empenho,
  },
  {
    tails: ['Companhia de Energia', 'Saneamento S.A.', 'Telefonia S.A.'],
    count: 4,
    land: 'BR',
    numbers: { forms: ['{n9}', '{n12}', '{mm}{yyyy}{n6}'], from: [90_000, 60_000_000], step: [900, 90_000] },
    rhythm: monthly(),
    price: metered(1_600_000),
    terms: [20],
  },
  {
    tails: ['Informática Ltda', 'Sistemas Públicos Ltda', 'Locação de Veículos Ltda'],
    count: 6,
    land: 'BR',
    numbers: { forms: ['{yyyy}{n4}', '{n5}', '{n}'], from: [40, 9_000], step: [1, 12] },
    rhythm: monthly(),
    price: fixed(1_850_000, 5),
    order: { ...empenho, isKept: true },
    recurs: true,
  },
  {
    tails: ['Cooperativa Agrícola _', 'Associação de Produtores _', 'Panificadora ME'],
    count: 6,
    land: 'BR',
    numbers: { forms: ['{n}', '{n4}', '{n3}'], from: [5, 900], step: [1, 6] },
    rhythm: every(6, 15),
    price: varied(420_000, 0.7),
    order: empenho,
  },
];

const of = (kind: string, count: number, tail: string, form: string): Omit<Usual, 'play'> => ({
  kind,
  count,
  line: { tails: [tail], land: 'BR', terms: [30], numbers: { forms: [form], from: [60, 20_000], step: [1, 9] } },
});

const usuals: readonly Usual[] = [
  {
    ...of('measured works of a contract', 2, 'Construtora Ltda', '{yyyy}{n4}'),
    play: measurements(14_000_000, 'CT ###/{yyyy}'),
  },
  { ...of('parts of a purchase', 2, 'Equipamentos Ltda', '{n6}'), play: parcels(6, 2_200_000) },
  {
    ...of('routes of school buses at one price', 2, 'Transporte Escolar ME', '{n4}'),
    play: equalOfADay(monthly(), 4, 780_000),
  },
  { ...of('deliveries to schools on one day', 1, 'Hortifruti Ltda', '{n6}'), play: runOfADay(every(4, 8), 5, 96_000) },
  { ...of('a bill for each water meter', 1, 'Águas Municipais', '{n8}'), play: byMeter(9, 34_000, '00#####-#') },
  {
    ...of('installation number on every bill', 2, 'Iluminação S.A.', '{n8}'),
    play: accountAsNumber('70########', 540_000),
  },
  { ...of('rent of several houses', 1, 'Imóveis Ltda', '{n5}'), play: rentOfEach(3, 350_000) },
  { ...of('numbers begin again in January', 2, 'Gráfica ME', '{n}'), play: restartsEachYear(every(14, 28), 260_000) },
  {
    ...of('fee once a year', 2, 'Associação de Municípios', '{yyyy}{n3}'),
    play: oneFee(monthly({ every: 12 }), 1_900_000),
  },
  { ...of('goods returned', 1, 'Laboratórios S.A.', '{n7}'), play: returns(every(7, 14), 480_000) },
  { ...of('attested weeks later', 2, 'Eventos ME', '{n4}'), play: late(every(14, 26), 900_000) },
];

/** Kinds of repeated bills that the test data contain only for notas fiscais and public accounting. */
const own: Readonly<Record<string, Again>> = {
  'points in the number as on the paper': numberTyped((paper) => {
    const number = numberOf(paper);
    return /^\d+$/.test(number) && number.length <= 9
      ? number.padStart(9, '0').replace(/(\d{3})(?=\d)/g, '$1.')
      : undefined;
  }),
  'series behind the number': numberTyped(
    (paper, random) => `${numberOf(paper)}${random.pick([' S1', '-1', ' SÉRIE 1', '/001'])}`,
  ),
  'NF-e before the number': numberTyped(
    (paper, random) =>
      `${random.pick(['NF-e ', 'NFE', 'NFS-e nº ', 'Nota Fiscal '])}${numberOf(paper).replace('NF ', '')}`,
  ),
  'key of 44 digits that contains the number': numberTyped(({ bill, vendor }, random) => {
    const serial = bill.invoice.invoice_number.replace(/\D/g, '');
    const [year = '', month = ''] = bill.invoice.issue_date.split('-');
    return serial.length > 9 || vendor.taxId === undefined
      ? undefined
      : `43${year.slice(2)}${month}${vendor.taxId.replace(/\D/g, '')}55001${serial.padStart(9, '0')}1${filled('#########', random)}`;
  }),
  'year of the city left off': numberTyped((paper) => {
    const year = paper.bill.invoice.issue_date.slice(0, 4);
    const rest = numberOf(paper).startsWith(year) ? numberOf(paper).slice(4).replace(/^0+/, '') : '';
    return rest.length < 2 ? undefined : rest;
  }),
  'what is left after the withheld taxes': entered(({ bill }, random) =>
    at(bill, Math.round(centsOf(bill.invoice.gross_amount) * random.pick([0.95, 0.97, 0.89, 0.9415]))),
  ),
  'matriz for filial': entered(({ bill, vendor }) => {
    const other = vendor.taxId?.replace('/0001-', '/0002-');
    return other === undefined
      ? undefined
      : withSupplier(bill, { tax_id: undefined, name: `${bill.invoice.supplier.name} - Filial` });
  }),
  'unrelated: empenho for the number': numberTyped(({ bill }) => bill.invoice.purchase_order_ref),
  'unrelated: number of the bank slip': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('109/########-#', random) }),
  ),
  'unrelated: code of the verification': entered(({ bill }, random) =>
    withInvoice(bill, { invoice_number: filled('@@@@-@@@@', random) }),
  ),
  'unrelated: the settlement for the number': entered(
    ({ bill }, random) => {
      const date = addDays(bill.invoice.issue_date, random.integer(2, 15));
      return withInvoice(bill, {
        invoice_number: filled('202#NL######', random),
        issue_date: date,
        due_date: addDays(date, 30),
      });
    },
    [1, 5],
  ),
};

/** Returns the test bills of a city in the south of Brazil with its funds for health and schools. */
export function brazilianMunicipality(random: Random): Bill[] {
  const desk = openDesk(random, {
    firstDay: '2024-01-15',
    lastDay: '2025-12-19',
    companyIds: [city, city, health, schools],
    words,
    accounts: ['######', '12####', 'C###'],
    notes: ['######', 'RM ####', '90###'],
  });
  const papers = [...billLines(desk, lines), ...usualBills(desk, usuals)];
  const faulty = withFaults(
    desk,
    papers,
    [
      'tax id mistyped',
      'another tax id under the known name',
      'a stranger under the known tax id',
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
      'leading zeros dropped',
      'a key beside the right one',
      'two digits turned',
      'day and month exchanged',
      'date of the stamp of receipt',
      'digits of the amount turned',
      'short form of the supplier without tax id',
      'booked at the sister company',
      'number and date each with a slip',
      'unrelated: the date for the number',
      'unrelated: the statement of the month',
      'unrelated: billed again under the next number',
      'unrelated: a quotation that was paid before',
    ],
    own,
  );
}
