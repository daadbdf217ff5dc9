import type { Methods } from '@invoicecontrol/contracts/definition';
import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { NotificationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions, Channel } from '@invoicecontrol/runtime/grpc/client';

/** The services that own what the gateway shows, as the routes call them. */
export interface Clients {
  readonly access: Methods<typeof AccessServiceDefinition, CallOptions>;
  readonly analyses: Methods<typeof AnalysisServiceDefinition, CallOptions>;
  readonly analysisUsage: Methods<typeof UsageServiceDefinition, CallOptions>;
  readonly apiKeys: Methods<typeof ApiKeyServiceDefinition, CallOptions>;
  readonly audit: Methods<typeof AuditServiceDefinition, CallOptions>;
  readonly companies: Methods<typeof CompanyServiceDefinition, CallOptions>;
  readonly findings: Methods<typeof FindingServiceDefinition, CallOptions>;
  readonly invoices: Methods<typeof InvoiceServiceDefinition, CallOptions>;
  readonly members: Methods<typeof MemberServiceDefinition, CallOptions>;
  readonly notifications: Methods<typeof NotificationServiceDefinition, CallOptions>;
  readonly organizationUsage: Methods<typeof UsageServiceDefinition, CallOptions>;
  readonly organizations: Methods<typeof OrganizationServiceDefinition, CallOptions>;
  readonly policies: Methods<typeof PolicyServiceDefinition, CallOptions>;
  readonly routingRules: Methods<typeof RoutingRuleServiceDefinition, CallOptions>;
  readonly scans: Methods<typeof ScanServiceDefinition, CallOptions>;
  readonly scanUsage: Methods<typeof UsageServiceDefinition, CallOptions>;
}

/** The connections to the services, by their names. */
export interface Channels {
  readonly organization: Channel;
  readonly analysis: Channel;
  readonly scan: Channel;
}

export function createClients(channels: Channels): Clients {
  return {
    access: client(AccessServiceDefinition, channels.organization),
    analyses: client(AnalysisServiceDefinition, channels.analysis),
    analysisUsage: client(UsageServiceDefinition, channels.analysis),
    apiKeys: client(ApiKeyServiceDefinition, channels.organization),
    audit: client(AuditServiceDefinition, channels.organization),
    companies: client(CompanyServiceDefinition, channels.organization),
    findings: client(FindingServiceDefinition, channels.analysis),
    invoices: client(InvoiceServiceDefinition, channels.analysis),
    members: client(MemberServiceDefinition, channels.organization),
    notifications: client(NotificationServiceDefinition, channels.organization),
    organizationUsage: client(UsageServiceDefinition, channels.organization),
    organizations: client(OrganizationServiceDefinition, channels.organization),
    policies: client(PolicyServiceDefinition, channels.analysis),
    routingRules: client(RoutingRuleServiceDefinition, channels.analysis),
    scans: client(ScanServiceDefinition, channels.scan),
    scanUsage: client(UsageServiceDefinition, channels.scan),
  };
}
