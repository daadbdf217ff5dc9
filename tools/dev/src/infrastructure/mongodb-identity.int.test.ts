import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { openIdentity } from '@invoicecontrol/runtime/identity/identity';
import type { Identity } from '@invoicecontrol/runtime/identity/identity';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { MongoClient } from 'mongodb';
import { createAuthority, issueIdentity, prepareIdentities } from '../identities/identities.js';
import { startChildServer } from './child.js';
import { findMongod } from './mongod.js';
import { newMongodbSecret, systemUrl } from './mongodb-users.js';
import { freePort } from './port.js';
import { becomePrimary, REPLICA_SET } from './replica-set.js';

const READY_MS_MAX = 120_000;
const POLL_MS = 20;

let directory: string;
let url: string;
const closing: (() => unknown)[] = [];

/** A mongod that accepts only TLS with a certificate, and knows the service scan by its certificate. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mongodb-identity-'));
  closing.push(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const identities = join(directory, 'tls');
  await prepareIdentities(identities, ['scan', 'webhooks']);
  // MongoDB takes a client for a member of its replica set if O and OU of both subjects are the same.
  await issueIdentity(await createAuthority(identities), {
    directory: join(identities, 'mongodb'),
    service: 'mongodb',
    unit: 'databases',
  });
  const pem = join(directory, 'mongodb.pem');
  const [certificate, key] = await Promise.all(
    ['tls.crt', 'tls.key'].map((file) => readFile(join(identities, 'mongodb', file), 'utf8')),
  );
  await writeFile(pem, `${certificate}${key}`, { mode: 0o600 });
  const secret = newMongodbSecret();
  await writeFile(join(directory, 'replica-set.key'), secret, { mode: 0o600 });
  const { binary, env } = await findMongod(() => {});
  const port = await freePort();
  const ca = join(identities, 'mongodb', 'ca.crt');
  const server = await startChildServer({
    name: 'MongoDB',
    command: binary,
    args: [
      ['--dbpath', directory, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'],
      ['--auth', '--keyFile', join(directory, 'replica-set.key'), '--replSet', REPLICA_SET, '--oplogSize', '64'],
      ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', pem, '--tlsCAFile', ca],
      ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    ].flat(),
    env,
    readPort: (line) => (line.includes('"msg":"Waiting for connections"') ? port : undefined),
    readyMsMax: READY_MS_MAX,
    log: () => {},
  });
  closing.push(() => server.stop());
  const address = `127.0.0.1:${port}`;
  url = `mongodb://${address}/?replicaSet=${REPLICA_SET}&tls=true&authMechanism=MONGODB-X509&authSource=$external`;
  const query = new URLSearchParams({
    directConnection: 'true',
    tls: 'true',
    tlsCAFile: ca,
    tlsCertificateKeyFile: pem,
  });
  const preparing = systemUrl(`mongodb://${address}/?${query.toString()}`, secret);
  await becomePrimary({ url: preparing, host: address });
  const admin = new MongoClient(preparing);
  closing.push(() => admin.close());
  await admin.db('$external').command({
    createUser: 'CN=scan,OU=services,O=invoice-control',
    roles: [{ role: 'readWrite', db: 'scan' }],
  });
}, READY_MS_MAX);
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

function identityOf(service: string): Identity {
  const identity = openIdentity({
    service,
    directory: join(directory, 'tls', service),
    trustDomain: TRUST_DOMAIN_DEFAULT,
    logger: createLogger({ service: 'test', level: 'silent' }),
    pollMs: POLL_MS,
  });
  closing.push(() => identity.close());
  return identity;
}

async function connect(options: {
  readonly identity?: Pick<Identity, 'secureContext'>;
  readonly databaseName?: string;
}): Promise<MongoConnection> {
  const connection = await connectMongo({ url, databaseName: 'scan', appName: 'scan', ...options });
  closing.push(() => connection.close());
  return connection;
}

test('a service is known to the database by its certificate, without a password, and reaches its own database alone', async () => {
  const { db } = await connect({ identity: identityOf('scan') });
  await db.collection('rows').insertOne({ at: 1 });
  expect(await db.collection('rows').countDocuments()).toBe(1);
  const { db: foreign } = await connect({ identity: identityOf('scan'), databaseName: 'webhooks' });
  await expect(foreign.collection('endpoints').findOne()).rejects.toMatchObject({ codeName: 'Unauthorized' });
});

test('the certificate of another service, and no certificate, open nothing', async () => {
  await expect(connect({ identity: identityOf('webhooks') })).rejects.toThrow(
    /Could not find user|Authentication failed/,
  );
  await expect(connect({})).rejects.toMatchObject({ message: 'self-signed certificate in certificate chain' });
});

test('a renewed certificate is used for the next connection, without a restart and without a failed command', async () => {
  const identity = identityOf('scan');
  const serialNow = (): string => new X509Certificate(identity.files.cert).serialNumber;
  /** Serial numbers of the certificates with which connections were opened. */
  const used: string[] = [];
  const secureContext = {
    get context(): unknown {
      used.push(serialNow());
      return identity.secureContext.context;
    },
  };
  const { db } = await connect({ identity: { secureContext } });
  const read = (): Promise<unknown> => db.collection('rows').findOne();
  await read();
  const first = serialNow();
  expect(new Set(used)).toEqual(new Set([first]));
  const tls = join(directory, 'tls');
  await issueIdentity(await createAuthority(tls), { directory: join(tls, 'scan'), service: 'scan' });
  await eventually(() => expect(serialNow()).not.toBe(first));
  used.length = 0;
  // Commands at the same time need further connections.
  await eventually(async () => {
    await Promise.all(Array.from({ length: 40 }, read));
    expect(used).toContain(serialNow());
  });
  expect(used).not.toContain(first);
});
