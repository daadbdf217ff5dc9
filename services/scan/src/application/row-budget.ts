import { DomainError } from '@invoicecontrol/errors';

/** Rows of all requests that one process works on or keeps waiting: ten scans of the largest size. */
const ROWS_AT_ONCE_MAX = 50_000;
/** Part of them for one organization: one scan that is analyzed, and three that wait for it. */
const ORGANIZATION_ROWS_AT_ONCE_MAX = 20_000;

/**
 * Bounds the memory of a process: rows are in it while their scan waits for its turn and while it is analyzed. Scans of one organization
 * run one after the other, so those that wait are bounded apart and leave room for other organizations.
 * @throws DomainError rate_limited when the organization has its share, unavailable when there is no room
 */
export type RowBudget = <T>(organizationId: string, rowCount: number, work: () => Promise<T>) => Promise<T>;

export function rowBudget(): RowBudget {
  let rowsAtWork = 0;
  const ofOrganizations = new Map<string, number>();
  const change = (organizationId: string, rowCount: number): void => {
    rowsAtWork += rowCount;
    const rows = (ofOrganizations.get(organizationId) ?? 0) + rowCount;
    if (rows === 0) ofOrganizations.delete(organizationId);
    else ofOrganizations.set(organizationId, rows);
  };
  return async (organizationId, rowCount, work) => {
    if ((ofOrganizations.get(organizationId) ?? 0) + rowCount > ORGANIZATION_ROWS_AT_ONCE_MAX) {
      throw new DomainError(
        'rate_limited',
        `The scans of this organization that are in progress may have at most ${ORGANIZATION_ROWS_AT_ONCE_MAX} rows in total. ` +
          'Wait for a response, then retry this request.',
        { retryAfterSeconds: 5 },
      );
    }
    if (rowsAtWork + rowCount > ROWS_AT_ONCE_MAX) {
      throw new DomainError('unavailable', 'Too many scans are in progress right now. Retry the request in a moment.', {
        retryAfterSeconds: 2,
      });
    }
    change(organizationId, rowCount);
    try {
      return await work();
    } finally {
      change(organizationId, -rowCount);
    }
  };
}
