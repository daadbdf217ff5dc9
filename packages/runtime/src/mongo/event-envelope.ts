import { createHash } from 'node:crypto';
import type { EventBody, EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { activeCause } from '../trace-context.js';
import type { Cause } from '../trace-context.js';

/** An event that is stored in the document whose change it describes. */
export interface OutboxEvent {
  readonly id: string;
  readonly subject: string;
  /** Payload of the stored event as proto JSON. */
  readonly payload: string;
  readonly at: Date;
  /** The trace and the request that caused the change. Absent in events that earlier versions stored. */
  readonly cause?: Cause;
}

/** A document that contains the events of its own changes until the broker has stored them. */
export interface Announcing {
  readonly _id: string;
  readonly version: number;
  /** Events of the document that the broker has not acknowledged yet. */
  readonly outbox?: readonly OutboxEvent[];
  /** True if the outbox of the document has events. The field is absent otherwise, because its index is sparse. */
  readonly outboxPending?: true;
  /** Events of the document that were published last. They are published again if the broker loses its volume. */
  readonly recentEvents?: readonly OutboxEvent[];
  readonly lastEventAt?: Date;
}

/** An event that will be stored together with the document change that it announces. */
export interface Announcement {
  readonly type: EventType;
  readonly body: object;
}

export function announce<T extends EventHeader>(type: EventType<T>, body: EventBody<T>): Announcement {
  return { type: type as unknown as EventType, body };
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_CHARACTERS = 26;

/**
 * Derives the id of an event from the document change that it announces, so that a repeated change gets the same id
 * (architecture section 5, rule 3). The id also depends on the time of the change. After a restore of the database, a
 * new change may have the same version as a change that was lost but whose event consumers have already seen.
 */
export function eventId(
  aggregate: { readonly id: string; readonly version: number },
  at: Date,
  eventName: string,
  index: number,
): string {
  const change = `${aggregate.id}|${aggregate.version}|${at.getTime()}|${eventName}|${index}`;
  const digest = createHash('sha256').update(change).digest();
  let bits = 0;
  let bitCount = 0;
  let text = '';
  for (const byte of digest) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5 && text.length < ID_CHARACTERS) {
      text += ALPHABET[(bits >> (bitCount - 5)) & 31];
      bitCount -= 5;
    }
    bits &= (1 << bitCount) - 1;
  }
  return `evt_${text}`;
}

/**
 * Returns the events of one change of a document in their stored form.
 * @param cause cause of the change; by default the current work
 */
export function envelopes(
  aggregate: { id: string; organizationId: string; version: number },
  announcements: readonly Announcement[],
  at: Date,
  cause: Cause = activeCause(),
): OutboxEvent[] {
  return announcements.map(({ type, body }, index) => {
    const id = eventId(aggregate, at, type.name, index);
    const message = { ...body, eventId: id, eventTime: at, organizationId: aggregate.organizationId };
    return { id, subject: type.subject, payload: JSON.stringify(type.codec.toJSON(message)), at, cause };
  });
}
