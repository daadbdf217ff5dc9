import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressVariable, ConfigError } from '@invoicecontrol/runtime/config';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { openIdentity } from '@invoicecontrol/runtime/identity/identity';
import type { Identity } from '@invoicecontrol/runtime/identity/identity';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { UsageError } from './command.js';
import type { OperatedService } from './command.js';

/** Timeout in milliseconds of an operator's call to a service. */
const TIMEOUT_MS = 15_000;

/** The addresses of the services, and the call context of the operator. */
export interface Connection {
  readonly addresses: ReadonlyMap<OperatedService, string>;
  readonly call: CallOptions;
  /** Certificate by which the services recognize the operator. */
  readonly identity: Identity;
}

/**
 * Finds the running system by the command line and the environment, otherwise by `dev.json`, which `npm start` keeps in
 * its data directory while it runs.
 * @param given values on the command line: the address, if the command calls only one service, and the directory with
 *   the certificate
 * @throws UsageError that names the missing value and where it can be set
 */
export async function findSystem(
  services: readonly OperatedService[],
  given: { readonly address: string | undefined; readonly identity: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Connection> {
  const file = join(env['DATA_DIR'] || '.data', 'dev.json');
  const running = await readRunning(file);
  const addresses = new Map<OperatedService, string>();
  for (const service of services) {
    const address = given.address ?? (env[addressVariable(service)] || running.addresses?.[service]);
    if (address === undefined) throw new UsageError(noAddress(service, services.length, file));
    addresses.set(service, address);
  }
  // The identity in dev.json belongs to the system that dev.json describes. For another system, the identity in TLS_DIR
  // is used.
  const isRunningHere = services.every((service) => addresses.get(service) === running.addresses?.[service]);
  const fromRunning = isRunningHere ? running.operatorIdentity : undefined;
  const directory = given.identity ?? fromRunning ?? (env['TLS_DIR'] || running.operatorIdentity);
  if (directory === undefined) {
    throw new UsageError(
      'The identity of the operator is missing. Set TLS_DIR, or --identity, to the directory with its tls.crt, tls.key and ca.crt.',
    );
  }
  const actor = { type: 'OPERATOR', id: userName(env) } as const;
  return {
    addresses,
    identity: openOperatorIdentity(directory, env),
    call: { context: { requestId: `admin-${randomUUID()}`, actor }, timeoutMs: TIMEOUT_MS },
  };
}

/** Opens the files with the certificate of the operator. */
export function openOperatorIdentity(directory: string, env: NodeJS.ProcessEnv): Identity {
  const logger = createLogger({ service: 'admin', level: 'silent' });
  try {
    return openIdentity({ directory, trustDomain: env['TRUST_DOMAIN'] || TRUST_DOMAIN_DEFAULT, logger });
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

function noAddress(service: OperatedService, asked: number, file: string): string {
  const variable = addressVariable(service);
  const oneOnly = asked === 1 ? 'name one with --address or' : `set`;
  const others = asked === 1 ? '' : ` To query only some services, use --service.`;
  return `No running system was found: ${file} is missing. Run npm start, or ${oneOnly} ${variable}.${others}`;
}

/** The content of `dev.json`, which describes the running product. */
interface Running {
  readonly addresses?: Readonly<Record<string, string>>;
  readonly operatorIdentity?: string;
}

async function readRunning(file: string): Promise<Running> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read (${(error as Error).message}).`);
  }
  try {
    return JSON.parse(text) as Running;
  } catch {
    throw new UsageError(`${file} is damaged. Stop and start the system, or use --address and --identity.`);
  }
}

/** Returns the user for the audit trail; undefined for a name that is not valid in a header. */
function userName(env: NodeJS.ProcessEnv): string {
  const name = env['USER'] ?? '';
  return /^[\x21-\x7e]{1,64}$/.test(name) ? name : 'operator';
}
