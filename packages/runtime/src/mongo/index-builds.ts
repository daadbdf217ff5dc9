import type { Db } from 'mongodb';

/**
 * Names the indexes that the database is building, as `<collection>.<index>`. A build goes on when the connection that asked
 * for it has timed out, and a start that asks again waits for the same build.
 */
export async function indexBuilds(db: Db): Promise<readonly string[]> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const building = await Promise.all(
    collections.map(async ({ name }) => {
      const [stats] = await db
        .collection(name)
        .aggregate<{ storageStats?: { indexBuilds?: readonly string[] } }>([{ $collStats: { storageStats: {} } }], {
          // The majority snapshot is older: right after a build began it does not show the build.
          readConcern: { level: 'local' },
        })
        .toArray();
      return (stats?.storageStats?.indexBuilds ?? []).map((index) => `${name}.${index}`);
    }),
  );
  return building.flat().toSorted();
}
