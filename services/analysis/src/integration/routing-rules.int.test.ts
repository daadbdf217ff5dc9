import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type {
  CreateRoutingRuleRequest,
  RoutingMatch,
  RoutingRule,
  UpdateRoutingRuleRequest,
} from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { events } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { deadLetterStore } from '@invoicecontrol/runtime/mongo/dead-letters';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { isOutage } from '@invoicecontrol/runtime/outage';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { RULES_PER_ORGANIZATION_MAX } from '../reviews/domain/routing.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { FindingDocument } from '../records/storage/findings.js';
import type { RoutingRuleDocument } from '../reviews/storage/routing-rules.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { asUser, findingOf, fromNow } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';

const MISSING_ID = '01890000-0000-7000-8000-000000000000';
const logger = createLogger({ service: 'test', level: 'silent' });
const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const ann = asUser('0192a000-0000-7000-8000-0000000000aa');

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

const anyMatch: RoutingMatch = {
  types: [],
  families: [],
  severities: [],
  companyIds: [],
  supplierIds: [],
  minAmount: undefined,
  currency: undefined,
};

async function create(
  organizationId: string,
  { match, ...fields }: Partial<Omit<CreateRoutingRuleRequest, 'match'>> & { match?: Partial<RoutingMatch> } = {},
): Promise<RoutingRule> {
  const { rule } = await rpc.routingRule.createRoutingRule(
    {
      organizationId,
      name: 'Duplicates',
      position: 10,
      enabled: true,
      assignTo: fields.assignTo ?? organization.newMember(organizationId),
      ...fields,
      match: { ...anyMatch, ...match },
    },
    ann,
  );
  if (rule === undefined) throw new Error('no rule');
  return rule;
}

const unchanged: Omit<UpdateRoutingRuleRequest, 'organizationId' | 'ruleId'> = {
  name: undefined,
  position: undefined,
  enabled: undefined,
  match: undefined,
  assignTo: undefined,
};

