import { invalidField } from '@invoicecontrol/errors';
import type { Collection, Document, Filter, WithId } from 'mongodb';
import type { ArchivedRecord, ReadArchivePage } from './archive-service.js';
import { MALFORMED_CURSOR } from '@invoicecontrol/runtime/page';
import { findPage } from '@invoicecontrol/runtime/mongo/page';

type ToRecord<D> = (document: WithId<D>) => Readonly<Record<string, unknown>>;

/**
 * Reads the records of an organization for its archive (data export), newest first, with the database index that also
 * serves the list of these records.
 */
export function newestRecords<
  D extends { readonly _id: string; readonly organizationId: string; readonly createdAt: Date },
>(
  collection: Collection<D>,
  toRecord: ToRecord<D>,
  { filter = {}, projection = {} }: { filter?: Filter<D>; projection?: Document } = {},
): ReadArchivePage {
  return async ({ organizationId, after, createdBefore, recordsMax }) => {
    const { items } = await findPage(
      collection,
      { ...filter, organizationId } as Filter<D> & { readonly organizationId: string },
      {
        size: recordsMax,
        after: after === undefined ? undefined : readPosition(after),
        createdFrom: undefined,
        createdTo: createdBefore,
      },
      projection,
    );
    return items.map((document) => ({
      position: `${document.createdAt.getTime()}|${document._id}`,
      record: toRecord(document),
    }));
  };
}

/**
 * Reads the records of the archive (data export) of an organization in the order of their ids. Requires an index that
 * begins with the organization and the id.
 */
export function recordsById<D extends { readonly _id: string; readonly organizationId: string }>(
  collection: Collection<D>,
  toRecord: ToRecord<D>,
  /** Filter for the records of an organization's archive that existed when the export began. */
  only: (begunAt: Date) => Filter<D> = () => ({}),
): ReadArchivePage {
  return async ({ organizationId, after, createdBefore, recordsMax }) => {
    const filter = {
      ...only(createdBefore),
      organizationId,
      ...(after === undefined ? {} : { _id: { $gt: after } }),
    } as unknown as Filter<D>;
    const found = await collection.find(filter, { sort: { _id: 1 }, limit: recordsMax }).toArray();
    return found.map((document) => ({ position: `${document._id}`, record: toRecord(document) }));
  };
}

/** Reads the records of a data export from several collections, one collection after the other. */
export function inTurn(...collections: readonly ReadArchivePage[]): ReadArchivePage {
  return async ({ after, recordsMax, ...request }) => {
    const [turn, position] = after === undefined ? [0, undefined] : readTurn(after, collections.length);
    const found: ArchivedRecord[] = [];
    for (let index = turn; index < collections.length && found.length < recordsMax; index++) {
      const read = collections[index] as ReadArchivePage;
      const page = await read({
        ...request,
        after: index === turn ? position : undefined,
        recordsMax: recordsMax - found.length,
      });
      found.push(...page.map((one) => ({ ...one, position: `${index}:${one.position}` })));
    }
    return found;
  };
}

function readTurn(position: string, turns: number): [number, string] {
  const [, turn, rest = ''] = /^(\d):(.+)$/s.exec(position) ?? [];
  if (turn === undefined || Number(turn) >= turns) throw invalidField('page_token', MALFORMED_CURSOR);
  return [Number(turn), rest];
}

function readPosition(position: string): { order: number; id: string } {
  const [, order, id = ''] = /^(\d{1,15})\|(.{1,200})$/.exec(position) ?? [];
  if (order === undefined) throw invalidField('page_token', MALFORMED_CURSOR);
  return { order: Number(order), id };
}
