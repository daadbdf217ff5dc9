// What was sent and what was answered. An answer is a promise: whatever crashes afterwards, it must hold.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { AcceptedAnalysis } from '../shapes.js';

/** One attempt may take this long; the gateway gives up earlier. */
const ATTEMPT_MS_MAX = 15_000;
/** As a client does who was told to come again in a second. */
const RETRY_EACH_MS = 1_000;

export interface Sent {
  readonly tenant: Tenant;
  readonly idempotencyKey: string | undefined;
  readonly invoice: Readonly<Record<string, unknown>>;
}

export interface Acknowledged {
  readonly organizationId: string;
  readonly idempotencyKey: string | undefined;
  readonly invoiceId: string;
  readonly decision: string;
  readonly riskScore: number;
  readonly findingTypes: readonly string[];
}

export interface Ledger {
  readonly acknowledged: readonly Acknowledged[];
  /** Sends once. @throws Error when it was not acknowledged, whatever became of it */
  send(sent: Sent): Promise<void>;
  /** Sends again under the same key until it is acknowledged, for as long as the ledger is open. */
  insist(sent: Sent): Promise<void>;
  /** Resolves when the gateway reaches analysis. */
  reach(tenant: Tenant): Promise<void>;
  /** Nobody insists any longer. */
  close(): void;
}

/** @param baseUrl ends in `/v1` */
export function openLedger(baseUrl: string): Ledger {
  const acknowledged: Acknowledged[] = [];
  let isClosed = false;
  const send = async ({ tenant, idempotencyKey, invoice }: Sent): Promise<void> => {
    const response = await fetch(`${baseUrl}/invoices`, {
      method: 'POST',
      headers: {
        ...authorization(tenant),
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(invoice),
      signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
    });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${response.status} ${text}`);
    const { id, decision, risk_score: riskScore, findings } = JSON.parse(text) as AcceptedAnalysis;
    const findingTypes = findings.map(({ type }) => type).toSorted();
    const { organizationId } = tenant;
    acknowledged.push({ organizationId, idempotencyKey, invoiceId: id, decision, riskScore, findingTypes });
  };
  return {
    acknowledged,
    send,
    async insist(sent) {
      if (sent.idempotencyKey === undefined) throw new Error('Without a key a repeat would be another invoice.');
      for (;;) {
        try {
          return await send(sent);
        } catch (error) {
          if (isClosed) throw new Error(`never acknowledged: ${sent.idempotencyKey}`, { cause: error });
        }
        await delay(RETRY_EACH_MS);
      }
    },
    reach: (tenant) =>
      eventually(async () => {
        const response = await fetch(`${baseUrl}/invoices?limit=1`, { headers: authorization(tenant) });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`the gateway answers ${response.status}`);
      }),
    close() {
      isClosed = true;
    },
  };
}

function authorization({ keys }: Tenant): { authorization: string } {
  return { authorization: `Bearer ${keys.owner}` };
}
