// Simulates POST /scans and checks each request against specification 2.9. Tests set the responses.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { scanFields } from '@invoicecontrol/ledger-csv/scan-row';
import type { ScanRow } from '@invoicecontrol/ledger-csv/scan-row';

export const API_KEY = 'ick_test_fake';
const ROWS_MAX = 5_000;

export interface ReceivedScan {
  readonly idempotencyKey: string;
  readonly companyId: string | undefined;
  readonly rows: readonly ScanRow[];
}

/**
 * Response that replaces the usual response of the simulated service. The value `drop` closes the connection instead.
 */
export type InjectedFault =
  'drop' | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export interface ScanService {
  /** Base URL of the simulated service, which ends in `/v1`. */
  readonly baseUrl: string;
  /** Every history scan request that the fake received, including failed ones. */
  readonly received: readonly ReceivedScan[];
  /** Violations of the specification in the received requests. */
  readonly faults: readonly string[];
  /** Faults that the fake scan service shows in its next responses, one for each request. */
  readonly injectedFaults: InjectedFault[];
  /** Function that is called before each response of the fake scan service. */
  onRequest: () => void;
  stop(): Promise<void>;
}

export function errorBody(code: string, message: string, details?: unknown): unknown {
  return { error: { code, message, request_id: 'req_1', ...(details === undefined ? {} : { details }) } };
}

/**
 * Starts the simulated service on a free port. Like the real service, it repeats its response to a known
 * Idempotency-Key.
 */
export async function startScanService(): Promise<ScanService> {
  const received: ReceivedScan[] = [];
  const faults: string[] = [];
  const injectedFaults: InjectedFault[] = [];
  const answered = new Map<string, unknown>();
  const imported = new Set<string>();
  let onRequest = (): void => undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${API_KEY}`) {
      return send(response, 401, errorBody('UNAUTHORIZED', 'The API key is missing or invalid.'));
    }
    if (request.url === '/v1/finding-types') {
      const items = [
        { type: 'DUPLICATE_INVOICE', severities: ['HIGH', 'CRITICAL'] },
        { type: 'SUPPLIER_NEW', severities: ['INFO'] },
      ];
      return send(response, 200, { items, nextCursor: null });
    }
    const body = JSON.parse(await textOf(request)) as { companyId?: string; rows: ScanRow[] };
    const idempotencyKey = String(request.headers['idempotency-key']);
    received.push({ idempotencyKey, companyId: body.companyId, rows: body.rows });
    faults.push(...faultsOf(request, body));
    onRequest();
    const trouble = injectedFaults.shift();
    if (trouble === 'drop') return void request.socket.destroy();
    if (trouble !== undefined) return send(response, trouble.status, trouble.body, trouble.headers);
    const earlier = answered.get(idempotencyKey);
    if (earlier !== undefined) return send(response, 201, earlier, { 'idempotency-replayed': 'true' });
    const fresh = body.rows.filter(({ externalId }) => externalId === undefined || !imported.has(externalId));
    if (fresh.length === 0) return send(response, 409, errorBody('CONFLICT', 'There is nothing new to analyze.'));
    for (const { externalId } of fresh) if (externalId !== undefined) imported.add(externalId);
    const scan = scanOf(answered.size + 1, body.rows, fresh);
    answered.set(idempotencyKey, scan);
    send(response, 201, scan);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    faults,
    injectedFaults,
    set onRequest(listener: () => void) {
      onRequest = listener;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function scanOf(number: number, rows: readonly ScanRow[], fresh: readonly ScanRow[]): unknown {
  return {
    id: `00000000-0000-0000-0000-00000000000${number}`,
    status: 'COMPLETE',
    invoicesAnalyzed: fresh.length,
    rowsSkipped: rows.length - fresh.length,
    skippedRows: rows
      .filter((row) => !fresh.includes(row))
      .map(({ sourceRowNumber, externalId }) => ({ sourceRowNumber, externalId, reason: 'ALREADY_IMPORTED' })),
    analyzedValue: `${fresh.length * 10}.50`,
    analyzedValueCurrency: 'EUR',
    unconvertedInvoices: 1,
    decisionCounts: { PASS: fresh.length - 1, BLOCK: 1 },
    findingCounts: { SUPPLIER_NEW: 3, DUPLICATE_INVOICE: 1 },
  };
}

function faultsOf(request: IncomingMessage, body: { companyId?: string; rows: readonly ScanRow[] }): string[] {
  const known = new Set<string>([...scanFields, 'sourceRowNumber']);
  const problems = [
    request.method === 'POST' && request.url === '/v1/scans' ? '' : `${request.method} ${request.url}`,
    request.headers['content-type'] === 'application/json' ? '' : `type ${request.headers['content-type']}`,
    /^[\x21-\x7e]{1,255}$/.test(String(request.headers['idempotency-key'])) ? '' : 'Idempotency-Key',
    body.rows.length >= 1 && body.rows.length <= ROWS_MAX ? '' : `${body.rows.length} rows`,
    ...body.rows.map((row) => {
      const isValid =
        Object.entries(row).every(([name, value]) => known.has(name) && value !== '') &&
        Boolean(row.supplierName && row.invoiceNumber) &&
        isCalendarDate(row.issueDate) &&
        isDecimalAmount(row.grossAmount) &&
        /^[A-Z]{3}$/.test(row.currency ?? 'EUR') &&
        Number.isInteger(row.sourceRowNumber);
      return isValid ? '' : JSON.stringify(row);
    }),
  ];
  return problems.filter((problem) => problem !== '');
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(body === undefined ? '<html>' : JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
