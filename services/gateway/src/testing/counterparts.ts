import { formatApiKey } from '@invoicecontrol/api-key';
import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { FindingServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import type { Definition } from '@invoicecontrol/contracts/definition';
import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { NotificationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { DomainError } from '@invoicecontrol/errors';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, GrpcServer, Implementation } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';

/** What the services behind the gateway answer in a test; an rpc that is not named here is not expected. */
export interface Answers {
  readonly access?: Partial<Implementation<typeof AccessServiceDefinition>>;
  readonly analyses?: Partial<Implementation<typeof AnalysisServiceDefinition>>;
  readonly apiKeys?: Partial<Implementation<typeof ApiKeyServiceDefinition>>;
  readonly audit?: Partial<Implementation<typeof AuditServiceDefinition>>;
  readonly companies?: Partial<Implementation<typeof CompanyServiceDefinition>>;
  readonly findings?: Partial<Implementation<typeof FindingServiceDefinition>>;
  readonly invoices?: Partial<Implementation<typeof InvoiceServiceDefinition>>;
  readonly members?: Partial<Implementation<typeof MemberServiceDefinition>>;
  readonly notifications?: Partial<Implementation<typeof NotificationServiceDefinition>>;
  readonly organizations?: Partial<Implementation<typeof OrganizationServiceDefinition>>;
  readonly policies?: Partial<Implementation<typeof PolicyServiceDefinition>>;
  readonly routingRules?: Partial<Implementation<typeof RoutingRuleServiceDefinition>>;
  readonly scans?: Partial<Implementation<typeof ScanServiceDefinition>>;
  /** The one server answers for all services that count something. */
  readonly usage?: Partial<Implementation<typeof UsageServiceDefinition>>;
}

export const silent = createLogger({ service: 'test', level: 'silent' });

export const ORGANIZATION_ID = '0198a000-0000-7000-8000-000000000001';

/** A key that reads as one, different for every name. */
export function keyNamed(name: string): string {
  return formatApiKey('test', name.padEnd(16, '0').slice(0, 16), 'S'.repeat(43));
}

export function principal(part: Partial<Principal> = {}): Principal {
  return {
    organizationId: ORGANIZATION_ID,
    apiKeyId: 'owner00000000000',
    role: 'OWNER',
    scopes: ['*'],
    plan: 'ENTERPRISE',
    hasActiveSubscription: true,
    limits: {},
    keyExpiresTime: undefined,
    ...part,
  };
}

/** Knows these keys and refuses all others; grants every token that is asked for. */
export function accessFor(keys: ReadonlyMap<string, Principal>): Implementation<typeof AccessServiceDefinition> {
  return {
    authenticateKey({ key }) {
      const found = keys.get(key);
      return found === undefined
        ? Promise.reject(new DomainError('unauthenticated', 'No such key.'))
        : Promise.resolve({ principal: found });
    },
    reserveRequests: ({ policies }) =>
      Promise.resolve({
        reservations: policies.map(({ tokens, limitPerMinute }) => ({
          granted: tokens,
          remaining: limitPerMinute - tokens,
          windowRemainingMs: 60_000,
          retryAfterMs: 0,
        })),
      }),
  };
}

/** One real gRPC server that plays every service behind the gateway. */
export async function startCounterparts(answers: Answers): Promise<GrpcServer> {
  return startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
    bindings: [
      answering(AccessServiceDefinition, answers.access),
      answering(AnalysisServiceDefinition, answers.analyses),
      answering(ApiKeyServiceDefinition, answers.apiKeys),
      answering(AuditServiceDefinition, answers.audit),
      answering(CompanyServiceDefinition, answers.companies),
      answering(FindingServiceDefinition, answers.findings),
      answering(InvoiceServiceDefinition, answers.invoices),
      answering(MemberServiceDefinition, answers.members),
      answering(NotificationServiceDefinition, answers.notifications),
      answering(OrganizationServiceDefinition, answers.organizations),
      answering(PolicyServiceDefinition, answers.policies),
      answering(RoutingRuleServiceDefinition, answers.routingRules),
      answering(ScanServiceDefinition, answers.scans),
      answering(UsageServiceDefinition, answers.usage),
    ],
  });
}

function answering<D extends Definition>(definition: D, answers: Partial<Implementation<D>> = {}): Binding {
  const unexpected = (name: string) => () => Promise.reject(new Error(`${definition.fullName}.${name} was called.`));
  const all = Object.keys(definition.methods).map((name) => [name, answers[name] ?? unexpected(name)] as const);
  return bind(definition, Object.fromEntries(all) as Implementation<D>);
}
