import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { RoutingRule } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { finding as findingRecord } from './finding-record.js';

const KEY = keyNamed('owner');
const MEMBERS_KEY = keyNamed('member');
const FINDING_ID = '0198a000-0000-5000-8000-00000000000f';
const USER_ID = '0198a000-0000-7000-8000-00000000000a';
const RULE_ID = '0198a000-0000-7000-8000-00000000000b';
const createdTime = new Date('2026-03-01T12:00:00Z');

const finding: Finding = {
  findingId: FINDING_ID,
  invoiceId: '0198a000-0000-7000-8000-000000000002',
  invoiceNumber: 'RE-1',
  supplierId: '0198a000-0000-5000-8000-000000000003',
  supplierName: 'Nordlicht',
  scanId: undefined,
  type: 'DUPLICATE_INVOICE',
  severity: Severity.CRITICAL,
  summary: 'A copy.',
  recommendedAction: undefined,
  confidencePercent: 99,
  evidenceJson: '{"key":"k","amountAtRisk":"1190.00"}',
  relatedInvoiceIds: ['0198a000-0000-7000-8000-000000000004'],
  disposition: 'CONFIRMED',
  companyId: '0198a000-0000-7000-8000-000000000005',
  assigneeUserId: USER_ID,
  createdTime,
  family: 'DUP',
  updatedTime: createdTime,
  amountAtRisk: '1190.00',
  amountAtRiskCurrency: 'EUR',
  nextReview: { dispositions: ['RESOLVED', 'OPEN'], isNoteRequired: true },
};
const shownFinding = {
  id: FINDING_ID,
  invoiceId: finding.invoiceId,
  invoiceNumber: 'RE-1',
  supplierId: finding.supplierId,
  supplierName: 'Nordlicht',
  scanId: null,
  type: 'DUPLICATE_INVOICE',
  severity: 'CRITICAL',
  summary: 'A copy.',
  recommendedAction: null,
  confidence: 0.99,
  evidence: { key: 'k', amountAtRisk: '1190.00' },
  relatedInvoiceIds: finding.relatedInvoiceIds,
  disposition: 'CONFIRMED',
  companyId: finding.companyId,
  assigneeUserId: USER_ID,
  createdAt: '2026-03-01T12:00:00.000Z',
  family: 'DUP',
  updatedAt: '2026-03-01T12:00:00.000Z',
  amountAtRisk: '1190.00',
  amountAtRiskCurrency: 'EUR',
  allowedDispositions: ['RESOLVED', 'OPEN'],
  noteRequired: true,
};
const ofActor = (actorType: string, actorId: string) => ({
  changeTime: createdTime,
  actorType,
  actorId,
  from: undefined,
  to: undefined,
  note: undefined,
});
/** Amounts and counts that the response must show exactly as the analysis service sends them. */
const figures = {
  count: 2,
  open: 1,
  amountAtRisk: '1190.00',
  amountConfirmed: '580.00',
  amountConfirmedInScans: '80.00',
};
const rule: RoutingRule = {
  ruleId: RULE_ID,
  name: 'Big ones',
  position: 10,
  enabled: true,
  match: {
    types: ['DUPLICATE_INVOICE'],
    families: [],
    severities: [Severity.HIGH],
    companyIds: [],
    supplierIds: [],
    minAmount: '1000',
    currency: 'EUR',
  },
  assignTo: USER_ID,
  createdTime,
};

/** Last request that each rpc received. */
const asked: Record<string, unknown> = {};
let gateway: RunningGateway;
/** State of the findings in summaries. */
let summaryState = { state: 'abc', isKnown: false };
/** Evidence of the finding in lists. Empty as in a list without evidence. */
let { evidenceJson } = finding;

