import { hasScope, isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role, Scope } from '@invoicecontrol/api-key/rights';

/** Rights of an API key or a session that are enough to call an rpc. An empty one is met by every key and session. */
export interface Right {
  readonly role?: Role;
  readonly scope?: Scope;
}

/** Every API key and every session meets this right. */
const none: Right = {};
/** The export of an organization reads all of its data, with no other scope than this one. */
const exporting: Right = { role: 'OWNER', scope: 'organization:read' };
const readsOrganization: Right = { role: 'ADMIN', scope: 'organization:read' };
const changesOrganization: Right = { role: 'ADMIN', scope: 'organization:write' };
const ownsOrganization: Right = { role: 'OWNER', scope: 'organization:write' };
const readsDocuments: Right = { role: 'ANALYST', scope: 'documents:read' };
const paysInvoices: Right = { role: 'ANALYST', scope: 'payments:write' };
const changesRouting: Right = { role: 'ADMIN', scope: 'routing:write' };
const readsErp: Right = { role: 'ADMIN', scope: 'erp:read' };
const changesErp: Right = { role: 'ADMIN', scope: 'erp:write' };
const readsKsef: Right = { role: 'ADMIN', scope: 'ksef:read' };
const changesKsef: Right = { role: 'ADMIN', scope: 'ksef:write' };
const submitsToKsef: Right = { role: 'ADMIN', scope: 'ksef:submit' };
const pays: Right = { role: 'ADMIN', scope: 'billing:write' };
const replaysDeliveries: Right = { role: 'ADMIN', scope: 'webhooks:write' };

/**
 * The table of rights: what the caller of a request must be allowed to do so that the gateway may call an rpc for it, by
 * the full name of the service of the rpc. An rpc that several routes of the gateway call lists the rights of each of
 * them, except those that another listed right includes. A test of the gateway compares the table with its routes.
 */
