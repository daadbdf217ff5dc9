// Runs the webhook receiver of the benchmark in a separate process, so that its CPU time is not counted for the sender.
import { startWebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import type { WebhookReceiverOptions } from '@invoicecontrol/simulators/webhook-receiver';
import type { Arrival, ReceiverOrder, ReceiverStart } from './webhook-receiver-process.js';

/**
 * Number of webhook requests that the simulated receiver keeps. The benchmark itself keeps all requests without their
 * bodies.
 */
const KEPT_BY_SIMULATOR = 1;
/** Delay in milliseconds of a webhook receiver that stores the event before it responds. */
const ANSWER_MS = 5;

process.once('message', (start: ReceiverStart) => void serve(start));

async function serve({ tls, servers: count }: ReceiverStart): Promise<void> {
  let arrivals: Arrival[] = [];
  const options: WebhookReceiverOptions = {
    tls,
    deliveriesMax: KEPT_BY_SIMULATOR,
    onDelivery: ({ path, eventId, arrivedAtMs, isVerified }) => {
      arrivals.push({ path, eventId: eventId ?? '', arrivedAtMs, isVerified });
    },
  };
  const servers = await Promise.all(Array.from({ length: count }, () => startWebhookReceiver(options)));
  for (const server of servers) server.setFault('*', { kind: 'SLOW', delayMs: ANSWER_MS });
  process.on('message', (order: ReceiverOrder) => {
    // Each webhook has a separate path, so that the secret and the fault of every path can be set on all servers of the
    // receiver.
    if (order.do === 'secret') for (const server of servers) server.setSecrets(order.path, [order.secret]);
    if (order.do === 'fault') for (const server of servers) server.setFault(order.path, order.fault);
    if (order.do === 'count') {
      process.send?.({ count: arrivals.length, open: servers.reduce((sum, { open }) => sum + open, 0) });
    }
    if (order.do === 'take') {
      process.send?.(arrivals);
      arrivals = [];
    }
  });
  process.once('disconnect', () => process.exit());
  process.send?.(servers.map(({ url }) => url));
}
