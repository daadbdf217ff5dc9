/** The programs that may call services over gRPC, as their certificates name them. */
export const callerNames = [
  'gateway',
  'organization',
  'analysis',
  'scan',
  'webhooks',
  'erp-sync',
  'ksef',
  'operator',
] as const;

/** Trust domain in the certificates of an installation that configures no other trust domain. */
export const TRUST_DOMAIN_DEFAULT = 'invoice-control.local';

/** Name of a program that may call the gRPC services, such as `gateway`. */
export type Caller = (typeof callerNames)[number];

/** Callers of the rpcs that every program with a certificate of the installation may call. */
export const EVERYONE = 'everyone';

type Callers = readonly Caller[] | typeof EVERYONE;

/**
 * The table of callers: who may call which rpc, by the full name of its service. A service refuses all other callers,
 * and does not start if one of its rpcs is missing here. A caller is listed only if its code has a client that calls
 * the rpc.
 */
export const callersByService: Readonly<Record<string, Readonly<Record<string, Callers>>>> = {
  'invoicecontrol.analysis.v1.AnalysisService': by(['gateway'], 'ListAnalyses', 'ReanalyzeInvoice'),
  'invoicecontrol.analysis.v1.ErpImportService': by(
    ['erp-sync'],
    'ImportVendors',
    'ImportVendorAccounts',
    'ImportBills',
    'ImportOrders',
    'ImportPayments',
    'ReconcileIds',
    'DeleteRecords',
    'CompleteImport',
    'EndMaster',
  ),
  'invoicecontrol.analysis.v1.FindingService': by(
    ['gateway'],
    'ListFindings',
    'SummarizeFindings',
    'ReportScan',
    'GetFinding',
    'ListFindingHistory',
    'ReviewFinding',
    'AssignFinding',
  ),
  'invoicecontrol.analysis.v1.InvoiceService': {
    ...by(['gateway'], 'AnalyzeInvoice', 'ListInvoices', 'GetLatestAnalysis', 'ListInvoiceTimeline'),
    ...by(['gateway', 'ksef'], 'GetInvoice'),
  },
  'invoicecontrol.analysis.v1.OperatorService': by(['operator'], 'ReplayAnalyses', 'DryRunPolicy', 'OverridePolicy'),
  'invoicecontrol.analysis.v1.PaymentRunService': by(
    ['gateway'],
    'CreatePaymentRun',
    'GetPaymentRun',
    'ListPaymentRuns',
    'ListPaymentLines',
    'RecheckPaymentRun',
    'DownloadPaymentFile',
    'ReleasePaymentLine',
    'ReportPaymentStatuses',
  ),
  'invoicecontrol.analysis.v1.PolicyService': by(['gateway'], 'GetCurrentPolicy', 'ListFindingTypes'),
  'invoicecontrol.analysis.v1.RoutingRuleService': by(
    ['gateway'],
    'ListRoutingRules',
    'GetRoutingRule',
    'CreateRoutingRule',
    'UpdateRoutingRule',
    'DeleteRoutingRule',
  ),
  'invoicecontrol.analysis.v1.RowAnalysisService': by(['scan'], 'AnalyzeRows'),
  'invoicecontrol.analysis.v1.SupplierService': by(
    ['gateway'],
    'ListSuppliers',
    'GetSupplier',
    'CreateVerification',
    'ConfirmVerification',
    'ListAccountChanges',
  ),
  'invoicecontrol.analysis.v1.UploadAnalysisService': {
    ...by(['gateway', 'ksef'], 'AnalyzeUpload'),
    ...by(
      ['gateway'],
      'GetUploadAnalysis',
      'ListUploadAnalyses',
      'CorrectUpload',
      'GetDocumentFields',
      'ExportInvoice',
    ),
  },
  'invoicecontrol.analysis.v1.VendorService': by(['gateway'], 'ListVendors', 'GetVendor'),
  'invoicecontrol.archive.v1.ArchiveService': by(['gateway'], 'ListRecords'),
  'invoicecontrol.billing.v1.CheckoutService': by(['gateway'], 'CreateCheckout', 'CreateCheckoutSession'),
  'invoicecontrol.billing.v1.OperatorService': by(['operator'], 'ReconcileSubscriptions', 'LinkSubscription'),
  'invoicecontrol.billing.v1.PaymentNotificationService': by(['gateway'], 'ReceiveNotification'),
  'invoicecontrol.billing.v1.SubscriptionService': {
    ...by(['gateway'], 'GetSubscription', 'CreatePortalSession'),
    ...by(['organization'], 'CheckDeletion', 'RegisterOrganization'),
  },
  'invoicecontrol.documents.v1.DocumentService': {
    ...by(['analysis'], 'ExtractDocument', 'FindContact'),
    ...by(['gateway'], 'DescribeDocument', 'DescribeRendering', 'ReadRendering'),
    ...by(['gateway', 'ksef'], 'ReadDocument'),
    ...by(['ksef'], 'DescribeFa3', 'CheckConfirmation'),
  },
  'invoicecontrol.documents.v1.UploadService': {
    ...by(['gateway'], 'ReserveUpload', 'AuthorizeUpload', 'ReceiveUpload', 'GetUpload'),
    ...by(['analysis'], 'KeepUpload'),
    ...by(['ksef'], 'StoreChannelDocument'),
  },
  'invoicecontrol.erp_sync.v1.ConnectionService': by(
    ['gateway'],
    'CreateConnection',
    'ListConnections',
    'GetConnection',
    'UpdateConnection',
    'TestConnection',
    'DeleteConnection',
  ),
  'invoicecontrol.erp_sync.v1.OAuthService': by(['gateway'], 'StartOAuth', 'ReceiveCallback', 'DecideConfirmation'),
  'invoicecontrol.erp_sync.v1.RunService': by(['gateway'], 'StartRun', 'ListRuns'),
  'invoicecontrol.ksef.v1.ConnectionService': by(
    ['gateway'],
    'SaveConnection',
    'ListConnections',
    'GetConnection',
    'TestConnection',
    'DisableConnection',
  ),
  'invoicecontrol.ksef.v1.InboxService': by(
    ['gateway'],
    'UpdateInbox',
    'StartInboxRuns',
    'ListInboxRuns',
    'DismissRefusedInvoice',
  ),
  'invoicecontrol.ksef.v1.SubmissionService': by(
    ['gateway'],
    'CreateSubmission',
    'ListSubmissions',
    'ListAllSubmissions',
    'GetSubmission',
    'ListAttempts',
    'CancelSubmission',
    'GetConfirmation',
  ),
  'invoicecontrol.operations.v1.OperatorService': by(
    ['operator'],
    'ListDeadLetters',
    'GetDeadLetter',
    'ResendDeadLetters',
    'ListStuckWork',
    'CountTenantDocuments',
  ),
  'invoicecontrol.organization.v1.AccessService': by(
    ['gateway'],
    'AuthenticateKey',
    'AuthenticateSession',
    'ReserveRequests',
  ),
  'invoicecontrol.organization.v1.ApiKeyService': by(
    ['gateway'],
    'ListApiKeys',
    'GetApiKey',
    'CreateApiKey',
    'UpdateApiKey',
    'RevokeApiKey',
  ),
  'invoicecontrol.organization.v1.AuditService': by(['gateway'], 'ListAuditEvents'),
  'invoicecontrol.organization.v1.CompanyService': by(
    ['gateway'],
    'ListCompanies',
    'GetCompany',
    'CreateCompany',
    'UpdateCompany',
    'DeleteCompany',
  ),
  'invoicecontrol.organization.v1.MemberService': {
    ...by(
      ['gateway'],
      'ListMembers',
      'ListAssignees',
      'NameActors',
      'InviteMember',
      'AcceptInvitation',
      'UpdateMember',
      'RemoveMember',
    ),
    ...by(['gateway', 'analysis'], 'GetMember'),
  },
  'invoicecontrol.organization.v1.NotificationService': by(['gateway'], 'ListNotifications'),
  'invoicecontrol.organization.v1.OperatorService': by(
    ['operator'],
    'CreateOrganization',
    'UndeleteOrganization',
    'SetPlan',
    'CreateKey',
    'CreateMember',
    'PurgeOrganizations',
    'ListOrganizations',
  ),
  'invoicecontrol.organization.v1.OrganizationService': {
    ...by(
      ['gateway'],
      'GetOrganization',
      'UpdateOrganization',
      'UpdateBaseCurrency',
      'UpdateReferenceValidation',
      'DeleteOrganization',
      'BeginExport',
      'RestoreOrganization',
      'GetBillingContact',
    ),
    ...by(['analysis', 'scan', 'webhooks', 'erp-sync', 'ksef'], 'GetTenantFacts'),
  },
  'invoicecontrol.organization.v1.SessionService': by(
    ['gateway'],
    'CreateSession',
    'ListSessions',
    'EndSession',
    'DescribeCaller',
  ),
  'invoicecontrol.organization.v1.ViewService': by(
    ['gateway'],
    'ListViews',
    'GetView',
    'CreateView',
    'UpdateView',
    'DeleteView',
  ),
  'invoicecontrol.scan.v1.OperatorService': by(['operator'], 'AbandonScan'),
  'invoicecontrol.scan.v1.ScanService': by(['gateway'], 'CreateScan', 'GetScan', 'ListScans'),
  'invoicecontrol.usage.v1.UsageService': by(['gateway'], 'GetUsage', 'ListUsageHistory'),
  'invoicecontrol.webhooks.v1.DeliveryService': by(['gateway'], 'ListDeliveries', 'GetDelivery', 'ReplayDelivery'),
  'invoicecontrol.webhooks.v1.EndpointService': by(
    ['gateway'],
    'CreateEndpoint',
    'ListEndpoints',
    'GetEndpoint',
    'UpdateEndpoint',
    'DeleteEndpoint',
    'RotateSecret',
    'TestEndpoint',
    'ReplayFailedDeliveries',
  ),
  'grpc.health.v1.Health': by(EVERYONE, 'Check', 'Watch', 'List'),
  // The services offer gRPC reflection only in development.
  'grpc.reflection.v1.ServerReflection': by(['operator'], 'ServerReflectionInfo'),
  'grpc.reflection.v1alpha.ServerReflection': by(['operator'], 'ServerReflectionInfo'),
};