beforeAll(async () => {
  const record =
    <T>(name: string, answer: T) =>
    (request: object): Promise<T> => {
      asked[name] = request;
      return Promise.resolve(answer);
    };
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [KEY, principal()],
        [MEMBERS_KEY, principal({ person: `USER:${USER_ID}` })],
      ]),
    ),
    findings: {
      listFindings: (request) =>
        record('listFindings', { findings: [{ ...finding, evidenceJson }], nextPageToken: 'next' })(request),
      summarizeFindings: (request) =>
        record('summarizeFindings', {
          ...summaryState,
          baseCurrency: 'EUR',
          total: { key: '', ...figures },
          withoutAmount: 3,
          byType: [{ key: 'DUPLICATE_INVOICE', ...figures }],
          bySeverity: [{ key: 'CRITICAL', ...figures }],
          byDisposition: [{ key: 'UNDER_REVIEW', ...figures }],
          byMonth: [{ key: '2026-03', ...figures }],
        })(request),
      getFinding: ({ findingId }) =>
        findingId === FINDING_ID ? Promise.resolve({ finding }) : Promise.reject(notFound('finding')),
      listFindingHistory: record('listFindingHistory', {
        changes: [
          {
            changeTime: createdTime,
            actorType: 'API_KEY',
            actorId: 'k1',
            action: 'REVIEWED',
            from: 'OPEN',
            to: 'CONFIRMED',
            note: undefined,
          },
          // Two changes of one actor, one of an actor without a name, and one of the system, which has none.
          { ...ofActor('API_KEY', 'k1'), action: 'ASSIGNED', to: USER_ID },
          { ...ofActor('USER', USER_ID), action: 'REVIEWED', from: 'CONFIRMED', to: 'OPEN' },
          { ...ofActor('SYSTEM', 'analysis'), action: 'RECOMPUTED', from: 'BLOCK', to: 'PASS' },
        ],
      }),
      reviewFinding: (request) =>
        request.disposition === 'RESOLVED'
          ? Promise.reject(new DomainError('wrong_state', 'An open finding cannot become RESOLVED.'))
          : record('reviewFinding', { finding, changed: true })(request),
      assignFinding: record('assignFinding', { finding, changed: true }),
    },
    members: { nameActors: record('nameActors', { names: ['Ann', ''] }) },
    routingRules: {
      listRoutingRules: record('listRoutingRules', { rules: [rule], nextPageToken: '' }),
      getRoutingRule: record('getRoutingRule', { rule }),
      createRoutingRule: record('createRoutingRule', { rule }),
      updateRoutingRule: record('updateRoutingRule', { rule }),
      deleteRoutingRule: record('deleteRoutingRule', {}),
    },
    analyses: {
      listAnalyses: record('listAnalyses', {
        analyses: [
          {
            analysisId: RULE_ID,
            number: 2,
            decision: Decision.PASS,
            riskScore: 0,
            versions: { riskEngine: '1.0.0', policy: 'default-1+o0', compliance: undefined },
            reason: 'REANALYSIS',
            differences: [
              { field: 'decision', from: 'REVIEW', to: 'PASS', findingType: undefined, evidenceKey: undefined },
            ],
            createdTime,
          },
        ],
        nextPageToken: '',
      }),
      reanalyzeInvoice: record('reanalyzeInvoice', {
        analysis: {
          analysisId: RULE_ID,
          invoiceId: FINDING_ID,
          number: 2,
          decision: Decision.BLOCK,
          riskScore: 91,
          findings: [finding],
          versions: { riskEngine: '1.0.0', policy: 'default-1+o0', compliance: undefined },
          createdTime,
        },
      }),
    },
    policies: {
      getCurrentPolicy: record('getCurrentPolicy', { version: 'default-1+o0', policyJson: '{"id":"default"}' }),
      listFindingTypes: record('listFindingTypes', {
        findingTypes: [
          {
            type: 'DUPLICATE_INVOICE',
            family: 'DUP',
            severities: ['CRITICAL'],
            isHardBlock: true,
            description: 'The same invoice again.',
            recommendedAction: 'Do not pay.',
            requiredFacts: ['number'],
            hasLearnedTolerance: false,
          },
        ],
      }),
    },
  });
});
afterAll(() => gateway.stop());

