import { DomainError } from '@invoicecontrol/errors';

/** Rows of all requests that one process works on or keeps waiting: ten scans of the largest size. */
const ROWS_AT_ONCE_MAX = 50_000;

export type RowBudget = ReturnType<typeof rowBudget>;

/** Bounds the memory of a process: rows stand in it while their scan waits for its turn and while it is analyzed. */
export function rowBudget() {
  let rowsAtWork = 0;
  /** @throws DomainError unavailable when there is no room */
  return async <T>(rowCount: number, work: () => Promise<T>): Promise<T> => {
    if (rowsAtWork + rowCount > ROWS_AT_ONCE_MAX) {
      throw new DomainError('unavailable', 'Too many scans are at work right now. Repeat the request in a moment.', {
        retryAfterSeconds: 2,
      });
    }
    rowsAtWork += rowCount;
    try {
      return await work();
    } finally {
      rowsAtWork -= rowCount;
    }
  };
}
