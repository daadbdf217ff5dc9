import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { faultSwitch } from './faults.js';
import type { FaultKind } from './faults.js';
import { instantSource, newId } from './ids.js';
import { signatureHeader } from './signature.js';

/** A payment notification that was sent or should have been sent. */
export interface SentNotification {
  readonly eventId: string;
  readonly eventType: string;
  readonly occurredAt: string;
  readonly subscriptionId: string | null;
  readonly attempts: { readonly at: string; readonly status: number | null }[];
}

export interface EventToSend {
  readonly eventType: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Time of the payment event. The default is the current time. */
  readonly occurredAt?: string;
}

export interface Notifier {
  /** Sends payment notifications one after another. Resolves when each notification was tried once. */
  send(sequence: readonly EventToSend[]): Promise<void>;
  readonly sent: readonly SentNotification[];
  setFault(kind: FaultKind, times: number): void;
  setUrl(url: string): void;
  readonly url: string | undefined;
  stop(): void;
}

/** Maximum number of remembered payment notifications. The oldest notification is dropped first. */
const SENT_MAX = 10_000;
const ATTEMPTS_MAX = 60;
const FIRST_RETRY_MS = 50;
const RETRY_MS_MAX = 5_000;
const ANSWER_MS_MAX = 5_000;
const DELAY_MS = 1_000;
const OLD_SECONDS = 600;

/** Sends signed payment notifications, and retries each until the response is 200. */
export function notifier(options: { readonly url: string | undefined; readonly secrets: readonly string[] }): Notifier {
  const { secrets } = options;
  const secret = secrets[0] ?? '';
  const sent: SentNotification[] = [];
  const faults = faultSwitch();
  const nextInstant = instantSource();
  const stopping = new AbortController();
  const { signal } = stopping;
  // Node.js must not warn of many listeners, because each payment notification that waits for a retry adds one.
  setMaxListeners(0, signal);
  let { url } = options;

  const post = async (body: string, fault: FaultKind, isFirst: boolean): Promise<number | null> => {
    if (url === undefined) return null;
    const now = Math.floor(Date.now() / 1_000);
    const isOld = fault === 'OLD_TIMESTAMP' && isFirst;
    const signers =
      fault === 'BAD_SIGNATURE' && isFirst ? ['wrong'] : fault === 'TWO_H1' ? [secret, 'of-the-past'] : [secret];
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'paddle-signature': signatureHeader(body, { secrets: signers, ts: isOld ? now - OLD_SECONDS : now }),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  };
  /** Sends a payment notification to the billing service once. @returns whether the response was 200 */
  const attempt = async (entry: SentNotification, body: string, fault: FaultKind): Promise<boolean> => {
    const at = new Date().toISOString();
    const status = await post(body, fault, entry.attempts.length === 0);
    entry.attempts.push({ at, status });
    return status === 200;
  };
  const retry = async (entry: SentNotification, body: string, fault: FaultKind): Promise<void> => {
    for (let waitMs = FIRST_RETRY_MS; entry.attempts.length < ATTEMPTS_MAX && !signal.aborted; waitMs *= 2) {
      await delay(Math.min(waitMs, RETRY_MS_MAX), undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || (await attempt(entry, body, fault))) return;
    }
  };
  const sendOne = async (
    { eventType, data, occurredAt = nextInstant() }: EventToSend,
    eventId: string,
  ): Promise<void> => {
    const fault = faults.consume();
    const entry: SentNotification = {
      eventId,
      eventType,
      occurredAt,
      subscriptionId: subscriptionOf(data),
      attempts: [],
    };
    sent.push(entry);
    if (sent.length > SENT_MAX) sent.shift();
    if (fault === 'LOSE') return;
    const bodyOf = (): string =>
      JSON.stringify({
        event_id: eventId,
        event_type: eventType,
        occurred_at: occurredAt,
        notification_id: newId('ntf'),
        data,
      });
    const body = bodyOf();
    if (fault === 'DELAY') {
      void delay(DELAY_MS, undefined, { signal, ref: false })
        .then(async () => (await attempt(entry, body, fault)) || retry(entry, body, fault))
        .catch(() => {});
      return;
    }
    if (!(await attempt(entry, body, fault))) void retry(entry, body, fault);
    if (fault === 'DUPLICATE') await attempt(entry, bodyOf(), fault);
  };

  return {
    sent,
    async send(sequence) {
      // The times of the payment events are set in the order of the events, before their notifications are shuffled.
      const dated = sequence.map((event) => ({ occurredAt: nextInstant(), ...event }));
      const ordered = faults.isShuffling ? shuffled(dated) : dated;
      for (const event of ordered) {
        if (signal.aborted) return;
        await sendOne(event, newId('evt'));
      }
    },
    setFault: (kind, times) => faults.set(kind, times),
    setUrl(next) {
      url = next;
    },
    get url() {
      return url;
    },
    stop: () => stopping.abort(),
  };
}

function subscriptionOf(data: Readonly<Record<string, unknown>>): string | null {
  const { id, subscription_id: named } = data;
  if (typeof id === 'string' && id.startsWith('sub_')) return id;
  return typeof named === 'string' ? named : null;
}

/**
 * Returns the payment notifications in random order. Two or more notifications always get an order that differs from
 * the given one.
 */
function shuffled<T>(sequence: readonly T[]): readonly T[] {
  const random = sequence
    .map((event) => ({ event, key: Math.random() }))
    .toSorted((left, right) => left.key - right.key)
    .map(({ event }) => event);
  return random.every((event, at) => event === sequence[at]) ? sequence.toReversed() : random;
}
