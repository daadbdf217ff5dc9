import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './command.js';
import type { AskedService } from './command.js';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** Timeout of a command. */
const TIMEOUT_MS = 15_000;

/** The address of a service and the operator's call context. */
export interface Connection {
  readonly address: string;
  readonly call: CallOptions;
}

/**
 * Finds the running system by command line and environment, else by `dev.json`, which `npm start` keeps in its data
 * directory while it runs.
 * @throws UsageError naming what is missing and where it may come from
 */
export async function findSystem(
  service: AskedService,
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Connection> {
  const file = join(env['DATA_DIR'] || '.data', 'dev.json');
  const running = await readRunning(file);
  const variable = `${service.toUpperCase()}_ADDRESS`;
  const address = given ?? (env[variable] || running.addresses?.[service]);
  if (address === undefined) {
    throw new UsageError(
      `No running system was found: ${file} is missing. Run npm start, or name one with --address or ${variable}.`,
    );
  }
  const operatorToken = env['OPERATOR_TOKEN'] || running.operatorToken;
  if (operatorToken === undefined || !/^[\x21-\x7e]+$/.test(operatorToken)) {
    throw new UsageError(
      `The operator's token is missing. Put the one that the ${service} service was started with into OPERATOR_TOKEN.`,
    );
  }
  const actor = { type: 'OPERATOR', id: userName(env) } as const;
  return {
    address,
    call: { context: { requestId: `admin-${randomUUID()}`, actor, operatorToken }, timeoutMs: TIMEOUT_MS },
  };
}

/** The content of `dev.json`. */
interface Running {
  readonly addresses?: Readonly<Record<string, string>>;
  readonly operatorToken?: string;
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
    throw new UsageError(`${file} is damaged. Stop and start the system, or use --address and OPERATOR_TOKEN.`);
  }
}

/** The user for the audit trail; undefined for a name that is not valid in a header. */
function userName(env: NodeJS.ProcessEnv): string {
  const name = env['USER'] ?? '';
  return /^[\x21-\x7e]{1,64}$/.test(name) ? name : 'operator';
}
