import { MongoClient } from 'mongodb';

/**
 * Drops every database whose name begins with the prefix.
 * @throws Error for an empty prefix, because it would match every database of a shared server
 */
export async function dropDatabases(mongodbUrl: string, prefix: string): Promise<void> {
  if (prefix === '') throw new Error('Databases are dropped by a prefix of their names, and this one is empty.');
  const client = new MongoClient(mongodbUrl);
  try {
    const filter = { name: { $regex: `^${prefix}` } };
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true, filter });
    for (const { name } of databases) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
