import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PAYMENT_FILE_BYTES, MAX_PAYMENT_TRANSACTIONS } from './payment-file.js';
import { PaymentFileRefused } from './payment-file-refused.js';
import { readPaymentFile } from './read-payment-file.js';
import { sample } from './testing/fixtures.js';
import { paymentRunText, runLines } from './testing/payment-run.js';
import type { RunLine } from './testing/payment-run.js';

const lines: readonly RunLine[] = [
  { amount: '10.00', name: 'One', account: 'DE75512108001245126199', instructionId: 'I1', endToEndId: 'E1' },
  { amount: '20.50', name: 'Two', account: 'NL91ABNA0417164300', instructionId: 'I2', endToEndId: 'E1' },
  { amount: '5.00', name: 'Three', account: 'DE75512108001245126199', bic: 'COBADEFF' },
];
const file = paymentRunText(lines, { space: '', blockSize: 2 });
const INITIATION = 'CstmrCdtTrfInitn';

function refusalOf(bytes: Uint8Array): PaymentFileRefused {
  try {
    readPaymentFile(bytes);
  } catch (error) {
    if (error instanceof PaymentFileRefused) return error;
    throw error;
  }
  throw new Error('The file was read.');
}

const changed = (from: string | RegExp, to: string) => Buffer.from(file.replace(from, to));
/** Changes the last occurrence, which is in the second block. */
function changedLast(from: string, to: string): Buffer {
  const at = file.lastIndexOf(from);
  return Buffer.from(file.slice(0, at) + to + file.slice(at + from.length));
}

test('reads the file that the refusals below change', () => {
  expect(readPaymentFile(Buffer.from(file)).transactions).toMatchObject([
    { lineId: '1.1', endToEndId: 'E1' },
    { lineId: '1.2', endToEndId: 'E1' },
    { lineId: '2.1', creditorBic: 'COBADEFF' },
  ]);
});

