import { afterAll, beforeAll, expect, test } from 'vitest';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const KEY = keyNamed('owner');
const ID = '0198a000-0000-7000-8000-00000000000a';
const finding: Finding = {
  findingId: ID,
  type: 'DUPLICATE_INVOICE',
  severity: Severity.CRITICAL,
  summary: 'A copy.',
  confidencePercent: 99,
  evidenceJson: JSON.stringify({ key: 'k', explanation: ['The numbers are equal.'.repeat(200)] }),
  relatedInvoiceIds: [],
  disposition: 'OPEN',
  companyId: ID,
  createdTime: new Date('2026-03-01T12:00:00Z'),
  family: 'DUP',
  updatedTime: new Date('2026-03-01T12:00:00Z'),
};

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(new Map([[KEY, principal()]])),
    findings: {
      listFindings: () => Promise.resolve({ findings: [finding], nextPageToken: '' }),
      getFinding: () => Promise.resolve({ finding: { ...finding, evidenceJson: '{}' } }),
      reviewFinding: () => Promise.resolve({ finding, changed: true }),
    },
    invoices: {
      getLatestAnalysis: () =>
        Promise.resolve({
          analysis: {
            analysisId: ID,
            invoiceId: ID,
            number: 1,
            decision: 3,
            riskScore: 91,
            findings: [finding],
            versions: { riskEngine: '1.0.0', policy: 'p', compliance: undefined },
            createdTime: finding.createdTime,
          },
        }),
    },
  });
});
afterAll(() => gateway.stop());

function ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> {
  return fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      'accept-encoding': 'gzip, br',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const codingOf = ({ headers }: Response) => headers.get('content-encoding');

test('a long list is compressed, says that the response depends on the accepted coding, and reads as before', async () => {
  const [br, gzip, plain] = await Promise.all([
    ask('GET', '/findings'),
    ask('GET', '/findings', { 'accept-encoding': 'gzip' }),
    ask('GET', '/findings', { 'accept-encoding': 'identity' }),
  ]);
  expect([br, gzip, plain].map(codingOf).toSorted(byText)).toEqual(['br', 'gzip', null]);
  for (const { headers } of [br, gzip, plain]) expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
  expect(Number(br.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 4);
  const text = await plain.text();
  expect(await br.text()).toBe(text);
  expect(await gzip.text()).toBe(text);
});

test('a short response, a CSV file, a change and a refusal are sent as they are', async () => {
  const answers = [
    await ask('GET', `/findings/${ID}`),
    await ask('GET', '/findings', { accept: 'text/csv' }),
    await ask('POST', `/findings/${ID}/review`, {}, { disposition: 'OPEN' }),
    await ask('GET', `/findings?${'x'.repeat(2_000)}=1`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
  expect(answers.map(codingOf)).toEqual([null, null, null, null]);
});

test('a HEAD has the headers of the compressed GET, and no body', async () => {
  const [get, head] = [await ask('GET', '/findings'), await ask('HEAD', '/findings')];
  for (const name of ['content-encoding', 'content-length', 'content-type', 'vary']) {
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  }
  expect([codingOf(head), await head.text()]).toEqual(['br', '']);
});

test('a compressed response has an ETag of its own, and each of the two is 304 later', async () => {
  const path = `/invoices/${ID}/analysis/latest`;
  const compressed = await ask('GET', path);
  const plain = await ask('GET', path, { 'accept-encoding': 'identity' });
  const [coded, etag] = [compressed.headers.get('etag') ?? '', plain.headers.get('etag') ?? ''];
  expect([codingOf(compressed), codingOf(plain)]).toEqual(['br', null]);
  expect(coded).toBe(`${etag.slice(0, -1)}-br"`);
  for (const known of [coded, etag]) {
    const again = await ask('GET', path, { 'if-none-match': `W/${known}` });
    expect([again.status, again.headers.get('etag')]).toEqual([304, known]);
  }
});

function byText(left: string | null, right: string | null): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  return left < right ? -1 : 1;
}
