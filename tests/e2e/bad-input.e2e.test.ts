import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RequestOptions, RunningSystem } from './running-system.js';
import { fullInvoice, plainInvoice, plainRow, UNKNOWN_ID } from './shapes.js';
import type { AcceptedAnalysis, Page, Scan, StoredInvoice } from './shapes.js';

const KIBIBYTE = 1024;

let running: RunningSystem;
/** API key with which the tests send only invalid input, so that its organization never has an invoice. */
let key: string;
/** API key with which the tests send unusual but valid requests. */
let goodKey: string;
beforeAll(async () => {
  running = await useSharedSystem();
  key = running.tenant.keys.owner;
  goodKey = running.other.keys.owner;
});
afterAll(() => running.stop());
afterEach(expectNothingStored);

async function expectNothingStored(): Promise<void> {
  for (const list of ['GET /invoices', 'GET /scans']) {
    const { body } = await running.request<Page<unknown>>(list, { key });
    expect([list, body.items]).toEqual([list, []]);
  }
}

function send(options: RequestOptions): Promise<Answer<ErrorBody>> {
  return running.request<ErrorBody>('POST /invoices', { key, ...options });
}

/** Expects a response with status 400 whose message and details begin with the path of the invalid field. */
async function expectRefusedField(body: unknown, path: string): Promise<void> {
  const answer = await send({ body });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  expect(answer.body.error.message.split(': ', 1)).toEqual([path]);
  expect(answer.body.error.details?.[0]?.path).toBe(path);
}

async function expectAccepted(options: RequestOptions): Promise<AcceptedAnalysis> {
  const answer = await running.request<AcceptedAnalysis>('POST /invoices', { key: goodKey, ...options });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body;
}

/** Returns the full invoice with the field at `path` replaced, or removed if the value is undefined. */
function withField(path: string, value: unknown): Record<string, unknown> {
  const invoice = structuredClone(fullInvoice) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const parent = steps.reduce((object, step) => object[step] as Record<string, unknown>, invoice);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return invoice;
}

const withAccount = (account: unknown) => withField('supplier.bank_account', account);

const textFields = [
  'supplier.name',
  'supplier.tax_id',
  'supplier.bank_account.iban',
  'invoice_number',
  'purchase_order_ref',
  'buyer.name',
  'buyer.tax_id',
];
const amountFields = ['net_amount', 'tax_amount', 'gross_amount'];
const dateFields = ['issue_date', 'due_date'];
const objectFields = ['supplier', 'supplier.bank_account', 'buyer'];
const requiredFields = ['supplier', 'supplier.name', 'invoice_number', 'issue_date', 'currency', 'gross_amount'];

describe('a field', () => {
  test.each([...textFields, ...amountFields, ...dateFields, 'currency', 'company_id'])(
    '%s of the wrong type, null, empty, blank or invisible is refused',
    async (path) => {
      for (const value of [null, 7, 1.5, true, ['x'], { value: 'x' }, '', '   ', '\u00a0\t\n', '\u200b', ' \u2060']) {
        await expectRefusedField(withField(path, value), path);
      }
    },
  );

  test.each(objectFields)('%s is refused unless it is an object', async (path) => {
    for (const value of [null, 7, false, 'x', [], [{}]]) await expectRefusedField(withField(path, value), path);
  });

  test.each(requiredFields)('%s is refused when it is missing', (path) =>
    expectRefusedField(withField(path, undefined), path),
  );

  test.each([
    'colour',
    'supplier.colour',
    'supplier.bank_account.bic',
    'buyer.address',
    'id',
    'decision',
    'organization_id',
    'companyId',
    'Currency',
    'constructor',
    'toString',
  ])('%s that does not exist here is refused', (path) => expectRefusedField(withField(path, 'x'), path));

  test('is named with at most a hundred characters when it is unknown', async () => {
    const answer = await send({ body: withField('x'.repeat(5_000), 1) });
    expect(answer.body.error.details?.map(({ path }) => path)).toEqual(['x'.repeat(100)]);
  });

  test('is among at most fifty faults in the details, and the message counts all', async () => {
    const extra = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index]));
    const answer = await send({ body: { ...fullInvoice, ...extra } });
    expect(answer.body.error.message).toMatch(/^f0: .* \(1 of 60 faults\)$/);
    expect(answer.body.error.details).toHaveLength(50);
  });
});

