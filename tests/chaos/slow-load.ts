// Sends the load of a drill with a slow database: invoices, uploads, history scans and lists. Its clients do not wait
// for each other and give up after some seconds, as independent customers do, so the work piles up in the services.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { makeDocuments } from '../bench/document-files.js';
import { invoiceAt } from '../bench/invoices.js';
import { scanRows } from '../bench/scan-rows.js';

const CLIENT_MS_MAX = 15_000;
const SCANNED_ROWS = 500;
/** Number of the first invoice, so that the load of the drill has other invoices than the drills before. */
const FIRST_INVOICE = 100_000;

export interface SlowLoad {
  /** Number of responses by request and status. A request without a response has the status 0. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Stops the clients, and waits until the requests in progress have ended. */
  stop(): Promise<void>;
}

/** A kind of request that clients repeat at fixed intervals, whether earlier ones were answered or not. */
interface Activity {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (turn: number) => Promise<Response>;
}

export function startSlowLoad(baseUrl: string, tenants: readonly Tenant[]): SlowLoad {
  const statuses: Record<string, number> = {};
  const tenantOf = (turn: number): Tenant => {
    const tenant = tenants[turn % tenants.length];
    if (tenant === undefined) throw new Error('the load has no organization');
    return tenant;
  };
  const send = (turn: number, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, baseUrl), {
      ...init,
      headers: { authorization: `Bearer ${tenantOf(turn).keys.owner}`, ...init.headers },
      signal: AbortSignal.timeout(CLIENT_MS_MAX),
    });
  const post = (turn: number, path: string, body: object): Promise<Response> =>
    send(turn, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify(body),
    });
  const upload = async (turn: number): Promise<Response> => {
    const [file] = await makeDocuments('xml', FIRST_INVOICE + turn, 1);
    if (file === undefined) throw new Error('no document was made');
    const reserved = await post(turn, '/v1/uploads', { mediaType: file.mediaType, byteSize: file.bytes.length });
    if (reserved.status !== 201) return reserved;
    const { upload_id, upload_url } = (await reserved.json()) as { upload_id: string; upload_url: string };
    const stored = await send(turn, upload_url, {
      method: 'PUT',
      headers: { 'content-type': file.mediaType },
      body: file.bytes as Uint8Array<ArrayBuffer>,
    });
    if (stored.status !== 204) return stored;
    return post(turn, '/v1/invoices/from-upload', { upload_id });
  };
  const activities: readonly Activity[] = [
    {
      name: 'POST /invoices',
      everyMs: 25,
      run: (turn) => post(turn, '/v1/invoices', invoiceAt(FIRST_INVOICE + turn, FIRST_INVOICE)),
    },
    { name: 'uploads', everyMs: 500, run: upload },
    {
      name: 'POST /scans',
      everyMs: 5_000,
      run: (turn) =>
        post(turn, '/v1/scans', {
          companyId: tenantOf(turn).companyId,
          rows: scanRows(turn, SCANNED_ROWS, FIRST_INVOICE),
        }),
    },
    {
      name: 'lists',
      everyMs: 250,
      run: (turn) => send(turn, turn % 2 === 0 ? '/v1/invoices?limit=100' : '/v1/findings/summary'),
    },
  ];
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  const loop = async ({ name, everyMs, run }: Activity): Promise<void> => {
    const beganMs = performance.now();
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      const one = statusOf(run(turn)).then((status) => {
        const key = `${name} ${status}`;
        statuses[key] = (statuses[key] ?? 0) + 1;
        running.delete(one);
      });
      running.add(one);
      await delay(Math.max(0, beganMs + (turn + 1) * everyMs - performance.now()));
    }
  };
  const loops = activities.map(loop);
  return {
    statuses,
    async stop() {
      ended.abort();
      await Promise.all(loops);
      await Promise.all(running);
    },
  };
}

/** Returns the status of a response after its body was read, or 0 if the request got no complete response. */
async function statusOf(sent: Promise<Response>): Promise<number> {
  try {
    const response = await sent;
    if (!response.bodyUsed) await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
