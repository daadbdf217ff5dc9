import type { ErpBooks } from '../books/compose.js';
import type { Foundation } from '../foundation.js';
import type { Inboxes } from '../inboxes/compose.js';
import type { Policies } from '../policies/compose.js';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { Reading } from '../reading/compose.js';
import type { Records } from '../records/compose.js';
import { withoutAbandonedScans } from './application/abandoned-scans.js';
import { highAmounts } from './application/high-amounts.js';
import { loadFacts } from './application/load-facts.js';
import { reloadFacts } from './application/reload-facts.js';
import { createHighAmountIndexes, highAmountStore } from './storage/high-amounts.js';
import type { HighAmountDocument } from './storage/high-amounts.js';

/** Sources of the facts on which invoice decisions are based. */
export type FactSources = Awaited<ReturnType<typeof composeFacts>>;

export async function composeFacts(
  { db, clock, logger }: Foundation,
  rooms: {
    records: Records;
    policies: Policies;
    reading: Reading;
    books: ErpBooks;
    rates: { readonly publishedRates: PublishedRates };
    inboxes: Inboxes;
  },
) {
  const { records, policies, reading, books, rates, inboxes } = rooms;
  const collection = db.collection<HighAmountDocument>('high_amounts');
  await createHighAmountIndexes(collection);
  const usual = highAmounts({ invoices: records.invoices, stored: highAmountStore(collection), clock });
  const withoutAbandoned = withoutAbandonedScans({ runs: records.runs, clock });
  const sources = {
    ...records,
    ...reading,
    ...rates,
    policy: policies.policy,
    erpRecords: books.erpRecords,
    inboxOf: inboxes.inboxOf,
    highAmounts: usual,
    withoutAbandonedScans: withoutAbandoned,
    logger,
  };
  return {
    collection,
    highAmounts: usual,
    loadFacts: loadFacts(sources),
    reloadFacts: reloadFacts(sources),
  };
}