describe('a routing rule', () => {
  test('is created, read, changed field by field and removed', async () => {
    const organizationId = organization.newTenant();
    const rule = await create(organizationId, {
      name: ' Money ',
      match: { types: ['DUPLICATE_INVOICE'], severities: [Severity.CRITICAL], minAmount: '1000.00', currency: 'EUR' },
    });
    expect(rule).toMatchObject({ name: 'Money', position: 10, enabled: true, createdTime: expect.any(Date) });
    const { ruleId } = rule;
    expect((await rpc.routingRule.getRoutingRule({ organizationId, ruleId }, ann)).rule).toEqual(rule);
    const [renamed] = await Promise.all([
      rpc.routingRule.updateRoutingRule({ organizationId, ruleId, ...unchanged, name: 'Large sums' }, ann),
      rpc.routingRule.updateRoutingRule({ organizationId, ruleId, ...unchanged, enabled: false }, ann),
    ]);
    expect(renamed.rule?.match).toEqual(rule.match);
    const match = { ...anyMatch, families: ['BANK'] };
    const { rule: changed } = await rpc.routingRule.updateRoutingRule(
      { organizationId, ruleId, ...unchanged, match },
      ann,
    );
    expect(changed).toEqual({ ...rule, name: 'Large sums', enabled: false, match });
    await rpc.routingRule.deleteRoutingRule({ organizationId, ruleId }, ann);
    await expect(rpc.routingRule.getRoutingRule({ organizationId, ruleId }, ann)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  test.each<[string, Parameters<typeof create>[1]]>([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(201) }],
    ['position', { position: -1 }],
    ['match.types[1]', { match: { types: ['DUPLICATE_INVOICE', 'NOTHING'] } }],
    ['match.types', { match: { types: Array.from({ length: 101 }, () => 'DUPLICATE_INVOICE') } }],
    ['match.families[0]', { match: { families: ['XYZ'] } }],
    ['match.severities[0]', { match: { severities: [Severity.UNSPECIFIED] } }],
    ['match.company_ids[0]', { match: { companyIds: [MISSING_ID] } }],
    ['match.min_amount', { match: { minAmount: '1e3', currency: 'EUR' } }],
    ['match.min_amount', { match: { minAmount: '-1', currency: 'EUR' } }],
    ['match.currency', { match: { minAmount: '1000' } }],
    ['match.currency', { match: { currency: 'euro' } }],
    ['match.currency', { match: { currency: 'ZZZ' } }],
    ['match.currency', { match: { minAmount: '1000', currency: 'XAU' } }],
    ['match.currency', { match: { currency: 'XXX' } }],
    ['match.supplier_ids[0]', { match: { supplierIds: [MISSING_ID] } }],
    ['assign_to', { assignTo: MISSING_ID }],
  ])('is refused for its %s', async (path, fault) => {
    await expect(create(organization.newTenant(), fault)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path }],
    });
  });

  test('names suppliers of its organization alone: one of another tenant looks exactly like one that does not exist', async () => {
    const [organizationId, neighbour] = [organization.newTenant(), organization.newTenant()];
    const [supplierId, foreign] = await Promise.all(
      [organizationId, neighbour].map(async (tenant) => {
        await rpc.post(tenant, wireInvoice());
        const supplier = await mongo.db.collection<{ _id: string }>('suppliers').findOne({ organizationId: tenant });
        return supplier?._id ?? '';
      }),
    );
    const { ruleId } = await create(organizationId, { match: { supplierIds: [supplierId ?? ''] } });
    const refused = {
      kind: 'invalid',
      details: [
        {
          path: 'match.supplier_ids[1]',
          message: 'is not a supplier of this organization; findings show the id of their supplier as supplierId.',
        },
      ],
    };
    for (const unknown of [foreign ?? '', MISSING_ID]) {
      const match = { ...anyMatch, supplierIds: [supplierId ?? '', unknown] };
      await expect(create(organizationId, { match })).rejects.toMatchObject(refused);
      const change = rpc.routingRule.updateRoutingRule({ organizationId, ruleId, ...unchanged, match }, ann);
      await expect(change).rejects.toMatchObject(refused);
    }
  });

  test('can be renamed and disabled after a supplier of its match is gone', async () => {
    const organizationId = organization.newTenant();
    await rpc.post(organizationId, wireInvoice());
    const suppliers = mongo.db.collection<{ _id: string }>('suppliers');
    const supplierId = (await suppliers.findOne({ organizationId }))?._id ?? '';
    const { ruleId, match } = await create(organizationId, { match: { supplierIds: [supplierId] } });
    await suppliers.deleteOne({ _id: supplierId });
    const { rule } = await rpc.routingRule.updateRoutingRule(
      { organizationId, ruleId, ...unchanged, name: 'Old', enabled: false },
      ann,
    );
    expect(rule).toMatchObject({ name: 'Old', enabled: false, match });
  });

  test('for a person who is only invited is refused, also as a change', async () => {
    const organizationId = organization.newTenant();
    const invited = organization.newMember(organizationId, 'INVITED');
    await expect(create(organizationId, { assignTo: invited })).rejects.toMatchObject({ kind: 'invalid' });
    const { ruleId } = await create(organizationId);
    const change = rpc.routingRule.updateRoutingRule({ organizationId, ruleId, ...unchanged, assignTo: invited }, ann);
    await expect(change).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('of another tenant looks exactly like one that does not exist, to every rpc', async () => {
    const { ruleId: foreign } = await create(organization.newTenant());
    const organizationId = organization.newTenant();
    for (const ruleId of [foreign, MISSING_ID, 'nonsense']) {
      for (const ask of [
        () => rpc.routingRule.getRoutingRule({ organizationId, ruleId }, ann),
        () => rpc.routingRule.updateRoutingRule({ organizationId, ruleId, ...unchanged, name: 'Mine' }, ann),
        () => rpc.routingRule.deleteRoutingRule({ organizationId, ruleId }, ann),
      ]) {
        await expect(ask()).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such routing rule.' });
      }
    }
  });

  test('above the bound is refused, however many are created at once', async () => {
    const organizationId = organization.newTenant();
    const assignTo = organization.newMember(organizationId);
    const documents = mongo.db.collection<RoutingRuleDocument>('routing_rules');
    await documents.insertMany(
      Array.from({ length: RULES_PER_ORGANIZATION_MAX - 1 }, (_, index) => ({
        _id: `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
        organizationId,
        name: 'Many',
        position: index,
        enabled: false,
        match: { ...anyMatch, severities: [], types: [], families: [], minAmount: '0', currency: 'EUR' },
        assignTo,
        createdAt: new Date(),
      })),
    );
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => create(organizationId, { assignTo })));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { kind: 'wrong_state' } });
    expect(await documents.countDocuments({ organizationId })).toBeLessThanOrEqual(RULES_PER_ORGANIZATION_MAX);
  });

  test('is listed by its position, page by page', async () => {
    const organizationId = organization.newTenant();
    const third = await create(organizationId, { position: 30 });
    const first = await create(organizationId, { position: 1 });
    const second = await create(organizationId, { position: 30 - 1 });
    const fourth = await create(organizationId, { position: 30 });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await rpc.routingRule.listRoutingRules({ organizationId, pageSize: 2, pageToken }, ann);
      seen.push(...page.rules.map(({ ruleId }) => ruleId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([first, second, third, fourth].map(({ ruleId }) => ruleId));
  });
});

describe('a new finding', () => {
  test('goes to the member of the first rule that takes it, with the rule in its history and one event', async () => {
    const organizationId = organization.newTenant();
    const bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
    const heard: string[] = [];
    const subscription = await subscribe(
      { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
      {
        service: databaseName,
        type: events.findingAssigned,
        handle: async (event) => {
          if (event.organizationId === organizationId) heard.push(`${event.assignedBy} ${event.assigneeUserId}`);
        },
      },
    );
    await create(organizationId, { position: 1, enabled: false });
    await create(organizationId, { position: 2, match: { minAmount: '1190.01', currency: 'EUR' } });
    const taking = await create(organizationId, { position: 3, match: { families: ['DUP'], companyIds: ['c-main'] } });
    await create(organizationId, { position: 4 });
    await rpc.post(organizationId, wireInvoice());
    const analysis = await rpc.post(organizationId, wireInvoice());
    const finding = findingOf(analysis, 'DUPLICATE_INVOICE');
    expect(finding.assigneeUserId).toBe(taking.assignTo);
    const { findingId } = finding;
    const stored = await rpc.finding.getFinding({ organizationId, findingId }, ann);
    expect(stored.finding?.assigneeUserId).toBe(taking.assignTo);
    const { changes } = await rpc.finding.listFindingHistory({ organizationId, findingId }, ann);
    expect(changes).toMatchObject([
      { action: 'CREATED' },
      { action: 'ASSIGNED', actorType: 'RULE', actorId: taking.ruleId, to: taking.assignTo },
    ]);
    await eventually(() => expect(heard).toContain(`RULE:${taking.ruleId} ${taking.assignTo}`));
    await subscription.stop();
    await bus.close();
  });

  test('keeps its assignment when a crash comes before it is stored and the rule is gone by then', async () => {
    const organizationId = organization.newTenant();
    const rule = await create(organizationId);
    await rpc.post(organizationId, wireInvoice());
    const analysis = await rpc.post(organizationId, wireInvoice());
    const { findingId } = findingOf(analysis, 'DUPLICATE_INVOICE');
    const invoices = mongo.db.collection<InvoiceDocument>('invoices');
    const findings = mongo.db.collection<FindingDocument>('findings');
    await eventually(async () =>
      expect((await invoices.findOne({ _id: analysis.invoiceId }))?.pending).toBeUndefined(),
    );
    await rpc.routingRule.deleteRoutingRule({ organizationId, ruleId: rule.ruleId }, ann);
    // The stored invoice is put into the state that a process leaves when it crashes directly after its commit.
    await findings.deleteOne({ _id: findingId });
    await invoices.updateOne(
      { _id: analysis.invoiceId },
      {
        $set: {
          pending: true,
          'analysis.createdAt': fromNow(-60_000),
        },
      },
    );
    await eventually(async () =>
      expect(await findings.findOne({ _id: findingId })).toMatchObject({ assigneeUserId: rule.assignTo }),
    );
  });
});
