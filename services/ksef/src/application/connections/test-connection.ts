import { events } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection } from '../../domain/connection.js';
import { KsefRefusal } from '../../domain/ksef-refusal.js';
import type { Ksef } from '../ksef-calls.js';
import { connectionAudit } from './connection-events.js';
import { requireConnection } from './disable-connection.js';
import type { TokenSecrets } from './secrets.js';
import type { ConnectionStore } from './stores.js';

export interface TestDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly secrets: Pick<TokenSecrets, 'open'>;
  readonly ksef: Pick<Ksef, 'test'>;
  /** Whatever KSeF does, callers have an answer by then. */
  readonly testMsMax: number;
  readonly clock: Clock;
}

/** What a test tells where KSeF answered. */
export interface TestResult {
  readonly status: 'CONNECTED' | 'ERROR';
  readonly testedAt: Date;
}

export type TestConnection = (
  organizationId: string,
  connectionId: string,
  context: RequestContext,
) => Promise<TestResult>;

/**
 * Authenticates with the stored token, and looks whether it may send invoices (endpoint 13). In one process, callers that come
 * while a connection is tested share the answer.
 * @throws DomainError not_found, wrong_state; foreign_failure where KSeF gives no answer that says something about the token
 */
export function testConnection(deps: TestDeps): TestConnection {
  const underWay = new Map<string, Promise<TestResult>>();
  return async (organizationId, connectionId, context) => {
    const connection = await requireConnection(deps.connections, organizationId, connectionId);
    const token = openToken(deps, connection);
    // A token that was saved meanwhile gets a test of its own.
    const key = JSON.stringify([connectionId, connection.contextNip, token]);
    const running = underWay.get(key) ?? testOnce(deps, connection, token, context).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };
}

async function testOnce(
  deps: TestDeps,
  connection: Connection,
  token: string,
  context: RequestContext,
): Promise<TestResult> {
  const { id: connectionId, organizationId, environment, contextNip, companyId } = connection;
  const refusal = await refusalOf(
    within(deps.testMsMax, deps.ksef.test({ connectionId, environment, contextNip, token })),
  );
  const testedAt = deps.clock.now();
  const status = refusal === undefined ? 'CONNECTED' : refusal.kind === 'PERMANENT' ? 'ERROR' : undefined;
  await retryOnConflict(async () => {
    const current = await requireConnection(deps.connections, organizationId, connectionId);
    if (openToken(deps, current) !== token || current.contextNip !== contextNip) {
      throw new DomainError('wrong_state', 'The connection was saved again while it was tested. Test it again.');
    }
    const hasFailed = status === 'ERROR' && current.status !== 'ERROR';
    await deps.connections.save(
      current,
      {
        ...(status === undefined ? {} : { status }),
        lastTestedAt: testedAt,
        lastErrorMessage: refusal?.message ?? null,
      },
      [
        connectionAudit('tested', connectionId, context),
        ...(hasFailed
          ? [
              announce(events.ksefConnectionFailed, {
                connectionId,
                companyId,
                environment,
                message: refusal?.message ?? '',
              }),
            ]
          : []),
      ],
    );
  });
  if (status !== undefined) return { status, testedAt };
  throw new DomainError('foreign_failure', `${refusal?.message} The connection is unchanged; test it again later.`, {
    cause: refusal,
  });
}

/** @throws DomainError wrong_state for a connection that was ended */
function openToken({ secrets }: Pick<TestDeps, 'secrets'>, connection: Connection): string {
  if (connection.status !== 'DISABLED' && connection.token !== undefined) {
    return secrets.open(connection, connection.token);
  }
  throw new DomainError('wrong_state', 'The connection is disabled. Save it again with a token, then test it.');
}

async function within<T>(msMax: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new KsefRefusal('TRANSIENT', 'KSeF did not answer in time.', { code: 'KSEF_TIMEOUT' }));
    }, msMax);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function refusalOf(work: Promise<unknown>): Promise<KsefRefusal | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof KsefRefusal) return error;
    throw error;
  }
}
