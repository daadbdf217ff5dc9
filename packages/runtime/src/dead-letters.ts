import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import { maskSecrets, maskText } from './mask-secrets.js';
import type { RequestContext } from './request-context.js';
import { inWords } from './telemetry/in-words.js';
import { count } from './telemetry.js';

/** Maximum number of dead letters that one call sends again, so that the call ends before its caller times out. */
export const RESENT_LETTERS_MAX = 20;
const REASON_LENGTH_MAX = 500;

/** An event that could not be handled although no dependency was unavailable. It is stored for the operator. */
export interface DeadLetter {
  /** Id of the dead letter, in the form `<consumer>:<event id>`. */
  readonly id: string;
  readonly subject: string;
  /** Payload of the dead letter's event as proto JSON. */
  readonly payload: string;
  /** Error with which the last attempt to handle the event of the dead letter failed. */
  readonly error: string;
  /** Time when the event became a dead letter. */
  readonly at: Date;
  /** Number of times that the event of the dead letter was sent again and failed. Absent if it was never sent again. */
  readonly resends?: number;
  readonly resentAt?: Date;
}

/** Operations for the operator on the dead letters of a service. */
export interface DeadLetterStore {
  /**
   * Returns a page of dead letters in the order of their ids.
   * @param after last id of the previous page, or undefined for the first page
   */
  list(size: number, after: string | undefined): Promise<readonly DeadLetter[]>;
  find(id: string): Promise<DeadLetter | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Stores the error of another failed attempt to handle a dead letter.
   * @returns how often the dead letter has been sent again
   */
  noteFailure(id: string, error: string, at: Date): Promise<number>;
}

/** An event type, with the function that handles dead letters of this type again. */
interface Handler {
  readonly type: EventType;
  handle(event: EventHeader): Promise<void>;
}

export interface DeadLetterDeps {
  readonly letters: DeadLetterStore;
  readonly handlers: readonly Handler[];
  /** Checks whether an error of the handler means that a database or broker is unavailable. */
  readonly isOutage: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Result of sending a dead letter (an event that could not be handled) to its handler again. */
export type Resent = { readonly id: string } & (
  | { readonly outcome: 'HANDLED' | 'NOT_FOUND' }
  | { readonly outcome: 'FAILED'; readonly error: string; readonly resends: number }
);

/**
 * Returns a function that reads one dead letter by its id.
 * @throws DomainError not_found
 */
export const readDeadLetter =
  ({ letters }: Pick<DeadLetterDeps, 'letters'>) =>
  async (id: string): Promise<DeadLetter> => {
    const letter = await letters.find(id);
    if (letter === undefined) throw notFound('dead letter');
    return { ...letter, payload: maskSecrets(letter.payload) };
  };

/**
 * Handles dead letters again, as their consumer does. Handlers are idempotent, so a repeat changes nothing. The events
 * are not published again, so other consumers do not receive them and the broker is not needed.
 * @throws DomainError invalid if there are no letters, more than {@link RESENT_LETTERS_MAX} letters, or a reason that
 * is too long
 */
export const resendDeadLetters = ({ letters, handlers, isOutage, clock, logger }: DeadLetterDeps) => {
  const bySubject = new Map(handlers.map((handler) => [handler.type.subject, handler]));

  const handle = async ({ subject, payload }: DeadLetter): Promise<void> => {
    const handler = bySubject.get(subject);
    if (handler === undefined)
      throw new DomainError(
        'wrong_state',
        `This release of the service does not handle the event ${subject}, so its dead letters cannot be sent again.`,
      );
    await handler.handle(handler.type.codec.fromJSON(JSON.parse(payload)));
  };

  const resend = async (id: string): Promise<Resent & { cause?: unknown }> => {
    const letter = await letters.find(id);
    if (letter === undefined) return { id, outcome: 'NOT_FOUND' };
    try {
      await handle(letter);
    } catch (cause) {
      const error = maskText(cause instanceof Error ? cause.message : String(cause));
      const isUnavailable = isOutage(cause) || (cause instanceof DomainError && cause.kind === 'unavailable');
      // An outage is not caused by the dead letter, so it is not counted as a failed attempt. The operator repeats the
      // command after the outage.
      const resends = isUnavailable ? (letter.resends ?? 0) : await letters.noteFailure(id, error, clock.now());
      return { id, outcome: 'FAILED', error, resends, cause };
    }
    await letters.remove(id);
    return { id, outcome: 'HANDLED' };
  };

  return async (
    { ids, reason }: { readonly ids: readonly string[]; readonly reason: string },
    { actor, requestId }: RequestContext,
  ): Promise<readonly Resent[]> => {
    if (ids.length < 1 || ids.length > RESENT_LETTERS_MAX) {
      throw invalidField('dead_letter_ids', `must name 1 to ${RESENT_LETTERS_MAX} dead letters.`);
    }
    if (reason.length > REASON_LENGTH_MAX) {
      throw invalidField('reason', `must have at most ${REASON_LENGTH_MAX} characters.`);
    }
    const results: Resent[] = [];
    for (const id of new Set(ids)) {
      const { cause, ...resent } = await resend(id);
      results.push(resent);
      count('invoicecontrol.dead_letters.resent', { outcome: inWords(resent.outcome) });
      const fields = { deadLetterId: id, outcome: resent.outcome, actor, requestId, reason };
      if (resent.outcome === 'FAILED')
        logger.warn({ ...fields, error: cause }, 'a dead letter was sent again and failed');
      else logger.info(fields, 'a dead letter was sent again');
    }
    return results;
  };
};

/** Returns the organization that an event is about, or an empty text if the payload names none. */
export function organizationOf({ payload }: DeadLetter): string {
  try {
    const { organizationId } = JSON.parse(payload) as { organizationId?: unknown };
    return typeof organizationId === 'string' ? organizationId : '';
  } catch {
    return '';
  }
}
