import type { ConsumerInfo, NextMsgRequest } from '@nats-io/jetstream';
import type { EventType } from '@invoicecontrol/contracts/events';
import type { Bus } from './connection.js';

/**
 * Returns the publication time of the oldest event that a durable consumer has not handled yet, or undefined if no
 * event waits.
 */
export async function oldestWaiting(
  bus: Bus,
  { stream, subject }: Pick<EventType, 'stream' | 'subject'>,
  { num_pending: pending, num_ack_pending: unacknowledged, ack_floor: handled }: ConsumerInfo,
): Promise<Date | undefined> {
  if (pending + unacknowledged === 0) return undefined;
  // The NATS server supports next_by_subj for every stream, but the types of the client have it only for direct reads.
  const next: NextMsgRequest & { seq: number } = { seq: handled.stream_seq + 1, next_by_subj: subject };
  return (await bus.manager.streams.getMessage(stream, next))?.time;
}
