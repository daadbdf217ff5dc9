import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type {
  CreateScanRequest,
  CreateScanResponse,
  ListScansRequest,
  Scan,
  ScanRow,
} from '@invoicecontrol/contracts/scan/v1/scan_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** A scan may wait for its turn and for analysis. */
export const call = { context: systemContext('test'), timeoutMs: 60_000 };

/** The configuration of a service that a test starts, on a port that the system chooses. */
export function testConfig(
  { mongodbUrl, natsUrl }: { mongodbUrl: string; natsUrl: string },
  databaseName: string,
  others: { organization: string; analysis: string },
  logLevel = 'silent',
): Config {
  return configSchema.parse({
    GRPC_PORT: '0',
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
    ORGANIZATION_ADDRESS: others.organization,
    ANALYSIS_ADDRESS: others.analysis,
    LOG_LEVEL: logLevel,
  });
}

/** A row of one imagined ledger; tests change what they are about. */
export function wireRow(changes: Partial<ScanRow> = {}): ScanRow {
  return {
    supplierName: 'Nordlicht Energie GmbH',
    supplierTaxId: undefined,
    invoiceNumber: 'RE-2024-0118',
    issueDate: '2024-03-05',
    currency: undefined,
    grossAmount: '10.00',
    purchaseOrderRef: undefined,
    bankIban: undefined,
    bankSortCode: undefined,
    bankAccountNumber: undefined,
    externalId: undefined,
    sourceRowNumber: 1,
    ...changes,
  };
}

/** Rows with these external ids; a blank one has none. */
export function rowsWithIds(...externalIds: readonly string[]): ScanRow[] {
  return externalIds.map((externalId, index) =>
    wireRow({
      invoiceNumber: `N-${index}`,
      sourceRowNumber: index + 2,
      externalId: externalId === '' ? undefined : externalId,
    }),
  );
}

/** As a client does that is told to come again: a scan that waited for its turn in vain has left nothing behind. */
export async function insist(create: () => Promise<CreateScanResponse>): Promise<CreateScanResponse> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if ((error as { kind?: string }).kind !== 'in_progress') throw error;
    }
  }
}

/** A client as real callers use it. */
export function connect(address: string) {
  const channel = openChannel(address, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  const scans = client(ScanServiceDefinition, channel);
  const create = (
    organizationId: string,
    rows: ScanRow[],
    changes: Partial<CreateScanRequest> = {},
  ): Promise<CreateScanResponse> =>
    scans.createScan(
      {
        organizationId,
        companyId: undefined,
        rows,
        idempotencyKey: '',
        fingerprint: 'f1',
        scanRowsPerMonthLimit: undefined,
        ...changes,
      },
      call,
    );
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
    close: () => channel.close(),
  };
}

export type Clients = ReturnType<typeof connect>;
