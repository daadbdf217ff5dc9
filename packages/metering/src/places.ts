import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';

/**
 * Database document that counts an organization's records of one kind, such as webhooks. The plan limits their number.
 * The document lists the ids of the records, so that one conditional write can check the limit and add a record.
 */
export type PlacesDocument<IdsField extends string> = {
  /** Id of the organization whose records are listed. */
  readonly _id: string;
  readonly used: number;
} & {
  /** Ids of the records that use a slot of the plan. `used` is their number. */
  readonly [Field in IdsField]: readonly string[];
};

/** Keeps the exact number of records of each organization, so that the limit is kept even for concurrent requests. */
export interface Places {
  /** Reserves a slot of the plan for a record. Returns false if the organization has reached its quota limit. */
  take(organizationId: string, recordId: string, limit: number): Promise<boolean>;
  giveBack(organizationId: string, recordId: string): Promise<void>;
  taken(organizationId: string): Promise<readonly string[]>;
}

/**
 * Age of a reserved slot of the plan at which the request that reserved it has certainly ended. The slot then either
 * has a stored record or can be released.
 */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Creates a store that counts the records of a kind for each organization.
 * @param idsField name of the document field that lists the record ids
 */
export function placeStore<IdsField extends string>(
  collection: Collection<PlacesDocument<IdsField>>,
  idsField: IdsField,
): Places {
  // The types of the MongoDB driver do not support a field whose name is a parameter.
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
      // The document that lists the records is created once in a separate write, because concurrent conditional upserts
      // could conflict with each other.
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
 * Reserves a slot of the plan before the record is stored. The number of used slots is exact even with concurrent
 * requests, and slots of requests that crashed are released.
 * @param recordId a new UUIDv7
 * @param existing returns those of the given ids whose records are stored
 * @returns false if the organization has reached its limit
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
    // The records that use slots of the plan are read with one query, because every request above the quota limit runs
    // this code.
    const kept = await existing(abandoned);
    for (const id of abandoned) if (!kept.has(id)) await places.giveBack(organizationId, id);
  }
  return places.take(organizationId, recordId, limit);
}

/** Returns the time that is encoded in the UUIDv7 of a record. */
function takenAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
