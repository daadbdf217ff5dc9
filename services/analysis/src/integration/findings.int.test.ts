import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FindingAssigned, FindingReviewed } from '@invoicecontrol/contracts/analysis/v1/events';
import { Decision, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { SummarizeFindingsRequest } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { Analysis, Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { deadLetterStore } from '@invoicecontrol/runtime/mongo/dead-letters';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { isOutage } from '@invoicecontrol/runtime/outage';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { withoutRepeats } from '@invoicecontrol/testkit/without-repeats';
import { v7 as uuidV7 } from 'uuid';
import type { InvoiceStore } from '../records/application/invoice-store.js';
import type { SummaryQuery } from '../records/application/finding-store.js';
import { countFindings } from '../reviews/application/count-findings.js';
import { findingReader } from '../reviews/application/read-findings.js';
import { findingCounterStore } from '../reviews/storage/finding-counters.js';
import type { FindingCountersDocument } from '../reviews/storage/finding-counters.js';
import { startService } from '../compose.js';
import { amountOrderOf } from '../records/storage/finding-order.js';
import { findingStore } from '../records/storage/findings.js';
import type { FindingDocument } from '../records/storage/findings.js';
import type { FindingReviewDocument } from '../reviews/storage/finding-reviews.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { anyFinding, asUser, findingOf, fromNow, testClock } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';

const HOME = 'DE89370400440532013000';
const OTHER_ACCOUNT = 'FR1420041010050500013M02606';
const MISSING_ID = '01890000-0000-7000-8000-000000000000';

const logger = createLogger({ service: 'test', level: 'silent' });
const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const bob = asUser('0192a000-0000-7000-8000-0000000000bb');

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

const findingDocuments = () => mongo.db.collection<FindingDocument>('findings');
const invoiceDocuments = () => mongo.db.collection<InvoiceDocument>('invoices');
const counterDocuments = () => mongo.db.collection<FindingCountersDocument>('finding_counters');
const supplierDocuments = () => mongo.db.collection<SupplierDocument>('suppliers');

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

const newTenant = (): string => organization.newTenant();

async function review(
  organizationId: string,
  { findingId }: Finding,
  disposition: string,
  note?: string,
  { call = ann, isByAdmin = false } = {},
): Promise<Finding> {
  const { finding } = await rpc.finding.reviewFinding(
    { organizationId, findingId, disposition, note },
    callWithGrant(call, organizationId, { role: isByAdmin ? 'ADMIN' : 'ANALYST' }),
  );
  if (finding === undefined) throw new Error('no finding');
  return finding;
}

/** Posts two equal invoices. The second one is blocked as a duplicate. */
async function duplicatePair(organizationId: string): Promise<{ first: Analysis; second: Analysis; finding: Finding }> {
  const first = await rpc.post(organizationId, wireInvoice());
  const second = await rpc.post(organizationId, wireInvoice());
  return { first, second, finding: findingOf(second, 'DUPLICATE_INVOICE') };
}

/** Posts several invoices with one bank account, and then an invoice with another account. */
async function changedAccount(organizationId: string): Promise<{ changed: Analysis; finding: Finding }> {
  for (let month = 1; month <= 4; month++) {
    await rpc.post(
      organizationId,
      wireInvoice({
        iban: HOME,
        invoiceNumber: `A-${month}7${month}3`,
        issueDate: `2026-0${month}-11`,
        grossAmount: `${month}17.40`,
      }),
    );
  }
  const changed = await rpc.post(organizationId, nextOnAway('B-5512', '2026-05-13', '523.10'));
  return { changed, finding: findingOf(changed, 'BANK_ACCOUNT_CHANGED') };
}

const nextOnAway = (invoiceNumber: string, issueDate: string, grossAmount: string) =>
  wireInvoice({ iban: OTHER_ACCOUNT, invoiceNumber, issueDate, grossAmount });

async function history(organizationId: string, { findingId }: Finding): Promise<string[]> {
  const { changes } = await rpc.finding.listFindingHistory({ organizationId, findingId }, ann);
  return changes.map(({ actorType, action, from, to, note }) =>
    [actorType, action, from ?? '-', to ?? '-', note ?? '-'].join(' '),
  );
}

describe('a review', () => {
  test('is recorded with its author, and the invoice is decided again before the answer', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    expect(second.decision).toBe(Decision.BLOCK);
    const reviewed = await review(organizationId, finding, 'FALSE_POSITIVE', ' two deliveries ');
    expect(reviewed).toMatchObject({ findingId: finding.findingId, disposition: 'FALSE_POSITIVE' });
    const latest = await rpc.latest(organizationId, second.invoiceId);
    expect(latest).toMatchObject({ decision: Decision.PASS, analysisId: second.analysisId });
    expect(findingOf(latest, 'DUPLICATE_INVOICE').disposition).toBe('FALSE_POSITIVE');
    const { invoice } = await rpc.invoice.getInvoice({ organizationId, invoiceId: second.invoiceId }, ann);
    expect(invoice).toMatchObject({ decision: Decision.PASS, riskScore: latest.riskScore });
    expect(await history(organizationId, finding)).toEqual([
      'SYSTEM CREATED - - -',
      'USER REVIEWED OPEN FALSE_POSITIVE two deliveries',
      'SYSTEM RECOMPUTED BLOCK PASS -',
    ]);
  });

  test('taken back brings the decision back; the analysis itself is never rewritten', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    await review(organizationId, finding, 'ACCEPTED_RISK', 'paid on purpose');
    await review(organizationId, finding, 'OPEN');
    expect((await rpc.latest(organizationId, second.invoiceId)).decision).toBe(Decision.BLOCK);
    const stored = await mongo.db.collection<InvoiceDocument>('invoices').findOne({ _id: second.invoiceId });
    expect(stored?.analysis?.decision).toBe('BLOCK');
    expect(stored?.analysis?.findings.find(({ type }) => type === 'DUPLICATE_INVOICE')?.disposition).toBe('OPEN');
  });

  test('of an equal value appends its note and announces nothing a second time', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
    const heard: string[] = [];
    const hear = withoutRepeats(({ findingId, previousDisposition, disposition, reviewedBy }: FindingReviewed) =>
      heard.push(`${findingId} ${previousDisposition} ${disposition} ${reviewedBy}`),
    );
    const subscription = await subscribe(
      { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
      {
        service: databaseName,
        type: events.findingReviewed,
        handle: async (event) => {
          if (event.organizationId === organizationId) hear(event);
        },
      },
    );
    await review(organizationId, finding, 'UNDER_REVIEW');
    await review(organizationId, finding, 'UNDER_REVIEW', 'called the supplier');
    await review(organizationId, finding, 'UNDER_REVIEW');
    await review(organizationId, finding, 'CONFIRMED');
    const by = `USER:${ann.context.actor.id}`;
    await eventually(() =>
      // Events are compared in sorted order, because the order of publication is not guaranteed.
      expect(heard.toSorted()).toEqual([
        `${finding.findingId} OPEN UNDER_REVIEW ${by}`,
        `${finding.findingId} UNDER_REVIEW CONFIRMED ${by}`,
      ]),
    );
    expect(await history(organizationId, finding)).toEqual([
      'SYSTEM CREATED - - -',
      'USER REVIEWED OPEN UNDER_REVIEW -',
      'USER REVIEWED UNDER_REVIEW UNDER_REVIEW called the supplier',
      'USER REVIEWED UNDER_REVIEW CONFIRMED -',
    ]);
    await subscription.stop();
    await bus.close();
  });

  test('of a finding that another reviewer decided first is refused, and not a repeat of the own one', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const { findingId } = finding;
    const expecting = (disposition: string, expectedDisposition: string, call = ann) =>
      rpc.finding.reviewFinding({ organizationId, findingId, disposition, expectedDisposition }, call);
    expect(await expecting('FALSE_POSITIVE', 'OPEN')).toMatchObject({
      changed: true,
      finding: { disposition: 'FALSE_POSITIVE' },
    });
    await expect(expecting('CONFIRMED', 'OPEN', bob)).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('from OPEN to FALSE_POSITIVE'),
    });
    expect(await expecting('FALSE_POSITIVE', 'OPEN')).toMatchObject({ changed: false });
    expect(await expecting('OPEN', 'FALSE_POSITIVE', bob)).toMatchObject({ changed: true });
    expect(await history(organizationId, finding)).toEqual([
      'SYSTEM CREATED - - -',
      'USER REVIEWED OPEN FALSE_POSITIVE -',
      'SYSTEM RECOMPUTED BLOCK PASS -',
      'USER REVIEWED FALSE_POSITIVE OPEN -',
      'SYSTEM RECOMPUTED PASS BLOCK -',
    ]);
  });

  test('and an assignment say whether they changed the finding', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const { findingId } = finding;
    const note = () =>
      rpc.finding.reviewFinding(
        { organizationId, findingId, disposition: 'UNDER_REVIEW', note: 'called the supplier' },
        ann,
      );
    const unassign = () => rpc.finding.assignFinding({ organizationId, findingId }, ann);
    const changed: boolean[] = [];
    for (const change of [note, note, unassign]) changed.push((await change()).changed);
    expect(changed).toEqual([true, false, false]);
  });

  test.each([
    ['an unknown disposition', 'MAYBE', undefined, 'invalid'],
    ['a disposition of the system', 'SUPERSEDED', undefined, 'invalid'],
    ['a step that the table does not have', 'RESOLVED', undefined, 'wrong_state'],
    ['a blank note', 'CONFIRMED', '  ', 'invalid'],
    ['an invisible note', 'CONFIRMED', '\u200b', 'invalid'],
    ['a note that is too long', 'CONFIRMED', 'x'.repeat(4_001), 'invalid'],
    ['a block that is accepted without a note', 'ACCEPTED_RISK', undefined, 'invalid'],
  ])('is refused for %s and changes nothing', async (_, disposition, note, kind) => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    await expect(review(organizationId, finding, disposition, note)).rejects.toMatchObject({ kind });
    expect((await rpc.latest(organizationId, second.invoiceId)).decision).toBe(Decision.BLOCK);
    expect(await history(organizationId, finding)).toEqual(['SYSTEM CREATED - - -']);
  });

  test('by many people at once loses no note and ends in one state that everybody agrees on', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    const say = (index: number) =>
      review(organizationId, finding, 'CONFIRMED', `note ${index}`, { call: index % 2 ? ann : bob });
    const outcomes = await Promise.allSettled([0, 1, 2, 3].map(say));
    const accepted = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(accepted).toBe(4);
    const notes = (await history(organizationId, finding)).filter((entry) => entry.includes('note '));
    expect(notes).toHaveLength(4);
    expect(notes.filter((entry) => entry.includes('OPEN CONFIRMED'))).toHaveLength(1);
    expect(findingOf(await rpc.latest(organizationId, second.invoiceId), 'DUPLICATE_INVOICE').disposition).toBe(
      'CONFIRMED',
    );
  });

  test('of two findings of one invoice at once leaves the decision of both together', async () => {
    const organizationId = newTenant();
    await rpc.post(organizationId, wireInvoice({ iban: HOME }));
    for (const [number, day] of [
      ['C-1111', '11'],
      ['C-2222', '12'],
      ['C-3333', '13'],
    ] as const) {
      await rpc.post(
        organizationId,
        wireInvoice({ iban: HOME, invoiceNumber: number, issueDate: `2026-01-${day}`, grossAmount: `${day}7.31` }),
      );
    }
    const analysis = await rpc.post(organizationId, wireInvoice({ iban: OTHER_ACCOUNT }));
    const findings = analysis.findings.filter(({ severity }) => severity !== Severity.INFO);
    expect(findings.length).toBeGreaterThanOrEqual(2);
    await Promise.all(findings.map((finding) => review(organizationId, finding, 'FALSE_POSITIVE', undefined)));
    expect((await rpc.latest(organizationId, analysis.invoiceId)).decision).toBe(Decision.PASS);
  });
});

