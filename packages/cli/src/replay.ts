import { ApiError } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import type { Terminal } from './terminal.js';

/**
 * Maximum number of webhook deliveries that one command of the CLI sends again. To send more deliveries, repeat the
 * command.
 */
const REPLAYS_MAX = 1_000;

type What = { readonly deliveryIds: readonly string[] } | { readonly webhookId: string };

/**
 * Sends webhook deliveries again, one after the other. A delivery that is refused is printed, and the other deliveries
 * are still sent.
 * @returns the number of deliveries that were refused
 */
export async function replay(
  client: Client,
  what: What,
  { isDryRun, isJson }: { readonly isDryRun: boolean; readonly isJson: boolean },
  { print, printError, signal }: Terminal,
): Promise<number> {
  const deliveries =
    'deliveryIds' in what ? what.deliveryIds.map((id) => ({ id })) : await failedOf(client, what.webhookId, signal);
  if (isDryRun) {
    for (const delivery of deliveries) print(isJson ? JSON.stringify(delivery) : lineOf(delivery));
    return 0;
  }
  let refused = 0;
  for (const { id } of deliveries) {
    try {
      const { data } = await client.post('/webhooks/deliveries/{deliveryId}/replay', {
        path: { deliveryId: id },
        signal,
      });
      print(isJson ? JSON.stringify(data) : lineOf(data));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused += 1;
      printError(`${id}: ${error.message}`);
    }
  }
  if (!isJson) print(`${deliveries.length - refused} of ${deliveries.length} deliveries are sent again.`);
  return refused;
}

async function failedOf(client: Client, webhookId: string, signal: AbortSignal): Promise<Schemas['Delivery'][]> {
  const failed: Schemas['Delivery'][] = [];
  const query = { webhook_id: webhookId, status: 'FAILED' } as const;
  for await (const delivery of client.items('/webhooks/deliveries', { query, signal })) {
    failed.push(delivery);
    if (failed.length >= REPLAYS_MAX) break;
  }
  return failed;
}

function lineOf(delivery: { readonly id: string } & Partial<Schemas['Delivery']>): string {
  const { id, eventType, eventId, status } = delivery;
  return [id, eventType, eventId, status].filter((part) => part !== undefined).join('  ');
}
