import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { inboxStore } from '../inboxes/storage/inboxes.js';
import type { InboxDocument } from '../inboxes/storage/inboxes.js';
import { asUser } from '../testing/clients.js';
import { textReading, xmlReading } from '../testing/fake-documents.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

/** Id of the default company that every organization has in the fake organization service. */
const MAIN_COMPANY_ID = 'c-main';
const NUMBER = '5265877635-20260511-0100A0D6723E-30';
const KSEF = { channel: 'KSEF', externalId: NUMBER } as const;
const HOME = 'PL61109010140000071219812874';
const OTHER_ACCOUNT = 'PL27114020040000300201355387';
const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const bill = {
  'supplier.name': 'Wrona Sp. z o.o.',
  'supplier.tax_id': 'PL5265877635',
  'supplier.bank_account.iban': HOME,
  invoice_number: 'FV/12/05/2026',
  issue_date: '2026-05-11',
  due_date: '2026-05-25',
  currency: 'PLN',
  net_amount: '1000.00',
  tax_amount: '230.00',
  gross_amount: '1230.00',
};

let running: RunningAnalysis;
let bus: Bus;

beforeAll(async () => {
  const infrastructure = testInfrastructure();
  running = await startAnalysis(startService, infrastructure, testDatabaseName(), {
    jobPauseMsMax: 250,
    env: { KSEF_FAILURE_PERIODS: '2026-06-15/2026-06-16' },
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
});
afterAll(async () => {
  await bus.close();
  await running.stop();
});

async function analyzed(organizationId: string, uploadId: string) {
  const { rpc } = running;
  const { invoiceId } = await rpc.upload.analyzeUpload(
    {
      organizationId,
      uploadId,
      purchaseOrderRef: undefined,
      companyId: undefined,
      analysesPerMonthLimit: undefined,
      respondAsync: false,
      origin: undefined,
    },
    ann,
  );
  return { invoiceId, findings: await findingsOf(organizationId, invoiceId) };
}

async function findingsOf(organizationId: string, invoiceId: string) {
  const { findings } = await running.rpc.latest(organizationId, invoiceId);
  return new Map(findings.map((finding) => [finding.type, finding]));
}

const pdf = (changes: Readonly<Record<string, string | undefined>> = {}) =>
  textReading({ ...bill, ...changes }, { ksefNumber: NUMBER });

/** Publishes an event that states what a KSeF inbox has received, and waits until the service has stored it. */
async function publish(organizationId: string, receivedThroughTime: Date, at = new Date()): Promise<void> {
  const connectionId = randomUUID();
  const body = announce(events.ksefInboxChanged, {
    connectionId,
    companyId: MAIN_COMPANY_ID,
    environment: 'TEST',
    enabled: true,
    fromDate: '2026-04-01',
    receivedThroughTime,
  });
  const [event] = envelopes({ id: connectionId, organizationId, version: 1 }, [body], at);
  if (event === undefined) throw new Error('no event');
  const ksef = await eventPublisher(bus, 'ksef');
  await eventually(() => ksef.publish(event));
  const inboxes = running.mongo.db.collection<InboxDocument>('ksef_inboxes');
  await eventually(async () => expect(await inboxes.findOne({ _id: connectionId })).toMatchObject({ organizationId }));
}

test('a document that names an invoice from KSeF and asks for payment to another account is CRITICAL, in both orders of arrival', async () => {
  const { organization, documents } = running;
  const organizationId = organization.newTenant();
  await analyzed(
    organizationId,
    documents.receive(organizationId, { reading: xmlReading(bill, { format: 'FA3' }) }, KSEF),
  );
  const forged = await analyzed(
    organizationId,
    documents.upload(organizationId, { reading: pdf({ 'supplier.bank_account.iban': OTHER_ACCOUNT }) }),
  );
  expect(forged.findings.get('KSEF_CONTENT_DIFFERS')).toMatchObject({ severity: Severity.CRITICAL });
  expect(forged.findings.get('DUPLICATE_INVOICE')).toMatchObject({ severity: Severity.CRITICAL });

  const other = organization.newTenant();
  await analyzed(other, documents.upload(other, { reading: pdf({ 'supplier.bank_account.iban': OTHER_ACCOUNT }) }));
  const genuine = await analyzed(
    other,
    documents.receive(other, { reading: xmlReading(bill, { format: 'FA3' }) }, KSEF),
  );
  expect(genuine.findings.get('KSEF_CONTENT_DIFFERS')).toMatchObject({ severity: Severity.CRITICAL });
});

test('an account that the XML states as well is no difference, also after a second analysis', async () => {
  const { organization, documents, rpc } = running;
  const organizationId = organization.newTenant();
  const reading = xmlReading(bill, { format: 'FA3', otherIbans: [OTHER_ACCOUNT] });
  await analyzed(organizationId, documents.receive(organizationId, { reading }, KSEF));
  const { invoiceId, findings } = await analyzed(
    organizationId,
    documents.upload(organizationId, { reading: pdf({ 'supplier.bank_account.iban': OTHER_ACCOUNT }) }),
  );
  expect(findings.has('KSEF_CONTENT_DIFFERS')).toBe(false);
  await rpc.reanalyze(organizationId, { invoiceId });
  const again = await findingsOf(organizationId, invoiceId);
  expect(again.has('DUPLICATE_INVOICE')).toBe(true);
  expect(again.has('KSEF_CONTENT_DIFFERS')).toBe(false);
});

test('an invoice that a complete inbox never received is found, and stays found when the inbox goes on', async () => {
  const { organization, documents, rpc } = running;
  const organizationId = organization.newTenant();
  await publish(organizationId, new Date('2026-05-20T00:00:00Z'));
  const missing = await analyzed(organizationId, documents.upload(organizationId, { reading: textReading(bill) }));
  expect(missing.findings.get('KSEF_INVOICE_MISSING')).toMatchObject({ severity: Severity.MEDIUM });
  const early = await analyzed(
    organizationId,
    documents.upload(organizationId, {
      reading: textReading({
        ...bill,
        invoice_number: 'FV/90/05/2026',
        issue_date: '2026-05-19',
        gross_amount: '98.40',
      }),
    }),
  );
  expect(early.findings.has('KSEF_INVOICE_MISSING')).toBe(false);
  // Invoices that came through KSeF later are not among its candidates, so the mark of its own time counts.
  await publish(organizationId, new Date('2026-07-20T00:00:00Z'));
  await rpc.reanalyze(organizationId, early);
  expect((await findingsOf(organizationId, early.invoiceId)).has('KSEF_INVOICE_MISSING')).toBe(false);
  await rpc.reanalyze(organizationId, missing);
  expect((await findingsOf(organizationId, missing.invoiceId)).has('KSEF_INVOICE_MISSING')).toBe(true);
});

test('an announced failure of KSeF and a company without an inbox raise nothing', async () => {
  const { organization, documents } = running;
  const organizationId = organization.newTenant();
  const alone = await analyzed(organizationId, documents.upload(organizationId, { reading: textReading(bill) }));
  expect(alone.findings.has('KSEF_INVOICE_MISSING')).toBe(false);
  await publish(organizationId, new Date('2026-07-20T00:00:00Z'));
  const failed = await analyzed(
    organizationId,
    documents.upload(organizationId, {
      reading: textReading({
        ...bill,
        invoice_number: 'FV/91/06/2026',
        issue_date: '2026-06-15',
        due_date: '2026-06-30',
      }),
    }),
  );
  expect(failed.findings.has('KSEF_INVOICE_MISSING')).toBe(false);
});

test('an older event does not move the mark of an inbox back', async () => {
  const { organization, mongo } = running;
  const organizationId = organization.newTenant();
  const inboxes = mongo.db.collection<InboxDocument>('ksef_inboxes');
  await publish(organizationId, new Date('2026-07-20T00:00:00Z'), new Date('2026-07-20T00:00:01Z'));
  const stored = await inboxes.findOne({ organizationId });
  const { _id: connectionId = '', ...inbox } = stored ?? {};
  await inboxStore(inboxes).save({
    ...(inbox as Omit<InboxDocument, '_id'>),
    connectionId,
    receivedThrough: new Date('2026-05-01T00:00:00Z'),
    changedAt: new Date('2026-05-01T00:00:01Z'),
  });
  expect(await inboxes.findOne({ organizationId })).toEqual(stored);
});
