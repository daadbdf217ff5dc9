import type { Collection, Document, Filter, WithId } from 'mongodb';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { findPage } from '@invoicecontrol/runtime/mongo/page';
import { pageOf } from '@invoicecontrol/runtime/page';
import type { Page, PagePosition, PageRequest } from '@invoicecontrol/runtime/page';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { FindingQuery } from '../application/finding-store.js';
import type { AmountAtRisk } from '../domain/amount-at-risk.js';

// Sort orders of the finding list. The position of a finding in such an order is one number and an id.

/**
 * Sort order of findings by amount, the largest first. Findings without an amount are last, because this is where
 * MongoDB sorts missing values.
 */
export const LARGEST_FIRST = { amountOrder: -1, _id: -1 } as const;

/**
 * Maximum amount in the sort order of findings by amount. Positions have at most 15 digits, and one value is reserved
 * for findings without an amount.
 */
const AMOUNT_ORDER_MAX = 999_999_999_999_998n;

/**
 * Returns the sort value of the amount of a finding in hundredths, regardless of currency. Differences below a
 * hundredth, and amounts above ten trillion, do not affect the order.
 */
export function amountOrderOf({ amount }: Pick<AmountAtRisk, 'amount'>): number {
  const hundredths = toMinorUnits(amount, 2);
  return Number(hundredths < AMOUNT_ORDER_MAX ? hundredths : AMOUNT_ORDER_MAX);
}

interface Ordered {
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
  readonly severity: Severity;
  readonly amountOrder?: number;
}

type Question<D> = Filter<D> & { readonly organizationId: string };

/** Finds one page of findings in the requested order. */
export async function findFindings<D extends Ordered>(
  collection: Collection<D>,
  filter: Question<D>,
  query: Pick<FindingQuery, 'sort' | 'severities' | keyof PageRequest>,
  projection: Document,
): Promise<Page<WithId<D>>> {
  const { sort, severities: wanted } = query;
  if (wanted?.length === 0) return { items: [], nextPageToken: '' };
  if (sort === 'severity')
    return bySeverity(collection, filter, { ...query, wanted: wanted ?? severities }, projection);
  const [only, second] = wanted ?? [];
  const ofSeverity = wanted === undefined ? {} : { severity: second === undefined ? only : { $in: [...wanted] } };
  const find = sort === 'newest' ? findPage : byAmount;
  return find(collection, { ...filter, ...ofSeverity }, query, projection);
}

/**
 * Factor by which the severity rank of a finding is multiplied before its time is added. The sum is the position of the
 * finding in the list by severity. The factor is larger than every time in milliseconds.
 */
const RANK_STEP = 1e14;

/** Finds findings sorted by severity. Each severity is one list, newest first, and needs at most one query. */
async function bySeverity<D extends Ordered>(
  collection: Collection<D>,
  filter: Question<D>,
  { wanted, ...request }: PageRequest & { readonly wanted: readonly Severity[] },
  projection: Document,
): Promise<Page<WithId<D>>> {
  const { size, after } = request;
  const last = after && {
    rank: Math.floor(after.order / RANK_STEP),
    place: { ...after, order: after.order % RANK_STEP },
  };
  const found: WithId<D>[] = [];
  for (const severity of wanted.toSorted((left, right) => severityRank(right) - severityRank(left))) {
    const rank = severityRank(severity);
    if (last !== undefined && rank > last.rank) continue;
    const part = { ...request, size: size + 1 - found.length, after: rank === last?.rank ? last.place : undefined };
    const { items } = await findPage(collection, { ...filter, severity }, part, projection);
    found.push(...items);
    if (found.length > size) break;
  }
  return pageOf(found, size, ({ severity, createdAt, _id }): PagePosition => {
    return { order: severityRank(severity) * RANK_STEP + createdAt.getTime(), id: `${_id}` };
  });
}

/**
 * Returns findings sorted by amount: first the findings with an amount, then the findings without an amount. The read
 * takes at most two queries.
 */
async function byAmount<D extends Ordered>(
  collection: Collection<D>,
  filter: Question<D>,
  { size, after, createdFrom, createdTo }: PageRequest,
  projection: Document,
): Promise<Page<WithId<D>>> {
  const createdAt = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lt: createdTo }) };
  const find = (place: Document, limit: number) => {
    const query = { ...filter, ...(Object.keys(createdAt).length > 0 && { createdAt }), ...place } as Filter<D>;
    return collection.find(query, { projection, sort: LARGEST_FIRST, limit }).toArray();
  };
  const last = after && after.order - 1;
  const isBehindAmounts = last !== undefined && last < 0;
  const found = isBehindAmounts
    ? []
    : await find(
        {
          // The database index of findings can use the bound on `amountOrder`. The `$or` condition removes findings
          // with the same amount that earlier pages showed.
          amountOrder: { $gte: 0, ...(last !== undefined && { $lte: last }) },
          ...(last !== undefined && { $or: [{ amountOrder: { $lt: last } }, { _id: { $lt: after?.id } }] }),
        },
        size + 1,
      );
  if (found.length <= size) {
    const place = { amountOrder: null, ...(isBehindAmounts && { _id: { $lt: after?.id } }) };
    found.push(...(await find(place, size + 1 - found.length)));
  }
  return pageOf(found, size, ({ amountOrder, _id }) => ({ order: (amountOrder ?? -1) + 1, id: `${_id}` }));
}
