import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import { reportGauges } from '../telemetry.js';
import type { Announcing } from './event-envelope.js';

/**
 * Maximum number of documents with unacknowledged events that are counted, so that counting stays cheap however long
 * the broker is unavailable.
 */
const PENDING_MAX = 10_000;
/** Maximum number of documents that one measurement reads to find the oldest unpublished event of the outbox. */
const AGED_DOCUMENTS_MAX = 256;

/**
 * Reports the number of documents with events that the broker has not acknowledged, and the age of the oldest event.
 */
export function reportOutbox(
  { db, collectionNames, clock }: { db: Db; collectionNames: readonly string[]; clock: Clock },
  service: string,
): () => void {
  return reportGauges(
    ['invoicecontrol.outbox.depth', 'invoicecontrol.outbox.oldest_age'],
    () =>
      Promise.all(
        collectionNames.map(async (name) => {
          const collection = db.collection<Announcing>(name);
          const [pending, waiting] = await Promise.all([
            collection.countDocuments({ outboxPending: true }, { limit: PENDING_MAX }),
            collection
              .find({ outboxPending: true }, { projection: { outbox: 1 }, limit: AGED_DOCUMENTS_MAX })
              .toArray(),
          ]);
          const now = clock.now().getTime();
          const ages = waiting.map(({ outbox }) => (now - (outbox?.[0]?.at.getTime() ?? now)) / 1_000);
          return {
            attributes: { collection: name },
            values: {
              'invoicecontrol.outbox.depth': pending,
              'invoicecontrol.outbox.oldest_age': Math.max(0, ...ages),
            },
          };
        }),
      ),
    service,
  );
}
