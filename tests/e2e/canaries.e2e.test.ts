// Secrets of KSeF connections, searched for in everything that the product writes, sends and stores.
import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { readZip } from '@invoicecontrol/testkit/read-zip';
import { databaseNames, newSecrets, startServices } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { startServiceProcess } from './crash/service-process.js';
import { startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver } from './otlp-receiver.js';

const { mongodbUrl, natsUrl } = testInfrastructure();
const databasePrefix = `${testDatabaseName()}_`;
const PASSWORD = 'canary-password-of-a-private-key-5f1c';
const WRONG_PASSWORD = 'canary-password-that-is-wrong-77ab';

const lines: string[] = [];
/** Every message that passes the broker: events, and broadcasts between the services. */
const messages: string[] = [];
/** Every response that the product sends to a caller. */
const answers: string[] = [];
const closing: (() => Promise<void>)[] = [];
let receiver: OtlpReceiver;
let ksef: Ksef;
let smtp: SmtpSimulator;
let baseUrl: string;
let tenant: Tenant;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  closing.push(() => receiver.close());
  ksef = await startKsef();
  closing.push(() => ksef.stop());
  smtp = await startSmtpSimulator();
  closing.push(() => smtp.stop());
  const bus = await connectTestNats({
    url: natsUrl,
    name: 'canaries',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  closing.push(() => bus.close());
  bus.connection.subscribe('>', {
    callback: (_, message) =>
      void messages.push(`${message.subject} ${JSON.stringify([...(message.headers ?? [])])} ${message.string()}`),
  });
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const services = await startServices(
    { natsUrl, mongodbUrlFor: serviceUrls(mongodbUrl, databasePrefix), databasePrefix, secrets, identities },
    async (name, own) => {
      const env = {
        LOG_LEVEL: 'trace',
        ...receiver.env,
        ...ksef.env,
        KSEF_WAIT_FACTOR: '0.001',
        SMTP_URL: smtp.url,
        MAIL_FROM: 'control@example.com',
        ...own,
      };
      const onOutput = (line: string): void => void lines.push(line);
      const service = await startServiceProcess(name, env, { log: onOutput, onOutput });
      closing.push(() => service.stop());
      return service;
    },
  );
  baseUrl = `http://${services.gateway.address}/v1`;
  tenant = await createTenant(services.organization.address, identities, 'Canaries');
}, 120_000);
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  for (const databaseName of databaseNames(databasePrefix)) {
    const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
    await db.dropDatabase();
    await close();
  }
});

async function send(target: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push([...response.headers].join(' '), text);
  return { status: response.status, text };
}

async function save(expected: number, body: object): Promise<string> {
  const { status, text } = await send('POST /ksef-connections', { environment: 'TEST', ...body });
  expect([status, text]).toEqual([expected, expect.any(String)]);
  return (JSON.parse(text) as { id?: string }).id ?? '';
}

/** Returns all forms in which a private key could be written: each line of its PEM file, and its number. */
function formsOf(pem: string, passphrase?: string): readonly string[] {
  const key = createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) });
  const plain = key.export({ type: 'pkcs8', format: 'pem' }) as string;
  const number = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  const ofPem = [pem, plain].flatMap((text) => text.split('\n').filter((line) => /^[\w+/=]{40,}$/.test(line)));
  return [...ofPem, ...(['hex', 'base64', 'base64url'] as const).map((encoding) => number.toString(encoding))];
}

async function storedText(): Promise<string> {
  const texts: string[] = [];
  for (const databaseName of databaseNames(databasePrefix)) {
    const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
    for (const { collectionName } of await db.collections()) {
      for await (const document of db.collection(collectionName).find()) texts.push(JSON.stringify(document));
    }
    await close();
  }
  return texts.join('\n');
}