test.each([
  [
    'NbOfTxs of the group',
    changed('<NbOfTxs>3<', '<NbOfTxs>4<'),
    `${INITIATION}/GrpHdr/NbOfTxs`,
    'NbOfTxs of the group header is 4, but it has 3 transactions. Export the file again.',
  ],
  [
    'CtrlSum of the group',
    changed('<CtrlSum>35.5<', '<CtrlSum>35.51<'),
    `${INITIATION}/GrpHdr/CtrlSum`,
    'CtrlSum of the group header is 35.51, but its amounts add up to 35.5. Export the file again.',
  ],
  [
    'NbOfTxs of a block',
    changedLast('<NbOfTxs>1<', '<NbOfTxs>2<'),
    `${INITIATION}/PmtInf[2]/NbOfTxs`,
    'NbOfTxs of the block 2 (PmtInf) is 2, but it has 1 transaction. Export the file again.',
  ],
  [
    'CtrlSum of a block',
    changedLast('<CtrlSum>5<', '<CtrlSum>5.0000000000001<'),
    `${INITIATION}/PmtInf[2]/CtrlSum`,
    'CtrlSum is not a sum of amounts. Correct CtrlSum, or export the payment file again.',
  ],
  [
    'more decimals than the currency has',
    changed('>20.50<', '>20.500<'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[2]/Amt/InstdAmt`,
    'The amount has more decimals than the currency EUR, which has 2. Round the amount.',
  ],
  [
    'decimals of yen',
    changedLast('Ccy="EUR">5.00', 'Ccy="JPY">5.00'),
    `${INITIATION}/PmtInf[2]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'The amount has more decimals than the currency JPY, which has 0. Round the amount.',
  ],
  [
    'an unknown currency',
    changed('Ccy="EUR">10', 'Ccy="EUX">10'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'The amount has no ISO 4217 currency code in Ccy. State the code in capital letters, such as EUR.',
  ],
  [
    'an amount without currency',
    changed(' Ccy="EUR">10', '>10'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'The amount has no ISO 4217 currency code in Ccy. State the code in capital letters, such as EUR.',
  ],
  [
    'a negative amount',
    changed('>10.00<', '>-10.00<'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'The amount of the payment is negative. State the amount to pay without a sign.',
  ],
  [
    'an amount in another notation',
    changed('>10.00<', '>1e1<'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'InstdAmt is not a decimal number with at most 15 digits before a decimal point. Correct the number.',
  ],
  [
    'an IBAN with wrong check digits',
    changed('NL91ABNA0417164300', 'NL92ABNA0417164300'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[2]/CdtrAcct/Id/IBAN`,
    'The IBAN is not valid: its check digits are wrong. Correct the IBAN.',
  ],
  [
    'an IBAN of the debtor that is too short',
    changed('DE89370400440532013000', 'DE8937040044053201300'),
    `${INITIATION}/PmtInf[1]/DbtrAcct/Id/IBAN`,
    'The IBAN is not valid: its length is wrong. Correct the IBAN.',
  ],
  [
    'an IBAN of a charges account',
    changed('<DbtrAgt>', '<ChrgsAcct><Id><IBAN>XX12</IBAN></Id></ChrgsAcct><DbtrAgt>'),
    `${INITIATION}/PmtInf[1]/ChrgsAcct/Id/IBAN`,
    'The IBAN is not valid: it does not begin with the code of a country. Correct the IBAN.',
  ],
  [
    'a repeated PmtInfId',
    changed('RUN-B2', 'RUN-B1'),
    `${INITIATION}/PmtInf[2]/PmtInfId`,
    'PmtInfId is the same as in an earlier block of the payment file. Give each block its own PmtInfId.',
  ],
  [
    'a repeated InstrId',
    changed('>I2<', '>I1<'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[2]/PmtId/InstrId`,
    'InstrId is the same as in an earlier transaction of the payment file. Give each transaction its own InstrId.',
  ],
  [
    'a long identifier',
    changed('>RUN<', `>${'R'.repeat(36)}<`),
    `${INITIATION}/GrpHdr/MsgId`,
    'MsgId has more than 35 characters. Shorten its value.',
  ],
  [
    'no MsgId',
    changed('<MsgId>RUN</MsgId>', ''),
    `${INITIATION}/GrpHdr`,
    'The element MsgId is missing. Add the element.',
  ],
  [
    'an empty MsgId',
    changed('>RUN<', '> <'),
    `${INITIATION}/GrpHdr/MsgId`,
    'The element MsgId is empty. State its value.',
  ],
  [
    'a day that does not exist',
    changed('2026-12-01', '2026-02-30'),
    `${INITIATION}/PmtInf[1]/ReqdExctnDt`,
    'ReqdExctnDt is not a date. State a date such as 2026-12-31.',
  ],
  [
    'two accounts in one transaction',
    changed('<CdtrAcct>', '<CdtrAcct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></CdtrAcct><CdtrAcct>'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/CdtrAcct[2]`,
    'CdtrAcct is stated twice. State the element only once.',
  ],
  [
    'two kinds of number in one account',
    changed('DE75512108001245126199</IBAN>', 'DE75512108001245126199</IBAN><Othr><Id>1</Id></Othr>'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/CdtrAcct/Id`,
    'The account has both an IBAN and another number. State only one of the two.',
  ],
  [
    'a comment in an IBAN',
    changed('DE75512108001245126199', 'DE7551210800<!-- -->1245126199'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/CdtrAcct/Id/IBAN`,
    'IBAN must contain only text. Remove the elements and comments inside it.',
  ],
  [
    'an instruction before an amount',
    changed('>10.00<', '><?x y?>10.00<'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt/InstdAmt`,
    'InstdAmt must contain only text. Remove the elements and comments inside it.',
  ],
  [
    'an element in a name',
    changed('>One<', '>One<b/><'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Cdtr/Nm`,
    'Nm must contain only text. Remove the elements and comments inside it.',
  ],
  [
    'a name that is too long',
    changed('>One<', `>${'n'.repeat(1_001)}<`),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Cdtr/Nm`,
    'Nm has more than 1000 characters. Shorten its value.',
  ],
  [
    'an account in another namespace',
    changed('<CdtrAcct>', '<CdtrAcct xmlns="urn:other">'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]`,
    'The element CdtrAcct is not in the XML namespace of the file. Remove the element.',
  ],
  [
    'a transaction outside a block',
    changed('</GrpHdr>', '</GrpHdr><CdtTrfTxInf/>'),
    `${INITIATION}/CdtTrfTxInf[1]`,
    'CdtTrfTxInf is not inside PmtInf. Export the payment file again.',
  ],
  [
    'a block in a block',
    changed('<PmtInf>', '<PmtInf><PmtInf/>'),
    `${INITIATION}/PmtInf[1]/PmtInf[1]`,
    'PmtInf is not inside CstmrCdtTrfInitn. Export the payment file again.',
  ],
  [
    'two amounts',
    changed('</InstdAmt>', '</InstdAmt><EqvtAmt><Amt Ccy="EUR">1.00</Amt></EqvtAmt>'),
    `${INITIATION}/PmtInf[1]/CdtTrfTxInf[1]/Amt`,
    'Amt must contain exactly one amount. State either InstdAmt or EqvtAmt.',
  ],
  [
    'a block without payments',
    changed(/<PmtInf>(.*?)<CdtTrfTxInf>.*?<\/PmtInf>/, '<PmtInf>$1</PmtInf>'),
    `${INITIATION}/PmtInf[1]`,
    'The block of the payment file has no payments (CdtTrfTxInf). Remove the block.',
  ],
  [
    'no block',
    changed(/<PmtInf>.*<\/PmtInf>/, ''),
    INITIATION,
    'The payment file has no payments (PmtInf). Send a file with at least one payment.',
  ],
  [
    'a message that is not an initiation',
    changed(/<CstmrCdtTrfInitn>.*<\/CstmrCdtTrfInitn>/, '<CstmrDrctDbtInitn/>'),
    '',
    'The payment file has no CstmrCdtTrfInitn. Send a credit transfer initiation (pain.001).',
  ],
])('refuses %s', (_, bytes, place, message) => {
  expect(refusalOf(bytes)).toMatchObject({ reason: 'INVALID', place, message });
});

const versions = 'Send a file in pain.001.001.03, pain.001.001.08, or pain.001.001.09.';
test.each([
  ['urn:iso:std:iso:20022:tech:xsd:pain.001.001.12', `The file is pain.001.001.12. ${versions}`],
  ['urn:iso:std:iso:20022:tech:xsd:pain.001.003.03', `The file is pain.001.003.03. ${versions}`],
  ['urn:iso:std:iso:20022:tech:xsd:pain.008.001.02', `The file is pain.008.001.02. ${versions}`],
  [
    'http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd',
    `The file is pain.001.001.03.ch.02. ${versions}`,
  ],
  ['urn:x', `The root element of the file is not an ISO 20022 Document. ${versions}`],
])('refuses the namespace %s with the versions that are read', (namespace, message) => {
  const bytes = changed(/xmlns="[^"]*"/, `xmlns="${namespace}"`);
  expect(refusalOf(bytes)).toMatchObject({ place: '', message });
});

test('refuses a root of another name', () => {
  const bytes = Buffer.from(file.replaceAll('Document', 'Envelope'));
  expect(refusalOf(bytes).message).toBe(`The root element of the file is not an ISO 20022 Document. ${versions}`);
});

const bomb = [...'abcdefghij'].map((name, index, all) =>
  index === 0 ? '<!ENTITY a "xxxxxxxxxx">' : `<!ENTITY ${name} "${`&${all[index - 1]};`.repeat(10)}">`,
);
test.each([
  [
    'an entity bomb',
    file.replace('<Document', `<!DOCTYPE Document [${bomb.join('')}]><Document`).replace('One', '&j;'),
  ],
  ['an external entity', file.replace('<Document', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document')],
  [
    'an external document type',
    file.replace('<Document', '<!DOCTYPE Document SYSTEM "http://a.invalid/d.dtd"><Document'),
  ],
])('refuses %s for its document type', (_, text) => {
  expect(refusalOf(Buffer.from(text))).toMatchObject({
    place: '',
    message: 'The file has a document type (DOCTYPE), which payment files must not have. Remove the DOCTYPE.',
  });
});

const malformed =
  /^The file is incomplete or is not well-formed XML in line \d+\. Export the file again and send it unchanged\.$/;
test.each([
  ['an entity that is not declared', file.replace('One', '&euro;')],
  ['a file that ends early', file.slice(0, -40)],
  ['a wrong end tag', file.replace('</Nm>', '</Name>')],
  ['an attribute twice', file.replace(' Ccy="EUR"', ' Ccy="EUR" Ccy="USD"')],
  ['a prefix that is not declared', file.replace('<Nm>', '<q:Nm>')],
  ['a zero byte', file.replace('One', 'O\u0000ne')],
  ['a control character', file.replace('One', 'O\u0001ne')],
  ['a reference to a control character', file.replace('One', 'O&#1;ne')],
  ['a second root', `${file}<a/>`],
  ['text behind the root', `${file}text`],
  ['a table in CSV', 'IBAN;Amount\nDE89;10.00\n'],
  ['JSON', '{"lines":[]}'],
])('refuses %s as malformed', (_, text) => {
  expect(refusalOf(Buffer.from(text)).message).toMatch(malformed);
});

test('names the line and the element in which a file is malformed', () => {
  const text = paymentRunText(lines, { blockSize: 2 });
  const line = text.slice(0, text.indexOf('Two')).split('\n').length;
  const error = refusalOf(Buffer.from(text.replace('Two', 'T<wo')));
  expect(error.message).toContain(`in line ${line}.`);
  expect(error.place).toBe(`${INITIATION}/PmtInf[1]/CdtTrfTxInf[2]/Cdtr/Nm`);
});

const signed =
  'The file has an XML signature, which would not be valid for a part of the payments. Send the file without a signature.';
test.each([
  [
    'behind the payments',
    changed('</Document>', '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></Document>'),
    signed,
  ],
  [
    'in supplementary data',
    changed(
      '</CstmrCdtTrfInitn>',
      '<SplmtryData><Envlp><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></Envlp></SplmtryData></CstmrCdtTrfInitn>',
    ),
    signed,
  ],
  [
    'around the document',
    Buffer.from(
      `<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><Object>${file.slice(file.indexOf('<Document'))}</Object></Signature>`,
    ),
    signed,
  ],
  [
    'of PKCS #7',
    Buffer.from([0x30, 0x82, 1, 2, 3]),
    'The file is signed or encrypted. Send the file without a signature and without encryption.',
  ],
  [
    'of PKCS #7 in text',
    Buffer.from('-----BEGIN PKCS7-----\nMII='),
    'The file is signed or encrypted. Send the file without a signature and without encryption.',
  ],
])('refuses a signature %s', (_, bytes, message) => {
  expect(refusalOf(bytes)).toMatchObject({ reason: 'INVALID', message });
});

test('does not read supplementary data, whatever elements it has', () => {
  const data = '<SplmtryData><Envlp><x xmlns="urn:x"><PmtInf><CdtTrfTxInf/></PmtInf></x></Envlp></SplmtryData>';
  expect(readPaymentFile(changed('</CstmrCdtTrfInitn>', `${data}</CstmrCdtTrfInitn>`)).transactionCount).toBe(3);
  const inTransaction = changed('</CdtTrfTxInf>', `${data}</CdtTrfTxInf>`);
  expect(readPaymentFile(inTransaction).transactions).toMatchObject([
    { lineId: '1.1' },
    { lineId: '1.2' },
    { lineId: '2.1' },
  ]);
});

test('refuses a file with more than 10 MiB, and reads one with exactly 10 MiB', () => {
  const free = MAX_PAYMENT_FILE_BYTES - Buffer.byteLength(file);
  const unit = '<SplmtryData/>'.padEnd(1_000, ' ');
  const filling = unit.repeat(Math.floor(free / 1_000)) + ' '.repeat(free % 1_000);
  const exact = changed(`</${INITIATION}>`, `${filling}</${INITIATION}>`);
  expect(exact.length).toBe(MAX_PAYMENT_FILE_BYTES);
  expect(readPaymentFile(exact).transactionCount).toBe(3);
  expect(refusalOf(Buffer.concat([exact, Buffer.from(' ')]))).toMatchObject({
    reason: 'TOO_LARGE',
    message: 'The file is larger than 10 MiB. Divide the payments into several files.',
  });
});

test('refuses 10,001 transactions, and reads 10,000', () => {
  const run = (count: number) => Buffer.from(paymentRunText(runLines(count), { space: '', blockSize: count }));
  expect(readPaymentFile(run(MAX_PAYMENT_TRANSACTIONS)).transactionCount).toBe(MAX_PAYMENT_TRANSACTIONS);
  expect(refusalOf(run(MAX_PAYMENT_TRANSACTIONS + 1))).toMatchObject({
    reason: 'INVALID',
    place: `${INITIATION}/PmtInf[1]/CdtTrfTxInf[10001]`,
    message: 'The payment file has more than 10000 transactions. Divide the payments into several files.',
  });
});

const gap = 'more than 1 MiB without an element';
const before = file.slice(0, file.indexOf('<GrpHdr>'));
const inHeader = (more: string) => file.replace('<GrpHdr>', `${more}<GrpHdr>`);
test.each([
  ['depth 100,000', `${before}${'<a>'.repeat(100_000)}`, 'nested more than 64'],
  ['2,000,000 elements', `${before}${'<a/>'.repeat(2_000_000)}`, 'more than 500000 elements'],
  [
    '700,000 attributes',
    file.replace('<GrpHdr>', `<GrpHdr ${Array.from({ length: 700_000 }, (_, n) => `a${n}=""`).join(' ')}>`),
    gap,
  ],
  [
    '300,000 namespaces',
    file.replace('<GrpHdr>', `<GrpHdr ${Array.from({ length: 300_000 }, (_, n) => `xmlns:a${n}="u"`).join(' ')}>`),
    gap,
  ],
  ['a comment of 9 MB', inHeader(`<!--${'-x'.repeat(4_500_000)}-->`), gap],
  ['an instruction of 9 MB', inHeader(`<?a ${'?x'.repeat(4_500_000)}?>`), gap],
  ['1,000,000 comments', inHeader('<!---->'.repeat(1_000_000)), gap],
  ['9 MB of references', file.replace('>One<', `>${'&lt;'.repeat(2_200_000)}<`), gap],
  ['9 MB of line ends', inHeader('\r\n'.repeat(4_500_000)), gap],
  ['a name of 5 MB', inHeader(`<${'n'.repeat(5_000_000)}/>`), gap],
  ['a document type of 9 MB', `<!DOCTYPE ${'x'.repeat(9_000_000)}`, gap],
  ['a value of 1 MB', file.replace('>One<', `>${'x'.repeat(1_000_000)}<`), 'more than 1000 characters'],
])('refuses %s in less than 3 s of computing', (_, text, message) => {
  const bytes = Buffer.from(text);
  const start = process.cpuUsage();
  expect(refusalOf(bytes).message).toContain(message);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
});

test.each([
  ['.5', '0.5'],
  ['5.', '5'],
  ['+5', '5'],
  ['000000000000000005.00', '5.00'],
  [' 5.00\n', '5.00'],
  ['<![CDATA[5.00]]>', '5.00'],
])('reads the amount %s as %s', (written, amount) => {
  const sum = amount === '0.5' ? '0.5' : '5';
  const text = paymentRunText([{ amount: sum, name: 'One' }]).replace(/>[0-9.]+<\/InstdAmt>/, `>${written}</InstdAmt>`);
  expect(readPaymentFile(Buffer.from(text)).transactions[0]?.amount).toBe(amount);
});

test('does not throw anything else for changed or cut bytes', () => {
  for (const name of ['german-09.xml', 'polish-split-payment-03.xml', 'cgi-03.xml']) {
    const bytes = sample(name);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(bytes.length),
        (changes, length) => {
          const copy = Buffer.from(bytes);
          for (const [position, value] of changes) copy[position] = value;
          for (const one of [copy, copy.subarray(0, length)]) {
            try {
              expect(readPaymentFile(one).transactionCount).toBeGreaterThan(0);
            } catch (error) {
              expect(error).toBeInstanceOf(PaymentFileRefused);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  }
});

test('messages repeat no account number', () => {
  const bytes = changed('NL91ABNA0417164300', 'NL92ABNA0417164300');
  expect(refusalOf(bytes).message).not.toContain('0417164300');
});
