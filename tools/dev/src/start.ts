// Runs `npm start`, which starts the whole product on one machine.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startOrder } from '@invoicecontrol/topology/services';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import { setUpBroker } from '@invoicecontrol/runtime/nats/set-up';
import { durablesOf, publishers } from '@invoicecontrol/topology/broker-rights';
import { newSecrets } from '@invoicecontrol/topology/start';
import type { Secrets } from '@invoicecontrol/topology/start';
import { copyToTry } from './demonstration-invoices.js';
import { demonstrate } from './demonstration.js';
import { uploadDocuments } from './demonstration-uploads.js';
import type { UploadIds } from './demonstration-uploads.js';
import { demonstrateErp, seedOdoo } from './erp-demonstration.js';
import type { Books } from './erp-demonstration.js';
import { DirectoryInUse, lockDirectory } from './directory-lock.js';
import { prepareIdentities } from './identities/identities.js';
import { keepIdentities } from './identities/renewal.js';
import { startInfrastructure } from './infrastructure/infrastructure.js';
import { endSurvivor } from './infrastructure/mongod-data.js';
import { demonstrateKsef, newKsefToken, uploadFiledInvoice } from './ksef-demonstration.js';
import type { Filing } from './ksef-demonstration.js';
import { demonstrateInbox } from './ksef-inbox-demonstration.js';
import { RECEIVER_CA, startSimulators, withOwnUrls } from './simulators.js';
import { startSystem } from './system.js';
import { createTenant } from './tenant.js';
import type { Tenant } from './tenant.js';
import { demonstratePayments } from './payment-run-demonstration.js';
import { describeDeliveries, registerReceiver, showsWebhook } from './webhook-demonstration.js';

const usage = `Starts MongoDB, NATS and every service on this machine, analyzes a few invoices and documents and keeps serving.

  npm start                  start, and show the demonstration
  npm start -- --no-demo     without the demonstration's invoices, documents, webhook and ERP
  npm start -- --fresh       delete the data of earlier starts first

  PORT=8080                  port of the REST gateway
  DATA_DIR=.data             directory of the data
  MONGODB_URL, NATS_URL      use these servers instead of finding or starting some
  PADDLE_..., CHECKOUT_...   prices, secrets and addresses of the payment provider (default: a simulator)
  ERP_..., BUSINESS_CENTRAL_..., QUICKBOOKS_..., XERO_...
                             addresses, applications and times of ERPs (default: simulators)
  KSEF_...                   addresses, waits and limits of KSeF (default: a simulator); with KSEF_TEST_URL
                             the demonstration submits and receives nothing
  EGRESS_..., WEBHOOK_...    settings of webhooks; with EGRESS_ALLOW_CIDRS, EGRESS_ALLOW_HTTP
                             or WEBHOOK_TEST_CA_FILE the demonstration has no webhook
  LOG_LEVEL=warn             log level (default error)
`;

const PORT_DEFAULT = 8080;

/** Values that an installation keeps between starts, in addition to its databases. */
interface Installation {
  readonly secrets: Secrets;
  readonly demo?: {
    readonly tenant: Tenant;
    readonly other: Tenant;
    readonly uploads?: UploadIds;
    readonly books?: Books;
    readonly filing?: Filing;
  };
  /** Port of the simulated Odoo. The next start uses this port again if it is free. */
  readonly odooPort?: number;
}