test('a private key, its password and a token are in no log, error, event, trace, mail, export or record', async () => {
  const { nip, token } = await ksef.newCompany();
  const issued = await ksef.control<{ certificate: string; privateKey: string; serialNumber: string }>(
    'POST certificates',
    { nip, days: 5, password: PASSWORD },
  );
  const credential = { context_nip: nip, certificate: issued.certificate, private_key: issued.privateKey };
  const canaries = [
    token,
    token.split('|')[2] ?? '',
    PASSWORD,
    WRONG_PASSWORD,
    ...formsOf(issued.privateKey, PASSWORD),
  ];
  expect(canaries.filter((canary) => canary.length < 20)).toEqual([]);

  // These requests are refused, and refusals repeat parts of the request.
  await save(400, { ...credential, private_key_password: WRONG_PASSWORD });
  await save(400, { ...credential, certificate: issued.privateKey, private_key_password: PASSWORD });
  await save(400, { ...credential, context_nip: token, private_key_password: PASSWORD });
  await save(400, { ...credential, ksef_token: token, private_key_password: PASSWORD });
  await save(400, { context_nip: nip, ksef_token: [token] });
  await save(400, { ...credential, private_key_password: { secret: PASSWORD } });

  // The simulated KSeF repeats this token in its messages.
  const connectionId = await save(201, { context_nip: nip, ksef_token: token });
  await ksef.control('PUT settings', { systemWarning: `[sig-001]: Weak login of ${token}` });
  await send(`POST /ksef-connections/${connectionId}/test`);
  expect(JSON.parse((await send(`GET /ksef-connections/${connectionId}`)).text)).toMatchObject({
    warnings: [{ code: 'sig-001', message: 'Weak login of …', at: expect.any(String) }],
  });
  const problem = { status: 400, code: 21_405, description: `Invalid: ${token}`, details: [token] };
  await ksef.fault({ operation: 'A3', kind: 'PROBLEM', ...problem });
  await send(`POST /ksef-connections/${connectionId}/test`);
  await ksef.fault({ operation: 'A4', kind: 'AUTH_STATUS', code: 450, details: [`Wrong token ${token}`] });
  await send(`POST /ksef-connections/${connectionId}/test`);
  await ksef.fault({ operation: 'A3', kind: 'BODY', body: `<html>${token}</html>`, contentType: 'text/html' });
  await send(`POST /ksef-connections/${connectionId}/test`);
  await ksef.mend();

  // This certificate expires soon, and is first accepted and then refused.
  await save(200, { ...credential, private_key_password: PASSWORD });
  expect(await send(`POST /ksef-connections/${connectionId}/test`)).toMatchObject({
    text: expect.stringContaining('CONNECTED'),
  });
  await ksef.control(`DELETE certificates/${issued.serialNumber}`);
  await send(`POST /ksef-connections/${connectionId}/test`);
  const shown = await send(`GET /ksef-connections/${connectionId}`);
  expect(JSON.parse(shown.text)).toMatchObject({
    status: 'ERROR',
    authentication: 'CERTIFICATE',
    warnings: expect.arrayContaining([expect.objectContaining({ code: 'CERTIFICATE_ENDS' })]),
  });
  await send('GET /audit-events');

  const mailed = (): string => JSON.stringify(smtp.mails);
  await eventually(
    () => {
      expect(mailed()).toMatch(/The KSeF TEST certificate of .{1,40} expires on /);
      expect(mailed()).toMatch(/The KSeF TEST connection of .{1,80} no longer works/);
    },
    { timeoutMs: 60_000 },
  );
  await eventually(() => expect(receiver.spans.map(({ text }) => text).join('\n')).toContain('TestConnection'), {
    timeoutMs: 60_000,
  });
  const archive = await fetch(`${baseUrl}/organizations/current/export`, {
    headers: { authorization: `Bearer ${tenant.keys.owner}` },
  });
  expect(archive.status).toBe(200);
  const files = readZip(Buffer.from(await archive.arrayBuffer()));

  const places: Readonly<Record<string, string>> = {
    'the logs': lines.join('\n'),
    'the answers': answers.join('\n'),
    'the messages on the broker': messages.join('\n'),
    'the traces': receiver.spans.map((span) => `${span.name} ${span.text}`).join('\n'),
    'the mails': mailed(),
    'the export': [...files].map(([name, content]) => `${name}\n${content.toString('utf8')}`).join('\n'),
    'the databases': await storedText(),
    'what the simulator received': JSON.stringify(await ksef.control('GET requests')),
  };
  // Each place has something of the connection, because a place that is empty proves nothing. A failure prints no text.
  const evidence: Readonly<Record<string, string>> = {
    'the logs': 'KSeF sent a system warning.',
    'the answers': connectionId,
    'the messages on the broker': connectionId,
    'the traces': 'TestConnection',
    'the mails': connectionId,
    'the export': tenant.organizationId,
    'the databases': connectionId,
    'what the simulator received': nip,
  };
  for (const [place, part] of Object.entries(evidence)) {
    expect({ place, isCovered: places[place]?.includes(part) }).toEqual({ place, isCovered: true });
  }
  for (const [place, text] of Object.entries(places)) {
    const found = canaries.filter(
      (canary) => text.includes(canary) || text.includes(JSON.stringify(canary).slice(1, -1)),
    );
    expect({ place, found: found.length }).toEqual({ place, found: 0 });
  }
}, 180_000);
