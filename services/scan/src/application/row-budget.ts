import { DomainError } from '@invoicecontrol/errors';

/**
 * Maximum number of history scan rows in one process, including waiting ones: ten history scans of the maximum size.
 */
const ROWS_AT_ONCE_MAX = 50_000;
/**
 * Maximum number of history scan rows of one organization in a process: one history scan that is analyzed, and three
 * that wait.
 */
const ORGANIZATION_ROWS_AT_ONCE_MAX = 20_000;

/**
 * Limits the number of history scan rows that a process has in memory. Rows are in memory while their history scan
 * waits and while it is analyzed. History scans of one organization run one after another, so each organization has a
 * lower limit, which leaves capacity for others.
 * @throws DomainError rate_limited if the organization has reached its limit; unavailable if there is no capacity
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
        `The history scans in progress of this organization may have at most ${ORGANIZATION_ROWS_AT_ONCE_MAX} rows in total. Wait until a scan has finished, then retry this request.`,
        { retryAfterSeconds: 5 },
      );
    }
    if (rowsAtWork + rowCount > ROWS_AT_ONCE_MAX) {
      throw new DomainError(
        'unavailable',
        'Too many history scans are in progress right now. Retry the request in a moment.',
        {
          retryAfterSeconds: 2,
        },
      );
    }
    change(organizationId, rowCount);
    try {
      return await work();
    } finally {
      change(organizationId, -rowCount);
    }
  };
}
