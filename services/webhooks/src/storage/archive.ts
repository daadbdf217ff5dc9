import { newestRecords } from '@invoicecontrol/retention/archive-pages';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import type { Collection, Filter } from 'mongodb';
import { deliveryStates } from '../domain/delivery.js';
import type { DeliveryState } from '../domain/delivery.js';
import type { DeliveryDocument } from './deliveries.js';

/**
 * Reads all stored webhook deliveries page by page, one state after the other, as the index requires. PENDING comes
 * first, so that no delivery is missed: a delivery that ends during the read is included twice, with its old and its
 * new state.
 */
export function archivedDeliveries(collection: Collection<DeliveryDocument>): ReadArchivePage {
  const readState = (state: DeliveryState): ReadArchivePage =>
    newestRecords(collection, toRecord, { filter: { state } as Filter<DeliveryDocument> });
  return async ({ after, recordsMax, ...request }) => {
    const [begun = '', position] = after === undefined ? [] : split(after);
    const records = [];
    const from = Math.max(0, deliveryStates.indexOf(begun as DeliveryState));
    for (const [index, state] of deliveryStates.slice(from).entries()) {
      const missing = recordsMax - records.length;
      if (missing === 0) break;
      const page = { ...request, after: index === 0 ? position : undefined, recordsMax: missing };
      const found = await readState(state)(page);
      records.push(...found.map((one) => ({ ...one, position: `${state}|${one.position}` })));
    }
    return records;
  };
}

function split(position: string): [string, string] {
  const end = position.indexOf('|');
  return [position.slice(0, end), position.slice(end + 1)];
}

function toRecord(document: DeliveryDocument): Readonly<Record<string, unknown>> {
  const { _id: id, endpointId, eventId, type, state, isTest, createdAt, attempts, attemptCount, closedAt } = document;
  return {
    id,
    webhookId: endpointId,
    eventId,
    eventType: type,
    status: state,
    test: isTest === true,
    createdAt,
    attemptCount,
    attempts: attempts.map(({ at, outcome, statusCode, durationMs }) => ({
      at,
      outcome,
      statusCode: statusCode ?? null,
      durationMs,
    })),
    endedAt: closedAt ?? null,
  };
}
