import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InvoiceAnalyzed } from '@invoicecontrol/contracts/analysis/v1/events';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AnalyzeInvoiceRequest } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { events } from '@invoicecontrol/contracts/events';
import { defaultPolicy, policyVersion } from '@invoicecontrol/engine/policy/policy';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { deadLetterStore } from '@invoicecontrol/runtime/mongo/dead-letters';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { isOutage } from '@invoicecontrol/runtime/outage';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { withoutRepeats } from '@invoicecontrol/testkit/without-repeats';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { connect, fromNow, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';

const logger = createLogger({ service: 'test', level: 'silent' });
const databaseName = testDatabaseName();
/** The timeout is long, because a slow machine may have a hundred invoices in progress. */
const call = { context: systemContext('test'), timeoutMs: 60_000 };

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

const invoicesOf = () => rpc.invoice;
const documents = () => mongo.db.collection<InvoiceDocument>('invoices');

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

const newTenant = (): string => organization.newTenant();

const plainInvoice = wireInvoice();

function request(organizationId: string, changes: Partial<AnalyzeInvoiceRequest> = {}): AnalyzeInvoiceRequest {
  return {
    organizationId,
    invoice: plainInvoice,
    idempotencyKey: '',
    fingerprint: 'f1',
    ...changes,
  };
}

describe('an analyzed invoice', () => {
  test('can be read back as it came, with its decision, versions and company', async () => {
    const organizationId = newTenant();
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    const invoiceId = analysis?.invoiceId ?? '';
    const versions = { riskEngine: expect.any(String), policy: policyVersion(defaultPolicy) };
    expect(analysis).toMatchObject({ number: 1, versions });
    const { invoice } = await invoicesOf().getInvoice({ organizationId, invoiceId }, call);
    expect(invoice).toMatchObject({
      invoiceId,
      companyId: 'c-main',
      source: InvoiceSource.API,
      status: InvoiceStatus.ANALYZED,
      invoice: plainInvoice,
      decision: analysis?.decision,
      riskScore: analysis?.riskScore,
      analysisId: analysis?.analysisId,
    });
    const latest = await invoicesOf().getLatestAnalysis({ organizationId, invoiceId }, call);
    expect(latest.analysis).toEqual(analysis);
  });

  test('goes to the company whose VAT id its buyer carries', async () => {
    const organizationId = newTenant();
    const invoice = { ...plainInvoice, buyer: { name: undefined, taxId: '526-025-09-95' } };
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId, { invoice }), call);
    const stored = await invoicesOf().getInvoice({ organizationId, invoiceId: analysis?.invoiceId ?? '' }, call);
    expect(stored.invoice?.companyId).toBe(SECOND_COMPANY_ID);
  });

  test('goes to a company that was created a moment ago, before anybody was told of it', async () => {
    const organizationId = newTenant();
    await invoicesOf().analyzeInvoice(request(organizationId), call);
    const companyId = organization.newCompany(organizationId);
    const { analysis } = await invoicesOf().analyzeInvoice(
      request(organizationId, { invoice: { ...plainInvoice, companyId } }),
      call,
    );
    const stored = await invoicesOf().getInvoice({ organizationId, invoiceId: analysis?.invoiceId ?? '' }, call);
    expect(stored.invoice?.companyId).toBe(companyId);
  });

  test('leaves nothing unfinished, is stored once with its facts, and its events are published', async () => {
    const organizationId = newTenant();
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    await eventually(async () => {
      const document = await documents().findOne({ _id: analysis?.invoiceId ?? '' });
      expect(document?.pending).toBeUndefined();
      expect(document?.facts).toBeDefined();
      expect(document?.outboxPending).toBeUndefined();
      expect(document?.leaseUntil).toBeUndefined();
    });
    expect(await mongo.db.collection('analyses').countDocuments({ organizationId })).toBe(0);
  });

  test('of another tenant looks exactly like one that does not exist', async () => {
    const { analysis } = await invoicesOf().analyzeInvoice(request(newTenant()), call);
    const stranger = newTenant();
    const ids = [analysis?.invoiceId ?? '', '01890000-0000-7000-8000-000000000000', 'nonsense'];
    for (const read of [invoicesOf().getInvoice, invoicesOf().getLatestAnalysis]) {
      const refusals = await Promise.all(
        ids.map((invoiceId) => read({ organizationId: stranger, invoiceId }, call).catch((error: unknown) => error)),
      );
      for (const refusal of refusals)
        expect(refusal).toMatchObject({ kind: 'not_found', publicMessage: 'No such invoice.' });
    }
    const list = await invoicesOf().listInvoices({ ...anyInvoice, organizationId: stranger }, call);
    expect(list.invoices).toEqual([]);
  });
});