async function send(
  method: string,
  path: string,
  body?: unknown,
  key = KEY,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

test('a finding of an analysis service of the release before, without the time of its change, was changed when it was raised', () => {
  const shown = findingRecord.present({ ...finding, updatedTime: undefined });
  expect(shown).toMatchObject({ createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z' });
});

describe('findings', () => {
  test('are listed by every filter, as records of the specification', async () => {
    const words = 'type=DUPLICATE_INVOICE,DUPLICATE_INVOICE&family=DUP,BANK&severity=HIGH,LOW&disposition=OPEN';
    const query = `company_id=${USER_ID}&${words}&assignee_user_id=${USER_ID}&min_amount_at_risk=10.5&updated_from=2026-03-01&limit=2`;
    expect(await send('GET', `/findings?${query}`)).toEqual({
      status: 200,
      body: { items: [shownFinding], nextCursor: expect.stringMatching(/^[\w-]{8}next$/) },
    });
    expect(asked['listFindings']).toMatchObject({
      organizationId: ORGANIZATION_ID,
      companyId: USER_ID,
      types: ['DUPLICATE_INVOICE'],
      families: ['DUP', 'BANK'],
      severities: [Severity.HIGH, Severity.LOW],
      dispositions: ['OPEN'],
      assigneeUserId: USER_ID,
      isUnassigned: false,
      minAmountAtRisk: '10.5',
      updatedFromTime: new Date('2026-03-01T00:00:00Z'),
      isWithoutEvidence: false,
      pageSize: 2,
    });
  });

  test.each([
    ['', Severity.UNSPECIFIED, FindingSort.NEWEST],
    ['sort=newest', Severity.UNSPECIFIED, FindingSort.NEWEST],
    ['sort=severity&min_severity=INFO', Severity.INFO, FindingSort.SEVERITY],
    ['sort=amount_at_risk&min_severity=HIGH', Severity.HIGH, FindingSort.AMOUNT_AT_RISK],
  ])('are listed with %j in that order', async (query, minSeverity, sort) => {
    expect(await send('GET', `/findings?${query}`)).toMatchObject({ status: 200 });
    expect(asked['listFindings']).toMatchObject({ minSeverity, sort, severity: Severity.UNSPECIFIED, severities: [] });
  });

  test('take at most 8 values in a filter', async () => {
    const values = (count: number): string => Array.from({ length: count }, () => 'OPEN').join(',');
    expect(await send('GET', `/findings?disposition=${values(8)}`)).toMatchObject({ status: 200 });
    expect(await send('GET', `/findings?disposition=${values(9)}`)).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'disposition', message: expect.stringContaining('1 to 8 values') }] } },
    });
  });

  test('are those of the member who asks, or of nobody; a key of no member is refused', async () => {
    expect(await send('GET', '/findings?assignee_user_id=me', undefined, MEMBERS_KEY)).toMatchObject({ status: 200 });
    expect(asked['listFindings']).toMatchObject({ assigneeUserId: USER_ID, isUnassigned: false });
    expect(await send('GET', '/findings?assignee_user_id=none')).toMatchObject({ status: 200 });
    expect(asked['listFindings']).toMatchObject({ assigneeUserId: undefined, isUnassigned: true });
    expect(await send('GET', '/findings?assignee_user_id=me')).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'assignee_user_id' }] } },
    });
  });

  test('have no evidence in a summary', async () => {
    expect(await send('GET', '/findings?view=full')).toMatchObject({ body: { items: [shownFinding] } });
    evidenceJson = '';
    const { evidence, ...slim } = shownFinding;
    try {
      expect(await send('GET', '/findings?view=summary')).toEqual({
        status: 200,
        body: { items: [slim], nextCursor: expect.any(String) },
      });
    } finally {
      ({ evidenceJson } = finding);
    }
    expect(asked['listFindings']).toMatchObject({ isWithoutEvidence: true });
  });

  test('are searched by a text of at most 200 characters, which is sent trimmed', async () => {
    expect(await send('GET', `/findings?q=${encodeURIComponent(' RE 2026 ')}`)).toMatchObject({ status: 200 });
    expect(asked['listFindings']).toMatchObject({ query: 'RE 2026' });
    expect(await send('GET', `/findings?q=${'a'.repeat(200)}`)).toMatchObject({ status: 200 });
    for (const q of ['a'.repeat(201), '', '%20', '%00']) {
      expect(await send('GET', `/findings?q=${q}`)).toMatchObject({
        status: 400,
        body: { error: { details: [{ path: 'q' }] } },
      });
    }
  });

  test('refuse a cursor of another order', async () => {
    const { body } = await send('GET', '/findings?sort=severity&limit=1');
    const { nextCursor } = body as { nextCursor: string };
    expect(await send('GET', `/findings?sort=severity&cursor=${nextCursor}`)).toMatchObject({ status: 200 });
    for (const other of ['', 'sort=amount_at_risk&', 'sort=severity&min_severity=LOW&']) {
      expect(await send('GET', `/findings?${other}cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: { error: { details: [{ path: 'cursor' }] } },
      });
    }
  });

  test('without a known amount show null', async () => {
    const { amountAtRisk, amountAtRiskCurrency, ...rest } = finding;
    expect(findingRecord.present({ ...rest, amountAtRisk: undefined, amountAtRiskCurrency: undefined })).toMatchObject({
      amountAtRisk: null,
      amountAtRiskCurrency: null,
    });
  });

  test('are summarized: the path is not taken for the id of a finding', async () => {
    const times = 'created_from=2026-01-01&created_to=2026-04-01T00:00:00Z';
    const query = `company_id=${USER_ID.toUpperCase()}&${times}&min_severity=MEDIUM`;
    expect(await send('GET', `/findings/summary?${query}`)).toEqual({
      status: 200,
      body: {
        baseCurrency: 'EUR',
        total: figures,
        withoutAmount: 3,
        byType: [{ type: 'DUPLICATE_INVOICE', ...figures }],
        bySeverity: [{ severity: 'CRITICAL', ...figures }],
        byDisposition: [{ disposition: 'UNDER_REVIEW', ...figures }],
        byMonth: [{ month: '2026-03', ...figures }],
      },
    });
    expect(asked['summarizeFindings']).toMatchObject({
      organizationId: ORGANIZATION_ID,
      companyId: USER_ID,
      createdFromTime: new Date('2026-01-01T00:00:00Z'),
      createdToTime: new Date('2026-04-01T00:00:00Z'),
      minSeverity: Severity.MEDIUM,
    });
  });

  test('have a summary with an ETag, which is 304 while the service knows no change', async () => {
    const ask = (etag: string) =>
      fetch(`${gateway.origin}/v1/findings/summary`, {
        headers: { authorization: `Bearer ${KEY}`, 'if-none-match': etag },
      });
    const etags = ['"x"', 'W/"abc"', '"not an etag"', 'bare', ...Array.from({ length: 9 }, (_, at) => `"e${at}"`)];
    const first = await ask(etags.join(', '));
    expect(first.status).toBe(200);
    expect(first.headers.get('etag')).toBe('"abc"');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(asked['summarizeFindings']).toMatchObject({
      knownStates: ['x', 'abc', 'e0', 'e1', 'e2', 'e3', 'e4', 'e5'],
    });
    try {
      summaryState = { state: 'abc', isKnown: true };
      const known = await ask('"abc"');
      expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', '"abc"']);
      summaryState = { state: '', isKnown: false };
      const digest = (await ask('"abc"')).headers.get('etag') ?? '';
      expect(digest).toMatch(/^"summary-[\w-]{22}"$/);
      expect((await ask(digest)).status).toBe(304);
    } finally {
      summaryState = { state: 'abc', isKnown: false };
    }
  });

  test.each([
    ['limit=1'],
    ['min_severity=BAD'],
    ['cursor=abc'],
    ['company_id=x'],
    ['created_from=yesterday'],
    ['severity=HIGH'],
  ])('refuse a summary by %s', async (query) => {
    expect(await send('GET', `/findings/summary?${query}`)).toMatchObject({ status: 400 });
  });

  test.each([
    ['severity=BAD'],
    ['min_severity=high'],
    ['sort=oldest'],
    ['disposition=GONE'],
    ['company_id=x'],
    ['colour=red'],
    ['type=lower'],
    ['type=DUPLICATE_INVOICE,'],
    ['family=GONE'],
    ['severity=HIGH,BAD'],
    ['severity='],
    ['assignee_user_id=nobody'],
    ['min_amount_at_risk=-1'],
    ['updated_from=yesterday'],
    ['view=short'],
  ])('refuse the filter %s', async (query) => {
    expect(await send('GET', `/findings?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST' } },
    });
  });

  test('are read one by one; an unknown id, a foreign one and a malformed one are the same 404', async () => {
    expect(await send('GET', `/findings/${FINDING_ID}`)).toEqual({ status: 200, body: shownFinding });
    const refusals = await Promise.all(
      ['nonsense', USER_ID].map(async (id) => {
        const { status, body } = await send('GET', `/findings/${id}`);
        const { error } = body as { error: { code: string; message: string } };
        return { status, code: error.code, message: error.message };
      }),
    );
    expect(refusals).toEqual([
      { status: 404, code: 'NOT_FOUND', message: 'No such finding.' },
      { status: 404, code: 'NOT_FOUND', message: 'No such finding.' },
    ]);
  });

  test('have a history, whose actors are named by one call', async () => {
    const at = '2026-03-01T12:00:00.000Z';
    const ann = { type: 'API_KEY', id: 'k1', name: 'Ann' };
    expect(await send('GET', `/findings/${FINDING_ID}/history`)).toEqual({
      status: 200,
      body: {
        items: [
          { at, actor: ann, action: 'REVIEWED', from: 'OPEN', to: 'CONFIRMED' },
          { at, actor: ann, action: 'ASSIGNED', to: USER_ID },
          { at, actor: { type: 'USER', id: USER_ID, name: null }, action: 'REVIEWED', from: 'CONFIRMED', to: 'OPEN' },
          {
            at,
            actor: { type: 'SYSTEM', id: 'analysis', name: null },
            action: 'RECOMPUTED',
            from: 'BLOCK',
            to: 'PASS',
          },
        ],
        nextCursor: null,
      },
    });
    expect(asked['nameActors']).toEqual({
      organizationId: ORGANIZATION_ID,
      actors: [
        { actorType: 'API_KEY', actorId: 'k1' },
        { actorType: 'USER', actorId: USER_ID },
      ],
    });
  });

  test('are reviewed with a disposition and a trimmed note', async () => {
    const answer = await send('POST', `/findings/${FINDING_ID}/review`, { disposition: 'CONFIRMED', note: ' seen ' });
    expect(answer).toEqual({ status: 200, body: shownFinding });
    expect(asked['reviewFinding']).toMatchObject({ disposition: 'CONFIRMED', note: 'seen' });
  });

  test('a forbidden transition is a conflict', async () => {
    expect(await send('POST', `/findings/${FINDING_ID}/review`, { disposition: 'RESOLVED' })).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT' } },
    });
  });

  test.each([
    ['without a disposition', {}],
    ['with one nobody knows', { disposition: 'MAYBE' }],
    ['with the one that only the system sets', { disposition: 'SUPERSEDED' }],
    ['with an empty note', { disposition: 'OPEN', note: ' ' }],
    ['with a note of 4001 characters', { disposition: 'OPEN', note: 'x'.repeat(4001) }],
    ['with a null note', { disposition: 'OPEN', note: null }],
    ['with an unknown field', { disposition: 'OPEN', colour: 'red' }],
  ])('a review %s is refused', async (_, body) => {
    expect(await send('POST', `/findings/${FINDING_ID}/review`, body)).toMatchObject({ status: 400 });
  });

  test('are assigned to a member, or to nobody', async () => {
    const path = `/findings/${FINDING_ID}/assignment`;
    expect(await send('PATCH', path, { assignee_user_id: USER_ID.toUpperCase() })).toMatchObject({ status: 200 });
    expect(asked['assignFinding']).toMatchObject({ assigneeUserId: USER_ID });
    expect(await send('PATCH', path, { assignee_user_id: null })).toMatchObject({ status: 200 });
    expect(asked['assignFinding']).toMatchObject({ assigneeUserId: undefined });
    expect(await send('PATCH', path, {})).toMatchObject({ status: 400 });
    expect(await send('PATCH', path, { assignee_user_id: 'me' })).toMatchObject({ status: 400 });
  });
});

