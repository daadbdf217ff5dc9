// Provides the certificates of a system that a test, a benchmark or another program starts for itself.
import { fileURLToPath } from 'node:url';
import { startOrder } from '@invoicecontrol/topology/services';
import { prepareIdentities } from './identities/identities.js';

const directory = fileURLToPath(new URL('../../../.cache/identities', import.meta.url));

/**
 * Returns a directory with the identity files of each service and of the operator, as `<name>/tls.crt` and so on. A
 * test gets the files of the test run. Any other program gets files that are kept in `.cache/` for later programs.
 */
export async function identitiesForTests(): Promise<string> {
  const given = process.env['TEST_IDENTITIES'];
  if (given) return given;
  await prepareIdentities(directory, [...startOrder, 'operator', 'nats', 'test']);
  // Helpers of the tests find the identity files through this environment variable.
  process.env['TEST_IDENTITIES'] = directory;
  return directory;
}
