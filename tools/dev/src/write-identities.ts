// Creates the certificates of all services and of the operator in a directory. The service `certificates` of
// compose.yaml runs this program.
import { startOrder } from '@invoicecontrol/topology/services';
import { prepareIdentities } from './identities/identities.js';

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('Pass the directory for the identities.');
  process.exitCode = 2;
} else {
  await prepareIdentities(directory, [...startOrder, 'operator', 'nats']);
}
