// Creates the users of a MongoDB server that this repository starts (docs/adr/0161-a-database-user-per-service.md).
import { createHmac, randomBytes } from 'node:crypto';
import { databaseName } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { databaseNames } from '@invoicecontrol/topology/start';
import { MongoClient, MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';

/**
 * Name of the user with which tests and tools manage a MongoDB server that this repository started. A server that was
 * configured by its address has no such user, so its users are not changed.
 */
const TOOLS = 'invoice-control-tools';
/** Internal user of MongoDB, which has all rights. Its password is the key that the members of a replica set share. */
const SYSTEM = '__system';
/** Database in which MongoDB stores its users. */
const USERS = 'admin';
const USER_EXISTS = 51_003;
const SECRET_BYTES = 32;
/**
 * Setting with which mongod hashes a password in as few rounds as it allows. More rounds protect only passwords that
 * can be guessed, and the generated passwords cannot be guessed.
 */
export const QUICK_PASSWORDS = 'scramSHA256IterationCount=5000';

/** Returns a new MongoDB password, or a new key of a replica set. */
export function newMongodbSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/**
 * Returns the URL with which a program sets up a MongoDB server that it has started. The URL contains the internal user
 * of MongoDB.
 */
export function systemUrl(url: string, key: string): string {
  return withUser(url, { name: SYSTEM, password: key, database: 'local' });
}

/**
 * Creates the MongoDB user of tests and tools, which has all rights.
 * @param password password of the user while the server runs; each start of the server sets a new password
 */
export async function createToolsUser(preparing: string, url: string, password: string): Promise<string> {
  await onUsers(preparing, (users) => putUser(users, TOOLS, password, [{ role: 'root', db: USERS }]));
  return withUser(url, { name: TOOLS, password, database: USERS });
}

/**
 * Returns the database address of each service of a system. On a MongoDB server that this repository started, each
 * service gets a separate user, which can read and write only the database of that service. A server that was
 * configured by its address keeps its users, and every service gets that address.
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
 * Returns the database address for a task of the operator. The user of the task has the MongoDB role with the name of
 * the task. For a server that was configured by its address, the function returns that address.
 */
export async function operatorUrl(mongodbUrl: string, task: 'backup' | 'restore'): Promise<string> {
  if (!mongodbUrl.includes(`//${TOOLS}:`)) return mongodbUrl;
  const password = passwordOf(mongodbUrl, task);
  await onUsers(mongodbUrl, (users) => putUser(users, task, password, [{ role: task, db: USERS }]));
  return withUser(mongodbUrl, { name: task, password, database: USERS });
}

/** Creates a MongoDB user for each database, with the name of the database. */
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
 * Returns the password of a MongoDB user, which is derived from the password of the user for tools. Two systems that
 * use the same databases at the same time, as in benchmarks, therefore use the same password.
 */
function passwordOf(mongodbUrl: string, user: string): string {
  return createHmac('sha256', new ConnectionString(mongodbUrl).password).update(user).digest('hex');
}

/**
 * Creates a MongoDB user with the given rights and password. If the user exists, its rights and password are replaced.
 */
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
  // The addresses of a replica set name several servers, which a URL cannot.
  const address = new ConnectionString(url);
  address.username = name;
  address.password = password;
  address.searchParams.set('authSource', database);
  return address.href;
}
