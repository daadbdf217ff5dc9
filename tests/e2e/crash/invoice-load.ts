// Simulates clients that keep sending invoices, copies and repeated requests, whichever process is killed.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Ledger, Sent } from './ledger.js';
import { pick, sampleInvoice } from './sample-invoices.js';
import type { Sample } from './sample-invoices.js';

const CONNECTIONS = 8;
/**
 * Pause in milliseconds of a client between two invoices. With this pause, a request is in progress at every kill, and
 * a machine with two processors can keep up.
 */
const PAUSE_MS = 100;
/** Number of requests that are retried at the same time, in addition to the requests of each connection. */
const RETRYING_MAX = 64;
/**
 * Number of the newest requests that may be repeated, so that a repeat may arrive while the first request is in
 * progress.
 */
const RECENT_MAX = 50;

export interface InvoiceLoad {
  /** Stops sending invoices and waits for the requests in progress. */
  stop(): void;
  /** Resolves when every invoice with an Idempotency-Key was acknowledged. Call it after `stop`. */
  finished(): Promise<void>;
}

/**
 * Starts to send invoices over several connections.
 * @param tenants list of tenants, which may grow while the load runs
 */
export function startInvoiceLoad(
  ledger: Ledger,
  tenants: readonly Tenant[],
  nextSample: () => Omit<Sample, 'sentAs'>,
): InvoiceLoad {
  const sent: Sent[] = [];
  const retried: Promise<void>[] = [];
  let retrying = 0;
  let isStopped = false;
  let count = 0;

  const nextRequest = (): Sent => {
    count++;
    const again = Math.random() < 0.1 ? pick(sent.slice(-RECENT_MAX)) : undefined;
    if (again?.idempotencyKey !== undefined) return again;
    const name = `request-${count}`;
    const idempotencyKey = Math.random() < 0.9 ? name : undefined;
    const request = {
      tenant: pick(tenants) ?? none(),
      idempotencyKey,
      invoice: sampleInvoice({ ...nextSample(), sentAs: name }),
    };
    sent.push(request);
    return request;
  };
  const retry = (request: Sent): Promise<void> => {
    retrying++;
    const answered = ledger.sendWithRetries(request).finally(() => retrying--);
    // A failure of the invoice load is reported much later, when the caller awaits `finished`.
    answered.catch(() => {});
    return answered;
  };
  const connection = async (): Promise<void> => {
    while (!isStopped) {
      const request = nextRequest();
      try {
        await ledger.send(request);
      } catch {
        if (request.idempotencyKey !== undefined) {
          const answered = retry(request);
          retried.push(answered);
          // Retries may take until a lease has expired, so the connection continues with other requests in the
          // meantime.
          if (retrying > RETRYING_MAX) await answered.catch(() => {});
        }
      }
      await delay(PAUSE_MS * Math.random());
    }
  };
  const connections = Array.from({ length: CONNECTIONS }, connection);
  return {
    stop() {
      isStopped = true;
    },
    async finished() {
      await Promise.all(connections);
      await Promise.all(retried);
    },
  };
}

function none(): never {
  throw new Error('there is nothing to pick from');
}