async function main(): Promise<void> {
  const values = readOptions();
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const port = await findPort(readPort(process.env['PORT']));
  const env = withOwnUrls(process.env, port);
  const dataDir = resolve(process.env['DATA_DIR'] ?? '.data');
  const installationFile = join(dataDir, 'installation.json');
  const developmentFile = join(dataDir, 'dev.json');
  const demoFile = join(dataDir, 'demo.json');
  // The lock of the data directory is valid until this process ends, in any way: the next process takes over the lock
  // of a dead process.
  process.once('exit', lockData(dataDir));
  if (values.fresh) await deleteData(dataDir);
  // These files of `npm start` are removed, because a start that was killed leaves them behind.
  await Promise.all([rm(demoFile, { force: true }), rm(developmentFile, { force: true })]);

  const startedAt = Date.now();
  say('Starting MongoDB and NATS ...');
  const identities = join(dataDir, 'tls');
  const identityNames = [...startOrder, 'operator', 'nats'];
  await prepareIdentities(identities, identityNames);
  const infrastructure = await startInfrastructure({ dataDir, identities, databasePrefix: '', log: say }).catch(
    (error: unknown) => {
      throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
    },
  );
  const renewal = keepIdentities(identities, identityNames, {
    onChecked: () => infrastructure.nats.readIdentity(),
    onError: (error) =>
      say(`The certificates in ${identities} could not be renewed: ${(error as Error).message}. The next try follows.`),
  });
  const stored = await readInstallation(installationFile);
  // A newer version of a service may need a secret that the installation does not have yet.
  let installation: Installation = { ...stored, secrets: { ...newSecrets(), ...stored?.secrets } };
  await writePrivate(installationFile, installation);

  const isWebhookShown = !values['no-demo'] && showsWebhook(process.env);
  const { odooPort } = installation;
  const simulators = await startSimulators({ webhooks: isWebhookShown, directory: dataDir, env, odooPort });
  installation = { ...installation, odooPort: Number(new URL(simulators.urls['odoo'] ?? '').port) };
  await writePrivate(installationFile, installation);
  // An ERP connection of an earlier start is synchronised as soon as the services run, so the simulated Odoo is filled
  // before.
  if (installation.demo?.books) await seedOdoo(simulators.erps.urls.odoo, new Date(installation.demo.books.since));
  if (infrastructure.source.nats !== 'environment') await setUpOwnBroker(infrastructure.natsUrl, identities);
  const system = await startSystem({
    mongodbUrl: infrastructure.mongodbUrl,
    natsUrl: infrastructure.natsUrl,
    secrets: installation.secrets,
    identities,
    port,
    env: { LOG_LEVEL: 'error', ...simulators.env, ...env },
  });
  simulators.connect(system.baseUrl);
  const stop = once(async () => {
    say('Stopping ...');
    await Promise.all([rm(demoFile, { force: true }), rm(developmentFile, { force: true })]);
    await renewal.stop();
    await system.stop();
    await simulators.stop();
    await infrastructure.stop();
  });
  process.on('SIGINT', () => void stop().finally(() => process.exit(0)));
  process.on('SIGTERM', () => void stop().finally(() => process.exit(0)));

  try {
    await writePrivate(developmentFile, {
      addresses: system.addresses,
      operatorIdentity: join(identities, 'operator'),
    });
    const create = (name: string): Promise<Tenant> => createTenant(system.addresses.organization, identities, name);
    if (installation.demo === undefined || !(await isAlive(system.baseUrl, installation.demo.tenant.keys.owner))) {
      const [tenant, other] = [await create('Demonstration Ltd'), await create('Somebody Else Ltd')];
      installation = { ...installation, demo: { tenant, other } };
      await writePrivate(installationFile, installation);
    }
    const { tenant, other } = installation.demo ?? unreachable();
    const { webhookReceiver } = simulators;
    const isNewEndpoint = await registerReceiver(system.baseUrl, tenant.keys.owner, webhookReceiver);
    let toTry = copyToTry(new Date());
    let events = 0;
    if (!values['no-demo']) {
      let { uploads } = installation.demo ?? unreachable();
      if (uploads === undefined) {
        uploads = await uploadDocuments(system.baseUrl, tenant.keys.owner);
        // The ids of the uploads are stored before the documents are analyzed, so that the next start continues with
        // them after a kill.
        installation = { ...installation, demo: { ...installation.demo, tenant, other, uploads } };
        await writePrivate(installationFile, installation);
      }
      say('');
      ({ toTry, events } = await demonstrate(system.baseUrl, tenant.keys.owner, uploads, say));
      await demonstratePayments(system.baseUrl, tenant.keys.owner, say);
    }
    let erp: string | undefined;
    if (!values['no-demo']) {
      let { books } = installation.demo ?? unreachable();
      if (books === undefined) {
        books = { tenant: await create('Demonstration Books Ltd'), since: new Date().toISOString() };
        installation = { ...installation, demo: { ...installation.demo, tenant, other, books } };
        await writePrivate(installationFile, installation);
        await seedOdoo(simulators.erps.urls.odoo, new Date(books.since));
      }
      erp = await demonstrateErp(system.baseUrl, books, simulators.erps.urls.odoo, say);
    }
    let ksef: string | undefined;
    // The KSeF token of the demonstration is valid only in the simulator.
    if (!values['no-demo'] && !process.env['KSEF_TEST_URL']) {
      const keep = async (filing: Filing): Promise<void> => {
        installation = { ...installation, demo: { ...(installation.demo ?? unreachable()), filing } };
        await writePrivate(installationFile, installation);
      };
      let filing = installation.demo?.filing;
      if (filing === undefined) {
        const since = new Date();
        const organization = await create('Demonstration Polska sp. z o.o.');
        filing = { tenant: organization, since: since.toISOString(), token: newKsefToken(since) };
        await keep(filing);
      }
      const uploadId = filing.uploadId ?? (await uploadFiledInvoice(system.baseUrl, filing));
      const uploaded = { ...filing, uploadId };
      await keep(uploaded);
      const ksefUrl = simulators.urls['ksef'] ?? '';
      ksef = await demonstrateKsef(system.baseUrl, uploaded, ksefUrl, say);
      await demonstrateInbox(system.baseUrl, uploaded, ksefUrl, {
        print: say,
        keepUpload: async (paperUploadId) => keep({ ...uploaded, paperUploadId }),
      });
    }
    const webhooks = webhookReceiver && (await describeDeliveries(webhookReceiver, isNewEndpoint ? events : 0));
    await writePrivate(demoFile, {
      baseUrl: system.baseUrl,
      ...tenant,
      otherOrganization: { organizationId: other.organizationId, keys: { owner: other.keys.owner } },
      simulators: simulators.urls,
    });
    say(
      welcome({
        baseUrl: system.baseUrl,
        key: tenant.keys.owner,
        webhooks,
        erp,
        ksef,
        toTry,
        tookMs: Date.now() - startedAt,
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Creates the streams and consumers of all services at the broker as the operator, before the services start and use
 * them.
 */
async function setUpOwnBroker(natsUrl: string, identities: string): Promise<void> {
  const logger = createLogger({ service: 'start', level: 'error' });
  const bus = await connectNats({ url: natsUrl, identity: join(identities, 'operator'), name: 'operator', logger });
  try {
    const consumers = startOrder.flatMap((service) => durablesOf(service));
    await setUpBroker(bus, { streams: publishers(), consumers });
  } finally {
    await bus.close();
  }
}

interface Welcome {
  readonly baseUrl: string;
  readonly key: string;
  /** Line about the demonstration of webhooks, or undefined if this start does not demonstrate webhooks. */
  readonly webhooks: string | undefined;
  /** Line about the demonstration of the ERP import. */
  readonly erp: string | undefined;
  /** Line about the demonstration of a submission to KSeF. */
  readonly ksef: string | undefined;
  readonly toTry: Readonly<Record<string, unknown>>;
  readonly tookMs: number;
}

function welcome({ baseUrl, key, webhooks, erp, ksef, toTry, tookMs }: Welcome): string {
  const root = baseUrl.replace(/\/v1$/, '');
  return `
Ready after ${(tookMs / 1000).toFixed(1)} s. Stop everything with Ctrl-C.

  App       ${root}/app (sign in with the API key)
  API       ${baseUrl}
  API key   ${key}
  Docs      ${root}/docs${webhooks === undefined ? '' : `\n  Webhooks  ${webhooks}`}${erp === undefined ? '' : `\n  ERP       ${erp}`}${ksef === undefined ? '' : `\n  KSeF      ${ksef}`}

Try it:

curl -s ${baseUrl}/invoices -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(toTry)}'
`;
}

function readOptions(): { help: boolean; 'no-demo': boolean; fresh: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        'no-demo': { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new StartError(`${(error as Error).message}. For all options: npm start -- --help`, { cause: error });
  }
}

/**
 * Checks whether another process uses the data directory, before anything in it is changed.
 * @returns the function that releases the directory
 */
function lockData(directory: string): () => void {
  try {
    return lockDirectory(directory);
  } catch (error) {
    const elsewhere = 'DATA_DIR=~/invoice-control npm start';
    if (error instanceof DirectoryInUse) {
      throw new StartError(
        `${directory} is in use by process ${error.holder}. Stop it (Ctrl-C where \`npm start\` runs), or choose another directory: ${elsewhere}`,
        { cause: error },
      );
    }
    if (!isSystemError(error)) throw error;
    throw new StartError(
      `DATA_DIR is "${directory}", which cannot be written: ${error.message}. Choose a directory that you may write to: ${elsewhere}`,
      { cause: error },
    );
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Deletes only data that earlier starts created, because DATA_DIR may contain other files. */
async function deleteData(dataDir: string): Promise<void> {
  // If `npm start` was killed, its mongod may still run and have these files open. It is therefore ended before the
  // files are deleted.
  await endSurvivor(join(dataDir, 'embedded', 'mongod')).catch((error: unknown) => {
    throw new StartError((error as Error).message, { cause: error });
  });
  const ours = ['demo.json', 'dev.json', 'installation.json', RECEIVER_CA, 'docker', 'embedded', 'simulators', 'tls'];
  for (const name of ours) await rm(join(dataDir, name), { recursive: true, force: true });
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return PORT_DEFAULT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new StartError(`PORT is "${text}" but must be a number from 0 to 65535.`);
}

/** Error of `npm start` for a fault of the environment, which is reported in one sentence without a stack. */
class StartError extends Error {}

/**
 * Checks whether the port of the gateway is free before anything starts, so that a port in use is reported at once. For
 * port 0, the operating system chooses a port, which the gateway reports to the other services.
 */
async function findPort(port: number): Promise<number> {
  return new Promise<number>((found, failed) => {
    const probe = createServer();
    probe.once('error', () => {
      failed(
        new StartError(`Port ${port} is in use. Stop what uses it, or choose another: PORT=${port + 1} npm start`),
      );
    });
    probe.listen(port, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => found(free));
    });
  });
}

/**
 * Checks whether the stored API key of the demonstration still works. It does not work if only the databases were
 * deleted.
 */
async function isAlive(baseUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/organizations/current`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.ok;
}

async function readInstallation(file: string): Promise<Installation | undefined> {
  try {
    const installation = JSON.parse(await readFile(file, 'utf8')) as Installation;
    return { ...installation, secrets: bySetting(installation.secrets) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`${file} cannot be read; start over with: npm start -- --fresh`, { cause: error });
  }
}

/**
 * Returns the secrets by the names of their settings. Earlier versions stored the API key peppers under another name,
 * and without the peppers the stored API keys would be useless.
 */
function bySetting({ apiKeyPeppers, ...secrets }: Secrets): Secrets {
  return {
    ...(apiKeyPeppers === undefined ? {} : { API_KEY_PEPPERS: apiKeyPeppers }),
    ...secrets,
  };
}

/** Writes a file of the installation that only its owner can read. The file is never incomplete. */
async function writePrivate(file: string, content: object): Promise<void> {
  const part = `${file}.part`;
  await rm(part, { force: true });
  await writeFile(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(part, file);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

function unreachable(): never {
  throw new Error('the demonstration was not created');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