describe('a false positive', () => {
  test('about an account is never open again for this supplier and account, and the account is trusted', async () => {
    const organizationId = newTenant();
    const { changed, finding } = await changedAccount(organizationId);
    expect(changed.decision).toBe(Decision.BLOCK);
    await review(organizationId, finding, 'FALSE_POSITIVE');
    const supplier = await supplierDocuments().findOne({ organizationId });
    expect(supplier?.profile.accounts.map(({ trust }) => trust)).toEqual(['SEEN', 'REVIEWED']);
    const next = await rpc.post(organizationId, nextOnAway('B-5681', '2026-06-15', '611.75'));
    expect(next.findings.map(({ type }) => type)).not.toContain('BANK_ACCOUNT_CHANGED');
    await review(organizationId, finding, 'OPEN');
    const after = await supplierDocuments().findOne({ organizationId });
    expect(after?.profile.accounts.map(({ trust }) => trust)).toEqual(['SEEN', 'UNVERIFIED']);
    const later = await rpc.post(organizationId, nextOnAway('B-5794', '2026-07-17', '702.66'));
    expect(findingOf(later, 'BANK_ACCOUNT_CHANGED').disposition).toBe('OPEN');
  });
});

describe('a confirmation', () => {
  test('of fraud blocks the account for every supplier until the last confirmation is taken back', async () => {
    const organizationId = newTenant();
    const { finding } = await changedAccount(organizationId);
    const again = await rpc.post(organizationId, nextOnAway('B-5681', '2026-06-15', '611.75'));
    const other = findingOf(again, 'BANK_ACCOUNT_CHANGED');
    await review(organizationId, finding, 'CONFIRMED');
    await review(organizationId, other, 'CONFIRMED');
    const stranger = (invoiceNumber: string) =>
      wireInvoice({
        supplier: {
          name: 'Quarz Papier AG',
          taxId: undefined,
          bankAccount: { iban: OTHER_ACCOUNT, sortCode: undefined, accountNumber: undefined },
        },
        invoiceNumber,
        grossAmount: `${invoiceNumber.slice(-3)}.11`,
      });
    const blocked = await rpc.post(organizationId, stranger('Q-9101'));
    expect(blocked.decision).toBe(Decision.BLOCK);
    expect(JSON.parse(findingOf(blocked, 'BANK_ACCOUNT_BLOCKLISTED').evidenceJson)).toMatchObject({
      reviewId: other.findingId,
    });
    await review(organizationId, other, 'FALSE_POSITIVE');
    expect((await rpc.post(organizationId, stranger('Q-9202'))).decision).toBe(Decision.BLOCK);
    await review(organizationId, finding, 'RESOLVED');
    await review(organizationId, finding, 'OPEN');
    for (const disposition of ['FALSE_POSITIVE', 'ACCEPTED_RISK']) {
      const released = review(organizationId, findingOf(blocked, 'BANK_ACCOUNT_BLOCKLISTED'), disposition, 'known');
      await expect(released).rejects.toMatchObject({ kind: 'forbidden' });
    }
    const still = await rpc.post(organizationId, stranger('Q-9257'));
    expect(JSON.parse(findingOf(still, 'BANK_ACCOUNT_BLOCKLISTED').evidenceJson).reviewId).toBe(finding.findingId);
    await expect(review(organizationId, finding, 'ACCEPTED_RISK', 'the bank has closed it')).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await review(organizationId, finding, 'ACCEPTED_RISK', 'the bank has closed it', { isByAdmin: true });
    const { changes } = await rpc.finding.listFindingHistory({ organizationId, findingId: finding.findingId }, ann);
    expect(changes).toContainEqual(
      expect.objectContaining({ actorId: ann.context.actor.id, to: 'ACCEPTED_RISK', note: 'the bank has closed it' }),
    );
    const free = await rpc.post(organizationId, stranger('Q-9303'));
    expect(free.findings.map(({ type }) => type)).not.toContain('BANK_ACCOUNT_BLOCKLISTED');
  });

  test('of a duplicate takes the record out of the candidates until it is taken back; it joins the profile when it is dismissed', async () => {
    const organizationId = newTenant();
    const { first, second, finding } = await duplicatePair(organizationId);
    const count = async () => (await supplierDocuments().findOne({ organizationId }))?.profile.count;
    const related = async () => {
      const { relatedInvoiceIds } = findingOf(await rpc.post(organizationId, wireInvoice()), 'DUPLICATE_INVOICE');
      return relatedInvoiceIds;
    };
    await eventually(async () => expect(await count()).toBe(1));
    await review(organizationId, finding, 'CONFIRMED');
    expect(await count()).toBe(1);
    expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.match.confirmedAs).toBe('DUPLICATE');
    expect(await related()).toEqual([first.invoiceId]);
    for (const disposition of ['RESOLVED', 'OPEN']) {
      await review(organizationId, finding, disposition);
      expect(await count()).toBe(1);
    }
    expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.match.confirmedAs).toBeUndefined();
    expect(await related()).toEqual(expect.arrayContaining([first.invoiceId, second.invoiceId]));
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await count()).toBe(2);
  });
});

