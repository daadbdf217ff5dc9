import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { DomainError, notFound, plainSentences } from '@invoicecontrol/errors';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const admin = keyNamed('admin');
const analyst = keyNamed('analyst');
const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];

/** Outcome of a change of each finding by id. Other findings are changed. */
let outcomes: ReadonlyMap<string, 'UNCHANGED' | DomainError>;
let asked: Readonly<Record<string, unknown>>[];
let running: number;
let mostRunning: number;
let gateway: RunningGateway;

function findingOf(findingId: string): Finding {
  return {
    findingId,
    invoiceId: undefined,
    invoiceNumber: undefined,
    supplierId: undefined,
    supplierName: undefined,
    scanId: undefined,
    type: 'DUPLICATE_INVOICE',
    severity: Severity.HIGH,
    summary: 'A copy.',
    recommendedAction: undefined,
    confidencePercent: 99,
    evidenceJson: '{"key":"k"}',
    relatedInvoiceIds: [],
    disposition: 'CONFIRMED',
    companyId: ORGANIZATION_ID,
    assigneeUserId: undefined,
    createdTime: new Date(),
    family: 'DUP',
    updatedTime: new Date(),
    amountAtRisk: undefined,
    amountAtRiskCurrency: undefined,
  };
}

async function change(request: { readonly findingId: string }) {
  asked.push({ ...request });
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  await new Promise(setImmediate);
  running -= 1;
  const outcome = outcomes.get(request.findingId);
  if (outcome instanceof DomainError) throw outcome;
  return { finding: findingOf(request.findingId), changed: outcome === undefined };
}

beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [admin, principal({ role: 'ADMIN' })],
        [analyst, principal({ role: 'ANALYST', scopes: ['findings:review', 'findings:assign'] })],
      ]),
    ),
    findings: { reviewFinding: change, assignFinding: change },
  });
});
beforeEach(() => {
  [outcomes, asked, running, mostRunning] = [new Map(), [], 0, 0];
});
afterAll(() => gateway.stop());

interface Result {
  readonly status: number;
  readonly body: {
    readonly items?: readonly { readonly id: string; readonly outcome: string; readonly error: unknown }[];
    readonly error?: { readonly message: string; readonly details?: readonly { readonly path: string }[] };
  };
}

async function send(target: string, body: object, key = analyst): Promise<Result> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Result['body'] };
}
const review = (ids: readonly string[], others: object = {}, key = analyst) =>
  send('POST /findings/reviews', { finding_ids: ids, disposition: 'CONFIRMED', ...others }, key);

describe('several findings', () => {
  test('are reviewed each on its own, in the order of the request, and a refused one hinders no other', async () => {
    outcomes = new Map<string, 'UNCHANGED' | DomainError>([
      [first, 'UNCHANGED'],
      [second, new DomainError('wrong_state', 'Superseded.')],
    ]);
    const { status, body } = await review([first, second, third]);
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { id: first, outcome: 'UNCHANGED', error: null, finding: expect.objectContaining({ id: first }) },
      { id: second, outcome: 'REFUSED', error: { code: 'CONFLICT', message: 'Superseded.' }, finding: null },
      { id: third, outcome: 'CHANGED', error: null, finding: expect.objectContaining({ id: third }) },
    ]);
  });

  test('are reviewed with the trimmed note and the expected disposition', async () => {
    await review([first], { note: ' Seen. ', expected_disposition: 'OPEN' });
    const one = { organizationId: ORGANIZATION_ID, findingId: first, note: 'Seen.', expectedDisposition: 'OPEN' };
    expect(asked).toMatchObject([one]);
  });

  test('are assigned to a member, and to nobody', async () => {
    const assignee = randomUUID();
    for (const userId of [assignee, null]) {
      const body = { finding_ids: [first, second], assignee_user_id: userId };
      expect((await send('PATCH /findings/assignments', body)).status).toBe(200);
    }
    expect(asked.map(({ findingId, assigneeUserId }) => [findingId, assigneeUserId])).toEqual([
      [first, assignee],
      [second, assignee],
      [first, undefined],
      [second, undefined],
    ]);
  });

  test('are refused one by one also if all are refused, and a finding of others looks like none', async () => {
    outcomes = new Map([first, second].map((id) => [id, notFound('finding')]));
    const error = { code: 'NOT_FOUND', message: 'No such finding.' };
    expect(await review([first, second])).toMatchObject({
      status: 200,
      body: { items: [first, second].map((id) => ({ id, outcome: 'REFUSED', error, finding: null })) },
    });
  });

  test.each([
    ['unavailable', 503],
    ['deadline', 504],
    ['internal', 500],
  ] as const)('fail as a whole only if none got a response (%s)', async (kind, status) => {
    const failed = new DomainError(kind, kind === 'internal' ? 'a bug' : plainSentences[kind]);
    outcomes = new Map([first, second].map((id) => [id, failed]));
    const whole = await review([first, second]);
    expect(whole.status).toBe(status);
    expect(whole.body.error?.message).toContain('may have taken effect');

    outcomes = new Map([[second, failed]]);
    const { status: partly, body } = await review([first, second]);
    expect([partly, body.items?.map(({ outcome }) => outcome)]).toEqual([200, ['CHANGED', 'REFUSED']]);
    expect(body.items?.[1]?.error).toEqual({ code: 'PROCESSING_FAILED', message: whole.body.error?.message });
  });

  test('are changed once for an id that occurs twice, and a few at a time', async () => {
    const many = Array.from({ length: 20 }, () => randomUUID());
    expect((await review([...many, ...many])).body.items).toHaveLength(20);
    expect(asked).toHaveLength(20);
    expect(mostRunning).toBeLessThanOrEqual(4);
  });

  test('can be a hundred, and not none or one more, which changes nothing', async () => {
    const many = Array.from({ length: 101 }, () => randomUUID());
    expect((await review(many.slice(1))).body.items).toHaveLength(100);
    asked = [];
    for (const ids of [[], many]) {
      const { status, body } = await review(ids);
      expect([status, body.error?.details?.[0]?.path]).toEqual([400, 'finding_ids']);
    }
    expect(asked).toEqual([]);
  });
});
