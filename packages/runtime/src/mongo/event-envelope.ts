import { createHash } from 'node:crypto';
import type { EventBody, EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { activeCause } from '../trace-context.js';
import type { Cause } from '../trace-context.js';

/** An event as it waits in the document whose change it tells. */
export interface OutboxEvent {
  readonly id: string;
  readonly subject: string;
  /** Proto JSON. */
  readonly payload: string;
  readonly at: Date;
  /** The trace and the request that the change was a part of; earlier versions stored none. */
  readonly cause?: Cause;
}

/** A document that carries the events of its own changes until the broker has them. */
export interface Announcing {
  readonly _id: string;
  readonly version: number;
  /** Events not yet acknowledged by the broker. */
  readonly outbox?: readonly OutboxEvent[];
  /** Set exactly while `outbox` holds something; sparse index. */
  readonly outboxPending?: true;
  /** The last published events, to refill a broker that lost its volume. */
  readonly recentEvents?: readonly OutboxEvent[];
  readonly lastEventAt?: Date;
}

/** An event that a write is about to make true. */
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
 * Derived, and stored with the change, so every repeat has the same id (architecture section 5, rule 3). The time tells
 * a change from one that a restore of the database lost: their versions are the same, and consumers know the lost one.
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
 * The announcements of one change as they are stored with it.
 * @param cause of the change; the work under way unless it says otherwise
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
