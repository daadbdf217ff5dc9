import type { Books } from '@invoicecontrol/engine/facts/books';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';
import type { BooksStore, ChangeWindow } from './books-store.js';
import type { ErpSource } from '../../books/application/import-source.js';
import type { ConfirmedBefore, ReviewedAccounts } from './reviewed-accounts.js';

/** Stores the findings that the engine raises about the given ERP records. */
export type RaiseInBooks = (parts: readonly Partial<Books>[]) => Promise<void>;

/**
 * Result of examining a page of ERP records: the number of records, and the change time from which an interrupted
 * examination of ERP records continues.
 */
export interface ExaminedPage {
  readonly recordsCount: number;
  readonly continueFrom: Date | undefined;
}

/** Input for one examination of the records that were imported from an ERP. */
export interface Examination {
  readonly source: ErpSource;
  readonly window: ChangeWindow;
  readonly policy: OrganizationPolicy['policy'];
  readonly books: BooksStore;
  readonly raise: RaiseInBooks;
  readonly reviewed: ReviewedAccounts;
  readonly confirmedBefore: ConfirmedBefore;
  readonly logger: Logger;
}
