// Starts a MongoDB replica set of three members on this machine, which every client needs a password to use. A test can
// kill or pause its members, or make the primary step down.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@invoicecontrol/dev/free-port';
import { temporaryDataDir } from '@invoicecontrol/dev/infrastructure';
import { startChildServer } from '@invoicecontrol/dev/infrastructure-child';
import type { ChildServer } from '@invoicecontrol/dev/infrastructure-child';
import { findMongod } from '@invoicecontrol/dev/mongod';
import { createToolsUser, newMongodbSecret, QUICK_PASSWORDS, systemUrl } from '@invoicecontrol/dev/mongodb-users';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { MongoClient } from 'mongodb';

const NAME = 'rs0';
const MEMBERS = 3;
const PRIMARY_MS_MAX = 60_000;

export interface Member {
  kill(): Promise<void>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
}

export interface ReplicaSet {
  /** Connection string with all members of the replica set, and the user of tests and tools. */
  readonly url: string;
  /** Waits until the replica set has a primary, and returns it. */
  primary(): Promise<Member>;
  /** Lists the members of the replica set that are not the primary. */
  secondaries(): Promise<readonly Member[]>;
  /** Makes the primary step down, so that another member is elected at once. */
  stepDown(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the replica set.
 * @param log receives a line when a member ended although no test killed it
 */
export async function startReplicaSet(log: (line: string) => void): Promise<ReplicaSet> {
  const { binary, env } = await findMongod(log);
  const key = newMongodbSecret();
  const start = async (path: string, port: number): Promise<ChildServer> => {
    const keyFile = join(path, 'replica-set.key');
    await writeFile(keyFile, key, { mode: 0o600 });
    return startChildServer({
      name: `The member on port ${port}`,
      command: binary,
      args: [
        ['--dbpath', path, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'],
        ['--auth', '--keyFile', keyFile, '--setParameter', QUICK_PASSWORDS],
        ['--replSet', NAME, '--oplogSize', '128', '--wiredTigerCacheSizeGB', '0.25'],
        ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
      ].flat(),
      env,
      readPort: (line) => (line.includes('"msg":"Waiting for connections"') ? port : undefined),
      log,
      temporaryDir: path,
    });
  };
  const directories: string[] = [];
  const members: (Member & { readonly host: string; stop(): Promise<void> })[] = [];
  for (let index = 0; index < MEMBERS; index += 1) {
    const path = await temporaryDataDir();
    directories.push(path);
    let running = await start(path, await freePort());
    const { port } = running;
    members.push({
      host: `127.0.0.1:${port}`,
      kill: () => running.kill(),
      async restart() {
        running = await start(path, port);
      },
      pause: () => running.pause(),
      resume: () => running.resume(),
      stop: () => running.stop(),
    });
  }
  const hosts = members.map(({ host }) => host);
  const withMember = async (host: string, command: object): Promise<void> => {
    const client = new MongoClient(systemUrl(`mongodb://${host}/?directConnection=true`, key));
    try {
      await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  };
  const initial = { _id: NAME, members: hosts.map((host, index) => ({ _id: index, host })) };
  await withMember(hosts[0] ?? '', { replSetInitiate: initial });
  const address = `mongodb://${hosts.join(',')}/?replicaSet=${NAME}`;
  const preparing = systemUrl(address, key);
  const primaryHost = (): Promise<string> =>
    eventually(
      async () => {
        const client = new MongoClient(preparing, { serverSelectionTimeoutMS: 1_000 });
        try {
          const { me } = await client.db('admin').command({ hello: 1 });
          return me as string;
        } finally {
          await client.close();
        }
      },
      { timeoutMs: PRIMARY_MS_MAX },
    );
  const isOf = (host: string) => (member: { readonly host: string }) => member.host === host;
  await primaryHost();
  return {
    url: await createToolsUser(preparing, address, newMongodbSecret()),
    async primary() {
      const member = members.find(isOf(await primaryHost()));
      if (member === undefined) throw new Error('The primary is not one of the members that were started.');
      return member;
    },
    async secondaries() {
      const host = await primaryHost();
      return members.filter((member) => !isOf(host)(member));
    },
    async stepDown() {
      // The primary may close the connection before the response to `replSetStepDown` arrives.
      await withMember(await primaryHost(), { replSetStepDown: 30 }).catch(() => {});
    },
    async stop() {
      for (const member of members) member.resume();
      await Promise.all(members.map((member) => member.stop()));
      for (const directory of directories) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
