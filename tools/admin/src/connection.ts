import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './command.js';
import type { AskedService } from './command.js';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** How long a command waits for its answer. */
const TIMEOUT_MS = 15_000;

/** Where a service answers, and what proves that we are the operator. */
export interface Connection {
  readonly address: string;
  readonly call: CallOptions;
}

/**
 * Finds the running system: by what the command line and the environment say, and for the rest by `dev.json`, which
 * `npm start` keeps in its data directory while it runs.
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

/** What `npm start` says of itself. */
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

/** Who sits at the keyboard, for the audit trail; a name that does not fit into a header is left out. */
function userName(env: NodeJS.ProcessEnv): string {
  const name = env['USER'] ?? '';
  return /^[\x21-\x7e]{1,64}$/.test(name) ? name : 'operator';
}
