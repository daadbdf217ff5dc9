// Makes the users of a MongoDB that this repository starts (docs/adr/0161-a-database-user-per-service.md).
import { createHmac, randomBytes } from 'node:crypto';
import { databaseName } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { databaseNames } from '@invoicecontrol/topology/start';
import { MongoClient, MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';

/**
 * Name of the user by which tests and tools manage a server that this repository started. A server that was given has no
 * such user, so nothing is changed in its users.
 */
const TOOLS = 'invoice-control-tools';
/** User of MongoDB itself, whose password is the key that the members of a replica set share. It may do everything. */
const SYSTEM = '__system';
/** Database in which the users are stored. */
const USERS = 'admin';
const USER_EXISTS = 51_003;
const SECRET_BYTES = 32;
/**
 * Setting of mongod for as few rounds of hashing as it allows. More rounds protect passwords that can be guessed, and these
 * cannot.
 */
export const QUICK_PASSWORDS = 'scramSHA256IterationCount=5000';

/** Returns a new password, or a new key of a replica set. */
export function newMongodbSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** Returns the URL by which the program that started a server prepares it. */
export function systemUrl(url: string, key: string): string {
  return withUser(url, { name: SYSTEM, password: key, database: 'local' });
}

/**
 * Creates the user of tests and tools, who may do everything.
 * @param password stays valid while the server runs. The next start sets another one.
 */
export async function createToolsUser(preparing: string, url: string, password: string): Promise<string> {
  await onUsers(preparing, (users) => putUser(users, TOOLS, password, [{ role: 'root', db: USERS }]));
  return withUser(url, { name: TOOLS, password, database: USERS });
}

/**
 * Returns the database address of each service of a system. On a server that this repository started, each service gets
 * a user of its own, who can read and write the database of that service and nothing else. A given server keeps its
 * users, and every service gets the given address.
 * @param mongodbUrl address of the server, from `startInfrastructure`
 */
export function serviceUrls(mongodbUrl: string, databasePrefix = ''): (service: ServiceName) => Promise<string> {
  if (!mongodbUrl.includes(`//${TOOLS}:`)) return async () => mongodbUrl;
  let creating: Promise<void> | undefined;
  return async (service) => {
    await (creating ??= createServiceUsers(mongodbUrl, databaseNames(databasePrefix)));
    const name = `${databasePrefix}${databaseName(service)}`;
    return withUser(mongodbUrl, { name, password: passwordOf(mongodbUrl, name), database: USERS });
  };
}

/**
 * Returns the database address for a task of the operator, whose user has the role of the same name. A given server is
 * used with the given address.
 */
export async function operatorUrl(mongodbUrl: string, task: 'backup' | 'restore'): Promise<string> {
  if (!mongodbUrl.includes(`//${TOOLS}:`)) return mongodbUrl;
  const password = passwordOf(mongodbUrl, task);
  await onUsers(mongodbUrl, (users) => putUser(users, task, password, [{ role: task, db: USERS }]));
  return withUser(mongodbUrl, { name: task, password, database: USERS });
}

/** The user of a database has the name of the database. */
async function createServiceUsers(mongodbUrl: string, databases: readonly string[]): Promise<void> {
  await onUsers(mongodbUrl, (users) =>
    Promise.all(
      databases.map((database) =>
        putUser(users, database, passwordOf(mongodbUrl, database), [{ role: 'readWrite', db: database }]),
      ),
    ),
  );
}

/**
 * Returns the password of a user, which follows from that of the tools. Two systems that use the same databases at the
 * same time, as benchmarks do, therefore agree about it.
 */
function passwordOf(mongodbUrl: string, user: string): string {
  return createHmac('sha256', new URL(mongodbUrl).password).update(user).digest('hex');
}

/** Creates a user, or gives an existing one these rights and this password. */
async function putUser(
  users: Db,
  name: string,
  pwd: string,
  roles: readonly { readonly role: string; readonly db: string }[],
): Promise<void> {
  const settings = { pwd, roles, mechanisms: ['SCRAM-SHA-256'] };
  try {
    await users.command({ createUser: name, ...settings });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== USER_EXISTS) throw error;
    await users.command({ updateUser: name, ...settings });
  }
}

async function onUsers(url: string, work: (users: Db) => Promise<unknown>): Promise<void> {
  const client = new MongoClient(url);
  try {
    await work(client.db(USERS));
  } finally {
    await client.close();
  }
}

function withUser(
  url: string,
  { name, password, database }: { readonly name: string; readonly password: string; readonly database: string },
): string {
  const address = new URL(url);
  address.username = name;
  address.password = password;
  address.searchParams.set('authSource', database);
  return address.href;
}
