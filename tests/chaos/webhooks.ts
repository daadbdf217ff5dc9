// Starts the webhook receivers of a chaos run. The receivers respond or fail as configured. Their endpoints are
// registered before the load begins, and the audit checks the requests that they received.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startWebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import type { Fault, WebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import { randomFrom } from '../detection/random.js';
import type { PublishedEvent } from './books.js';
import type { WebhookBooks } from './webhook-audit.js';
import { openWebhookBooks } from './webhook-books.js';

export interface ChaosWebhooks {
  /** Returns the number of webhook deliveries that are not completed. */
  pending(): Promise<number>;
  /**
   * Returns the number of lapsed claims on webhook deliveries, as defined at {@link WebhookBookReader.lapsedClaims}.
   */
  lapsedClaims(): Promise<number>;
  /** Makes the webhook receivers respond from now on, so that the remaining deliveries can complete. */
  heal(): void;
  read(published: readonly PublishedEvent[]): Promise<WebhookBooks>;
  stop(): Promise<void>;
}

export interface ChaosWebhooksOptions {
  readonly seed: number;
  readonly baseUrl: string;
  readonly mongodbUrl: string;
  readonly tenants: readonly Tenant[];
}

/** Returns true if a path belongs to a webhook endpoint that accepts everything at once. */
export const isSteady = (path: string): boolean => path.startsWith('/steady-');

/**
 * Kinds of webhooks that each organization has. One webhook accepts every delivery, one fails occasionally, and one
 * accepts no delivery, so that its deliveries end as FAILED.
 */
const kinds = ['steady', 'flaky', 'refusing'] as const;
/**
 * Event types of the webhook endpoints that fail. Findings are left out: history scans raise thousands of them, and
 * five attempts for each would take longer than the load.
 */
const FEW = ['invoice.analysis.completed', 'finding.reviewed', 'scan.completed'];
const types: Readonly<Record<(typeof kinds)[number], readonly string[]>> = {
  steady: [...FEW, 'finding.created'],
  flaky: [...FEW, 'finding.created'],
  refusing: FEW,
};
const FAULT_EACH_MS = 2_000;
const DELIVERIES_MAX = 1_000_000;
const REGISTER_MS_MAX = 60_000;
const faults: readonly Fault[] = [
  { kind: 'STATUS', status: 500, times: 3 },
  { kind: 'STATUS', status: 503, retryAfter: '2', times: 2 },
  { kind: 'STATUS', status: 301, location: 'http://127.0.0.1/', times: 1 },
  { kind: 'RESET', times: 3 },
  { kind: 'RESET_AFTER_HEADERS', times: 2 },
  { kind: 'SLOW', delayMs: 3_000, times: 4 },
  { kind: 'SILENCE', times: 1 },
];

export async function startChaosWebhooks(options: ChaosWebhooksOptions): Promise<ChaosWebhooks> {
  const { seed, baseUrl, mongodbUrl, tenants } = options;
  const receiver = await startWebhookReceiver({ deliveriesMax: DELIVERIES_MAX });
  const random = randomFrom(seed);
  const paths = (kind: (typeof kinds)[number]): string[] => tenants.map((_, number) => `/${kind}-${number}`);
  try {
    for (const [number, tenant] of tenants.entries()) {
      for (const kind of kinds) {
        await registerWebhook(receiver, { baseUrl, tenant, path: `/${kind}-${number}`, events: types[kind] });
      }
    }
  } catch (error) {
    await receiver.stop();
    throw error;
  }
  for (const path of paths('refusing')) receiver.setFault(path, { kind: 'STATUS', status: 500 });
  const failing = setInterval(() => receiver.setFault(random.pick(paths('flaky')), random.pick(faults)), FAULT_EACH_MS);
  const books = await openWebhookBooks({ mongodbUrl });
  return {
    pending: () => books.pending(),
    lapsedClaims: () => books.lapsedClaims(),
    heal() {
      clearInterval(failing);
      for (const path of paths('flaky')) receiver.setFault(path, undefined);
    },
    read(published) {
      const arrivals = () =>
        receiver.deliveries.map(({ body, answered, ...arrival }) => ({
          ...arrival,
          body: body.toString('utf8'),
          isAccepted: acceptedBy.has(answered),
          isCut: answered === 'RESET',
        }));
      return books.read(arrivals, published);
    },
    async stop() {
      clearInterval(failing);
      await books.close();
      await receiver.stop();
    },
  };
}

/** Responses whose status line accepts the webhook, whatever happens to the response body. */
const acceptedBy: ReadonlySet<unknown> = new Set([200, 'SLOW', 'RESET_AFTER_HEADERS']);

interface Registration {
  readonly baseUrl: string;
  readonly tenant: Tenant;
  readonly path: string;
  readonly events: readonly string[];
}

/** Registers a path of the webhook receiver as a webhook of the organization. */
export async function registerWebhook(
  receiver: WebhookReceiver,
  { baseUrl, tenant, path, events }: Registration,
): Promise<void> {
  const givenUpAtMs = performance.now() + REGISTER_MS_MAX;
  for (;;) {
    const response = await fetch(`${baseUrl}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}${path}`, events }),
    });
    if (response.status === 201) {
      const { secret } = (await response.json()) as { secret: string };
      receiver.setSecrets(path, [secret]);
      return;
    }
    const answer = `${response.status} ${await response.text()}`;
    if (response.status < 500 || performance.now() > givenUpAtMs) throw new Error(`POST /webhooks: ${answer}`);
    await delay(500);
  }
}
