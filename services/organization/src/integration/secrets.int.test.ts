import { expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, idOfKey, testConfig, tokenIn } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';

test('no log, event, audit entry or record contains keys, recovery or invitation tokens, passwords or the pepper', async () => {
  const infrastructure = testInfrastructure();
  const databaseName = testDatabaseName();
  const quiet = createLogger({ service: 'test', level: 'silent' });
  const mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger: quiet });
  const logLines: string[] = [];
  const messages: string[] = [];
  bus.connection.subscribe('invoicecontrol.organization.v1.>', {
    callback: (_, message) => {
      messages.push(`${message.subject} ${JSON.stringify([...(message.headers ?? [])])} ${message.string()}`);
    },
  });
  const smtp = await startSmtpSimulator();
  const billing = await startFakeBilling();
  const password = 'password-of-the-mail-server-0123456789';
  // The simulator needs no password, but the URL contains one for this test.
  const SMTP_URL = smtp.url.replace('//', `//user:${password}@`);
  const config = testConfig(infrastructure, databaseName, {
    BILLING_ADDRESS: billing.address,
    SMTP_URL,
    MAIL_FROM: 'control@example.com',
  });
  const logger = createLogger({
    service: 'organization',
    level: 'debug',
    destination: { write: (line) => logLines.push(line) },
  });
  const service = await startService(config, { logger });
  const clients = connect(service.address);

  // The test creates, shows, accepts and refuses every kind of secret.
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  const caller = asKey(idOfKey(ownerKey));
  const made = await clients.apiKey.createApiKey({ organizationId, name: 'k', role: 'ADMIN', scopes: [] }, caller);
  await clients.access.authenticateKey({ key: made.key }, caller);
  const apiKeyId = idOfKey(made.key);
  await clients.apiKey.updateApiKey({ organizationId, apiKeyId, role: 'VIEWER', scopes: [] }, caller);
  await clients.apiKey.revokeApiKey({ organizationId, apiKeyId }, caller);
  await expect(clients.access.authenticateKey({ key: made.key }, caller)).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
  smtp.fail('LOSE_ANSWER', 1);
  await clients.member.inviteMember({ organizationId, email: 'ann@example.com', role: 'VIEWER' }, caller);
  await eventually(() => expect(logLines.join('')).toContain('mail not accepted, retried'));
  const invitationToken = tokenIn(smtp.mails[0]?.text ?? '');
  const accepting = { token: invitationToken, name: 'Ann' };
  await clients.member.acceptInvitation(accepting, caller);
  await expect(clients.member.acceptInvitation(accepting, caller)).rejects.toMatchObject({ kind: 'unauthenticated' });
  const { recoveryToken } = await clients.organization.deleteOrganization(
    { organizationId, confirmName: 'Acme' },
    caller,
  );
  const { ownerKey: second } = await clients.organization.restoreOrganization({ recoveryToken }, caller);
  await expect(clients.organization.restoreOrganization({ recoveryToken }, caller)).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
  const third = await clients.operator.createKey({ organizationId, name: 'k', role: 'OWNER', scopes: [] }, asOperator);
  await eventually(() => {
    const ours = messages.filter((message) => message.includes(organizationId));
    // The set contains every event that was announced for the organization, including organization_created.
    expect(new Set(ours).size).toBe(5);
  });
  clients.close();
  await service.stop();
  await billing.stop(1_000);
  await smtp.stop();

  const records: string[] = [];
  for (const { name } of await mongo.db.listCollections().toArray()) {
    for (const document of await mongo.db.collection(name).find().toArray()) {
      records.push(`${name} ${JSON.stringify(document)}`);
    }
  }
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();

  // The collected output must not be empty, because searching an empty text for secrets proves nothing.
  expect(records.some((record) => record.startsWith('api_keys') && record.includes(apiKeyId))).toBe(true);
  // Other test files share the broker, and their services send audit events too. Only the records of this trail are
  // counted.
  const trail = records.filter((record) => record.startsWith('audit_events') && record.includes(organizationId));
  expect(trail).toHaveLength(13);
  expect(logLines.some((line) => line.includes('"listening"'))).toBe(true);

  const keys = [ownerKey, made.key, second, third.key];
  const secrets = [
    ...keys.map((key) => key.split('_')[3]?.slice(0, 43) ?? ''),
    recoveryToken.slice('rec_'.length),
    invitationToken.slice('inv_'.length),
    password,
    ...config.API_KEY_PEPPERS.map(({ bytes }) => bytes.toString('base64')),
  ];
  expect(new Set(secrets.map(({ length }) => length >= 32))).toEqual(new Set([true]));
  for (const written of [...logLines, ...messages, ...records]) {
    for (const secret of secrets) expect(written).not.toContain(secret);
  }
});