describe('an amount', () => {
  const bad = [
    '1.1234567',
    '1e3',
    '1E3',
    '+1',
    '1 000',
    '1,000.00',
    '1,5',
    '.5',
    '5.',
    '-',
    '--1',
    '-.5',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '1.0.0',
    '\u0661\u0662',
    '\uff11',
    '\u22121',
    '1'.repeat(16),
    `${'1'.repeat(16)}.5`,
    '9'.repeat(400),
  ];
  test.each(amountFields)('%s is refused unless it is a decimal string', async (path) => {
    for (const value of bad) await expectRefusedField(withField(path, value), path);
  });

  test.each(['0', '-0', '-1.5', '007.50', '0.000001', '9'.repeat(15), `-${'9'.repeat(15)}.999999`])(
    '%s is accepted and shown as it was sent',
    async (amount) => {
      const { id } = await expectAccepted({ body: { ...plainInvoice(1), gross_amount: amount } });
      const { body } = await running.request<StoredInvoice>(`GET /invoices/${id}`, { key: goodKey });
      expect(body.invoice['gross_amount']).toBe(amount);
    },
  );
});

describe('a date', () => {
  const bad = [
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '01.02.2026',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '+002026-01-01',
    '1899-12-31',
    '2200-01-01',
    'today',
  ];
  test.each(dateFields)('%s is refused unless it is a calendar day', async (path) => {
    for (const value of bad) await expectRefusedField(withField(path, value), path);
  });

  test.each(['2024-02-29', '1900-01-01', '2199-12-31'])('%s is accepted', async (day) => {
    await expectAccepted({ body: { ...plainInvoice(2), issue_date: day } });
  });
});

describe('a currency', () => {
  test.each([
    ['the placeholder', ['XXX', 'xxx']],
    ['a funds code', ['CHE', 'CHW', 'CLF', 'MXV', 'USN', 'UYI', 'BOV', 'COU']],
    ['a precious metal', ['XAU', 'XAG', 'XPT', 'XPD', 'xau']],
    ['another code that is not money', ['XTS', 'XBA', 'XBB', 'XBC', 'XBD']],
    ['a currency that is gone', ['HRK', 'ltl', 'CUC', 'DEM']],
    ['no code at all', ['ZZZ', 'EU', 'EURO', ' EUR', 'EUR ', 'E R', '978', '\u20ac', 'EU\u0130', '\uff25\uff35\uff32']],
  ])('that is %s is refused', async (_, codes) => {
    for (const code of codes) await expectRefusedField(withField('currency', code), 'currency');
  });

  test.each(['eur', 'gBp', 'JPY'])('%s is accepted in any case', async (currency) => {
    const { id } = await expectAccepted({ body: { ...plainInvoice(3), currency } });
    const { body } = await running.request<StoredInvoice>(`GET /invoices/${id}`, { key: goodKey });
    expect(body.invoice['currency']).toBe(currency.toUpperCase());
  });

  test('is accepted on an invoice from before its withdrawal', async () => {
    await expectAccepted({ body: { ...plainInvoice(4), currency: 'HRK', issue_date: '2022-12-31' } });
  });
});

describe('a bank account', () => {
  const at = 'supplier.bank_account';
  const gb = 'GB29NWBK60161331926819';
  test.each([
    ['nothing', {}, at],
    ['half a UK account: the sort code', { sort_code: '60-16-13' }, `${at}.account_number`],
    ['half a UK account: the number', { account_number: '31926819' }, `${at}.sort_code`],
    ['an IBAN and half a UK account', { iban: gb, sort_code: '601613' }, `${at}.account_number`],
    ['a sort code of five digits', { sort_code: '60161', account_number: '31926819' }, `${at}.sort_code`],
    ['a sort code with letters', { sort_code: '60-16-1A', account_number: '31926819' }, `${at}.sort_code`],
    ['an account number of five digits', { sort_code: '601613', account_number: '31926' }, `${at}.account_number`],
    ['an account number of nine digits', { sort_code: '601613', account_number: '319268190' }, `${at}.account_number`],
    ['an account number with blanks', { sort_code: '601613', account_number: '3192 6819' }, `${at}.account_number`],
    ['a GB IBAN of another number', { iban: gb, sort_code: '601613', account_number: '31926818' }, at],
    ['a GB IBAN of another branch', { iban: gb, sort_code: '601614', account_number: '31926819' }, at],
    [
      'an IBAN of another country and a UK account',
      { iban: 'DE89370400440532013000', sort_code: '601613', account_number: '31926819' },
      at,
    ],
  ])('of %s is refused', (_, account, path) => expectRefusedField(withAccount(account), path));

  test.each([
    ['a UK account with hyphens and blanks', { sort_code: '60-16 13', account_number: '31926819' }],
    ['a UK account number of six digits', { sort_code: '601613', account_number: '926819' }],
    ['a GB IBAN with its own sort code and number', { iban: gb, sort_code: '60-16-13', account_number: '31926819' }],
    ['an IBAN that cannot exist, which is a finding', { iban: 'DE00370400440532013000' }],
  ])('of %s is accepted', async (_, account) => {
    await expectAccepted({ body: withAccount(account) });
  });
});