describe('after a crash between a review and what follows from it', () => {
  test('the sweep brings the decision, the account and the profile, and a later review undoes it all', async () => {
    const organizationId = newTenant();
    const { changed, finding } = await changedAccount(organizationId);
    await eventually(async () =>
      expect((await invoiceDocuments().findOne({ _id: changed.invoiceId }))?.pending).toBeUndefined(),
    );
    // The stored finding is put into the state that a process leaves when it crashes directly after its commit.
    await findingDocuments().updateOne(
      { _id: finding.findingId },
      {
        $set: { disposition: 'CONFIRMED', reviewedAt: fromNow(-60_000), pending: true },
        $inc: { version: 1 },
      },
    );
    await eventually(async () =>
      expect((await findingDocuments().findOne({ _id: finding.findingId }))?.pending).toBeUndefined(),
    );
    const next = await rpc.post(organizationId, nextOnAway('B-5681', '2026-06-15', '611.75'));
    expect(findingOf(next, 'BANK_ACCOUNT_BLOCKLISTED').disposition).toBe('OPEN');
    expect((await supplierDocuments().findOne({ organizationId }))?.withdrawnUnits).toEqual([changed.invoiceId]);
    await review(organizationId, finding, 'OPEN');
    const reviews = mongo.db.collection<FindingReviewDocument>('finding_reviews');
    expect(await reviews.findOne({ _id: finding.findingId })).toMatchObject({ disposition: 'OPEN' });
    expect((await supplierDocuments().findOne({ organizationId }))?.withdrawnUnits).toEqual([]);
  });
});

