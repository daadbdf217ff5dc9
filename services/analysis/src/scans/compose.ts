import type { ErpBooks } from '../books/compose.js';
import type { FactSources } from '../facts/compose.js';
import type { Foundation, RoomParts } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { Records } from '../records/compose.js';
import type { Reviews } from '../reviews/compose.js';
import { analyzeRows } from './application/analyze-rows.js';
import { countRows } from './application/count-rows.js';
import { rowStore } from './storage/rows.js';
import { rowAnalysisService } from './transport/grpc/rows.js';

/** Composes the use case that decides all rows of a history scan in one call. */
export function composeScans(
  { outbox, tenants, clock, logger }: Foundation,
  rooms: {
    records: Records;
    policies: Policies;
    reviews: Reviews;
    books: ErpBooks;
    facts: FactSources;
    rates: { readonly publishedRates: PublishedRates };
  },
): Pick<RoomParts, 'rpcGroups'> {
  const { records, policies, reviews, books, facts, rates } = rooms;
  return {
    rpcGroups: [
      rowAnalysisService({
        analyzeRows: analyzeRows({
          ...records,
          ...rates,
          rows: rowStore(records.collections, outbox, clock),
          erpRecords: books.erpRecords,
          countRows: countRows(records),
          reviews: reviews.reviews,
          routingRules: reviews.routingRules,
          policies: policies.policies,
          policy: policies.policy,
          highAmounts: facts.highAmounts,
          tenants,
          clock,
          logger,
        }),
      }),
    ],
  };
}
