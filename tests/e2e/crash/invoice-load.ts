// Clients that go on sending whatever is killed: new invoices, copies of them, and the same requests again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Ledger, Sent } from './ledger.js';
import { pick, sampleInvoice } from './sample-invoices.js';
import type { Sample } from './sample-invoices.js';

const CONNECTIONS = 8;
/** Enough to have something in progress at every kill, and little enough for a machine with two processors. */
const PAUSE_MS = 100;
/** Number of requests that are retried besides those of the connections. */
const RETRYING_MAX = 64;
/** Requests are repeated that are this young, so that both may be in progress at once. */
const RECENT_MAX = 50;

export interface InvoiceLoad {
  /** Sends no more. */
  stop(): void;
  /** Resolves when every request under a key was acknowledged; to be asked after `stop`. */
  finished(): Promise<void>;
}

/** @param tenants may grow while the load runs */
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
    // Awaiting `finished` reports a failure, much later.
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
          // Retries may take until a lease has lapsed; in the meantime the connection goes on with others.
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