describe('after a crash between a decision and what follows from it', () => {
  test('a finding that is shown and not stored yet is to be asked for again, and is no missing one', async () => {
    const organizationId = newTenant();
    const { finding, second } = await duplicatePair(organizationId);
    await eventually(async () =>
      expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.pending).toBeUndefined(),
    );
    await invoiceDocuments().updateOne({ _id: second.invoiceId }, { $set: { pending: true } });
    await findingDocuments().deleteOne({ _id: finding.findingId });
    const { findingId } = finding;
    const assigneeUserId = organization.newMember(organizationId);
    for (const asked of [
      () => rpc.finding.getFinding({ organizationId, findingId }, ann),
      () => review(organizationId, finding, 'CONFIRMED'),
      () => rpc.finding.assignFinding({ organizationId, findingId, assigneeUserId }, ann),
    ]) {
      await expect(asked()).rejects.toMatchObject({ kind: 'unavailable' });
    }
    const another = newTenant();
    await expect(rpc.finding.getFinding({ organizationId: another, findingId }, ann)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

describe('an assignment', () => {
  test('goes to an active member, is announced once and is in the history; null takes it back', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const assigneeUserId = organization.newMember(organizationId);
    const bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
    const heard: (string | undefined)[] = [];
    const hear = withoutRepeats(({ assigneeUserId: heardId }: FindingAssigned) => heard.push(heardId));
    const subscription = await subscribe(
      { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
      {
        service: databaseName,
        type: events.findingAssigned,
        handle: async (event) => {
          if (event.organizationId === organizationId) hear(event);
        },
      },
    );
    const assign = (userId: string | undefined) =>
      rpc.finding.assignFinding({ organizationId, findingId: finding.findingId, assigneeUserId: userId }, ann);
    expect((await assign(assigneeUserId)).finding).toMatchObject({ assigneeUserId });
    await assign(assigneeUserId);
    const { findings } = await rpc.finding.listFindings({ ...anyFinding, organizationId, assigneeUserId }, ann);
    expect(findings.map(({ findingId }) => findingId)).toEqual([finding.findingId]);
    expect((await assign(undefined)).finding?.assigneeUserId).toBeUndefined();
    // The published events are compared without their order, because the order of publication is not guaranteed.
    await eventually(() => {
      expect(heard).toHaveLength(2);
      expect(new Set(heard)).toEqual(new Set([assigneeUserId, undefined]));
    });
    expect(await history(organizationId, finding)).toEqual([
      'SYSTEM CREATED - - -',
      `USER ASSIGNED - ${assigneeUserId} -`,
      `USER ASSIGNED ${assigneeUserId} - -`,
    ]);
    await subscription.stop();
    await bus.close();
  });

  test('to an invited person, to a member of another organization or to an unknown user is refused alike', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const others = [
      organization.newMember(organizationId, 'INVITED'),
      organization.newMember(newTenant()),
      MISSING_ID,
      'nonsense',
    ];
    for (const assigneeUserId of others) {
      const refused = rpc.finding.assignFinding({ organizationId, findingId: finding.findingId, assigneeUserId }, ann);
      await expect(refused).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such member.' });
    }
  });

  test('and a review at the same time are both kept', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const assigneeUserId = organization.newMember(organizationId);
    await Promise.all([
      rpc.finding.assignFinding({ organizationId, findingId: finding.findingId, assigneeUserId }, bob),
      review(organizationId, finding, 'CONFIRMED'),
    ]);
    const { finding: stored } = await rpc.finding.getFinding({ organizationId, findingId: finding.findingId }, ann);
    expect(stored).toMatchObject({ disposition: 'CONFIRMED', assigneeUserId });
  });
});

describe('the list', () => {
  test('serves every filter, and each leaves out what does not match', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    const other = await rpc.post(
      organizationId,
      wireInvoice({ issueDate: '2026-03-06', companyId: SECOND_COMPANY_ID }),
    );
    await review(organizationId, finding, 'CONFIRMED');
    const found = async (filter: Partial<typeof anyFinding>): Promise<Finding[]> => {
      const { findings } = await rpc.finding.listFindings({ ...anyFinding, organizationId, ...filter }, ann);
      return findings;
    };
    const all = await found({});
    expect(all.map(({ findingId }) => findingId)).toEqual(
      expect.arrayContaining([finding.findingId, ...other.findings.map(({ findingId }) => findingId)]),
    );
    const at = finding.createdTime ?? new Date();
    const next = new Date(at.getTime() + 1);
    const expectations: [Partial<typeof anyFinding>, (candidate: Finding) => boolean][] = [
      [{ disposition: 'CONFIRMED' }, ({ disposition }) => disposition === 'CONFIRMED'],
      [{ invoiceId: second.invoiceId }, ({ invoiceId }) => invoiceId === second.invoiceId],
      [{ companyId: 'c-main' }, ({ companyId }) => companyId === 'c-main'],
      [{ type: 'DUPLICATE_INVOICE' }, ({ type }) => type === 'DUPLICATE_INVOICE'],
      [{ severity: Severity.CRITICAL }, ({ severity }) => severity === Severity.CRITICAL],
      [{ supplierId: finding.supplierId }, ({ supplierId }) => supplierId === finding.supplierId],
      [{ createdFromTime: at }, ({ createdTime }) => (createdTime ?? at) >= at],
      [{ createdToTime: at }, ({ createdTime }) => (createdTime ?? at) < at],
      [{ createdFromTime: at, createdToTime: next }, ({ createdTime }) => createdTime?.getTime() === at.getTime()],
      [{ supplierId: MISSING_ID }, () => false],
      [{ scanId: MISSING_ID }, () => false],
      [{ assigneeUserId: MISSING_ID }, () => false],
    ];
    for (const [filter, matches] of expectations) expect(await found(filter)).toEqual(all.filter(matches));
    expect(all.filter(({ disposition }) => disposition === 'CONFIRMED')).toHaveLength(1);
  });

  test('has an index for every filter and order: no query looks at findings of other values, or sorts', async () => {
    const indexes = await findingDocuments().indexes();
    const keys = indexes.map(({ key }) => Object.keys(key).join(' '));
    expect(keys).toEqual(expect.arrayContaining(['organizationId createdAt _id', 'organizationId amountOrder _id']));
    for (const field of [
      'companyId',
      'invoiceId',
      'scanId',
      'supplierId',
      'type',
      'severity',
      'disposition',
      'assigneeUserId',
    ]) {
      expect(keys).toContain(`organizationId ${field} createdAt _id`);
      expect(keys).toContain(`organizationId ${field} amountOrder _id`);
    }
  });

  test('shows each finding once, newest first, while others are being added', async () => {
    const organizationId = newTenant();
    const add = async (index: number): Promise<string[]> => {
      const wire = wireInvoice({ invoiceNumber: `L-${index * 1_117}`, grossAmount: `${index * 13}.37` });
      await rpc.post(organizationId, wire);
      return [findingOf(await rpc.post(organizationId, wire), 'DUPLICATE_INVOICE').findingId];
    };
    const before: string[] = [];
    for (let index = 1; index <= 6; index++) before.push(...(await add(index)));
    const seen: string[] = [];
    let pageToken = '';
    let index = 7;
    do {
      const [page] = await Promise.all([
        rpc.finding.listFindings(
          { ...anyFinding, organizationId, type: 'DUPLICATE_INVOICE', pageSize: 2, pageToken },
          ann,
        ),
        add(index++),
      ]);
      seen.push(...page.findings.map(({ findingId }) => findingId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before));
    expect(seen.filter((id) => before.includes(id))).toEqual(before.toReversed());
  });

  test.each([
    ['a disposition that does not exist', { disposition: 'MAYBE' }],
    ['a type that does not exist', { type: 'NOTHING' }],
    ['a cursor of its own making', { pageToken: 'abc' }],
    ['a page of 101', { pageSize: 101 }],
  ])('refuses %s', async (_, asked) => {
    const list = rpc.finding.listFindings({ ...anyFinding, organizationId: newTenant(), ...asked }, ann);
    await expect(list).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('in every order', () => {
  const severitiesByRank = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
  /** Stores twelve findings with equal amounts, equal times and unknown amounts, in no particular order. */
  async function someFindings(organizationId: string): Promise<FindingDocument[]> {
    const { finding } = await duplicatePair(newTenant());
    const stored = await findingDocuments().findOne({ _id: finding.findingId });
    if (stored === null) throw new Error('the finding is not stored');
    const { amountAtRisk: _, amountOrder: __, ...unvalued } = stored;
    const amounts = [undefined, '0.00', '10.00', '10.00', '900.00'];
    const documents = Array.from({ length: 12 }, (_, index): FindingDocument => {
      const amount = amounts[index % amounts.length];
      return {
        ...unvalued,
        _id: uuidV7(),
        organizationId,
        severity: severitiesByRank[(index * 7) % 5] ?? 'INFO',
        disposition: index % 3 === 0 ? 'CONFIRMED' : 'OPEN',
        createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 4))),
        ...(amount === undefined
          ? {}
          : { amountAtRisk: { currency: 'EUR', amount }, amountOrder: amountOrderOf({ amount }) }),
      };
    });
    await findingDocuments().insertMany(documents);
    return documents;
  }

  /** Returns the sort keys of a finding for each sort order of the list, largest first. */
  const keysOf: Record<string, (finding: FindingDocument) => (number | string)[]> = {
    NEWEST: ({ createdAt, _id }) => [createdAt.getTime(), _id],
    SEVERITY: ({ severity, createdAt, _id }) => [severitiesByRank.indexOf(severity), createdAt.getTime(), _id],
    AMOUNT_AT_RISK: ({ amountAtRisk, _id }) => [Number(amountAtRisk?.amount ?? -1), _id],
  };
  const inOrder = (documents: FindingDocument[], sort: string): string[] => {
    const keys = new Map(documents.map((document) => [document._id, keysOf[sort]?.(document) ?? []]));
    const compare = (left: string, right: string): number => {
      const rights = keys.get(right) ?? [];
      for (const [place, value] of (keys.get(left) ?? []).entries()) {
        const other = rights[place] ?? 0;
        if (value !== other) return value > other ? -1 : 1;
      }
      return 0;
    };
    return [...keys.keys()].sort(compare);
  };
  const pages = async (organizationId: string, asked: Partial<typeof anyFinding>): Promise<string[]> => {
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await rpc.finding.listFindings({ ...anyFinding, organizationId, ...asked, pageToken }, ann);
      expect(page.findings.length).toBeLessThanOrEqual(asked.pageSize ?? 50);
      seen.push(...page.findings.map(({ findingId }) => findingId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return seen;
  };

  test.each(['NEWEST', 'SEVERITY', 'AMOUNT_AT_RISK'] as const)(
    'by %s: pages of any size show each finding once, and every filter holds',
    async (name) => {
      const organizationId = newTenant();
      const documents = await someFindings(organizationId);
      await someFindings(newTenant());
      const sort = FindingSort[name];
      const isHigh = ({ severity }: FindingDocument): boolean => severity === 'HIGH' || severity === 'CRITICAL';
      const from = new Date(Date.UTC(2026, 0, 2));
      const to = new Date(Date.UTC(2026, 0, 4));
      const filters: [Partial<typeof anyFinding>, (finding: FindingDocument) => boolean][] = [
        [{}, () => true],
        [{ minSeverity: Severity.HIGH }, isHigh],
        [{ minSeverity: Severity.INFO }, () => true],
        [{ minSeverity: Severity.CRITICAL }, ({ severity }) => severity === 'CRITICAL'],
        [{ severity: Severity.LOW }, ({ severity }) => severity === 'LOW'],
        [{ severity: Severity.HIGH, minSeverity: Severity.HIGH }, ({ severity }) => severity === 'HIGH'],
        [{ severity: Severity.LOW, minSeverity: Severity.HIGH }, () => false],
        [{ disposition: 'OPEN' }, ({ disposition }) => disposition === 'OPEN'],
        [{ disposition: 'OPEN', minSeverity: Severity.HIGH }, (one) => one.disposition === 'OPEN' && isHigh(one)],
        [{ createdFromTime: from, createdToTime: to }, ({ createdAt }) => createdAt >= from && createdAt < to],
        [{ companyId: MISSING_ID }, () => false],
      ];
      for (const [filter, matches] of filters) {
        const expected = inOrder(documents.filter(matches), name);
        for (const pageSize of [1, 2, 3, 11, 12, 13]) {
          expect({ filter, pageSize, seen: await pages(organizationId, { ...filter, sort, pageSize }) }).toEqual({
            filter,
            pageSize,
            seen: expected,
          });
        }
      }
    },
  );
});

describe('the amount at risk', () => {
  test('of a copy is its gross amount in the base currency, on the finding and wherever it is shown', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    const shown = { amountAtRisk: '1190.00', amountAtRiskCurrency: 'EUR' };
    expect(finding).toMatchObject(shown);
    expect(findingOf(await rpc.latest(organizationId, second.invoiceId), 'DUPLICATE_INVOICE')).toMatchObject(shown);
    const { finding: read } = await rpc.finding.getFinding({ organizationId, findingId: finding.findingId }, ann);
    expect(read).toMatchObject(shown);
  });

  test('is unknown for findings of before amounts were stored, until the invoice is analyzed again', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    const { findingId } = finding;
    await eventually(async () =>
      expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.pending).toBeUndefined(),
    );
    await findingDocuments().updateOne({ _id: findingId }, { $unset: { amountAtRisk: '', amountOrder: '' } });
    const read = async () => (await rpc.finding.getFinding({ organizationId, findingId }, ann)).finding;
    expect(await read()).toMatchObject({ amountAtRisk: undefined, amountAtRiskCurrency: undefined });
    await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId: second.invoiceId }, ann);
    await eventually(async () => expect(await read()).toMatchObject({ amountAtRisk: '1190.00' }));
    expect((await findingDocuments().findOne({ _id: findingId }))?.amountOrder).toBe(119_000);
  });
});