const anyInvoice = {
  pageSize: 0,
  pageToken: '',
  companyId: undefined,
  source: InvoiceSource.UNSPECIFIED,
  createdFromTime: undefined,
  createdToTime: undefined,
  decision: Decision.UNSPECIFIED,
  sources: [],
  decisions: [],
  statuses: [],
};

describe('an idempotency key', () => {
  test('used fifty times at once makes one invoice, and all answers are equal or "still at work"', async () => {
    const organizationId = newTenant();
    const keyed = request(organizationId, { idempotencyKey: 'k-50' });
    const limited = callWithGrant(call, organizationId, { limits: { analysesPerMonth: 1 } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => invoicesOf().analyzeInvoice(keyed, limited)),
    );
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.kind).toBe('in_progress');
    }
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ analysis }) => JSON.stringify(analysis))).size).toBe(1);
    expect(await documents().countDocuments({ organizationId })).toBe(1);
    // Repeats that arrived later may have reserved units in advance, which are returned.
    await eventually(async () => {
      const counters = await mongo.db.collection<{ _id: string }>('usage').find().toArray();
      expect(counters.filter(({ _id }) => _id.startsWith(organizationId))).toMatchObject([{ used: 1 }]);
    });
  });

  test('repeated later gives the first answer, neither counted nor refused by the quota', async () => {
    const organizationId = newTenant();
    const keyed = request(organizationId, { idempotencyKey: 'again' });
    const limited = callWithGrant(call, organizationId, { limits: { analysesPerMonth: 1 } });
    const first = await invoicesOf().analyzeInvoice(keyed, limited);
    const second = await invoicesOf().analyzeInvoice(keyed, limited);
    expect(second).toEqual({ ...first, replayed: true });
    const fresh = invoicesOf().analyzeInvoice({ ...keyed, idempotencyKey: 'fresh' }, limited);
    await expect(fresh).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });

  test('with another body is a conflict and changes nothing', async () => {
    const organizationId = newTenant();
    await invoicesOf().analyzeInvoice(request(organizationId, { idempotencyKey: 'k', fingerprint: 'f1' }), call);
    const other = invoicesOf().analyzeInvoice(
      request(organizationId, { idempotencyKey: 'k', fingerprint: 'f2' }),
      call,
    );
    await expect(other).rejects.toMatchObject({ kind: 'idempotency_mismatch' });
    expect(await documents().countDocuments({ organizationId })).toBe(1);
  });

  test('is the organization’s own: the same key elsewhere is another invoice', async () => {
    const keyed = { idempotencyKey: 'shared' };
    const one = await invoicesOf().analyzeInvoice(request(newTenant(), keyed), call);
    const two = await invoicesOf().analyzeInvoice(request(newTenant(), keyed), call);
    expect(two.replayed).toBe(false);
    expect(two.analysis?.invoiceId).not.toBe(one.analysis?.invoiceId);
  });
});

