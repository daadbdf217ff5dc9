import type { ErpBooks } from '../books/compose.js';
import type { FactSources } from '../facts/compose.js';
import { SWEEP_EACH_MS } from '../foundation.js';
import type { Foundation } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import { searchReader } from '../records/application/record-search.js';
import type { Records } from '../records/compose.js';
import type { Reviews } from '../reviews/compose.js';
import { analyzeInvoice } from './application/analyze-invoice.js';
import { countInvoice } from './application/count-invoice.js';
import { invoiceDecider } from './application/decide-invoice.js';
import { analysisReader } from './application/read-analyses.js';
import { invoiceReader } from './application/read-invoices.js';
import { timelineReader } from './application/read-timeline.js';
import { reanalyzeInvoice } from './application/reanalyze-invoice.js';
import { stuckAnalyses } from './application/stuck-analyses.js';
import { sweepInvoices } from './application/sweep-invoices.js';
import { analysisService } from './transport/grpc/analyses.js';
import { invoiceService } from './transport/grpc/invoices.js';

/** Use cases that decide invoices, for the first time or again. */
export type Decisions = ReturnType<typeof composeDecisions>;

export function composeDecisions(
  { audit, usage, tenants, clock, logger }: Foundation,
  rooms: { records: Records; policies: Policies; reviews: Reviews; books: ErpBooks; facts: FactSources },
) {
  const { records, policies, reviews, books, facts } = rooms;
  const decider = invoiceDecider({
    ...records,
    ...facts,
    countInvoice: countInvoice({ ...records, clock }),
    reviews: reviews.reviews,
    routingRules: reviews.routingRules,
    policies: policies.policies,
    clock,
    logger,
  });
  const reader = invoiceReader({ ...records, bills: books.bills, audit, clock });
  return {
    decider,
    reader,
    rpcGroups: [
      invoiceService({
        analyzeInvoice: analyzeInvoice({ ...records, usage, tenants, decider, clock }),
        reader,
        readSearch: searchReader(records.suppliers),
        readTimeline: timelineReader(records),
      }),
      analysisService({
        reader: analysisReader(records),
        invoices: reader,
        reanalyzeInvoice: reanalyzeInvoice({ ...records, tenants, decider }),
      }),
    ],
    jobs: [
      {
        name: 'sweep of invoices',
        pauseMs: SWEEP_EACH_MS,
        run: sweepInvoices({ invoices: records.invoices, tenants, usage, decider, clock, logger }),
      },
    ],
    stuckWork: [stuckAnalyses(records)],
  };
}
