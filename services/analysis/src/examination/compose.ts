import type { ErpBooks } from '../books/compose.js';
import type { Foundation } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import type { Records } from '../records/compose.js';
import type { Reviews } from '../reviews/compose.js';
import { examineBooks } from './application/examine-books.js';
import { reviewedAccounts } from './application/reviewed-accounts.js';
import { booksStore } from './storage/books.js';

/** Composes the examination that raises findings from ERP records alone, without an invoice. */
export function composeExamination(
  { clock, logger }: Foundation,
  rooms: { records: Records; policies: Policies; reviews: Reviews; books: ErpBooks },
) {
  const { records, policies, reviews, books } = rooms;
  return {
    examineBooks: examineBooks({
      books: booksStore({
        invoices: records.collections.invoices,
        vendors: books.collections.vendors,
        payments: books.collections.erpPayments,
      }),
      findings: records.findings,
      reviewed: reviewedAccounts(records),
      policies: policies.policies,
      routingRules: reviews.routingRules,
      clock,
      logger,
    }),
  };
}
