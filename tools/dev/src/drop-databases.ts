import { MongoClient } from 'mongodb';

/** Drops every database whose name begins with the prefix. */
export async function dropDatabases(mongodbUrl: string, prefix: string): Promise<void> {
  const client = new MongoClient(mongodbUrl);
  try {
    const filter = { name: { $regex: `^${prefix}` } };
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true, filter });
    for (const { name } of databases) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
