import type { Collection, Document, Filter, WithId } from 'mongodb';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { findPage } from '@invoicecontrol/runtime/mongo/page';
import { pageOf } from '@invoicecontrol/runtime/page';
import type { Page, PagePosition, PageRequest } from '@invoicecontrol/runtime/page';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { FindingQuery } from '../application/finding-store.js';
import type { AmountAtRisk } from '../domain/amount-at-risk.js';

// The orders of the list of findings. A place in each of them is one number and an id, as in every list.

/** The order by amounts; those without one are last, as MongoDB orders what is missing. */
export const LARGEST_FIRST = { amountOrder: -1, _id: -1 } as const;

/** Positions of lists have 15 digits at most, and one is taken by those without an amount. */
const AMOUNT_ORDER_MAX = 999_999_999_999_998n;

/** An amount in hundredths, whatever the currency: a finer difference, and one above ten trillion, does not order. */
export function amountOrderOf({ amount }: AmountAtRisk): number {
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

/** Finds one page in the order that the query asks for. */
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

/** Above every time in milliseconds: a position is the rank of the severity, then the time. */
const RANK_STEP = 1e14;

/** One list of the newest after the other: at most one query for each severity. */
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

/** Those with an amount, and only behind the last of them those without: two queries at most. */
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
          // The bound that an index can use; `$or` leaves out those of the same amount that earlier pages showed.
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
