import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { SealedField } from './sealed-field.js';
import type { SealedRecords } from './sealed-records.js';
import type { SealedValue } from './sealed-value.js';

/** A database document with sealed secrets, which always belongs to one organization. */
interface OwnedDocument {
  readonly _id: string;
  readonly organizationId: string;
}

/**
 * A sealed value in an array is authenticated with the id of its element, and any other sealed value with the id of its
 * document.
 */
type StoredValue = SealedValue & { readonly id?: string };

export interface SealedDocuments extends SealedRecords {
  /**
   * Finds the documents in which at least one value is sealed with another key than the given ones, and returns the ids
   * of all sealing keys that these documents use.
   */
  keyIds(besides: readonly string[]): Promise<readonly string[]>;
}

/**
 * The documents of a collection that contain sealed values, for key rotation. Each path has an index on its `keyId`.
 * @param fields sealed fields by path: `token`; `secrets[]` for each element of an array; `sessions[].key` for a field
 * of each element
 */
export function sealedDocuments<D extends OwnedDocument>(
  collection: Collection<D>,
  fields: Readonly<Record<string, SealedField>>,
): SealedDocuments {
  const paths = Object.keys(fields);
  const sealedWith = (keyId: string): Filter<D> =>
    ({ $or: paths.map((path) => ({ [keyPath(path)]: keyId })) }) as Filter<D>;
  const sealedWithOthers = (keyIds: readonly string[]): Filter<D> =>
    ({ $or: paths.map((path) => otherKey(path, keyIds)) }) as Filter<D>;
  const projection = Object.fromEntries(['organizationId', ...paths.map(storedPath)].map((path) => [path, 1]));
  return {
    async keyIds(besides) {
      const ids = paths.map(
        (path) => collection.distinct(keyPath(path), sealedWithOthers(besides)) as Promise<string[]>,
      );
      return (await Promise.all(ids)).flat();
    },
    countSealedWith: (keyId) => collection.countDocuments(sealedWith(keyId)),
    countSealedWithOthers: (keyIds) => collection.countDocuments(sealedWithOthers(keyIds)),
    async rewrap(keyId, limit) {
      const found = await collection.find(sealedWith(keyId), { projection, limit }).toArray();
      for (const document of found) {
        for (const [path, field] of Object.entries(fields)) {
          for (const [at, value] of valuesAt(document, path).filter(([, stored]) => stored.keyId === keyId)) {
            const { _id, organizationId } = document;
            const { sealed, keyId: newest } = field.rewrap({ id: value.id ?? _id, organizationId }, value);
            // The condition on the old sealed value keeps the update from overwriting a secret that has changed since
            // it was read.
            await collection.updateOne(
              { _id, organizationId, [`${at}.sealed`]: value.sealed } as unknown as Filter<D>,
              { $set: { [`${at}.sealed`]: sealed, [`${at}.keyId`]: newest } } as unknown as UpdateFilter<D>,
            );
          }
        }
      }
      return found.length;
    },
  };
}

function storedPath(path: string): string {
  return path.replace('[]', '');
}

function keyPath(path: string): string {
  return `${storedPath(path)}.keyId`;
}

function otherKey(path: string, keyIds: readonly string[]): object {
  const isOther = { $exists: true, $nin: [...keyIds] };
  const [list = '', inner] = path.split('[]');
  if (inner === undefined) return { [keyPath(path)]: isOther };
  return { [list]: { $elemMatch: { [`${inner}.keyId`.slice(1)]: isOther } } };
}

/**
 * Returns the values at a path of a database document, each with its concrete path, such as `secrets.0` or
 * `sessions.1.key`.
 */
function valuesAt(document: object, path: string): (readonly [string, StoredValue])[] {
  const [list = '', inner] = path.split('[]');
  const elements = inner === undefined ? undefined : ((valueAt(document, list) ?? []) as readonly unknown[]);
  const places = elements?.map((_, at) => `${list}.${at}${inner}`) ?? [path];
  return places.flatMap((place) => {
    const value = valueAt(document, place) as StoredValue | undefined;
    return value === undefined ? [] : [[place, value] as const];
  });
}

function valueAt(document: object, path: string): unknown {
  const valueOf = (node: unknown, name: string): unknown =>
    (node as Readonly<Record<string, unknown>> | undefined)?.[name];
  return path.split('.').reduce<unknown>(valueOf, document);
}
