import { expect, test } from 'vitest';
import { readPaymentFile } from './read-payment-file.js';
import { sample, sampleNames } from './testing/fixtures.js';
import { checkStructure } from './testing/structure.js';
import { writePaymentFile } from './write-payment-file.js';

const read = (name: string) => readPaymentFile(sample(name));

test('there are samples of nine families of guides', () => {
  expect(sampleNames).toEqual([
    'british-03.xml',
    'cgi-03.xml',
    'dutch-09.xml',
    'french-03.xml',
    'german-09.xml',
    'nordic-03.xml',
    'polish-split-payment-03.xml',
    'sepa-03.xml',
    'sepa-08.xml',
    'swiss-09.xml',
  ]);
});

test('reads a German file with two blocks', () => {
  expect(read('german-09.xml')).toMatchObject({
    version: 'pain.001.001.09',
    messageId: 'ZL-20261130-0001',
    createdAt: '2026-11-29T08:15:30.000Z',
    transactionCount: 3,
    blocks: [
      {
        paymentInformationId: 'ZL-20261130-0001-1',
        executionDate: '2026-12-01',
        debtorName: 'Nordlicht Möbel GmbH',
        debtorAccount: { iban: 'DE89370400440532013000' },
        batchBooking: true,
      },
      { executionDate: '2026-11-30' },
    ],
    transactions: [
      {
        lineId: '1.1',
        position: 1,
        block: 0,
        endToEndId: 'RE-2026-00417',
        amount: '6543.14',
        currency: 'EUR',
        creditorName: 'Holzwerk Schäfer & Söhne KG',
        creditorAccount: { iban: 'DE75512108001245126199' },
        creditorCountry: 'DE',
        remittance: ['Rechnung 2026-00417 vom 02.11.2026, Kd-Nr 40071'],
        paymentMethod: 'TRF',
      },
      { lineId: '1.2', creditorName: 'Beschläge Weiß OHG' },
      { lineId: '2.1', position: 3, block: 1, instructionId: 'INST-1', creditorReference: 'RF18539007547034' },
    ],
  });
});

test.each([
  ['sepa-03.xml', 'pain.001.001.03'],
  ['sepa-08.xml', 'pain.001.001.08'],
])('reads %s, which has a prefix and no sums', (name, version) => {
  expect(read(name)).toMatchObject({
    version,
    blocks: [{ executionDate: '2026-11-30' }],
    transactions: [
      { amount: '1020', creditorBic: 'GKCCBEBB', creditorBankAccount: { iban: 'BE68539007547034' } },
      { amount: '80.5' },
    ],
  });
});

test('reads a Polish file in windows-1250 with accounts without country code', () => {
  expect(read('polish-split-payment-03.xml')).toMatchObject({
    messageId: 'PŁATNOŚCI/2026/11/30',
    blocks: [{ debtorName: 'Zakład Produkcyjny Żubr sp. z o.o.', debtorTaxIds: ['9990000017'] }],
    transactions: [
      {
        creditorName: 'Drukarnia Świt Łukasz Ćwik',
        creditorAccount: { other: '27114020040000300201355387' },
        creditorBankAccount: { iban: 'PL27114020040000300201355387' },
        remittance: ['/VAT/2300,00/IDC/9990000023/INV/FV 118/11/2026/TXT/druk katalogów'],
      },
      { creditorName: 'Transport Wąs' },
      { creditorName: 'Kwiaciarnia Róża', creditorBankAccount: { iban: 'PL61109010140000071219812874' } },
    ],
  });
});

test('reads a Swiss file with a QR reference and two currencies in a block', () => {
  expect(read('swiss-09.xml').transactions).toMatchObject([
    {
      currency: 'CHF',
      creditorBankAccount: { iban: 'CH4431999123000889012' },
      creditorReference: '210000000003139471430009017',
      remittance: ['Auftrag vom 18.10.2026'],
    },
    { currency: 'CHF', remittance: ['Rechnung 20260408'] },
    { currency: 'EUR', creditorCountry: 'AT' },
  ]);
});

test('reads a British file with sort codes', () => {
  const account = { sortCode: '601613', accountNumber: '31926819' };
  expect(read('british-03.xml').transactions).toMatchObject([
    { creditorAccount: { other: '31926819', scheme: 'BBAN' }, creditorBankAccount: account },
    { creditorAccount: { other: '60161331926819' }, creditorBankAccount: account },
  ]);
});

test('reads a Nordic file with account numbers of three countries and a Bankgiro', () => {
  const { transactions } = read('nordic-03.xml');
  expect(transactions).toMatchObject([
    { creditorBankAccount: { iban: 'SE4550000000058398257466' } },
    { creditorAccount: { other: '50501055', scheme: 'BGNR' }, creditorReference: '1234567897' },
    { creditorBankAccount: { iban: 'NO9386011117947' } },
    { creditorBankAccount: { iban: 'DK5000400440116243' } },
  ]);
  expect(transactions[1]).not.toHaveProperty('creditorBankAccount');
});