describe('routing rules', () => {
  const shown = {
    id: RULE_ID,
    name: 'Big ones',
    position: 10,
    enabled: true,
    match: {
      types: ['DUPLICATE_INVOICE'],
      families: [],
      severities: ['HIGH'],
      companyIds: [],
      supplierIds: [],
      minAmount: '1000',
      currency: 'EUR',
    },
    assignTo: USER_ID,
    createdAt: '2026-03-01T12:00:00.000Z',
  };
  const body = {
    name: 'Big ones',
    position: 10,
    match: { types: ['DUPLICATE_INVOICE'], severities: ['HIGH'], min_amount: '1000', currency: 'eur' },
    assign_to: USER_ID,
  };

  test('are listed, read, created enabled, changed and removed', async () => {
    expect(await send('GET', '/finding-routing-rules')).toEqual({
      status: 200,
      body: { items: [shown], nextCursor: null },
    });
    expect(await send('GET', `/finding-routing-rules/${RULE_ID}`)).toEqual({ status: 200, body: shown });
    expect(await send('POST', '/finding-routing-rules', body)).toEqual({ status: 201, body: shown });
    expect(asked['createRoutingRule']).toMatchObject({ enabled: true, match: { currency: 'EUR', families: [] } });
    expect(await send('PATCH', `/finding-routing-rules/${RULE_ID}`, { enabled: false })).toMatchObject({ status: 200 });
    expect(asked['updateRoutingRule']).toMatchObject({ enabled: false, match: undefined, name: undefined });
    expect(await send('DELETE', `/finding-routing-rules/${RULE_ID}`)).toEqual({ status: 204, body: undefined });
  });

  test.each([
    ['a minimum without its currency', { ...body, match: { min_amount: '5' } }],
    ['101 types', { ...body, match: { types: Array.from({ length: 101 }, () => 'AMOUNT_ZERO') } }],
    ['an unknown condition', { ...body, match: { colour: 'red' } }],
    ['a negative position', { ...body, position: -1 }],
    ['no assignee', { ...body, assign_to: undefined }],
  ])('with %s are refused', async (_, fault) => {
    expect(await send('POST', '/finding-routing-rules', fault)).toMatchObject({ status: 400 });
  });

  test('change nothing when nothing is said', async () => {
    expect(await send('PATCH', `/finding-routing-rules/${RULE_ID}`, {})).toMatchObject({ status: 400 });
  });
});

