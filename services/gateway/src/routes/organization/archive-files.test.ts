import { expect, test } from 'vitest';
import { ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { Submission } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { TenantClients } from '../../clients.js';
import { archiveFiles } from './archive-files.js';

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

/** Lists of an organization that has only KSeF submissions, one on each page. */
const ksef = {
  ksefConnections: {
    listConnections: async ({ pageToken }: { pageToken: string }) => ({
      connections: [connectionOf(pageToken === '' ? 'a' : 'b')],
      nextPageToken: pageToken === '' ? 'b' : '',
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

test('the archive has the submissions of all connections, and each confirmation as a file', async () => {
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
  const lines = (files.get('ksef_submissions.jsonl') ?? '').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  expect([...files].filter(([name]) => name.startsWith('ksef_confirmations/'))).toEqual([
    ['ksef_confirmations/UPO_5265877635-20260314-a.xml', '<UPO>a-1</UPO>'],
    ['ksef_confirmations/UPO_5265877635-20260314-b.xml', '<UPO>b-1</UPO>'],
  ]);
  expect(JSON.parse(files.get('manifest.json') ?? '')).toMatchObject({
    records: { ksef_connections: 2, ksef_submissions: 4 },
  });
});
