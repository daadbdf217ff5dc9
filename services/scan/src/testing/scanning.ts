import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/scan/v1/operator_service';
import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type {
  CreateScanRequest,
  CreateScanResponse,
  ListScansRequest,
  Scan,
} from '@invoicecontrol/contracts/scan/v1/scan_service';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { callWithGrant, openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Options of calls with a long timeout, because a history scan may wait for another one and for the analysis. */
export const call = { context: systemContext('test'), timeoutMs: 60_000 };

/** Context of calls that the operator of the installation makes. */
const asOperator = {
  context: {
    requestId: 'operator-request',
    actor: { type: 'OPERATOR', id: 'ann' },
  },
  timeoutMs: 60_000,
} as const;

/** Returns the configuration for a service in a test, with a port that the operating system chooses. */
export function testConfig(
  { mongodbUrl, natsUrl }: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  others: { organization: string; analysis: string },
  logLevel = 'silent',
): Config {
  return configSchema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('scan'),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
    ORGANIZATION_ADDRESS: others.organization,
    ANALYSIS_ADDRESS: others.analysis,
    LOG_LEVEL: logLevel,
  });
}

/** The fields in which a scan row of a test differs from other rows. */
type RowChanges = Partial<Invoice & Pick<Row, 'externalId' | 'sourceRowNumber'>>;

/** Returns a history scan row of a fictional ledger without a currency. Tests change the fields that they need. */
export function wireRow({ externalId, sourceRowNumber = 1, ...changes }: RowChanges = {}): Row {
  const invoice = wireInvoice({ issueDate: '2024-03-05', currency: '', grossAmount: '10.00', ...changes });
  return { position: 0, sourceRowNumber, externalId, invoice };
}

/** Returns scan rows with the given external ids. An empty id means that the row has no external id. */
export function rowsWithIds(...externalIds: readonly string[]): Row[] {
  return externalIds.map((externalId, index) =>
    wireRow({
      invoiceNumber: `N-${index}`,
      sourceRowNumber: index + 2,
      externalId: externalId === '' ? undefined : externalId,
    }),
  );
}

/**
 * Sends a request for a history scan and retries it as a client does, because a history scan that could not start
 * stores nothing.
 */
export async function insist(create: () => Promise<CreateScanResponse>): Promise<CreateScanResponse> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if ((error as { kind?: string }).kind !== 'in_progress') throw error;
    }
  }
}

/** Creates a client of the scan service with the settings that real callers use. */
export function connect(address: string) {
  const channel = openTestChannel('scan', address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  const scans = client(ScanServiceDefinition, channel);
  const operator = client(OperatorServiceDefinition, channel);
  const create = (
    organizationId: string,
    rows: Row[],
    {
      scanRowsPerMonthLimit,
      ...changes
    }: Partial<CreateScanRequest> & { readonly scanRowsPerMonthLimit?: number } = {},
    timeoutMs = call.timeoutMs,
  ): Promise<CreateScanResponse> => {
    const limits = scanRowsPerMonthLimit === undefined ? {} : { scanRowsPerMonth: scanRowsPerMonthLimit };
    return scans.createScan(
      {
        organizationId,
        companyId: undefined,
        invoiceRows: rows,
        idempotencyKey: '',
        fingerprint: 'f1',
        ...changes,
      },
      callWithGrant({ ...call, timeoutMs }, organizationId, { limits }),
    );
  };
  return {
    create,
    async get(organizationId: string, scanId: string): Promise<Scan | undefined> {
      return (await scans.getScan({ organizationId, scanId }, call)).scan;
    },
    list: (organizationId: string, changes: Partial<ListScansRequest> = {}) =>
      scans.listScans(
        {
          organizationId,
          pageSize: 0,
          pageToken: '',
          companyId: undefined,
          createdFromTime: undefined,
          createdToTime: undefined,
          ...changes,
        },
        call,
      ),
    abandon: (organizationId: string, scanId: string, reason = 'analysis fails on row 7') =>
      operator.abandonScan({ organizationId, scanId, reason }, asOperator),
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connect>;
