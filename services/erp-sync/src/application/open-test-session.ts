import type { Connection } from '../domain/connection.js';
import { ErpFault } from '../domain/faults.js';
import type { Provider, ProviderCode, Session } from '../providers/provider.js';
import { productOf } from '../providers/registry.js';

/** Opens sessions of the ERPs that this version can read. */
export function openSessions(providers: ReadonlyMap<ProviderCode, Provider>): (connection: Connection) => Session {
  return (connection) => {
    const provider = providers.get(connection.provider);
    if (provider === undefined) {
      const { title } = productOf(connection.provider);
      throw new ErpFault('UPSTREAM_ERROR', `${title} cannot be read by this version of the service.`);
    }
    throw new ErpFault('UPSTREAM_ERROR', 'This version of the service cannot call ERPs.');
  };
}