describe('a text', () => {
  test.each([
    ['supplier.name', 400],
    ['buyer.name', 400],
    ['supplier.tax_id', 1_000],
    ['supplier.bank_account.iban', 1_000],
    ['invoice_number', 1_000],
    ['purchase_order_ref', 1_000],
    ['buyer.tax_id', 1_000],
  ])('%s has at most %i characters, whatever characters they are', async (path, lengthMax) => {
    for (const character of ['x', '\u{1f9fe}']) {
      await expectRefusedField(withField(path, character.repeat(lengthMax + 1)), path);
      await expectAccepted({ body: withField(path, character.repeat(lengthMax)) });
    }
  });

  test.each([
    'O\u2019Neill & S\u00f6hne <b>"\\/',
    '\u0141\u00f3d\u017a \u20ac \u682a\u5f0f\u4f1a\u793e',
    '\u{1f9fe}\u200d\u{1f4b6}',
    '$where',
    '{"$gt":""}',
  ])('%j is kept as it is', async (name) => {
    const { id } = await expectAccepted({ body: { ...plainInvoice(5), supplier: { name } } });
    const { body } = await running.request<StoredInvoice>(`GET /invoices/${id}`, { key: goodKey });
    expect(body.invoice['supplier']).toEqual({ name });
  });

  test.each(['a\r\nb\tc', 'a\u202eb', 'a\u200bb'])(
    '%j is refused, because a name is one line that hides nothing',
    (name) => expectRefusedField(withField('supplier.name', name), 'supplier.name'),
  );
});

describe('a company', () => {
  test.each(['nonsense', UNKNOWN_ID.replaceAll('-', ''), `{${UNKNOWN_ID}}`])('%s is refused', (companyId) =>
    expectRefusedField(withField('company_id', companyId), 'company_id'),
  );
});

