import { expect, test } from 'vitest';
import { outcomesOfReport } from './outcomes-of-report.js';
import type { ReportedRun } from './outcomes-of-report.js';
import { PaymentFileRefused } from './payment-file-refused.js';
import { paymentStatuses } from './payment-status.js';
import { readPaymentFile } from './read-payment-file.js';
import { readStatusReport } from './read-status-report.js';
import { sample } from './testing/fixtures.js';

const german = readPaymentFile(sample('german-09.xml'));
const report = (name: string) => readStatusReport(sample(`reports/${name}`));
const outcomes = (name: string) => Object.fromEntries(outcomesOfReport(report(name), german, 1));

test('reads the levels of a report in pain.002.001.03', () => {
  expect(report('transactions-03.xml')).toEqual({
    version: 'pain.002.001.03',
    messageId: 'BANK-7781',
    originalMessageId: 'ZL-20261130-0001',
    code: 'PART',
    status: 'PART',
    reasons: [],
    blocks: [
      { paymentInformationId: 'ZL-20261130-0001-1', code: 'PART', status: 'PART', reasons: [] },
      { paymentInformationId: 'ZL-20261130-0001-2', code: 'ACSC', status: 'ACSC', reasons: [] },
    ],
    transactions: [
      {
        paymentInformationId: 'ZL-20261130-0001-1',
        endToEndId: 'RE-2026-00417',
        code: 'RJCT',
        status: 'RJCT',
        reasons: [{ code: 'AC04', texts: ['Account is closed'] }],
      },
    ],
  });
});

test('the narrowest status of a line wins', () => {
  expect(outcomes('transactions-03.xml')).toEqual({
    '1.1': { status: 'RJCT', reasons: [{ code: 'AC04', texts: ['Account is closed'] }] },
    '1.2': { status: 'PART', reasons: [] },
    '2.1': { status: 'ACSC', reasons: [] },
  });
});

test('reads the verification of payee in pain.002.001.10', () => {
  expect(outcomes('payees-10.xml')).toEqual({
    '1.1': {
      reasons: [{ texts: ['Holzwerk Schäfer und', 'Söhne GmbH'] }],
      nameVerification: { result: 'CLOSE_MATCH', name: 'Holzwerk Schäfer und Söhne GmbH' },
    },
    '1.2': { reasons: [], nameVerification: { result: 'NO_MATCH' } },
    '2.1': { reasons: [], nameVerification: { result: 'MATCH' } },
  });
});

interface Level {
  readonly block?: string;
  readonly transactions?: readonly string[];
}

const reportText = (group: string, levels: readonly Level[] = [], version = 'pain.002.001.10') =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}"><CstmrPmtStsRpt><GrpHdr><MsgId>R</MsgId></GrpHdr>` +
  `<OrgnlGrpInfAndSts><OrgnlMsgId>M</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.03</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>` +
  levels
    .map(
      ({ block = '', transactions = [] }, index) =>
        `<OrgnlPmtInfAndSts><OrgnlPmtInfId>B${index + 1}</OrgnlPmtInfId>${block}` +
        `${transactions.map((one) => `<TxInfAndSts>${one}</TxInfAndSts>`).join('')}</OrgnlPmtInfAndSts>`,
    )
    .join('') +
  '</CstmrPmtStsRpt></Document>';
const readText = (text: string) => readStatusReport(Buffer.from(text));
const run: ReportedRun = {
  messageId: 'M',
  blocks: ['B1', 'B2'].map((paymentInformationId) => ({ paymentInformationId, debtorTaxIds: [] })),
  transactions: [
    { lineId: '1.1', block: 0, endToEndId: 'NOTPROVIDED', instructionId: 'I1' },
    { lineId: '1.2', block: 0, endToEndId: 'NOTPROVIDED', instructionId: 'I2' },
    { lineId: '1.3', block: 0, endToEndId: 'E1' },
    { lineId: '2.1', block: 1, endToEndId: 'E1' },
  ],
};
const statuses = (text: string, part = 1, given?: ReadonlySet<string>) =>
  Object.fromEntries(
    [...outcomesOfReport(readText(text), run, part, given)].map(([lineId, { status }]) => [lineId, status]),
  );

test.each(paymentStatuses)('reads the status %s at each level', (status) => {
  const group = readText(reportText(`<GrpSts>${status}</GrpSts>`));
  expect(group.status).toBe(status);
  const all = { '1.1': status, '1.2': status, '1.3': status, '2.1': status };
  expect(statuses(reportText(`<GrpSts>${status}</GrpSts>`))).toEqual(all);
  expect(statuses(reportText('', [{ block: `<PmtInfSts>${status}</PmtInfSts>` }]))).toEqual({
    ...all,
    '2.1': undefined,
  });
  const transaction = `<OrgnlInstrId>I2</OrgnlInstrId><TxSts>${status}</TxSts>`;
  expect(statuses(reportText('', [{ transactions: [transaction] }]))).toEqual({ '1.2': status });
});

