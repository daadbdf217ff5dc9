import { DomainError } from '@invoicecontrol/errors';
import { z } from 'zod';
import { normaliseInstant } from '../domain/instant.js';
import { isAboutSubscription } from '../domain/notification.js';

const ID_LENGTH_MAX = 200;

const envelope = z.object({
  event_id: z.string().min(1).max(ID_LENGTH_MAX),
  event_type: z.string().min(1).max(ID_LENGTH_MAX),
  occurred_at: z.string().max(ID_LENGTH_MAX),
  data: z.record(z.string(), z.unknown()),
});

/** A payment notification with a valid signature. */
export interface ProviderNotification {
  readonly eventId: string;
  readonly type: string;
  /** Time of a payment event at the payment provider, in a normalized form that sorts by time. */
  readonly occurredAt: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Parses the body of a notification from the payment provider.
 * @throws DomainError invalid if the bytes are not a payment notification
 */
export function readNotification(body: Uint8Array): ProviderNotification {
  const read = envelope.safeParse(parseJson(body));
  const occurredAt = read.success ? normaliseInstant(read.data.occurred_at) : undefined;
  if (!read.success || occurredAt === undefined) {
    throw new DomainError(
      'invalid',
      'The payment notification is not valid. Send a JSON object with the strings event_id and event_type, the RFC 3339 time occurred_at and the object data.',
    );
  }
  return { eventId: read.data.event_id, type: read.data.event_type, occurredAt, data: read.data.data };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Ids of subscription, customer and organization that a payment notification contains. */
export interface Mentioned {
  readonly subscriptionId: string | undefined;
  readonly claimedOrganizationId: string | undefined;
}

const mentioned = z.object({
  id: z.string().max(ID_LENGTH_MAX).optional().catch(undefined),
  subscription_id: z.string().max(ID_LENGTH_MAX).nullish().catch(undefined),
  custom_data: z
    .object({ organization_id: z.uuid().transform((id) => id.toLowerCase()) })
    .nullish()
    .catch(undefined),
});

export function mentionedIn({ type, data }: ProviderNotification): Mentioned {
  const { id, subscription_id, custom_data } = mentioned.parse(data);
  return {
    subscriptionId: isAboutSubscription(type) ? id : (subscription_id ?? undefined),
    claimedOrganizationId: custom_data?.organization_id,
  };
}
