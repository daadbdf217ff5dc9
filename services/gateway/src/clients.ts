import type { Definition, Methods } from '@invoicecontrol/contracts/definition';
import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { ConnectionServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { OAuthServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { RunServiceDefinition } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { ConnectionServiceDefinition as KsefConnectionServiceDefinition } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { InboxServiceDefinition } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import { SubmissionServiceDefinition } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { PaymentRunServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { SupplierServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { VendorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { UploadAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { CheckoutServiceDefinition } from '@invoicecontrol/contracts/billing/v1/checkout_service';
import { PaymentNotificationServiceDefinition } from '@invoicecontrol/contracts/billing/v1/payment_notification_service';
import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { NotificationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { SessionServiceDefinition } from '@invoicecontrol/contracts/organization/v1/session_service';
import { ViewServiceDefinition } from '@invoicecontrol/contracts/organization/v1/view_service';
import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { DeliveryServiceDefinition } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointServiceDefinition } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions, Channel } from '@invoicecontrol/runtime/grpc/client';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/** The gateway's clients: the name of each client, its service, and its methods. */
export const rpcServices = {
  access: { owner: 'organization', definition: AccessServiceDefinition },
  analyses: { owner: 'analysis', definition: AnalysisServiceDefinition },
  analysisArchive: { owner: 'analysis', definition: ArchiveServiceDefinition },
  analysisUsage: { owner: 'analysis', definition: UsageServiceDefinition },
  apiKeys: { owner: 'organization', definition: ApiKeyServiceDefinition },
  audit: { owner: 'organization', definition: AuditServiceDefinition },
  billingArchive: { owner: 'billing', definition: ArchiveServiceDefinition },
  checkouts: { owner: 'billing', definition: CheckoutServiceDefinition },
  companies: { owner: 'organization', definition: CompanyServiceDefinition },
  deliveries: { owner: 'webhooks', definition: DeliveryServiceDefinition },
  documents: { owner: 'documents', definition: DocumentServiceDefinition },
  documentArchive: { owner: 'documents', definition: ArchiveServiceDefinition },
  documentUsage: { owner: 'documents', definition: UsageServiceDefinition },
  erpConnections: { owner: 'erp-sync', definition: ConnectionServiceDefinition },
  erpOAuth: { owner: 'erp-sync', definition: OAuthServiceDefinition },
  erpRuns: { owner: 'erp-sync', definition: RunServiceDefinition },
  erpUsage: { owner: 'erp-sync', definition: UsageServiceDefinition },
  findings: { owner: 'analysis', definition: FindingServiceDefinition },
  invoices: { owner: 'analysis', definition: InvoiceServiceDefinition },
  ksefConnections: { owner: 'ksef', definition: KsefConnectionServiceDefinition },
  ksefInbox: { owner: 'ksef', definition: InboxServiceDefinition },
  ksefSubmissions: { owner: 'ksef', definition: SubmissionServiceDefinition },
  members: { owner: 'organization', definition: MemberServiceDefinition },
  notifications: { owner: 'organization', definition: NotificationServiceDefinition },
  organizationArchive: { owner: 'organization', definition: ArchiveServiceDefinition },
  organizationUsage: { owner: 'organization', definition: UsageServiceDefinition },
  organizations: { owner: 'organization', definition: OrganizationServiceDefinition },
  paymentRuns: { owner: 'analysis', definition: PaymentRunServiceDefinition },
  paymentNotifications: { owner: 'billing', definition: PaymentNotificationServiceDefinition },
  policies: { owner: 'analysis', definition: PolicyServiceDefinition },
  routingRules: { owner: 'analysis', definition: RoutingRuleServiceDefinition },
  scans: { owner: 'scan', definition: ScanServiceDefinition },
  scanUsage: { owner: 'scan', definition: UsageServiceDefinition },
  sessions: { owner: 'organization', definition: SessionServiceDefinition },
  subscriptions: { owner: 'billing', definition: SubscriptionServiceDefinition },
  suppliers: { owner: 'analysis', definition: SupplierServiceDefinition },
  uploadAnalyses: { owner: 'analysis', definition: UploadAnalysisServiceDefinition },
  uploads: { owner: 'documents', definition: UploadServiceDefinition },
  vendors: { owner: 'analysis', definition: VendorServiceDefinition },
  views: { owner: 'organization', definition: ViewServiceDefinition },
  webhooks: { owner: 'webhooks', definition: EndpointServiceDefinition },
  webhookArchive: { owner: 'webhooks', definition: ArchiveServiceDefinition },
  webhookUsage: { owner: 'webhooks', definition: UsageServiceDefinition },
} as const satisfies Record<string, { owner: string; definition: Definition }>;

type RpcServices = typeof rpcServices;
type Name = keyof RpcServices;
type Owner = RpcServices[Name]['owner'];

/** The services that the gateway calls, with their gRPC definitions. */
export const owners: readonly Owner[] = [...new Set(Object.values(rpcServices).map(({ owner }) => owner))];

export type Clients = { readonly [N in Name]: Methods<RpcServices[N]['definition'], CallOptions> };

/** gRPC connections of the gateway to the services, keyed by service name. */
export type Channels = Readonly<Record<Owner, Channel>>;

/** Opens one channel to each service that the gateway calls. */
export function openChannels(open: (owner: Owner) => Channel): Channels {
  return Object.fromEntries(owners.map((owner) => [owner, open(owner)])) as Channels;
}

export function createClients(channels: Channels): Clients {
  const clients = Object.entries(rpcServices).map(([name, { owner, definition }]) => [
    name,
    client<Definition>(definition, channels[owner]),
  ]);
  return Object.fromEntries(clients) as Clients;
}

type RequestOf<Rpc> = Rpc extends (request: infer R, call: CallOptions) => unknown ? R : never;
type AnswerOf<Rpc> = Rpc extends (request: never, call: CallOptions) => infer A ? A : never;

/** gRPC methods that concern one organization, whose id comes from the API key and not from the route handler. */
type TenantRpcs<C> = {
  readonly [K in keyof C as RequestOf<C[K]> extends { organizationId: string } ? K : never]: (
    request: Omit<RequestOf<C[K]>, 'organizationId'>,
  ) => AnswerOf<C[K]>;
};

/** gRPC methods that find out which organization a request belongs to, so that the gateway need not know it. */
type PublicRpcs<C> = {
  readonly [K in keyof C as RequestOf<C[K]> extends { organizationId: string } ? never : K]: (
    request: RequestOf<C[K]>,
  ) => AnswerOf<C[K]>;
};

/** The gRPC clients for a request with an API key. Organization, caller and timeout are already set. */
export type TenantClients = { readonly [N in Exclude<Name, 'access'>]: TenantRpcs<Clients[N]> };

/** The gRPC clients for a request without an API key, with only the methods that need no organization. */
export type PublicClients = { readonly [N in Exclude<Name, 'access'>]: PublicRpcs<Clients[N]> };

/** Options of the calls that a request with an API key makes. */
export interface TenantCalls {
  /**
   * Returns the context for a call that begins now. The result is a promise only late in a long request, when the
   * caller must be authenticated again.
   */
  currentContext(): RequestContext | Promise<RequestContext>;
  readonly timeoutMs: number;
}

export function tenantClients(clients: Clients, organizationId: string, calls: TenantCalls): TenantClients {
  return bindClients(
    clients,
    (request) => ({ ...request, organizationId }),
    (begin, isStream) => {
      const context = calls.currentContext();
      if (!(context instanceof Promise)) return begin({ context, timeoutMs: calls.timeoutMs });
      const later = context.then((now) => ({ context: now, timeoutMs: calls.timeoutMs }));
      return isStream ? responsesOf(later, begin) : later.then(begin);
    },
  ) as TenantClients;
}

export function publicClients(clients: Clients, call: CallOptions): PublicClients {
  return bindClients(
    clients,
    (request) => request,
    (begin) => begin(call),
  ) as PublicClients;
}

async function* responsesOf(call: Promise<CallOptions>, begin: (call: CallOptions) => unknown): AsyncIterable<unknown> {
  yield* begin(await call) as AsyncIterable<unknown>;
}

type AnyRpc = (request: object, call: CallOptions) => unknown;
/** Makes a gRPC call with the current options. The response is a stream or a single message. */
type Make = (begin: (call: CallOptions) => unknown, isStream: boolean) => unknown;

/**
 * Binds a gRPC method when a route handler uses it, because a request uses only one or two of about a hundred methods.
 */
function bindClients(clients: Clients, complete: (request: object) => object, make: Make): unknown {
  const bindRpcs = (name: Name) => {
    const rpcs = clients[name] as unknown as Readonly<Record<string, AnyRpc>>;
    const methods: Definition['methods'] = rpcServices[name].definition.methods;
    return new Proxy(rpcs, {
      get: (_, rpc: string) => (request: object) =>
        make((call) => rpcs[rpc]?.(complete(request), call), methods[rpc]?.responseStream === true),
    });
  };
  return new Proxy(clients, { get: (_, name: Name) => bindRpcs(name) });
}