const callersByPath = new Map<string, Callers>(
  Object.entries(callersByService).flatMap(([service, rpcs]) =>
    Object.entries(rpcs).map(([rpc, callers]): [string, Callers] => [`/${service}/${rpc}`, callers]),
  ),
);

/**
 * Returns who may call an rpc.
 * @param path of the rpc, such as `/invoicecontrol.scan.v1.ScanService/GetScan`
 * @returns undefined for an rpc that is not listed, which nobody may call
 */
export function callersOf(path: string): Callers | undefined {
  return callersByPath.get(path);
}

/**
 * Rpcs that a service other than the gateway may call only with the grant of the caller who started the work. The
 * service calls them only on behalf of that caller.
 */
const workWithGrant: Readonly<Record<string, Caller>> = {
  '/invoicecontrol.analysis.v1.InvoiceService/GetInvoice': 'ksef',
  '/invoicecontrol.analysis.v1.RowAnalysisService/AnalyzeRows': 'scan',
  '/invoicecontrol.documents.v1.DocumentService/DescribeFa3': 'ksef',
  '/invoicecontrol.documents.v1.DocumentService/FindContact': 'analysis',
  '/invoicecontrol.documents.v1.DocumentService/ReadDocument': 'ksef',
};

/**
 * Checks whether a caller of an rpc must prove that it acts for the organization that the request names. The gateway
 * must always prove this. Work that a service does on its own, such as a synchronization by schedule, is believed
 * because of the certificate of the service.
 * @param path of the rpc, such as `/invoicecontrol.scan.v1.ScanService/GetScan`
 */
