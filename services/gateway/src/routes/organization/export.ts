import { z } from 'zod';
import { stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import { zipArchive } from '../../http/response/zip-archive.js';
import { readSubscription } from '../billing/billing.js';
import { archiveFiles } from './archive-files.js';
import { organization as organizationRecord } from './organizations.js';

/**
 * Timeout of one call of the data export. It is long enough to read a page, or an original file of the maximum size for
 * a slow reader.
 */
const READ_TIMEOUT_MS = 120_000;

export const exportOrganization = route({
  operation: 'exportOrganization',
  method: 'get',
  path: '/organizations/current/export',
  summary: 'Export all data of the organization',
  description:
    'Returns a ZIP archive with one file of JSON lines for each kind of record. With `include=originals` the archive also has the uploaded files. The archive is created while it is sent, so its length is not known in advance; its last file, `manifest.json`, lists the contents. The archive contains no secrets. Only one archive of an organization can be created at a time.',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/BeginExport',
  alsoAsks: [
    'invoicecontrol.analysis.v1.FindingService/ListFindings',
    'invoicecontrol.analysis.v1.InvoiceService/ListInvoices',
    'invoicecontrol.analysis.v1.RoutingRuleService/ListRoutingRules',
    'invoicecontrol.archive.v1.ArchiveService/ListRecords',
    'invoicecontrol.billing.v1.SubscriptionService/GetSubscription',
    'invoicecontrol.documents.v1.DocumentService/ReadDocument',
    'invoicecontrol.erp_sync.v1.ConnectionService/ListConnections',
    'invoicecontrol.ksef.v1.ConnectionService/ListConnections',
    'invoicecontrol.ksef.v1.InboxService/ListInboxRuns',
    'invoicecontrol.ksef.v1.SubmissionService/GetConfirmation',
    'invoicecontrol.ksef.v1.SubmissionService/ListSubmissions',
    'invoicecontrol.organization.v1.ApiKeyService/ListApiKeys',
    'invoicecontrol.organization.v1.AuditService/ListAuditEvents',
    'invoicecontrol.organization.v1.CompanyService/ListCompanies',
    'invoicecontrol.organization.v1.MemberService/ListMembers',
    'invoicecontrol.organization.v1.NotificationService/ListNotifications',
    'invoicecontrol.organization.v1.OrganizationService/GetBillingContact',
    'invoicecontrol.organization.v1.OrganizationService/GetOrganization',
    'invoicecontrol.scan.v1.ScanService/GetScan',
    'invoicecontrol.scan.v1.ScanService/ListScans',
    'invoicecontrol.usage.v1.UsageService/GetUsage',
    'invoicecontrol.webhooks.v1.EndpointService/ListEndpoints',
  ],
  access: { minimumRole: 'OWNER', scope: 'organization:read' },
  timeoutMs: READ_TIMEOUT_MS,
  isOneAtATime: true,
  query: z.strictObject({
    include: z
      .literal('originals')
      .optional()
      .describe('The additional content of the exported archive: `originals` adds the uploaded files.'),
  }),
  responses: {
    200: {
      description: 'The ZIP archive with the data of the organization.',
      mediaTypes: ['application/zip'],
      headers: ['Content-Disposition'],
    },
  },
  refusals: [409],
  async handle({ query, isHead, principal }, clients) {
    const hasOriginals = query.include === 'originals';
    const begun = isHead
      ? { ...(await clients.organizations.getOrganization({})), begunTime: new Date() }
      : await clients.organizations.beginExport({ includesOriginals: hasOriginals });
    const organization = organizationRecord.present(stated(begun.organization));
    const begunAt = stated(begun.begunTime);
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="invoice-control-${begunAt.toISOString().slice(0, 10)}.zip"`,
    };
    if (isHead) return { status: 200, headers };
    const subscription = await readSubscription(principal, clients);
    const files = archiveFiles({ clients, organization, subscription, begunAt, hasOriginals });
    return { status: 200, headers, content: zipArchive(files, begunAt) };
  },
});
