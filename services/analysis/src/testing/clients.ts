import { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import { ErpImportServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { FindingServiceDefinition, FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { ListFindingsRequest } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { SupplierServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { UploadAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { PaymentRunServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import type {
  AnalyzeRowsRequest,
  AnalyzeRowsResponse,
} from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { VendorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { v7 as uuidV7 } from 'uuid';
import { openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Returns the configuration of the analysis service for a test. The operating system chooses the ports. */
export function testConfig(
  infrastructure: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  organizationAddress: string,
  others: Readonly<Record<string, string>> = {},
): Config {
  return configSchema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('analysis'),
    MONGODB_URL: infrastructure.mongodbUrl,
    NATS_URL: infrastructure.natsUrl,
    DATABASE_NAME: databaseName,
    ORGANIZATION_ADDRESS: organizationAddress,
    // Most tests upload nothing and never call the documents service, so its address is that of the fake organization
    // service.
    DOCUMENTS_ADDRESS: organizationAddress,
    SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    LOG_LEVEL: 'silent',
    ...others,
  });
}

const aheadMs = Date.UTC(2026, 10, 2, 12) - Date.now();

/**
 * A real clock that is shifted to start at noon of a day in November 2026. The test invoices are from the preceding
 * months, so none of them is too old or in the future, whatever the actual year.
 */
export const testClock: Clock = { now: () => new Date(Date.now() + aheadMs) };

/** Returns a time relative to the clock of the tests. A negative number of milliseconds gives a time in the past. */
export function fromNow(ms: number): Date {
  return new Date(testClock.now().getTime() + ms);
}

/** Returns the options of a call that a user makes through the gateway. */
export function asUser(userId: string): CallOptions {
  return { context: { requestId: 'request', actor: { type: 'USER', id: userId } }, timeoutMs: 60_000 };
}

/** Request for a list of findings without filters. */
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
  types: [],
  families: [],
  severities: [],
  dispositions: [],
  isUnassigned: false,
  isWithoutEvidence: false,
};

/** Converts invoices to rows of a file with a heading and one invoice in each line. */
export function rowsOf(invoices: readonly Invoice[]): AnalyzeRowsRequest['rows'] {
  return invoices.map((invoice, position) => ({
    position,
    sourceRowNumber: position + 2,
    externalId: undefined,
    invoice,
  }));
}

/** Returns a request for a history scan of the given rows, received now. */
export function scanRequest(
  organizationId: string,
  rows: AnalyzeRowsRequest['rows'],
  baseCurrency = 'EUR',
): AnalyzeRowsRequest {
  return {
    organizationId,
    scanId: uuidV7(),
    companyId: 'c-main',
    baseCurrency,
    receivedTime: testClock.now(),
    rows,
  };
}

/** Creates clients for all gRPC services, with the settings that real callers use. */
export function connect(address: string) {
  // The client accepts large messages, because the files of payment runs are larger than other gRPC messages.
  const channel = openTestChannel('analysis', address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  const invoice = client(InvoiceServiceDefinition, channel);
  const analysis = client(AnalysisServiceDefinition, channel);
  const finding = client(FindingServiceDefinition, channel);
  const rows = client(RowAnalysisServiceDefinition, channel);
  const caller = asUser('user-1');
  return {
    invoice,
    analysis,
    finding,
    rows,
    supplier: client(SupplierServiceDefinition, channel),
    upload: client(UploadAnalysisServiceDefinition, channel),
    operator: client(OperatorServiceDefinition, channel),
    paymentRun: client(PaymentRunServiceDefinition, channel),
    policy: client(PolicyServiceDefinition, channel),
    routingRule: client(RoutingRuleServiceDefinition, channel),
    erpImport: client(ErpImportServiceDefinition, channel),
    vendor: client(VendorServiceDefinition, channel),
    async post(organizationId: string, wire: Invoice): Promise<Analysis> {
      const { analysis } = await invoice.analyzeInvoice(
        { organizationId, invoice: wire, idempotencyKey: '', fingerprint: 'f' },
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
    scan(organizationId: string, invoices: readonly Invoice[]): Promise<AnalyzeRowsResponse> {
      return rows.analyzeRows(scanRequest(organizationId, rowsOf(invoices)), { ...caller, timeoutMs: 120_000 });
    },
    async reanalyze(organizationId: string, { invoiceId }: Pick<Analysis, 'invoiceId'>): Promise<Analysis> {
      const { analysis: again } = await analysis.reanalyzeInvoice({ organizationId, invoiceId }, caller);
      if (again === undefined) throw new Error('no analysis');
      return again;
    },
    async review(
      organizationId: string,
      { findingId }: Pick<Finding, 'findingId'>,
      disposition: string,
      reviewer = caller,
    ): Promise<void> {
      await finding.reviewFinding({ organizationId, findingId, disposition }, reviewer);
    },
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connect>;

/** Returns the parts of an invoice analysis that must not change without a review. */
export function resultOf({ decision, riskScore, findings }: Analysis) {
  return { decision, riskScore, findings };
}

export function findingOf(analysis: Analysis, type: string): Finding {
  const finding = analysis.findings.find((candidate) => candidate.type === type);
  if (finding === undefined) {
    throw new Error(`no ${type} among ${analysis.findings.map((other) => other.type).join(', ') || 'no findings'}`);
  }
  return finding;
}
