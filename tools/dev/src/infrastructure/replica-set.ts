import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';

const PRIMARY_MS_MAX = 60_000;
const POLL_EACH_MS = 20;
/** The server has data of a set, or none yet. */
const NOT_YET_INITIALIZED = 94;

interface SetConfig {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

/** The name that a mongod has to be started with. */
export const REPLICA_SET = 'rs0';

export interface SetOfOne {
  /** Where we reach it, with `directConnection=true`: until it is primary it belongs to no set. */
  readonly url: string;
  /** Where it reaches itself: `127.0.0.1:27017` in a container. */
  readonly host: string;
}

/**
 * Makes a mongod the primary of a set of one: initiates the set, or corrects the address that an earlier start on another port
 * stored in it, without which the server belongs to no set.
 */
export async function becomePrimary({ url, host }: SetOfOne): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_MS_MAX });
  try {
    await client.connect();
    const admin = client.db('admin');
    const config = await storedConfig(admin);
    if (config === undefined) {
      await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
    } else if (config.members.some((member) => member.host !== host)) {
      const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
      await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true });
    }
    const deadline = performance.now() + PRIMARY_MS_MAX;
    while (!(await admin.command({ hello: 1 }))['isWritablePrimary']) {
      if (performance.now() > deadline) throw new Error('MongoDB did not become the primary of its replica set.');
      await delay(POLL_EACH_MS);
    }
  } finally {
    await client.close();
  }
}

async function storedConfig(admin: Db): Promise<SetConfig | undefined> {
  try {
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as unknown as { config: SetConfig };
    return config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return undefined;
    throw error;
  }
}
