import { join } from 'node:path';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { authorization } from '@invoicecontrol/topology/broker-rights';

/** Configuration that decides which clients may connect to a broker, and what each client may do. */
export interface BrokerAccess {
  /** Folder with the certificate of the NATS server, and with the certificate of the authority that its clients use. */
  readonly identity: string;
  /** Rights of each client at the broker, in the syntax of nats-server. */
  readonly authorization: string;
}

interface NatsSettings extends BrokerAccess {
  readonly host: string;
  /** Port of the NATS server. With -1, nats-server chooses a free port. */
  readonly port: number;
  /** Directory in which JetStream stores the streams. */
  readonly storeDir: string;
}

/** Returns the configuration of a nats-server whose clients authenticate with their certificates. */
export function natsConfig({ host, port, storeDir, identity, authorization: rights }: NatsSettings): string {
  return `listen: "${host}:${port}"
jetstream { store_dir: ${JSON.stringify(storeDir)} }
tls {
  cert_file: ${JSON.stringify(join(identity, 'tls.crt'))}
  key_file: ${JSON.stringify(join(identity, 'tls.key'))}
  ca_file: ${JSON.stringify(join(identity, 'ca.crt'))}
  verify_and_map: true
}
${rights}`;
}

/**
 * Returns the rights of each client at a broker on this machine.
 * @param identities folder with the identities of the servers, the services and the operator
 * @param databasePrefix prefix of the databases of the only system at this broker. Without it, systems with any prefix
 * may use the broker, and tests may do everything at it.
 */
export function brokerAccess(identities: string, databasePrefix: string | undefined): BrokerAccess {
  const tests = databasePrefix === undefined ? ['test'] : [];
  return {
    identity: join(identities, 'nats'),
    authorization: authorization(TRUST_DOMAIN_DEFAULT, databasePrefix, tests),
  };
}
