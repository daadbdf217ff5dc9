// Records requests and responses of the crash test. A response is a guarantee that must hold whatever crashes
// afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { AcceptedAnalysis, Page, Scan } from '../shapes.js';
import type { Row } from './sample-invoices.js';

/** Time limit in milliseconds for one attempt of a request in the crash test. The gateway responds earlier. */
const ATTEMPT_MS_MAX = 15_000;
/** Time limit in milliseconds for a history scan, which waits until the scans before it have been analyzed. */
const SCAN_ATTEMPT_MS_MAX = 60_000;
/** Pause in milliseconds of a client in the crash test after a response that says to retry after a second. */
const RETRY_EACH_MS = 1_000;
/**
 * Pause in milliseconds between attempts to send a history scan file. Such files are large, and many clients send them.
 */
const SCAN_RETRY_EACH_MS = 2_000;
const REACHED_MS_MAX = 30_000;

interface Request {
  readonly tenant: Tenant;
  readonly idempotencyKey: string | undefined;
}

export interface Sent extends Request {
  readonly invoice: Readonly<Record<string, unknown>>;
}

export interface SentScan extends Request {
  readonly rows: readonly Row[];
}

export interface Acknowledged {
  readonly organizationId: string;
  readonly idempotencyKey: string | undefined;
  readonly invoiceId: string;
  readonly decision: string;
  readonly riskScore: number;
  readonly findingTypes: readonly string[];
}

export interface AcknowledgedScan {
  readonly organizationId: string;
  readonly idempotencyKey: string | undefined;
  readonly rows: readonly Row[];
  readonly scan: Scan;
}

export interface Ledger {
  readonly acknowledged: readonly Acknowledged[];
  readonly acknowledgedScans: readonly AcknowledgedScan[];
  /**
   * Sends a request of the ledger once and records its outcome.
   * @throws Error when the request was not acknowledged, even if the services have executed it
   */
  send(sent: Sent): Promise<void>;
  /** Sends a request with the same key until it is acknowledged, as long as the ledger is open. */
  sendWithRetries(sent: Sent): Promise<void>;
  /** Sends a history scan, as {@link Ledger.send} sends an invoice. */
  sendScan(sent: SentScan): Promise<Scan>;
  /** Sends a history scan until it is acknowledged, as {@link Ledger.sendWithRetries} does for an invoice. */
  scanWithRetries(sent: SentScan): Promise<Scan>;
  /** Returns the history scans that the API lists for a tenant. */
  scansOf(tenant: Tenant): Promise<readonly Scan[]>;
  /** Resolves when the gateway reaches the analysis and scan services. */
  reach(tenant: Tenant): Promise<void>;
  /** Ends all requests of the crash test that are still retried. */
  close(): void;
}

/**
 * Opens the record of everything that clients have sent and received.
 * @param baseUrl ends in `/v1`
 */
export function openLedger(baseUrl: string): Ledger {
  const acknowledged: Acknowledged[] = [];
  const acknowledgedScans: AcknowledgedScan[] = [];
  let isClosed = false;

  const get = async <T>(path: string, tenant: Tenant): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, { headers: authorization(tenant) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} is answered ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const post = async <T>(
    path: string,
    { tenant, idempotencyKey }: Request,
    body: unknown,
    { expected, timeoutMs }: { expected: number; timeoutMs: number },
  ): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        ...authorization(tenant),
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const untilAcknowledged = async <T>(
    { idempotencyKey }: Request,
    retryEachMs: number,
    work: () => Promise<T>,
  ): Promise<T> => {
    if (idempotencyKey === undefined) throw new Error('Without a key a repeat would be another request.');
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (isClosed) throw new Error(`never acknowledged: ${idempotencyKey}`, { cause: error });
      }
      await delay(retryEachMs);
    }
  };

  const send = async (sent: Sent): Promise<void> => {
    const answer = await post<AcceptedAnalysis>('/invoices', sent, sent.invoice, {
      expected: 202,
      timeoutMs: ATTEMPT_MS_MAX,
    });
    const { id, decision, risk_score: riskScore, findings } = answer;
    const findingTypes = findings.map(({ type }) => type).toSorted();
    const { tenant, idempotencyKey } = sent;
    const { organizationId } = tenant;
    acknowledged.push({ organizationId, idempotencyKey, invoiceId: id, decision, riskScore, findingTypes });
  };
  const sendScan = async (sent: SentScan): Promise<Scan> => {
    const { tenant, idempotencyKey, rows } = sent;
    const scan = await post<Scan>('/scans', sent, { rows }, { expected: 201, timeoutMs: SCAN_ATTEMPT_MS_MAX });
    acknowledgedScans.push({ organizationId: tenant.organizationId, idempotencyKey, rows, scan });
    return scan;
  };
  return {
    acknowledged,
    acknowledgedScans,
    send,
    sendWithRetries: (sent) => untilAcknowledged(sent, RETRY_EACH_MS, () => send(sent)),
    sendScan,
    scanWithRetries: (sent) => untilAcknowledged(sent, SCAN_RETRY_EACH_MS, () => sendScan(sent)),
    async scansOf(tenant) {
      const { items } = await get<Page<Scan>>('/scans', tenant);
      return Promise.all(items.map(({ id }) => get<Scan>(`/scans/${id}`, tenant)));
    },
    async reach(tenant) {
      await eventually(() => Promise.all([get('/invoices?limit=1', tenant), get('/scans?limit=1', tenant)]), {
        timeoutMs: REACHED_MS_MAX,
      });
    },
    close() {
      isClosed = true;
    },
  };
}

function authorization({ keys }: Tenant): { authorization: string } {
  return { authorization: `Bearer ${keys.owner}` };
}