describe('the summary', () => {
  const everything: Omit<SummarizeFindingsRequest, 'organizationId'> = {
    companyId: undefined,
    createdFromTime: undefined,
    createdToTime: undefined,
    minSeverity: Severity.UNSPECIFIED,
    knownStates: [],
  };

  test('has a state that changes with every write of a finding, with which an unchanged summary is not computed', async () => {
    const organizationId = newTenant();
    const ask = (knownStates: string[], tenant = organizationId) =>
      rpc.finding.summarizeFindings({ organizationId: tenant, ...everything, knownStates }, ann);
    const empty = await ask([]);
    const seen = [empty.state];
    const { finding } = await duplicatePair(organizationId);
    await eventually(async () => expect((await ask([])).state).not.toBe(empty.state));
    // All findings of the two invoices are stored before the next state is read.
    await eventually(async () =>
      expect(await invoiceDocuments().countDocuments({ organizationId, pending: true })).toBe(0),
    );
    const changes = [
      async () => {},
      () => review(organizationId, finding, 'CONFIRMED'),
      () => review(organizationId, finding, 'OPEN'),
      async () => {
        const assigneeUserId = organization.newMember(organizationId);
        await rpc.finding.assignFinding({ organizationId, findingId: finding.findingId, assigneeUserId }, ann);
      },
    ];
    for (const change of changes) {
      await change();
      const { state, isKnown, total } = await ask(seen);
      expect({ isKnown, isNew: !seen.includes(state) }).toEqual({ isKnown: false, isNew: true });
      expect(total?.count).toBeGreaterThan(0);
      expect(await ask(['other', state])).toMatchObject({ state, isKnown: true, total: undefined, byType: [] });
      seen.push(state);
    }
    const stranger = newTenant();
    expect(await ask(seen, stranger)).toMatchObject({ isKnown: false });
    // A write that becomes visible late states a time before the latest write.
    const state = seen.at(-1) ?? '';
    const latest = await findingDocuments().findOne({ organizationId }, { sort: { storedAt: -1 } });
    const late = new Date((latest?.storedAt?.getTime() ?? 0) - 5_000);
    const [other] = await findingDocuments()
      .find({ organizationId, _id: { $ne: finding.findingId } })
      .toArray();
    await findingDocuments().updateOne({ _id: other?._id ?? '' }, { $set: { storedAt: late }, $inc: { version: 1 } });
    expect(await ask([state])).toMatchObject({ isKnown: false });
  });

  test('is of findings that state what their next review may do', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const { findingId } = finding;
    const read = async () => (await rpc.finding.getFinding({ organizationId, findingId }, ann)).finding?.nextReview;
    expect(await read()).toEqual({
      dispositions: ['UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK'],
      isNoteRequired: true,
    });
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await read()).toMatchObject({ dispositions: ['OPEN', 'CONFIRMED'] });
    const { findings } = await rpc.finding.listFindings(
      { ...anyFinding, organizationId, pageSize: 100, pageToken: '' },
      ann,
    );
    expect(findings.find((one) => one.findingId === findingId)?.nextReview).toEqual(await read());
  });

  test('counts by type, severity, disposition and month what waits and what reviews confirmed', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const summary = () => rpc.finding.summarizeFindings({ organizationId, ...everything }, ann);
    const ofType = async () => (await summary()).byType.find(({ key }) => key === 'DUPLICATE_INVOICE');
    expect(await ofType()).toMatchObject({ count: 1, open: 1, amountAtRisk: '1190.00', amountConfirmed: '0.00' });
    await review(organizationId, finding, 'CONFIRMED');
    expect(await ofType()).toMatchObject({ count: 1, open: 0, amountAtRisk: '0.00', amountConfirmed: '1190.00' });
    const { baseCurrency, total, bySeverity, byDisposition, byMonth } = await summary();
    expect(baseCurrency).toBe('EUR');
    expect(bySeverity.find(({ key }) => key === 'CRITICAL')).toMatchObject({ amountConfirmed: '1190.00' });
    expect(byDisposition.find(({ key }) => key === 'CONFIRMED')).toMatchObject({ count: 1, open: 0 });
    expect(byMonth.map(({ key }) => key)).toEqual([finding.createdTime?.toISOString().slice(0, 7)]);
    for (const rows of [bySeverity, byDisposition, byMonth]) {
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(total?.count);
    }
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await ofType()).toMatchObject({ count: 1, open: 0, amountAtRisk: '0.00', amountConfirmed: '0.00' });
  });

  test('is of the company, time and severity that are asked for, and never of another tenant', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    await duplicatePair(newTenant());
    const stored = await findingDocuments().countDocuments({ organizationId });
    const at = finding.createdTime ?? new Date();
    const count = async (asked: Partial<typeof everything>, tenant = organizationId) => {
      const reply = await rpc.finding.summarizeFindings({ organizationId: tenant, ...everything, ...asked }, ann);
      return reply.total?.count;
    };
    expect(await count({})).toBe(stored);
    expect(await count({ companyId: finding.companyId })).toBe(stored);
    expect(await count({ companyId: SECOND_COMPANY_ID })).toBe(0);
    expect(await count({ createdToTime: new Date(at.getTime() + 1) })).toBe(stored);
    expect(await count({ createdFromTime: new Date(at.getTime() + 1) })).toBe(0);
    const severe = await findingDocuments().countDocuments({
      organizationId,
      severity: { $in: ['MEDIUM', 'HIGH', 'CRITICAL'] },
    });
    expect(severe).toBeGreaterThan(0);
    expect(await count({ minSeverity: Severity.MEDIUM })).toBe(severe);
    expect(await count({}, newTenant())).toBe(0);
  });

  /** Returns a reader that adds up at most the given number of findings in one read, and stores totals of more. */
  function readerOf(summaryFindingsMax: number, { stepFindings = 2, countMsMax = 60_000 } = {}) {
    const findings = findingStore(findingDocuments(), { notify: () => {} } as unknown as Outbox, testClock);
    const counters = findingCounterStore(counterDocuments());
    const reader = findingReader({
      findings,
      invoices: {} as InvoiceStore,
      counted: countFindings({ findings, counters, clock: testClock, stepFindings, countMsMax }),
      tenants: {
        factsOf: async () => ({
          baseCurrency: 'EUR',
          plan: 'FREE',
          hasActiveSubscription: false,
          name: 'Workspace',
          erpConnectionsLimit: 10,
          referenceValidationMode: 'OFF',
          fourEyes: false,
          defaultCompanyId: '',
          companies: [],
        }),
      },
      summaryFindingsMax,
    });
    return async (organizationId: string, part: Partial<SummaryQuery> = {}) => {
      const query = { createdFrom: undefined, createdTo: undefined, ...part };
      return (await reader.summary(organizationId, query, [], ann.context)).summary;
    };
  }

  test('with filters takes as many findings as it may and refuses one more, saying what to ask for', async () => {
    const organizationId = newTenant();
    await duplicatePair(organizationId);
    const count = await findingDocuments().countDocuments({ organizationId });
    expect(count).toBeGreaterThan(1);
    const all = { minSeverity: 'INFO' } as const;
    expect((await readerOf(count)(organizationId, all))?.total.count).toBe(count);
    await expect(readerOf(count - 1)(organizationId, all)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('created_from'),
    });
    expect(await counterDocuments().countDocuments({ _id: organizationId })).toBe(0);
  });

  test('of more findings comes from stored totals, which a recount proves after every kind of change', async () => {
    const organizationId = newTenant();
    const { finding } = await duplicatePair(organizationId);
    const [counted, recounted] = [readerOf(1), readerOf(1_000)];
    const summarize = async () => {
      const filtered = await recounted(organizationId, { minSeverity: 'INFO' });
      await eventually(async () => expect(await counted(organizationId)).toEqual(filtered));
      return filtered;
    };
    // A repeated invoice may be decided while its findings are not stored yet.
    const settled = () =>
      eventually(async () =>
        expect(await invoiceDocuments().countDocuments({ organizationId, pending: true })).toBe(0),
      );
    await settled();
    const before = await summarize();
    expect(before?.total.count).toBeGreaterThan(1);
    for (const disposition of ['CONFIRMED', 'FALSE_POSITIVE', 'OPEN']) {
      await review(organizationId, finding, disposition);
      await settled();
      await summarize();
    }
    await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId: finding.invoiceId ?? '' }, ann);
    await duplicatePair(organizationId);
    await settled();
    const after = await summarize();
    expect(after?.total.count).toBeGreaterThan(before?.total.count ?? 0);
    // The totals of one organization contain nothing of another one, and its findings are read as before.
    const other = newTenant();
    await duplicatePair(other);
    await summarize();
    const shown = await rpc.finding.getFinding({ organizationId, findingId: finding.findingId }, ann);
    expect(shown.finding?.disposition).toBe('OPEN');
  });

  test('is refused while the findings are being counted, and each request goes on where the last one stopped', async () => {
    const organizationId = newTenant();
    await duplicatePair(organizationId);
    await eventually(async () =>
      expect(await invoiceDocuments().countDocuments({ organizationId, pending: true })).toBe(0),
    );
    const slow = readerOf(1, { stepFindings: 1, countMsMax: 0 });
    const outcomes: unknown[] = [];
    await eventually(async () => {
      outcomes.push(await slow(organizationId).catch((error: unknown) => error));
      expect(outcomes.at(-1)).toEqual(await readerOf(1_000)(organizationId, { minSeverity: 'INFO' }));
    });
    expect(outcomes[0]).toMatchObject({ kind: 'unavailable', publicMessage: expect.stringContaining('few seconds') });
  });
});