export const rightsByService: Readonly<Record<string, Readonly<Record<string, readonly Right[]>>>> = {
  'invoicecontrol.analysis.v1.AnalysisService': {
    ...needing([{ scope: 'invoices:read' }], 'ListAnalyses'),
    ...needing([{ role: 'ANALYST', scope: 'invoices:write' }], 'ReanalyzeInvoice'),
  },
  'invoicecontrol.analysis.v1.FindingService': {
    ...needing([{ scope: 'findings:read' }], 'GetFinding', 'ListFindingHistory', 'SummarizeFindings'),
    ...needing([{ scope: 'findings:read' }, exporting], 'ListFindings'),
    ...needing([{ scope: 'scans:read' }], 'ReportScan'),
    ...needing([{ scope: 'findings:review' }], 'ReviewFinding'),
    ...needing([{ role: 'ANALYST', scope: 'findings:assign' }], 'AssignFinding'),
  },
  'invoicecontrol.analysis.v1.InvoiceService': {
    ...needing([{ scope: 'invoices:write' }], 'AnalyzeInvoice'),
    ...needing([{ scope: 'invoices:read' }], 'GetLatestAnalysis', 'ListInvoiceTimeline'),
    ...needing([{ scope: 'invoices:read' }, exporting], 'ListInvoices'),
    // The name of a document is that of its invoice.
    ...needing([{ scope: 'invoices:read' }, readsDocuments], 'GetInvoice'),
  },
  'invoicecontrol.analysis.v1.PaymentRunService': {
    ...needing([{ scope: 'payments:read' }], 'GetPaymentRun', 'ListPaymentRuns', 'ListPaymentLines'),
    ...needing(
      [paysInvoices],
      'CreatePaymentRun',
      'RecheckPaymentRun',
      'DownloadPaymentFile',
      'ReleasePaymentLine',
      'ReportPaymentStatuses',
    ),
  },
  'invoicecontrol.analysis.v1.PolicyService': needing(
    [{ scope: 'findings:read' }],
    'GetCurrentPolicy',
    'ListFindingTypes',
  ),
  'invoicecontrol.analysis.v1.RoutingRuleService': {
    ...needing([{ role: 'ANALYST', scope: 'findings:read' }], 'GetRoutingRule'),
    ...needing([{ role: 'ANALYST', scope: 'findings:read' }, exporting], 'ListRoutingRules'),
    ...needing([changesRouting], 'CreateRoutingRule', 'UpdateRoutingRule', 'DeleteRoutingRule'),
  },
  'invoicecontrol.analysis.v1.SupplierService': {
    ...needing([{ scope: 'invoices:read' }], 'ListSuppliers', 'GetSupplier'),
    ...needing([paysInvoices], 'CreateVerification', 'ConfirmVerification'),
    ...needing([{ scope: 'payments:read' }], 'ListAccountChanges'),
  },
  'invoicecontrol.analysis.v1.UploadAnalysisService': {
    ...needing([{ scope: 'invoices:write' }], 'AnalyzeUpload'),
    ...needing([{ role: 'ANALYST', scope: 'invoices:write' }], 'CorrectUpload'),
    ...needing([{ scope: 'invoices:read' }], 'GetUploadAnalysis', 'ListUploadAnalyses', 'ExportInvoice'),
    ...needing([readsDocuments], 'GetDocumentFields'),
  },
  'invoicecontrol.analysis.v1.VendorService': needing(
    [{ role: 'ANALYST', scope: 'invoices:read' }],
    'ListVendors',
    'GetVendor',
  ),
  'invoicecontrol.archive.v1.ArchiveService': needing([exporting], 'ListRecords'),
  'invoicecontrol.billing.v1.CheckoutService': needing([pays], 'CreateCheckout', 'CreateCheckoutSession'),
  'invoicecontrol.billing.v1.PaymentNotificationService': needing([none], 'ReceiveNotification'),
  'invoicecontrol.billing.v1.SubscriptionService': {
    ...needing([readsOrganization], 'GetSubscription'),
    ...needing([pays], 'CreatePortalSession'),
  },
  'invoicecontrol.documents.v1.DocumentService': {
    ...needing([readsDocuments], 'DescribeDocument', 'DescribeRendering', 'ReadRendering'),
    ...needing([readsDocuments, exporting], 'ReadDocument'),
  },
  'invoicecontrol.documents.v1.UploadService': {
    ...needing([{ scope: 'uploads:write' }], 'ReserveUpload', 'AuthorizeUpload', 'ReceiveUpload'),
    ...needing([{ scope: 'invoices:read' }], 'GetUpload'),
  },
  'invoicecontrol.erp_sync.v1.ConnectionService': {
    ...needing([readsErp], 'GetConnection'),
    ...needing([readsErp, exporting], 'ListConnections'),
    ...needing([changesErp], 'CreateConnection', 'UpdateConnection', 'TestConnection', 'DeleteConnection'),
  },
  'invoicecontrol.erp_sync.v1.OAuthService': {
    ...needing([changesErp], 'StartOAuth'),
    ...needing([none], 'ReceiveCallback', 'DecideConfirmation'),
  },
  'invoicecontrol.erp_sync.v1.RunService': {
    ...needing([changesErp], 'StartRun'),
    ...needing([readsErp], 'ListRuns'),
  },
  'invoicecontrol.ksef.v1.ConnectionService': {
    // Requests about a whole connection read it first.
    ...needing([readsKsef, changesKsef, submitsToKsef], 'GetConnection'),
    ...needing([readsKsef, exporting], 'ListConnections'),
    ...needing([changesKsef], 'SaveConnection', 'TestConnection', 'DisableConnection'),
  },
  'invoicecontrol.ksef.v1.InboxService': {
    ...needing([readsKsef, exporting], 'ListInboxRuns'),
    ...needing([changesKsef], 'UpdateInbox', 'StartInboxRuns', 'DismissRefusedInvoice'),
  },
  'invoicecontrol.ksef.v1.SubmissionService': {
    ...needing([readsKsef], 'ListAllSubmissions', 'GetSubmission', 'ListAttempts'),
    ...needing([readsKsef, exporting], 'ListSubmissions', 'GetConfirmation'),
    ...needing([submitsToKsef], 'CreateSubmission', 'CancelSubmission'),
  },
  'invoicecontrol.organization.v1.AccessService': needing(
    [none],
    'AuthenticateKey',
    'AuthenticateSession',
    'ReserveRequests',
  ),
  'invoicecontrol.organization.v1.ApiKeyService': {
    ...needing([readsOrganization], 'ListApiKeys', 'GetApiKey'),
    ...needing([changesOrganization], 'CreateApiKey', 'UpdateApiKey', 'RevokeApiKey'),
  },
  // The timeline of an invoice has the audit events about it.
  'invoicecontrol.organization.v1.AuditService': needing(
    [{ scope: 'invoices:read' }, readsOrganization],
    'ListAuditEvents',
  ),
  'invoicecontrol.organization.v1.CompanyService': {
    ...needing([readsOrganization], 'ListCompanies', 'GetCompany'),
    ...needing([changesOrganization], 'CreateCompany', 'UpdateCompany', 'DeleteCompany'),
  },
  'invoicecontrol.organization.v1.MemberService': {
    ...needing([readsOrganization], 'ListMembers', 'GetMember'),
    ...needing([{ role: 'ANALYST', scope: 'findings:assign' }], 'ListAssignees'),
    ...needing([{ scope: 'invoices:read' }, { scope: 'findings:read' }], 'NameActors'),
    ...needing([changesOrganization], 'InviteMember', 'UpdateMember', 'RemoveMember'),
    ...needing([none], 'AcceptInvitation'),
  },
  'invoicecontrol.organization.v1.NotificationService': needing([readsOrganization], 'ListNotifications'),
  'invoicecontrol.organization.v1.OrganizationService': {
    ...needing([{ scope: 'organization:read' }], 'GetOrganization'),
    ...needing([readsOrganization, pays], 'GetBillingContact'),
    ...needing([exporting], 'BeginExport'),
    ...needing(
      [ownsOrganization],
      'UpdateOrganization',
      'UpdateBaseCurrency',
      'UpdateReferenceValidation',
      'DeleteOrganization',
    ),
    ...needing([none], 'RestoreOrganization'),
  },
  'invoicecontrol.organization.v1.SessionService': {
    ...needing([none], 'CreateSession', 'EndSession', 'DescribeCaller'),
    ...needing([readsOrganization], 'ListSessions'),
  },
  'invoicecontrol.organization.v1.ViewService': needing(
    [{ scope: 'findings:read' }],
    'ListViews',
    'GetView',
    'CreateView',
    'UpdateView',
    'DeleteView',
  ),
  'invoicecontrol.scan.v1.ScanService': {
    ...needing([{ scope: 'scans:write' }], 'CreateScan'),
    ...needing([{ scope: 'scans:read' }, exporting], 'GetScan', 'ListScans'),
  },
  'invoicecontrol.usage.v1.UsageService': needing([{ scope: 'organization:read' }], 'GetUsage', 'ListUsageHistory'),
  'invoicecontrol.webhooks.v1.DeliveryService': {
    ...needing([{ scope: 'webhooks:read' }], 'ListDeliveries', 'GetDelivery'),
    ...needing([replaysDeliveries], 'ReplayDelivery'),
  },
  'invoicecontrol.webhooks.v1.EndpointService': {
    ...needing([{ scope: 'webhooks:read' }], 'GetEndpoint'),
    ...needing([{ scope: 'webhooks:read' }, exporting], 'ListEndpoints'),
    ...needing([{ scope: 'webhooks:write' }], 'CreateEndpoint', 'UpdateEndpoint', 'DeleteEndpoint', 'TestEndpoint'),
    ...needing([replaysDeliveries], 'RotateSecret', 'ReplayFailedDeliveries'),
  },
};

