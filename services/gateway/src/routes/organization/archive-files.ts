import { InvoiceSource, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { ListRecordsRequest, ListRecordsResponse } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import {
  Environment as KsefEnvironment,
  ConnectionStatus as KsefStatus,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { Submission } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { stated } from '../../http/description/fields.js';
import { safeFileName } from '../../http/response/file-name.js';
import type { ArchiveFile } from '../../http/response/zip-archive.js';
import { finding } from '../analysis/finding-record.js';
import { rule } from '../analysis/finding-routing-rules.js';
import { storedInvoice } from '../analysis/stored-invoice.js';
import { connection } from '../erp/erp-connections.js';
import { inboxRun } from '../ksef/inbox-record.js';
import { ksefConnection } from '../ksef/ksef-connections.js';
import { confirmationFileName, submission } from '../ksef/submission-record.js';
import { scan, scanSummary } from '../scan/scans.js';
import { webhook } from '../webhooks/webhooks.js';
import { apiKey } from './api-keys.js';
import { auditEvent } from './audit-events.js';
import { company } from './companies.js';
import { member } from './members.js';
import { notification } from './notifications.js';

/** Version of the layout of the data export archive. Adding a file to the archive does not change the version. */
const FORMAT = 1;

interface Wanted {
  readonly clients: TenantClients;
  /** The organization as a JSON object of the data export archive. */
  readonly organization: object;
  /** The organization's subscription with its usage, as a JSON object of the data export archive. */
  readonly subscription: object;
  /** Start time of the data export. Records that were created later are left out, if their kind has a creation time. */
  readonly begunAt: Date;
  readonly hasOriginals: boolean;
}

/** Yields all data of one organization, file by file. Each file is read page by page while it is written. */
export async function* archiveFiles(wanted: Wanted): AsyncIterable<ArchiveFile> {
  const { clients, organization, subscription, begunAt, hasOriginals } = wanted;
  const records: Record<string, number> = {};
  yield jsonFile('organization.json', () => organization);
  yield jsonFile('subscription.json', () => subscription);
  for (const [kind, pages] of Object.entries(kindsOf(clients, begunAt))) {
    records[kind] = 0;
    yield linesFile(`${kind}.jsonl`, pages, (count) => {
      records[kind] = (records[kind] ?? 0) + count;
    });
  }
  yield* confirmationsOf(clients, begunAt);
  let originals = 0;
  if (hasOriginals) {
    for await (const original of originalsOf(clients, begunAt)) {
      originals++;
      yield original;
    }
  }
  // The manifest is the last file of the data export archive, so that it can state the counts and show that the archive
  // is complete.
  yield jsonFile('manifest.json', () => ({ format: FORMAT, createdAt: begunAt, records, originals }));
}

type Pages = () => AsyncIterable<readonly unknown[]>;

/**
 * Returns the files of the data export that contain records as JSON lines, one file for each kind of record. Records
 * that the API also returns have the format of the API.
 */
function kindsOf(clients: TenantClients, begunAt: Date): Readonly<Record<string, Pages>> {
  const invoicesOf = (source: InvoiceSource) => (page: ListPage) =>
    clients.invoices.listInvoices({
      ...page,
      source,
      decision: Decision.UNSPECIFIED,
      sources: [],
      decisions: [],
      statuses: [],
    });
  const list =
    <Reply extends { readonly nextPageToken: string }>(
      read: (page: ListPage) => Promise<Reply>,
      present: (reply: Reply) => readonly unknown[] | Promise<readonly unknown[]>,
    ): Pages =>
    () =>
      listPages(begunAt, read, present);
  const archived =
    (service: ArchiveClient, kind: string): Pages =>
    () =>
      recordPages(service, kind, begunAt);
  return {
    companies: list(
      (page) => clients.companies.listCompanies(page),
      (reply) => reply.companies.map(company.present),
    ),
    members: list(
      (page) => clients.members.listMembers(page),
      (reply) => reply.members.map(member.present),
    ),
    api_keys: list(
      (page) => clients.apiKeys.listApiKeys(page),
      (reply) => reply.apiKeys.map(apiKey.present),
    ),
    views: archived(clients.organizationArchive, 'views'),
    routing_rules: list(
      (page) => clients.routingRules.listRoutingRules(page),
      (reply) => reply.rules.map(rule.present),
    ),
    suppliers: archived(clients.analysisArchive, 'suppliers'),
    account_verifications: archived(clients.analysisArchive, 'account_verifications'),
    vendors: archived(clients.analysisArchive, 'vendors'),
    erp_orders: archived(clients.analysisArchive, 'erp_orders'),
    erp_payments: archived(clients.analysisArchive, 'erp_payments'),
    invoices: list(invoicesOf(InvoiceSource.UNSPECIFIED), (reply) => reply.invoices.map(storedInvoice.present)),
    erp_bills: list(invoicesOf(InvoiceSource.ERP), (reply) => reply.invoices.map(storedInvoice.present)),
    analyses: archived(clients.analysisArchive, 'analyses'),
    findings: list(
      (page) =>
        clients.findings.listFindings({
          ...page,
          severity: Severity.UNSPECIFIED,
          minSeverity: Severity.UNSPECIFIED,
          sort: FindingSort.NEWEST,
          types: [],
          families: [],
          severities: [],
          dispositions: [],
          isUnassigned: false,
          isWithoutEvidence: false,
        }),
      (reply) => reply.findings.map(finding.present),
    ),
    finding_history: archived(clients.analysisArchive, 'finding_history'),
    scans: list(
      (page) => clients.scans.listScans({ ...page, companyId: undefined }),
      async (reply) => {
        const scans: unknown[] = [];
        for (const summary of reply.scans) {
          // The rows of a history scan are exported as invoices. Only the history scan itself contains the skipped
          // rows.
          const stored = await clients.scans.getScan({ scanId: summary.scanId });
          scans.push({ ...scanSummary.present(summary), ...scan.present(stated(stored.scan)) });
        }
        return scans;
      },
    ),
    uploads: archived(clients.documentArchive, 'uploads'),
    readings: archived(clients.analysisArchive, 'readings'),
    erp_connections: list(
      (page) =>
        clients.erpConnections.listConnections({
          ...page,
          companyId: undefined,
          provider: undefined,
          status: ConnectionStatus.UNSPECIFIED,
        }),
      (reply) => reply.connections.map(connection.present),
    ),
    ksef_connections: list(
      (page) =>
        clients.ksefConnections.listConnections({
          ...page,
          companyId: undefined,
          environment: KsefEnvironment.UNSPECIFIED,
          status: KsefStatus.UNSPECIFIED,
        }),
      (reply) => reply.connections.map(ksefConnection.present),
    ),
    async *ksef_submissions() {
      for await (const page of ksefSubmissionPages(clients, begunAt)) yield page.map(submission.present);
    },
    async *ksef_inbox_runs() {
      for await (const connectionId of ksefConnectionIds(clients, begunAt)) {
        const { runs } = await clients.ksefInbox.listInboxRuns({ connectionId });
        const begun = runs.filter(({ startedTime }) => stated(startedTime) < begunAt);
        yield begun.map((run) => ({ connectionId, ...inboxRun.present(run) }));
      }
    },
    webhooks: list(
      (page) => clients.webhooks.listEndpoints(page),
      (reply) => reply.endpoints.map(webhook.present),
    ),
    webhook_deliveries: archived(clients.webhookArchive, 'webhook_deliveries'),
    notifications: list(
      (page) => clients.notifications.listNotifications(page),
      (reply) => reply.notifications.map(notification.present),
    ),
    subscriptions: archived(clients.billingArchive, 'subscriptions'),
    checkouts: archived(clients.billingArchive, 'checkouts'),
    payment_notifications: archived(clients.billingArchive, 'payment_notifications'),
    audit_events: list(
      (page) => clients.audit.listAuditEvents(page),
      (reply) => reply.auditEvents.map(auditEvent.present),
    ),
  };
}

interface ListPage {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly createdFromTime: undefined;
  readonly createdToTime: Date;
}

async function* listPages<Reply extends { readonly nextPageToken: string }, T>(
  begunAt: Date,
  read: (page: ListPage) => Promise<Reply>,
  present: (reply: Reply) => readonly T[] | Promise<readonly T[]>,
): AsyncIterable<readonly T[]> {
  for (let pageToken = ''; ;) {
    const reply = await read({
      pageSize: PAGE_SIZE_MAX,
      pageToken,
      createdFromTime: undefined,
      createdToTime: begunAt,
    });
    yield await present(reply);
    if (reply.nextPageToken === '') return;
    pageToken = reply.nextPageToken;
  }
}

async function* ksefConnectionIds({ ksefConnections }: TenantClients, begunAt: Date): AsyncIterable<string> {
  const any = { companyId: undefined, environment: KsefEnvironment.UNSPECIFIED, status: KsefStatus.UNSPECIFIED };
  const pages = listPages(
    begunAt,
    (page) => ksefConnections.listConnections({ ...page, ...any }),
    (reply) => reply.connections.map(({ connectionId }) => connectionId),
  );
  for await (const connectionIds of pages) yield* connectionIds;
}

/** Yields the KSeF submissions of all connections for the export, one connection after another. */
async function* ksefSubmissionPages(clients: TenantClients, begunAt: Date): AsyncIterable<readonly Submission[]> {
  for await (const connectionId of ksefConnectionIds(clients, begunAt)) {
    const any = { connectionId, status: SubmissionStatus.UNSPECIFIED, invoiceId: undefined };
    yield* listPages(
      begunAt,
      (page) => clients.ksefSubmissions.listSubmissions({ ...page, ...any }),
      (reply) => reply.submissions,
    );
  }
}

/** Yields the confirmations of receipt exactly as KSeF issued them, as `ksef_confirmations/UPO_<ksefNumber>.xml`. */
async function* confirmationsOf(clients: TenantClients, begunAt: Date): AsyncIterable<ArchiveFile> {
  for await (const page of ksefSubmissionPages(clients, begunAt)) {
    for (const { connectionId, submissionId, ksefNumber, upoReferenceNumber } of page) {
      if (ksefNumber === undefined || upoReferenceNumber === undefined) continue;
      yield {
        name: `ksef_confirmations/${confirmationFileName(ksefNumber)}`,
        compress: true,
        async *content() {
          yield (await clients.ksefSubmissions.getConfirmation({ connectionId, submissionId })).xml;
        },
      };
    }
  }
}

interface ArchiveClient {
  listRecords(request: Omit<ListRecordsRequest, 'organizationId'>): Promise<ListRecordsResponse>;
}

async function* recordPages(
  service: ArchiveClient,
  kind: string,
  createdBeforeTime: Date,
): AsyncIterable<readonly unknown[]> {
  for (let pageToken = ''; ;) {
    const { recordsJson, nextPageToken } = await service.listRecords({ kind, pageToken, createdBeforeTime });
    yield recordsJson.map((json) => JSON.parse(json) as unknown);
    if (nextPageToken === '') return;
    pageToken = nextPageToken;
  }
}

/** The fields of an upload in `uploads.jsonl` that are needed to export the original file. */
const upload = z.object({ id: z.string(), status: z.enum(['RESERVED', 'UPLOADED']), mediaType: z.string() });

/** Yields the uploaded files unchanged for the data export, as `originals/<upload id>.<extension>`. */
async function* originalsOf({ documentArchive, documents }: TenantClients, begunAt: Date): AsyncIterable<ArchiveFile> {
  for await (const page of recordPages(documentArchive, 'uploads', begunAt)) {
    for (const { id: uploadId, status, mediaType } of page.map((record) => upload.parse(record))) {
      if (status !== 'UPLOADED') continue;
      yield {
        name: `originals/${safeFileName(uploadId, mediaType, uploadId)}`,
        compress: mediaType === 'application/xml',
        async *content() {
          const whole = { uploadId, firstByte: undefined, lastByte: undefined, invoiceId: undefined };
          for await (const { content } of documents.readDocument(whole)) yield content;
        },
      };
    }
  }
}

function jsonFile(name: string, value: () => object): ArchiveFile {
  return {
    name,
    compress: true,
    async *content() {
      yield Buffer.from(`${JSON.stringify(value())}\n`);
    },
  };
}

function linesFile(name: string, pages: Pages, count: (records: number) => void): ArchiveFile {
  return {
    name,
    compress: true,
    async *content() {
      for await (const records of pages()) {
        count(records.length);
        if (records.length > 0) yield Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      }
    },
  };
}
