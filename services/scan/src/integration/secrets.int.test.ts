import { expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startFakeAnalysis } from '../testing/fake-analysis.js';
import { connect, testConfig, wireRow } from '../testing/scanning.js';

/** Delay of a history scan that waits for the analysis, longer than the delay after a first fault. */
const PAUSE_MS_MAX = 10_000;

test('what a row says, and the key it came with, stand in no log line, whatever becomes of the scan', async () => {
  const infrastructure = testInfrastructure();
  const databaseName = testDatabaseName();
  const quiet = createLogger({ service: 'test', level: 'silent' });
  const organization = await startFakeOrganization(quiet);
  const analysis = await startFakeAnalysis(quiet);
  const logLines: string[] = [];
  const logger = createLogger({
    service: 'scan',
    level: 'debug',
    destination: { write: (line) => logLines.push(line) },
  });
  let aheadMs = 0;
  const now = (): Date => new Date(Date.now() + aheadMs);
  const others = { organization: organization.address, analysis: analysis.address };
  const service = await startService(testConfig(infrastructure, databaseName, others, 'debug'), {
    clock: { now },
    jobPauseMsMax: 250,
    logger,
  });
  const scans = connect(service.address);
  const mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  /** Waits until the history scan is left to its next try, and lets the pause before it pass. */
  const passPause = async (): Promise<void> => {
    const leftUntil = { claim: { $exists: false }, leaseUntil: { $gt: now() } };
    await eventually(async () => expect(await mongo.db.collection('scans').countDocuments(leftUntil)).toBe(1));
    aheadMs += PAUSE_MS_MAX;
  };

  const organizationId = organization.newTenant();
  const supplier = {
    name: 'Confidential Supplier',
    taxId: 'PL9999999999',
    bankAccount: { iban: 'DE02120300000000202051' },
  };
  const secrets = {
    supplier,
    invoiceNumber: 'SECRET-NUMBER-1',
    grossAmount: '7654321.98',
    externalId: 'secret-external-id',
  };
  const keyed = { idempotencyKey: 'secret-idempotency-key' };
  // The test covers every outcome of a history scan.
  const outage = new DomainError('unavailable', 'down');
  const fault = new DomainError('internal', 'a fault');
  analysis.failNext(organizationId, new DomainError('invalid', 'refused'), fault, outage, outage);
  await expect(scans.create(organizationId, [wireRow(secrets)], keyed)).rejects.toMatchObject({ kind: 'invalid' });
  await expect(scans.create(organizationId, [wireRow(secrets)], keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  await passPause();
  await passPause();
  await eventually(async () => expect((await scans.list(organizationId)).scans).toHaveLength(1));
  const replayed = await scans.create(organizationId, [wireRow(secrets)], keyed);
  expect(replayed.replayed).toBe(true);
  await expect(scans.create(organizationId, [wireRow(secrets)])).rejects.toMatchObject({ kind: 'already_exists' });
  await expect(scans.create(organizationId, [wireRow({ ...secrets, currency: 'XXX' })])).rejects.toMatchObject({
    kind: 'invalid',
  });
  const other = { ...keyed, fingerprint: 'f2' };
  await expect(scans.create(organizationId, [wireRow(secrets)], other)).rejects.toMatchObject({
    kind: 'idempotency_mismatch',
  });
  scans.close();
  await service.stop();
  await analysis.stop(1_000);
  await organization.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();

  const log = logLines.join('\n');
  expect(log).toContain('a scan is complete');
  expect(log).toContain('a scan waits until analysis is available');
  expect(log).toContain('a scan failed because of an internal error');
  const { supplier: _, ...texts } = secrets;
  const { name, taxId, bankAccount } = supplier;
  for (const secret of [...Object.values(texts), name, taxId, bankAccount.iban, keyed.idempotencyKey]) {
    expect(log).not.toContain(secret);
  }
});
