// Identities of a system that a test, a benchmark or another program starts for itself.
import { fileURLToPath } from 'node:url';
import { startOrder } from '@invoicecontrol/topology/services';
import { prepareIdentities } from './identities/identities.js';

const directory = fileURLToPath(new URL('../../../.cache/identities', import.meta.url));

/**
 * Returns a directory with the identity files of each service and of the operator, as `<name>/tls.crt` and so on. In a
 * test, these are the ones of the test run. In a program, they are kept in `.cache/` for the next one.
 */
export async function identitiesForTests(): Promise<string> {
  const given = process.env['TEST_IDENTITIES'];
  if (given) return given;
  await prepareIdentities(directory, [...startOrder, 'operator', 'nats', 'test']);
  // Code that is shared with the tests finds them here.
  process.env['TEST_IDENTITIES'] = directory;
  return directory;
}