describe('equal invoices posted at once', () => {
  let replica: RunningService;
  let ofReplica: Clients;
  beforeAll(async () => {
    const settings = { DOCUMENTS_ADDRESS: running.documents.address };
    const config = testConfig(testInfrastructure(), databaseName, organization.address, settings);
    replica = await startService(config, { clock: testClock });
    ofReplica = connect(replica.address);
  });
  afterAll(async () => {
    ofReplica.close();
    await replica.stop();
  });

  test.each([
    ['one replica', () => rpc],
    ['two replicas', () => ofReplica],
  ])('to %s are reported exactly once per pair, whichever comes first', async (_replicas, other) => {
    const organizationId = newTenant();
    const post = async (
      { invoice: invoices }: Clients,
      pair: number,
    ): Promise<{ invoiceId: string; isReported: boolean; related: string[] }> => {
      const invoice = { ...plainInvoice, invoiceNumber: `PAIR-${pair * 1000 + 17}`, grossAmount: `${pair * 31}.57` };
      const { analysis } = await invoices.analyzeInvoice(request(organizationId, { invoice }), call);
      const duplicates = (analysis?.findings ?? []).filter(({ type }) => type === 'DUPLICATE_INVOICE');
      return {
        invoiceId: analysis?.invoiceId ?? '',
        isReported: duplicates.length > 0,
        related: duplicates.flatMap(({ relatedInvoiceIds }) => relatedInvoiceIds),
      };
    };
    const pairs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => Promise.all([post(rpc, index + 1), post(other(), index + 1)])),
    );
    for (const [one, two] of pairs) {
      const [original, duplicate] = one.isReported ? [two, one] : [one, two];
      expect([original.isReported, duplicate.isReported]).toEqual([false, true]);
      expect(duplicate.related).toEqual([original.invoiceId]);
    }
  });

  test('an exact copy is blocked, and its decision names the original', async () => {
    const organizationId = newTenant();
    const first = await invoicesOf().analyzeInvoice(request(organizationId), call);
    const second = await invoicesOf().analyzeInvoice(request(organizationId), call);
    expect(first.analysis?.decision).toBe(Decision.PASS);
    expect(second.analysis).toMatchObject({
      decision: Decision.BLOCK,
      findings: [{ type: 'DUPLICATE_INVOICE', relatedInvoiceIds: [first.analysis?.invoiceId] }],
    });
  });

  test('are found behind a key that a thousand other invoices share', async () => {
    const organizationId = newTenant();
    const { analysis: original } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    // A copy of a pending invoice would keep the sweep busy, which other tests need.
    const stored = await eventually(async () => {
      const found = await documents().findOne({ _id: original?.invoiceId ?? '', pending: { $exists: false } });
      if (found === null) throw new Error('no invoice, or one that is pending');
      return found;
    });
    // The copy has the same day and amount, and shares only the key of kind 4.
    const { keys } = stored.match;
    const crowd = Array.from({ length: 2_000 }, (_, index) => ({
      ...stored,
      _id: randomUUID(),
      match: {
        ...stored.match,
        invoiceId: `crowd-${index}`,
        keys: [keys.at(-1) ?? '', ...keys.slice(1, 3)],
        issueDay: stored.match.issueDay + 1,
        number: {
          ...stored.match.number,
          raw0: `X${index}`,
          f1: `X${index}`,
          f2: `X${index}`,
          o1: `X${index}`,
          o2: `X${index}`,
        },
        taxKey: `T${index}`,
        nameKey: `CROWD ${index}`,
      },
    }));
    await documents().insertMany(crowd);
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    expect(analysis?.findings.map(({ type }) => type)).toContain('DUPLICATE_INVOICE');
  });

  test('of another tenant are strangers', async () => {
    await invoicesOf().analyzeInvoice(request(newTenant()), call);
    const { analysis } = await invoicesOf().analyzeInvoice(request(newTenant()), call);
    expect(analysis?.decision).toBe(Decision.PASS);
  });
});

