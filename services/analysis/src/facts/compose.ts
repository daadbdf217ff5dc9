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

/** Sources of the facts for decisions. */
export type FactSources = ReturnType<typeof composeFacts>;

export function composeFacts(
  { clock, logger }: Foundation,
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
  const usual = highAmounts({ invoices: records.invoices, logger });
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
  return { highAmounts: usual, loadFacts: loadFacts(sources), reloadFacts: reloadFacts(sources) };
}
