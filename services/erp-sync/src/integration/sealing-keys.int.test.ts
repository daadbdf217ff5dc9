import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { businessCentralRequest, caller, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second, third] = [key('k1'), key('k2'), key('k3')];

let running: RunningErpSync;
beforeAll(async () => {
  running = await startErpSync(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { SECRETBOX_KEYS: first },
  });
});
afterAll(() => running.stop());

const stored = () => running.mongo.db.collection<ConnectionDocument>('connections');

test('secrets are sealed again under the newest key, and open to the same text', async () => {
  const organizationId = running.organization.newTenant();
  const { connection } = await running.connections.createConnection(businessCentralRequest(organizationId), caller);
  const { connectionId } = stated(connection);
  await running.stopService();
  const replica = await running.startReplica({ SECRETBOX_KEYS: `${second},${first}` });
  await eventually(async () =>
    expect((await stored().findOne({ _id: connectionId }))?.credential).toMatchObject({ keyId: 'k2' }),
  );
  const { credential } = stated((await stored().findOne({ _id: connectionId })) ?? undefined);
  const secrets = sealedField(secretbox(keyRing.parse(second)), 'connections', 'credential');
  const owner = { id: connectionId, organizationId };
  expect(secrets.open(owner, stated(credential))).toBe('a~client.secret');
  // A secret can be opened only for its own connection.
  expect(() => secrets.open({ ...owner, id: 'another' }, stated(credential))).toThrow(/belongs to another place/);
  await replica.stop();
});

test('a service without the key of a stored secret does not start', async () => {
  await expect(running.startReplica({ SECRETBOX_KEYS: third })).rejects.toThrow(/SECRETBOX_KEYS lacks/);
});
