import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { FindingServiceDefinition, FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { ListFindingsRequest } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** The configuration of a service that a test starts, on a port that the system chooses. */
export function testConfig(
  infrastructure: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  organizationAddress: string,
  others: Readonly<Record<string, string>> = {},
): Config {
  return configSchema.parse({
    GRPC_PORT: '0',
    MONGODB_URL: infrastructure.mongodbUrl,
    NATS_URL: infrastructure.natsUrl,
    DATABASE_NAME: databaseName,
    ORGANIZATION_ADDRESS: organizationAddress,
    LOG_LEVEL: 'silent',
    ...others,
  });
}

const aheadMs = Date.UTC(2026, 10, 2, 12) - Date.now();

/**
 * Supplies real time, shifted to start at noon of a day in November 2026. The test invoices date from the months before
 * it, so that none of them is stale or in the future, whatever the year of the test run.
 */
export const testClock: Clock = { now: () => new Date(Date.now() + aheadMs) };

/** A moment by that clock; what is past is negative. */
export function fromNow(ms: number): Date {
  return new Date(testClock.now().getTime() + ms);
}

/** A call that a person makes through the gateway. */
export function asUser(userId: string): CallOptions {
  return { context: { requestId: 'request', actor: { type: 'USER', id: userId } }, timeoutMs: 60_000 };
}

/** A list request without any filter. */
export const anyFinding: Omit<ListFindingsRequest, 'organizationId'> = {
  pageSize: 0,
  pageToken: '',
  companyId: undefined,
  invoiceId: undefined,
  scanId: undefined,
  supplierId: undefined,
  type: undefined,
  severity: Severity.UNSPECIFIED,
  minSeverity: Severity.UNSPECIFIED,
  sort: FindingSort.UNSPECIFIED,
  disposition: undefined,
  assigneeUserId: undefined,
  createdFromTime: undefined,
  createdToTime: undefined,
};

/** A client for every group of rpcs, as real callers use them. */
export function connect(address: string) {
  const channel = openChannel(address);
  const invoice = client(InvoiceServiceDefinition, channel);
  const caller = asUser('user-1');
  return {
    invoice,
    analysis: client(AnalysisServiceDefinition, channel),
    finding: client(FindingServiceDefinition, channel),
    operator: client(OperatorServiceDefinition, channel),
    policy: client(PolicyServiceDefinition, channel),
    routingRule: client(RoutingRuleServiceDefinition, channel),
    async post(organizationId: string, wire: Invoice): Promise<Analysis> {
      const { analysis } = await invoice.analyzeInvoice(
        { organizationId, invoice: wire, idempotencyKey: '', fingerprint: 'f', analysesPerMonthLimit: undefined },
        caller,
      );
      if (analysis === undefined) throw new Error('no analysis');
      return analysis;
    },
    async latest(organizationId: string, invoiceId: string): Promise<Analysis> {
      const { analysis } = await invoice.getLatestAnalysis({ organizationId, invoiceId }, caller);
      if (analysis === undefined) throw new Error('no analysis');
      return analysis;
    },
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connect>;

export function findingOf(analysis: Analysis, type: string): Finding {
  const finding = analysis.findings.find((candidate) => candidate.type === type);
  if (finding === undefined) {
    throw new Error(`no ${type} among ${analysis.findings.map((other) => other.type).join(', ') || 'no findings'}`);
  }
  return finding;
}
