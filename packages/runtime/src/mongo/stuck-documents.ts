import type { Db } from 'mongodb';
import type { FindStuckWork } from '../stuck-work.js';
import type { Announcing } from './event-envelope.js';

/** Maximum number of documents of one collection that a search for stuck work reads. */
const DOCUMENTS_MAX = 256;

interface OutboxSource {
  readonly db: Db;
  readonly service: string;
  readonly collectionNames: readonly string[];
  /** Returns the reason why the broker does not have the events of a document, as far as this process knows it. */
  readonly reason: () => string;
}

/** Finds events that wait in their documents, and reports one item for each collection. */
export function stuckOutbox({ db, service, collectionNames, reason }: OutboxSource): FindStuckWork {
  return async (before) => {
    const found = await Promise.all(
      collectionNames.map(async (name) => {
        const documents = await db
          .collection<Announcing>(name)
          .find({ outboxPending: true }, { projection: { 'outbox.at': 1 }, limit: DOCUMENTS_MAX })
          .toArray();
        const waiting = documents
          .map(({ _id, outbox }) => ({ id: _id, at: outbox?.[0]?.at }))
          .filter((one): one is { id: string; at: Date } => one.at !== undefined && one.at <= before)
          .toSorted((left, right) => left.at.getTime() - right.at.getTime());
        const [oldest] = waiting;
        if (oldest === undefined) return [];
        const number = waiting.length === DOCUMENTS_MAX ? `${DOCUMENTS_MAX} or more` : String(waiting.length);
        return [
          {
            kind: 'outbox',
            what: `documents of ${name} with unpublished events: ${number}, the oldest ${oldest.id}`,
            since: oldest.at,
            why: reason(),
            resolution: `kubectl rollout restart deployment/${service}; docs/runbooks/events-and-jobs-stuck.md`,
          },
        ];
      }),
    );
    return found.flat();
  };
}

/** Finds dead letters, and reports one item for each event. */
export function stuckDeadLetters(db: Db, service: string): FindStuckWork {
  return async (before) => {
    const letters = await db
      .collection<{ subject: string; at: Date; error: string }>('dead_letters')
      .find(
        { at: { $lte: before } },
        { projection: { subject: 1, at: 1, error: 1 }, sort: { at: 1, _id: 1 }, limit: DOCUMENTS_MAX },
      )
      .toArray();
    return [...new Set(letters.map(({ subject }) => subject))].map((subject) => {
      const same = letters.filter((letter) => letter.subject === subject);
      return {
        kind: 'dead_letters',
        what: `${same.length} of ${subject}`,
        since: same[0]?.at ?? before,
        why: same[0]?.error ?? '',
        resolution: `npm run admin -- dead-letters resend --all --service ${service}`,
      };
    });
  };
}
