import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';

/** The records of an organization that its plan limits; one document, so that taking a place is one guarded write. */
export type PlacesDocument<IdsField extends string> = {
  /** The organization. */
  readonly _id: string;
  readonly used: number;
} & {
  /** The ids of the records; their number is `used`. */
  readonly [Field in IdsField]: readonly string[];
};

/** The exact number of the records of each organization. */
export interface Places {
  /** False when the organization has as many as its limit. */
  take(organizationId: string, recordId: string, limit: number): Promise<boolean>;
  giveBack(organizationId: string, recordId: string): Promise<void>;
  taken(organizationId: string): Promise<readonly string[]>;
}

/** A place that was taken longer ago than this belongs to a record, or to a request that ended before it stored one. */
const ABANDONED_AFTER_MS = 60_000;

/** @param idsField the field of the collection's documents that lists the records */
export function placeStore<IdsField extends string>(
  collection: Collection<PlacesDocument<IdsField>>,
  idsField: IdsField,
): Places {
  // The driver's types know no field whose name is a parameter.
  type Document = PlacesDocument<IdsField>;
  const filter = (fields: object): Filter<Document> => fields as Filter<Document>;
  const update = (operators: object): UpdateFilter<Document> => operators as UpdateFilter<Document>;
  const take = async (organizationId: string, recordId: string, limit: number): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(
      filter({ _id: organizationId, used: { $lte: limit - 1 } }),
      update({ $inc: { used: 1 }, $push: { [idsField]: recordId } }),
    );
    return matchedCount === 1;
  };
  return {
    async take(organizationId, recordId, limit) {
      if (await take(organizationId, recordId, limit)) return true;
      // A guarded upsert could conflict with itself, so the document is created once in a separate write.
      await insertMissing(collection, [{ _id: organizationId, used: 0, [idsField]: [] } as unknown as Document]);
      return take(organizationId, recordId, limit);
    },
    async giveBack(organizationId, recordId) {
      await collection.updateOne(
        filter({ _id: organizationId, [idsField]: recordId }),
        update({ $inc: { used: -1 }, $pull: { [idsField]: recordId } }),
      );
    },
    async taken(organizationId) {
      const document = await collection.findOne(filter({ _id: organizationId }));
      return (document as Document | null)?.[idsField] ?? [];
    },
  };
}

/**
 * Takes a place before its record is stored; exact under parallel requests. Places of requests that died are found again.
 * @param recordId a UUIDv7 of now
 * @param existing returns those of these records that are stored
 * @returns false when the organization has as many as its limit
 */
export async function takePlace(
  { places, existing }: { places: Places; existing: (ids: readonly string[]) => Promise<ReadonlySet<string>> },
  organizationId: string,
  recordId: string,
  limit: number,
): Promise<boolean> {
  if (await places.take(organizationId, recordId, limit)) return true;
  const abandoned = (await places.taken(organizationId)).filter((id) => Date.now() - takenAt(id) >= ABANDONED_AFTER_MS);
  if (abandoned.length > 0) {
    // One query, because each request over the limit comes here.
    const kept = await existing(abandoned);
    for (const id of abandoned) if (!kept.has(id)) await places.giveBack(organizationId, id);
  }
  return places.take(organizationId, recordId, limit);
}

/** The time in a UUIDv7. */
function takenAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