/** Returns an object that is nested this many levels deep. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

const good = JSON.stringify(plainInvoice(6));
const latin1 = Buffer.from(good.replace('Supplier', 'S\u00e4gewerk'), 'latin1');

describe('a body', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['that is empty', '', /empty/],
    ['of blanks alone', ' \n', /not valid JSON/],
    ['that breaks off', good.slice(0, -1), /not valid JSON/],
    ['with text after it', `${good}{}`, /not valid JSON/],
    ['with single quotes', "{'supplier':{}}", /not valid JSON/],
    ['with a trailing comma', good.replace('}}', '},}').replace(/}$/, ',}'), /not valid JSON/],
    ['with a comment', `/* */${good}`, /not valid JSON/],
    ['of NaN', '{"gross_amount":NaN}', /not valid JSON/],
    ['with a raw line break in a string', '{"invoice_number":"a\nb"}', /not valid JSON/],
    ['with a raw NUL', '{"invoice_number":"a\u0000b"}', /not valid JSON/],
    ['that is a form', 'supplier=x&currency=EUR', /not valid JSON/],
    [
      'that is XML',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      /not valid JSON/,
    ],
    ['that is null', 'null', /^body: /],
    ['that is a number', '7', /^body: /],
    ['that is a string', '"invoice"', /^body: /],
    ['that is true', 'true', /^body: /],
    ['that is an empty array', '[]', /^body: /],
    ['that is an array of invoices', `[${good}]`, /^body: /],
    ['that is not UTF-8', latin1, /not valid UTF-8/],
    ['with an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not valid UTF-8/],
    ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ['in UTF-16', Buffer.from(good, 'utf16le'), /./],
    ['with a byte order mark', `\ufeff${good}`, /byte order mark/],
    ['with an escaped NUL', good.replace('N-6', 'N\\u00006'), /U\+0000/],
    ['with half of a surrogate pair', good.replace('N-6', 'N\\ud83d'), /surrogate/],
    ['with the second half of a surrogate pair', good.replace('N-6', '\\ude00N'), /surrogate/],
    ['with a NUL in a name', `{"a\\u0000":1,${good.slice(1)}`, /U\+0000/],
    ['with __proto__', `{"__proto__":{"currency":"EUR"},${good.slice(1)}`, /__proto__/],
    ['with __proto__ further in', good.replace('"name"', '"__proto__":{},"name"'), /__proto__/],
    ['with an escaped __proto__', `{"\\u005f_proto__":{},${good.slice(1)}`, /__proto__/],
    ['nested 33 levels deep', nested(33), /nested more than 32 levels/],
    ['of 33 arrays', `${'['.repeat(33)}${']'.repeat(33)}`, /nested more than 32 levels/],
    ['of ten thousand arrays', `${'['.repeat(9_999)}${']'.repeat(9_999)}`, /nested more than 32 levels/],
    ['of ten thousand values', `[${'1,'.repeat(9_998)}1]`, /^body: /],
  ])('%s is refused with 400', async (_, bytes, message) => {
    const answer = await send({ bytes });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toMatch(message);
  });

  test('is parsed when nested 32 levels deep, and refused for its content', async () => {
    const answer = await send({ bytes: nested(32) });
    expect(answer.body.error.details?.map(({ path }) => path)).toContain('a');
  });

  test('uses the last value of a repeated name', async () => {
    const { id } = await expectAccepted({ bytes: good.replace('{', '{"currency":"XXX",') });
    const { body } = await running.request<StoredInvoice>(`GET /invoices/${id}`, { key: goodKey });
    expect(body.invoice['currency']).toBe('EUR');
    expect((await send({ bytes: good.replace(/}$/, ',"currency":"XXX"}') })).status).toBe(400);
  });

  test('is accepted with exactly 256 KiB and refused with 413 one byte above', async () => {
    await expectAccepted({ bytes: good.padEnd(256 * KIBIBYTE) });
    const answer = await send({ bytes: good.padEnd(256 * KIBIBYTE + 1) });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toContain('256 KiB');
  });

  test.each([300 * KIBIBYTE, 5_000 * KIBIBYTE])('of %i bytes is refused with 413', async (length) => {
    expect(await send({ bytes: good.padEnd(length) })).toMatchObject({ status: 413 });
  });

  test.each([
    ['ten thousand and one values', `[${'1,'.repeat(9_999)}1]`],
    ['a hundred thousand arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a list of nothing in a field', good.replace('{', `{"x":[${'{},'.repeat(10_000)}{}],`)],
  ])('of %s is refused with 413', async (_, bytes) => {
    const answer = await send({ bytes });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toBe('The body has more than 10000 values. Send less in one request.');
  });

  test('is refused with 413 when it grows beyond 256 KiB without a declared length', async () => {
    const chunk = `10000\r\n${' '.repeat(0x1_0000)}\r\n`;
    const answer = await running.raw(
      'POST /invoices',
      `${head('Transfer-Encoding: chunked')}${chunk.repeat(5)}0\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  test.each([
    [
      'with both a content length and chunks',
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
    ],
    ['with two content lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['with a length that is not a number', ['Content-Length: two'], '{}'],
    ['with chunks of no length', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
  ])('%s is refused with 400', async (_, headers, body) => {
    const answer = await running.raw('POST /invoices', `${head(...headers)}${body}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });
});

function head(...headers: string[]): string {
  return [
    'POST /v1/invoices HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n');
}

describe('a content type', () => {
  test.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/vnd.api+json',
    'application/problem+json',
    'application/json2',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    '*/*',
    'json',
    ';',
  ])('%s is refused with 415', async (type) => {
    const answer = await send({ bytes: good, headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status: 415, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.headers.get('accept')).toBe('application/json');
  });

  test('is required: without it the answer is 415', async () => {
    const bytes = head(`Content-Length: ${good.length}`).replace(/Content-Type: .*\r\n/, '');
    expect(await running.raw('POST /invoices', `${bytes}${good}`)).toMatchObject({ status: 415 });
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON ; Charset=utf8',
    'application/json; profile=x',
  ])('%s is accepted', async (type) => {
    await expectAccepted({ bytes: good, headers: { 'content-type': type } });
  });

  test.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'identity, gzip', 'x'])(
    'with the encoding %s is refused with 415',
    async (encoding) => {
      const answer = await send({ bytes: good, headers: { 'content-encoding': encoding } });
      expect(answer).toMatchObject({ status: 415, body: { error: { code: 'INVALID_REQUEST' } } });
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    },
  );

  test('with the encoding identity is accepted', async () => {
    await expectAccepted({ bytes: good, headers: { 'content-encoding': 'identity' } });
  });
});

describe('a scan', () => {
  const scan = (body: unknown) => running.request<ErrorBody>('POST /scans', { key, body });
  const refused = async (body: unknown): Promise<ErrorBody['error']> => {
    const answer = await scan(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    return answer.body.error;
  };
  const withRow = (part: object) => ({ rows: [plainRow(1), { ...plainRow(2), ...part }] });

  test.each<[string, unknown]>([
    ['body', []],
    ['rows', {}],
    ['rows', { rows: [] }],
    ['rows', { rows: plainRow(1) }],
    ['rows', { rows: Array.from({ length: 5_001 }, (_, index) => plainRow(index)) }],
    ['companyId', { companyId: 'x', rows: [plainRow(1)] }],
    ['company_id', { company_id: UNKNOWN_ID, rows: [plainRow(1)] }],
  ])('with a wrong %s is refused', async (path, body) => {
    expect((await refused(body)).details?.map((fault) => fault.path)).toEqual([path]);
  });

  test.each<[string, readonly unknown[]]>([
    ['supplierName', [undefined, null, 7, ' ', 'x'.repeat(401)]],
    ['supplierTaxId', [null, 7, ' ', 'x'.repeat(201)]],
    ['invoiceNumber', [undefined, null, 7, ' ', 'x'.repeat(201)]],
    ['issueDate', [undefined, null, '2026-02-30', '05.10.2026']],
    ['currency', [null, '', 'EURO', 'XXX', 'XAU', 'CHE', 'HRK']],
    ['grossAmount', [undefined, null, 1190, '1,190.00', '1.1234567']],
    ['purchaseOrderRef', [null, '', 'x'.repeat(201)]],
    ['bankIban', [null, '', 'x'.repeat(201)]],
    ['bankSortCode', [null, '', '60161']],
    ['bankAccountNumber', [null, '', '31926', '319268190']],
    ['externalId', [null, '', 7, 'x'.repeat(201)]],
    ['sourceRowNumber', [undefined, null, '2', 2.5, 2 ** 53]],
    ['colour', ['x']],
  ])('with a row whose %s is wrong is refused, and the row is named', async (field, values) => {
    for (const value of values) {
      const { message, details } = await refused(withRow({ [field]: value }));
      expect([value, message]).toEqual([value, expect.stringContaining(`rows[1].${field}: Row 2`)]);
      expect(details?.map(({ path }) => path)).toEqual([`rows[1].${field}`]);
    }
  });

  test('with a thousand wrong rows lists the first fifty and counts all', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ ...plainRow(index), issueDate: 'yesterday' }));
    const { message, details } = await refused({ rows });
    expect(message).toMatch(/^rows\[0\]\.issueDate: Row 1, sourceRowNumber 0: .* \(1 of 1000 faults\)$/);
    expect(details).toHaveLength(50);
  });

  test('with a NUL, half of a surrogate pair, __proto__ or too deep a nesting in a row is refused', async () => {
    const body = JSON.stringify({ rows: [plainRow(1)] });
    for (const bytes of [
      body.replace('N-1', 'N\\u0000'),
      body.replace('N-1', 'N\\ud83d'),
      body.replace('{"supplierName"', '{"__proto__":{},"supplierName"'),
      `{"rows":[${nested(31)}]}`,
    ]) {
      const answer = await running.request('POST /scans', { key, bytes });
      expect([bytes, answer.status]).toEqual([bytes, 400]);
    }
  });

  test('is read with exactly 10 MiB and refused with 413 one byte above', async () => {
    const bytes = JSON.stringify({ rows: [plainRow(1)] });
    const largest = 10 * KIBIBYTE * KIBIBYTE;
    const read = await running.request<Scan>('POST /scans', { key: goodKey, bytes: bytes.padEnd(largest) });
    expect(read.status).toBe(201);
    const refusedAnswer = await running.request('POST /scans', { key, bytes: bytes.padEnd(largest + 1) });
    expect(refusedAnswer).toMatchObject({ status: 413, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  test.each(['', ' ', 'a,b', 'x'.repeat(256), '\u00e9'])('with the Idempotency-Key %j is refused', async (value) => {
    const headers = { 'idempotency-key': value };
    expect(await running.request('POST /scans', { key, body: withRow({}), headers })).toMatchObject({ status: 400 });
  });
});

describe('refused input', () => {
  test('leaves no trace in the database of the analysis service', async () => {
    const { tenant, analysisDatabase } = running;
    await send({ body: withField('currency', 'XXX'), headers: { 'idempotency-key': 'trace' } });
    await send({ body: withField('company_id', UNKNOWN_ID), headers: { 'idempotency-key': 'trace' } });
    for (const { name } of await analysisDatabase.listCollections().toArray()) {
      const { organizationId } = tenant;
      expect([name, await analysisDatabase.collection(name).countDocuments({ organizationId })]).toEqual([name, 0]);
    }
    const counters = await analysisDatabase.collection<{ _id: string; used: number }>('usage').find().toArray();
    expect(counters.filter(({ _id, used }) => _id.startsWith(tenant.organizationId) && used > 0)).toEqual([]);
  });
});