describe('after a crash', () => {
  test('an invoice that was stored and not decided is decided by the sweep, under the same id', async () => {
    const organizationId = newTenant();
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    await eventually(async () => expect((await documents().findOne({ organizationId }))?.pending).toBeUndefined());
    const decided = await documents().findOne({ organizationId });
    if (decided === null) throw new Error('no invoice');
    // The stored invoice is put into the state that a process leaves when it crashes before its commit.
    const { analysis: _analysis, recentEvents: _recentEvents, lastEventAt: _lastEventAt, ...received } = decided;
    await documents().replaceOne(
      { _id: decided._id },
      { ...received, version: 1, status: 'RECEIVED', claim: 'dead', leaseUntil: fromNow(-1) },
    );
    await eventually(async () => {
      const again = await documents().findOne({ organizationId });
      expect(again).toMatchObject({ status: 'ANALYZED', analysis: { decision: decided.analysis?.decision } });
      expect(again?.pending).toBeUndefined();
    });
    expect(analysis?.invoiceId).toBe(decided._id);
  });

  test('a retry with the key takes over what was abandoned, without waiting for the sweep', async () => {
    const organizationId = newTenant();
    const keyed = request(organizationId, { idempotencyKey: 'abandoned' });
    await invoicesOf().analyzeInvoice(keyed, call);
    await eventually(async () => expect((await documents().findOne({ organizationId }))?.pending).toBeUndefined());
    await documents().updateOne(
      { organizationId },
      { $set: { status: 'RECEIVED', version: 1, leaseUntil: fromNow(60_000) }, $unset: { analysis: '' } },
    );
    await expect(invoicesOf().analyzeInvoice(keyed, call)).rejects.toMatchObject({
      kind: 'in_progress',
      retryAfterSeconds: 1,
    });
    await documents().updateOne({ organizationId }, { $set: { leaseUntil: fromNow(-1) } });
    expect((await invoicesOf().analyzeInvoice(keyed, call)).analysis).toBeDefined();
  });

  test('an invoice that was stored and perhaps not counted has its counter checked by the worker that takes it over', async () => {
    const organizationId = newTenant();
    const keyed = request(organizationId, { idempotencyKey: 'uncounted' });
    await invoicesOf().analyzeInvoice(keyed, call);
    await eventually(async () => expect((await documents().findOne({ organizationId }))?.pending).toBeUndefined());
    expect(await documents().findOne({ organizationId })).not.toHaveProperty('isCountUnsure');
    const usage = mongo.db.collection<{ _id: string; used: number }>('usage');
    const ofTenant = { _id: { $gte: organizationId, $lt: `${organizationId}~` } };
    await usage.deleteOne(ofTenant);
    await documents().updateOne(
      { organizationId },
      {
        $set: { status: 'RECEIVED', version: 1, leaseUntil: fromNow(-1), isCountUnsure: true },
        $unset: { analysis: '' },
      },
    );
    await invoicesOf().analyzeInvoice(keyed, call);
    // The repeated request may have reserved quota units in advance, which are returned.
    await eventually(async () =>
      expect(await usage.findOne(ofTenant)).toMatchObject({ used: 0, lookAt: expect.any(Date) }),
    );
    expect(await documents().findOne({ organizationId })).not.toHaveProperty('isCountUnsure');
  });

  test('an invoice that was counted and is still pending is not counted again, however many came after it', async () => {
    const organizationId = newTenant();
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    const _id = analysis?.invoiceId ?? '';
    await eventually(async () => expect((await documents().findOne({ _id }))?.pending).toBeUndefined());
    await documents().updateOne({ _id }, { $set: { pending: true } });
    const later = Array.from({ length: 100 }, (_, index) => ({
      ...plainInvoice,
      invoiceNumber: `L-${index * 7919}`,
      grossAmount: `${index + 10}.00`,
    }));
    await Promise.all(later.map((invoice) => invoicesOf().analyzeInvoice(request(organizationId, { invoice }), call)));
    await eventually(async () => expect(await documents().countDocuments({ organizationId, pending: true })).toBe(1));
    // The update makes the interrupted analysis old enough for the sweep.
    await documents().updateOne({ _id }, { $set: { 'analysis.createdAt': fromNow(-60_000) } });
    await eventually(async () => expect((await documents().findOne({ _id }))?.pending).toBeUndefined());
    const supplier = await mongo.db.collection<SupplierDocument>('suppliers').findOne({ organizationId });
    expect(supplier?.profile.count).toBe(later.length + 1);
    expect(supplier?.countedUnits.length).toBeLessThan(later.length);
  });
});