export function needsGrant(path: string, caller: string): boolean {
  return caller === 'gateway' || workWithGrant[path] === caller;
}

/**
 * Rpcs that give or take rights, or receive secrets. The gateway seals each request to them. Each seal can be used
 * once, so a grant that was copied from another request is not enough to make such a request, and no request is carried
 * out twice.
 */
const sealedRpcs: ReadonlySet<string> = new Set([
  '/invoicecontrol.billing.v1.CheckoutService/CreateCheckout',
  '/invoicecontrol.billing.v1.CheckoutService/CreateCheckoutSession',
  '/invoicecontrol.billing.v1.SubscriptionService/CreatePortalSession',
  '/invoicecontrol.erp_sync.v1.ConnectionService/CreateConnection',
  '/invoicecontrol.erp_sync.v1.ConnectionService/UpdateConnection',
  '/invoicecontrol.ksef.v1.ConnectionService/SaveConnection',
  '/invoicecontrol.organization.v1.ApiKeyService/CreateApiKey',
  '/invoicecontrol.organization.v1.ApiKeyService/RevokeApiKey',
  '/invoicecontrol.organization.v1.ApiKeyService/UpdateApiKey',
  '/invoicecontrol.organization.v1.MemberService/InviteMember',
  '/invoicecontrol.organization.v1.MemberService/RemoveMember',
  '/invoicecontrol.organization.v1.MemberService/UpdateMember',
  '/invoicecontrol.organization.v1.OrganizationService/DeleteOrganization',
  '/invoicecontrol.organization.v1.OrganizationService/UpdateBaseCurrency',
  '/invoicecontrol.organization.v1.OrganizationService/UpdateOrganization',
  '/invoicecontrol.organization.v1.SessionService/CreateSession',
  '/invoicecontrol.webhooks.v1.EndpointService/CreateEndpoint',
  '/invoicecontrol.webhooks.v1.EndpointService/RotateSecret',
]);

/**
 * Checks whether the gateway must seal the requests of an rpc.
 * @param path of the rpc, such as `/invoicecontrol.organization.v1.ApiKeyService/CreateApiKey`
 */
export function isSealed(path: string): boolean {
  return sealedRpcs.has(path);
}

function by(callers: Callers, ...rpcs: readonly string[]): Readonly<Record<string, Callers>> {
  return Object.fromEntries(rpcs.map((rpc) => [rpc, callers]));
}
