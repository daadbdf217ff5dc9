import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoNetworkError, MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';

const PRIMARY_MS_MAX = 60_000;
const POLL_EACH_MS = 20;
/** Error code of MongoDB for a server that does not yet belong to a replica set. */
const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

interface SetConfig {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

/** Name of the replica set, with which a mongod must be started. */
export const REPLICA_SET = 'rs0';

export interface SetOfOne {
  /**
   * Address of the MongoDB server for this process, with `directConnection=true`, because a client finds no replica set
   * until the server is primary.
   */
  readonly url: string;
  /** Address at which the MongoDB server reaches itself: `127.0.0.1:27017` in a container. */
  readonly host: string;
}

/**
 * Makes a mongod the primary of a replica set of one member. It initiates the set, or corrects the address in its
 * configuration if an earlier start used another port.
 */
export async function becomePrimary({ url, host }: SetOfOne): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_MS_MAX });
  try {
    await client.connect();
    const admin = client.db('admin');
    const config = await configOfSet(admin, host);
    if (config.members.some((member) => member.host !== host)) {
      const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
      await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true });
    }
    await untilPrimary(admin);
  } finally {
    await client.close();
  }
}

/** Waits until the MongoDB server is primary. A server that becomes primary may close its connections. */
export async function untilPrimary(admin: Pick<Db, 'command'>): Promise<void> {
  const deadline = performance.now() + PRIMARY_MS_MAX;
  while (!(await isPrimary(admin))) {
    if (performance.now() > deadline) throw new Error('MongoDB did not become the primary of its replica set.');
    await delay(POLL_EACH_MS);
  }
}

async function isPrimary(admin: Pick<Db, 'command'>): Promise<boolean> {
  try {
    return (await admin.command({ hello: 1 }))['isWritablePrimary'] === true;
  } catch (error) {
    if (error instanceof MongoNetworkError) return false;
    throw error;
  }
}

/**
 * Returns the configuration of the replica set. The replica set is initiated if the MongoDB server has no
 * configuration. A server that is still reading its data after a start reports no configuration and refuses to initiate
 * the set, so the function tries again.
 */
export async function configOfSet(admin: Pick<Db, 'command'>, host: string): Promise<SetConfig> {
  const deadline = performance.now() + PRIMARY_MS_MAX;
  for (;;) {
    const config = await storedConfig(admin);
    if (config !== undefined) return config;
    if (performance.now() > deadline) throw new Error('MongoDB did not return the name of its replica set.');
    try {
      await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
    } catch (error) {
      if (!hasCode(error, ALREADY_INITIALIZED)) throw error;
      await delay(POLL_EACH_MS);
    }
  }
}

async function storedConfig(admin: Pick<Db, 'command'>): Promise<SetConfig | undefined> {
  try {
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as unknown as { config: SetConfig };
    return config;
  } catch (error) {
    if (hasCode(error, NOT_YET_INITIALIZED)) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}