describe('events', () => {
  test('a decision is heard once per consumer effect, with the decision it tells of', async () => {
    const organizationId = newTenant();
    const bus = await connectTestNats({ url: testInfrastructure().natsUrl, name: 'test', logger });
    const heard: string[] = [];
    const hear = withoutRepeats((event: InvoiceAnalyzed) => heard.push(`${event.invoiceId} ${event.decision}`));
    const subscription = await subscribe(
      { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
      {
        service: databaseName,
        type: events.invoiceAnalyzed,
        handle: async (event) => {
          if (event.organizationId === organizationId) hear(event);
        },
      },
    );
    const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId), call);
    await eventually(() => expect(heard).toEqual([`${analysis?.invoiceId} ${analysis?.decision}`]));
    await subscription.stop();
    await bus.close();
  });
});

describe('a list', () => {
  test('is newest first, and its pages hold every invoice once', async () => {
    const organizationId = newTenant();
    const ids: string[] = [];
    for (let number = 1; number <= 5; number++) {
      const invoice = { ...plainInvoice, invoiceNumber: `P-${number * 1000}`, grossAmount: `${number}7.30` };
      const { analysis } = await invoicesOf().analyzeInvoice(request(organizationId, { invoice }), call);
      ids.unshift(analysis?.invoiceId ?? '');
    }
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await invoicesOf().listInvoices({ ...anyInvoice, organizationId, pageSize: 2, pageToken }, call);
      expect(page.invoices.length).toBeLessThanOrEqual(2);
      seen.push(...page.invoices.map(({ invoiceId }) => invoiceId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(ids);
  });

  test.each([
    ['a page of 101', { pageSize: 101 }],
    ['a negative page', { pageSize: -1 }],
    ['a token of its own making', { pageToken: 'abc' }],
  ])('refuses %s', async (_, asked) => {
    const list = invoicesOf().listInvoices({ ...anyInvoice, organizationId: newTenant(), ...asked }, call);
    await expect(list).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a malformed request of another service', () => {
  const supplier = { name: 'A', taxId: undefined, bankAccount: undefined };
  const half = { iban: undefined, sortCode: '601613', accountNumber: undefined };
  const none = { iban: undefined, sortCode: undefined, accountNumber: undefined };
  test.each<[string, Partial<Invoice>]>([
    ['supplier', { supplier: undefined }],
    ['supplier.name', { supplier: { ...supplier, name: ' ' } }],
    ['supplier.bank_account', { supplier: { ...supplier, bankAccount: half } }],
    ['supplier.bank_account', { supplier: { ...supplier, bankAccount: none } }],
    ['invoice_number', { invoiceNumber: '' }],
    ['issue_date', { issueDate: '2026-02-30' }],
    ['due_date', { dueDate: 'soon' }],
    ['currency', { currency: 'XXX' }],
    ['gross_amount', { grossAmount: '1.1234567' }],
    ['net_amount', { netAmount: '1e3' }],
    ['company_id', { companyId: 'stranger' }],
  ])('is refused for its %s and stores nothing', async (path, fault) => {
    const organizationId = newTenant();
    const refused = invoicesOf().analyzeInvoice(
      request(organizationId, { invoice: { ...plainInvoice, ...fault } }),
      call,
    );
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', publicMessage: expect.stringContaining(path) });
    expect(await documents().countDocuments({ organizationId })).toBe(0);
  });
});