describe('analyses over time', () => {
  test('tell their reason and what they found different', async () => {
    expect(await send('GET', `/invoices/${FINDING_ID}/analyses`)).toEqual({
      status: 200,
      body: {
        items: [
          {
            id: RULE_ID,
            decision: 'PASS',
            risk_score: 0,
            versions: { riskEngine: '1.0.0', policy: 'default-1+o0' },
            reason: 'REANALYSIS',
            differences: [{ field: 'decision', from: 'REVIEW', to: 'PASS' }],
            createdAt: '2026-03-01T12:00:00.000Z',
          },
        ],
        nextCursor: null,
      },
    });
  });

  test('are made again without a body, and answer like the latest analysis', async () => {
    expect(await send('POST', `/invoices/${FINDING_ID}/reanalyze`)).toMatchObject({
      status: 200,
      body: { decision: 'BLOCK', risk_score: 91, findings: [{ id: FINDING_ID }] },
    });
  });
});

test('the policy in force and the kinds of findings can be read', async () => {
  expect(await send('GET', '/policies/current')).toEqual({
    status: 200,
    body: { version: 'default-1+o0', policy: { id: 'default' } },
  });
  expect(await send('GET', '/finding-types')).toMatchObject({
    status: 200,
    body: { items: [{ type: 'DUPLICATE_INVOICE', hardBlock: true, severities: ['CRITICAL'] }], nextCursor: null },
  });
});
