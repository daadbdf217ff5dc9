import type { Db } from 'mongodb';

/**
 * Returns the names of the indexes that the database is building, as `<collection>.<index>`. A build continues if the
 * connection that requested it times out, and a service that requests the index again waits for the same build.
 */
export async function indexBuilds(db: Db): Promise<readonly string[]> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const building = await Promise.all(
    collections.map(async ({ name }) => {
      const [stats] = await db
        .collection(name)
        .aggregate<{ storageStats?: { indexBuilds?: readonly string[] } }>([{ $collStats: { storageStats: {} } }], {
          // The read concern is `local`, because the majority snapshot may be older and not show an index build that
          // has just begun.
          readConcern: { level: 'local' },
        })
        .toArray();
      return (stats?.storageStats?.indexBuilds ?? []).map((index) => `${name}.${index}`);
    }),
  );
  return building.flat().toSorted();
}
