import { expect, test } from 'vitest';
import { ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { InboxRole, InboxRunStatus, InboxRunTrigger } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import type { InboxRun } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { Submission } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { Definition } from '@invoicecontrol/contracts/definition';
import { rpcServices } from '../../clients.js';
import type { TenantClients } from '../../clients.js';
import { principal } from '../../testing/fakes.js';
import { readSubscription } from '../billing/billing.js';
import { archiveFiles } from './archive-files.js';
import { exportOrganization } from './export.js';

const at = new Date('2026-03-14T09:30:00.000Z');
const submissionOf = (connectionId: string, number: number): Submission => ({
  submissionId: `${connectionId}-${number}`,
  companyId: 'company',
  connectionId,
  invoiceId: `invoice-${number}`,
  status: number === 1 ? SubmissionStatus.ACCEPTED : SubmissionStatus.QUEUED,
  sessionReferenceNumber: undefined,
  invoiceReferenceNumber: undefined,
  ksefNumber: number === 1 ? `5265877635-20260314-${connectionId}` : undefined,
  upoReferenceNumber: number === 1 ? 'upo' : undefined,
  errorCode: undefined,
  errorMessage: undefined,
  submittedTime: undefined,
  completedTime: undefined,
  createdTime: at,
  updatedTime: at,
  nextStep: 'Nothing has to be done.',
  verificationUrl: undefined,
  warnings: [],
});
const connectionOf = (connectionId: string) => ({
  connectionId,
  companyId: 'company',
  companyName: undefined,
  environment: Environment.TEST,
  contextNipMasked: '******7635',
  status: ConnectionStatus.CONNECTED,
  lastTestedTime: undefined,
  lastErrorMessage: undefined,
  createdTime: at,
  warnings: [],
});

const runOf = (runId: string, startedTime: Date): InboxRun => ({
  runId,
  role: InboxRole.SUBJECT2,
  trigger: InboxRunTrigger.SCHEDULE,
  status: InboxRunStatus.SUCCEEDED,
  fromTime: startedTime,
  throughTime: startedTime,
  received: 3,
  repeated: 0,
  refused: [{ ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'Its file is missing.' }],
  errorMessage: undefined,
  startedTime,
  finishedTime: startedTime,
});

/** Lists of an organization that has only KSeF submissions, one on each page, and inbox runs. */
const ksef = {
  ksefConnections: {
    listConnections: async ({ pageToken }: { pageToken: string }) => ({
      connections: [connectionOf(pageToken === '' ? 'a' : 'b')],
      nextPageToken: pageToken === '' ? 'b' : '',
    }),
  },
  ksefInbox: {
    listInboxRuns: async ({ connectionId }: { connectionId: string }) => ({
      runs: [runOf(`${connectionId}-later`, at), runOf(connectionId, new Date(at.getTime() - 1))],
    }),
  },
  ksefSubmissions: {
    listSubmissions: async ({ connectionId, pageToken }: { connectionId: string; pageToken: string }) => ({
      submissions: [submissionOf(connectionId, pageToken === '' ? 1 : 2)],
      nextPageToken: pageToken === '' ? '2' : '',
    }),
    getConfirmation: async ({ submissionId }: { submissionId: string }) => ({
      xml: Buffer.from(`<UPO>${submissionId}</UPO>`),
      ksefNumber: '',
    }),
  },
};
const empty = new Proxy({}, { get: (_, name) => (name === 'nextPageToken' ? '' : []) });
const nothing = new Proxy({}, { get: () => () => Promise.resolve(empty) });
const clients = new Proxy(ksef, { get: (own, name) => own[name as keyof typeof own] ?? nothing });

async function readArchive(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const wanted = {
    clients: clients as unknown as TenantClients,
    organization: {},
    subscription: {},
    begunAt: at,
    hasOriginals: false,
  };
  for await (const { name, content } of archiveFiles(wanted)) {
    const parts: Uint8Array[] = [];
    for await (const part of content()) parts.push(part);
    files.set(name, Buffer.concat(parts).toString());
  }
  return files;
}

const linesOf = (files: ReadonlyMap<string, string>, name: string): readonly Record<string, unknown>[] =>
  (files.get(name) ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('the archive has the submissions of all connections, and each confirmation as a file', async () => {
  const files = await readArchive();
  expect(linesOf(files, 'ksef_submissions.jsonl').map(({ id }) => id)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  expect([...files].filter(([name]) => name.startsWith('ksef_confirmations/'))).toEqual([
    ['ksef_confirmations/UPO_5265877635-20260314-a.xml', '<UPO>a-1</UPO>'],
    ['ksef_confirmations/UPO_5265877635-20260314-b.xml', '<UPO>b-1</UPO>'],
  ]);
  expect(JSON.parse(files.get('manifest.json') ?? '')).toMatchObject({
    records: { ksef_connections: 2, ksef_submissions: 4 },
  });
});

test('the archive has the inbox runs of all connections that started before the export', async () => {
  const files = await readArchive();
  const run = {
    role: 'SUBJECT2',
    status: 'SUCCEEDED',
    received: 3,
    refused: [{ ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'Its file is missing.' }],
  };
  expect(linesOf(files, 'ksef_inbox_runs.jsonl')).toMatchObject([
    { connectionId: 'a', id: 'a', ...run },
    { connectionId: 'b', id: 'b', ...run },
  ]);
  expect(JSON.parse(files.get('manifest.json') ?? '')).toMatchObject({ records: { ksef_inbox_runs: 2 } });
});

type Rpc = (request: object) => unknown;

test('the export states every rpc that it calls, because the owners of the data let it call no other', async () => {
  const one = {
    ...ksef,
    subscriptions: { getSubscription: async () => ({ subscription: undefined, duplicates: [] }) },
    scans: { listScans: async () => ({ scans: [{ scanId: 'scan' }], nextPageToken: '' }), getScan: async () => ({}) },
    documentArchive: {
      listRecords: async () => ({
        recordsJson: [JSON.stringify({ id: 'upload', status: 'UPLOADED', mediaType: 'application/pdf' })],
        nextPageToken: '',
      }),
    },
    documents: { async *readDocument() {} },
  };
  const called = new Set<string>();
  const noting = new Proxy(one, {
    get: (own, name: keyof typeof rpcServices) => {
      const { fullName, methods }: Definition = rpcServices[name].definition;
      const rpcs = ((own as object)[name as keyof object] ?? nothing) as Readonly<Record<string, Rpc>>;
      return new Proxy(rpcs, {
        get: (_, method: string) => (request: object) => {
          called.add(`${fullName}/${methods[method]?.name}`);
          return rpcs[method]?.(request);
        },
      });
    },
  }) as unknown as TenantClients;
  // The responses are too poor to be shown, and only the calls count here.
  const ignore = (): void => {};
  await readSubscription(principal(), noting).catch(ignore);
  const wanted = { clients: noting, organization: {}, subscription: {}, begunAt: at, hasOriginals: true };
  for await (const { content } of archiveFiles(wanted)) {
    const read = async (): Promise<void> => {
      for await (const part of content()) expect(part).toBeInstanceOf(Uint8Array);
    };
    await read().catch(ignore);
  }
  const { rpc, alsoAsks = [] } = exportOrganization;
  // The request HEAD reads the organization instead of beginning an export.
  called.add('invoicecontrol.organization.v1.OrganizationService/GetOrganization');
  expect([...called, rpc].toSorted((a, b) => a.localeCompare(b))).toEqual(
    [...alsoAsks, rpc].toSorted((a, b) => a.localeCompare(b)),
  );
});