describe('the timeline of an invoice', () => {
  const read = async (organizationId: string, invoiceId: string) => {
    const { entries, isTruncated } = await rpc.invoice.listInvoiceTimeline({ organizationId, invoiceId }, ann);
    expect(isTruncated).toBe(false);
    const times = entries.map(({ entryTime }) => entryTime?.getTime() ?? 0);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    return entries;
  };

  test('has its receipt, analyses, findings, reviews, assignments and decisions, oldest first', async () => {
    const organizationId = newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    await review(organizationId, finding, 'FALSE_POSITIVE', 'two deliveries');
    const assigneeUserId = organization.newMember(organizationId);
    await rpc.finding.assignFinding({ organizationId, findingId: finding.findingId, assigneeUserId }, bob);
    await rpc.reanalyze(organizationId, second);
    const entries = await read(organizationId, second.invoiceId);
    const seen = entries
      .filter(({ kind, refId }) => kind !== 'FINDING_CREATED' || refId === finding.findingId)
      .map(({ kind, actorType, refType, from, to, note }) =>
        [kind, actorType, refType, from ?? '-', to ?? '-', note ?? '-'].join(' '),
      );
    expect(seen[0]).toBe('RECEIVED SYSTEM invoice - - -');
    expect(seen).toEqual(
      expect.arrayContaining([
        'ANALYZED SYSTEM analysis - BLOCK -',
        'FINDING_CREATED SYSTEM finding - DUPLICATE_INVOICE -',
        'FINDING_REVIEWED USER finding OPEN FALSE_POSITIVE two deliveries',
        'DECISION_CHANGED SYSTEM finding BLOCK PASS -',
        `FINDING_ASSIGNED USER finding - ${assigneeUserId} -`,
      ]),
    );
    expect(seen.filter((entry) => entry.startsWith('REANALYZED SYSTEM analysis'))).toHaveLength(1);
    const created = entries.filter(({ kind }) => kind === 'FINDING_CREATED').map(({ refId }) => refId);
    expect(new Set(created)).toEqual(new Set(second.findings.map(({ findingId }) => findingId)));
  });

  test('of another tenant or of no invoice looks like a missing one', async () => {
    const { second } = await duplicatePair(newTenant());
    for (const invoiceId of [second.invoiceId, MISSING_ID]) {
      await expect(read(newTenant(), invoiceId)).rejects.toMatchObject({
        kind: 'not_found',
        message: 'No such invoice.',
      });
    }
  });
});

test('a finding of another tenant looks exactly like one that does not exist, to every rpc', async () => {
  const { finding } = await duplicatePair(newTenant());
  const organizationId = newTenant();
  const assigneeUserId = organization.newMember(organizationId);
  for (const findingId of [finding.findingId, MISSING_ID, 'nonsense']) {
    for (const ask of [
      () => rpc.finding.getFinding({ organizationId, findingId }, ann),
      () => rpc.finding.listFindingHistory({ organizationId, findingId }, ann),
      () => rpc.finding.reviewFinding({ organizationId, findingId, disposition: 'CONFIRMED', note: undefined }, ann),
      () => rpc.finding.assignFinding({ organizationId, findingId, assigneeUserId }, ann),
    ]) {
      await expect(ask()).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such finding.' });
    }
  }
  const { findings } = await rpc.finding.listFindings({ ...anyFinding, organizationId }, ann);
  expect(findings).toEqual([]);
});