test('finds a transaction by InstrId where EndToEndId repeats, and in its block', () => {
  const text = reportText('<GrpSts>ACCP</GrpSts>', [
    {
      transactions: [
        '<OrgnlInstrId>I2</OrgnlInstrId><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>RJCT</TxSts>',
      ],
    },
    { transactions: ['<OrgnlEndToEndId>E1</OrgnlEndToEndId><TxSts>PDNG</TxSts>'] },
  ]);
  expect(statuses(text)).toEqual({ '1.1': 'ACCP', '1.2': 'RJCT', '1.3': 'ACCP', '2.1': 'PDNG' });
});

test('says nothing about lines between which a transaction does not decide', () => {
  const text = reportText('', [
    { transactions: ['<OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>RJCT</TxSts>'] },
  ]);
  expect(statuses(text)).toEqual({});
});

test('knows the identifiers of a later part, and only the lines that were given in it', () => {
  const text = reportText('<GrpSts>ACSP</GrpSts>', [{ block: '<PmtInfSts>RJCT</PmtInfSts>' }]).replace(
    '>B1<',
    '>B1-2<',
  );
  expect(statuses(text, 2, new Set(['1.3', '2.1']))).toEqual({ '1.3': 'RJCT', '2.1': 'ACSP' });
});

test('keeps a code that it does not know without a status', () => {
  const text = reportText('<GrpSts>RCVD</GrpSts>');
  expect(readText(text)).toMatchObject({ code: 'RCVD' });
  expect(readText(text)).not.toHaveProperty('status');
  expect(statuses(text)).toEqual({});
});

test.each([
  ['RCVC', 'MATCH'],
  ['RVMC', 'CLOSE_MATCH'],
  ['RVNM', 'NO_MATCH'],
  ['RVNA', 'NOT_POSSIBLE'],
])('reads %s as status and as reason', (code, result) => {
  const asStatus = reportText(`<GrpSts>${code}</GrpSts>`);
  const reason = `<StsRsnInf><Rsn><Prtry>${code}</Prtry></Rsn></StsRsnInf>`;
  for (const text of [asStatus, reportText(`<GrpSts>PDNG</GrpSts>${reason}`)]) {
    expect(readText(text).nameVerification).toEqual({ result });
  }
});

test('joins a name that is divided within a word, and one that is divided between two', () => {
  const texts = ['x'.repeat(105), 'yz', 'Ltd'].map((text) => `<AddtlInf>${text}</AddtlInf>`).join('');
  const text = reportText(`<GrpSts>RVMC</GrpSts><StsRsnInf>${texts}</StsRsnInf>`);
  expect(readText(text).nameVerification).toEqual({ result: 'CLOSE_MATCH', name: `${'x'.repeat(105)}yz Ltd` });
});

test('a status and a name from different levels are both known', () => {
  const text = reportText('<GrpSts>ACSP</GrpSts>', [
    { transactions: ['<OrgnlInstrId>I1</OrgnlInstrId><TxSts>RVNM</TxSts>'] },
  ]);
  expect(outcomesOfReport(readText(text), run, 1).get('1.1')).toEqual({
    status: 'ACSP',
    reasons: [],
    nameVerification: { result: 'NO_MATCH' },
  });
});

test.each([
  [
    'another version',
    reportText('', [], 'pain.002.001.12'),
    '',
    'The file is pain.002.001.12. Send a file in pain.002.001.03 or pain.002.001.10.',
  ],
  [
    'a payment file',
    reportText('', [], 'pain.001.001.03'),
    '',
    'The file is pain.001.001.03. Send a file in pain.002.001.03 or pain.002.001.10.',
  ],
  [
    'a report about direct debits',
    reportText('').replace('>pain.001.001.03<', '>pain.008.001.02<'),
    'CstmrPmtStsRpt/OrgnlGrpInfAndSts/OrgnlMsgNmId',
    'The status report is not about a credit transfer (pain.001). Send a report about a credit transfer.',
  ],
  [
    'a report without the name of its file',
    reportText('').replace('<OrgnlMsgId>M</OrgnlMsgId>', ''),
    'CstmrPmtStsRpt/OrgnlGrpInfAndSts',
    'OrgnlMsgId is missing. The status report must name the payment file that it is about.',
  ],
  [
    'a status that is stated twice',
    reportText('<GrpSts>ACCP</GrpSts><GrpSts>RJCT</GrpSts>'),
    'CstmrPmtStsRpt/OrgnlGrpInfAndSts/GrpSts[2]',
    'GrpSts is stated twice. State the element only once.',
  ],
  [
    'a transaction outside a block',
    reportText('').replace('</CstmrPmtStsRpt>', '<TxInfAndSts/></CstmrPmtStsRpt>'),
    'CstmrPmtStsRpt/TxInfAndSts[1]',
    'TxInfAndSts is not inside OrgnlPmtInfAndSts. Ask the bank for another status report.',
  ],
  [
    'a report without levels',
    reportText('').replace(/<OrgnlGrpInfAndSts>.*<\/OrgnlGrpInfAndSts>/, ''),
    '',
    'The status report has no OrgnlGrpInfAndSts. Send a status report (pain.002) of a bank.',
  ],
  [
    'a document type',
    `<!DOCTYPE Document>${reportText('')}`,
    '',
    'The file has a document type (DOCTYPE), which payment files must not have. Remove the DOCTYPE.',
  ],
])('refuses %s', (_, text, place, message) => {
  try {
    readText(text);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentFileRefused);
    expect(error).toMatchObject({ reason: 'INVALID', place, message });
  }
});