test('reads a French file in ISO-8859-1', () => {
  expect(read('french-03.xml')).toMatchObject({
    messageId: 'VIREMENTS DÉCEMBRE',
    blocks: [{ batchBooking: false, debtorName: 'Société Générale de Boulangerie' }],
    transactions: [{ creditorName: 'Minoterie Hébert & Fils' }, { creditorName: 'Crèmerie de la Forêt' }],
  });
});

test('reads a Dutch file with a byte order mark, a reference and a proxy', () => {
  expect(read('dutch-09.xml')).toMatchObject({
    blocks: [{ paymentInformationId: 'BATCH-A', batchBooking: true }, { paymentInformationId: 'BATCH-B' }],
    transactions: [{ creditorReference: '5025612345678905' }, { lineId: '2.1', proxy: '+32-470000000' }],
  });
});

test('reads a CGI file with four currencies, netted credits, an equivalent amount and a cheque', () => {
  const { transactions, blocks } = read('cgi-03.xml');
  expect(blocks[0]?.debtorTaxIds).toEqual(['GB999140712']);
  expect(transactions).toMatchObject([
    {
      amount: '2480.00',
      currency: 'USD',
      creditorAccount: { other: '000123456789' },
      documents: [
        { number: 'LC-8841', type: 'CINV', date: '2026-10-30', amount: '2580.00', currency: 'USD' },
        { number: 'LC-CN-17', type: 'CREN', amount: '100.00', currency: 'USD' },
      ],
    },
    { amount: '250000', currency: 'JPY' },
    { amount: '150.375', currency: 'KWD' },
    {
      amount: '1000.00',
      currency: 'GBP',
      equivalent: { amount: '1000.00', currency: 'GBP' },
      transferCurrency: 'EUR',
      creditorTaxIds: ['FR12345678901'],
    },
    { paymentMethod: 'CHK', lineId: '2.1' },
  ]);
  expect(transactions[4]).not.toHaveProperty('creditorAccount');
});

test.each(sampleNames)('%s is given back byte for byte if nothing is removed', (name) => {
  const bytes = sample(name);
  const file = readPaymentFile(bytes);
  const all = new Set(file.transactions.map(({ lineId }) => lineId));
  expect(Buffer.compare(writePaymentFile(bytes, file, all, 1), bytes)).toBe(0);
});

test.each(sampleNames)('%s without one transaction has all others unchanged, and right sums', (name) => {
  const bytes = sample(name);
  const file = readPaymentFile(bytes);
  checkStructure(file.version, bytes);
  for (const removed of file.transactions) {
    const kept = file.transactions.filter((one) => one !== removed);
    const output = writePaymentFile(bytes, file, new Set(kept.map(({ lineId }) => lineId)), 1);
    checkStructure(file.version, output);
    const written = readPaymentFile(output);
    const withoutPlace = ({ lineId, position, block, ...rest }: (typeof kept)[number]) => rest;
    expect(written.transactions.map(withoutPlace)).toEqual(kept.map(withoutPlace));
    expect(written.messageId).toBe(file.messageId);
  }
});

test('the lines that differ are those that are removed and those with sums', () => {
  const bytes = sample('german-09.xml');
  const file = readPaymentFile(bytes);
  const text = bytes.toString();
  const start = text.indexOf('\n      <CdtTrfTxInf>', text.indexOf('</CdtTrfTxInf>'));
  const end = text.indexOf('</CdtTrfTxInf>', start) + '</CdtTrfTxInf>'.length;
  const expected = (text.slice(0, start) + text.slice(end))
    .replace('<CtrlSum>7430.48<', '<CtrlSum>6793.14<')
    .replace('<CtrlSum>7180.48<', '<CtrlSum>6543.14<')
    .replace('<NbOfTxs>2<', '<NbOfTxs>1<')
    .replace('<NbOfTxs>3<', '<NbOfTxs>2<');
  expect(Buffer.from(writePaymentFile(bytes, file, new Set(['1.1', '2.1']), 1)).toString()).toBe(expected);
});

const PAYMENT = /<CdtTrfTxInf>[^]*?<\/CdtTrfTxInf>\s*/;
test.each<[string, (text: string) => string]>([
  ['a missing count', (text) => text.replace('<NbOfTxs>3</NbOfTxs>', '')],
  ['a sum that is no number', (text) => text.replace('<CtrlSum>7430.48<', '<CtrlSum>7,430.48<')],
  ['a long identifier', (text) => text.replace('<MsgId>', `<MsgId>${'x'.repeat(30)}`)],
  ['a block without payments', (text) => text.replace(PAYMENT, '').replace(PAYMENT, '')],
  ['elements in another order', (text) => text.replace(/(<PmtMtd>.*)\s*(<BtchBookg>.*)/, '$2$1')],
])('the check of the structure finds %s', (_, change) => {
  const text = change(sample('german-09.xml').toString());
  expect(() => {
    checkStructure('pain.001.001.09', Buffer.from(text));
  }).toThrow(/^Element '{urn:iso/);
});
