import { createClient } from '@invoicecontrol/client';
import type { Schemas } from '@invoicecontrol/client';

export interface OwnWebhook {
  readonly secret: string;
  /** Deletes the webhook of the receiver, so that no deliveries to a stopped receiver fail. */
  remove(): Promise<void>;
}

/**
 * Registers a webhook for the time in which a receiver runs.
 * @throws ApiError, NetworkError, TypeError for an invalid address or key
 */
export async function registerOwnWebhook({
  api,
  key,
  url,
  events,
}: {
  api: string;
  key: string;
  url: string;
  events: readonly string[];
}): Promise<OwnWebhook> {
  const client = createClient({ baseUrl: api, apiKey: key });
  // The API refuses an unknown event with a message that lists the known events.
  const body = { url, events: events as Schemas['WebhookCreation']['events'] };
  const { data } = await client.post('/webhooks', { body });
  return {
    secret: data.secret,
    async remove() {
      await client.delete('/webhooks/{webhookId}', { path: { webhookId: data.id } });
    },
  };
}