const rightsByPath = new Map<string, readonly Right[]>(
  Object.entries(rightsByService).flatMap(([service, rpcs]) =>
    Object.entries(rpcs).map(([rpc, rights]): [string, readonly Right[]] => [`/${service}/${rpc}`, rights]),
  ),
);

/**
 * Returns the rights of which a caller needs one so that the gateway may call an rpc for it.
 * @param path of the rpc, such as `/invoicecontrol.scan.v1.ScanService/GetScan`
 * @returns undefined for an rpc that is not listed, which the gateway may not call
 */
export function rightsOf(path: string): readonly Right[] | undefined {
  return rightsByPath.get(path);
}

/**
 * Returns what a caller lacks so that the gateway may call an rpc for it.
 * @param path of the rpc, such as `/invoicecontrol.scan.v1.ScanService/GetScan`
 * @returns undefined if the caller has one of the rights; `scope` if the role of the caller would be enough
 */
export function lackedFor(
  path: string,
  caller: { readonly role: string; readonly scopes: readonly string[] },
): keyof Right | undefined {
  const ofRole = (rightsOf(path) ?? []).filter(({ role }) => role === undefined || isRoleAtLeast(caller.role, role));
  if (ofRole.length === 0) return 'role';
  return ofRole.some(({ scope }) => scope === undefined || hasScope(caller.scopes, scope)) ? undefined : 'scope';
}

function needing(rights: readonly Right[], ...rpcs: readonly string[]): Readonly<Record<string, readonly Right[]>> {
  return Object.fromEntries(rpcs.map((rpc) => [rpc, rights]));
}
