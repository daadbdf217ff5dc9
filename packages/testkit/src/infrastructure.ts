import { randomBytes } from 'node:crypto';

export interface TestInfrastructure {
  mongodbUrl: string;
  natsUrl: string;
}

/**
 * Returns the MongoDB and NATS of this test run, which are started once for the projects of vitest.config.mjs that need
 * them.
 * @throws Error if the test runs in a project that starts none
 */
export function testInfrastructure(): TestInfrastructure {
  const { MONGODB_URL: mongodbUrl, NATS_URL: natsUrl } = process.env;
  if (!mongodbUrl || !natsUrl) {
    throw new Error(
      'This test needs MongoDB and NATS, which unit tests do not get: name the file *.int.test.ts or move it to tests/.',
    );
  }
  return { mongodbUrl, natsUrl };
}

/**
 * Returns a unique database name. Each test file calls this once, so that tests of different files do not interfere.
 */
export function testDatabaseName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}
