import { randomBytes } from 'node:crypto';

export interface TestInfrastructure {
  mongodbUrl: string;
  natsUrl: string;
}

/**
 * The MongoDB and NATS of this test run, started once by the projects of vitest.config.mjs that need them.
 *
 * @throws Error with a sentence when the test runs in a project that starts none
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

/** A database name that no other test file and no other run has; ask once per file and the tests of different files never meet. */
export function testDatabaseName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}
