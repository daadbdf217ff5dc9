import { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import { ApiKeyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { CompanyServiceDefinition } from '@invoicecontrol/contracts/organization/v1/company_service';
import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { NotificationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { CreateOrganizationResponse } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { SessionServiceDefinition } from '@invoicecontrol/contracts/organization/v1/session_service';
import { ViewServiceDefinition } from '@invoicecontrol/contracts/organization/v1/view_service';
import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Returns the configuration of a service that a test starts, on a port that the system chooses. */
export function testConfig(
  infrastructure: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  others: Readonly<Record<string, string>> = {},
): Config {
  return configSchema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('organization'),
    MONGODB_URL: infrastructure.mongodbUrl,
    NATS_URL: infrastructure.natsUrl,
    DATABASE_NAME: databaseName,
    API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
    // In tests, no server listens at the default address of the billing service. A test that deletes organizations
    // states the address of a fake in `others`.
    BILLING_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'silent',
    ...others,
  });
}

/** Timeout of calls in the tests, long enough for a slow machine. */
const CALL_TIMEOUT_MS = 60_000;

export const asOperator: CallOptions = {
  context: {
    requestId: 'operator-request',
    actor: { type: 'OPERATOR', id: 'tester' },
  },
  timeoutMs: CALL_TIMEOUT_MS,
};

/** Returns the options of a call by an API key through the gateway. */
export function asKey(apiKeyId: string, requestId = 'request'): CallOptions {
  const context = { requestId, actor: { type: 'API_KEY', id: apiKeyId }, ip: '192.0.2.7' } as const;
  return { context, timeoutMs: CALL_TIMEOUT_MS };
}

/** Returns the public id that is a part of an API key. */
export function idOfKey(key: string): string {
  return key.split('_')[2] ?? '';
}

/** Finds the token in the mail of an invitation. */
export function tokenIn(text: string): string {
  const [token] = /inv_[0-9a-f]{64}/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no token in: ${text}`);
  return token;
}

/** Creates a client for every gRPC service of the organization service, as real callers have. */
export function connect(address: string) {
  const channel = openTestChannel('organization', address);
  const operator = client(OperatorServiceDefinition, channel);
  return {
    archive: client(ArchiveServiceDefinition, channel),
    access: client(AccessServiceDefinition, channel),
    apiKey: client(ApiKeyServiceDefinition, channel),
    audit: client(AuditServiceDefinition, channel),
    company: client(CompanyServiceDefinition, channel),
    member: client(MemberServiceDefinition, channel),
    notification: client(NotificationServiceDefinition, channel),
    operator,
    organization: client(OrganizationServiceDefinition, channel),
    session: client(SessionServiceDefinition, channel),
    view: client(ViewServiceDefinition, channel),
    createTenant: (name: string, plan = ''): Promise<CreateOrganizationResponse> =>
      operator.createOrganization({ name, ownerEmail: 'owner@example.com', plan, baseCurrency: '' }, asOperator),
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connect>;
