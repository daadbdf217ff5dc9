import { events } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { isSameSecret } from '../../domain/connection.js';
import type { Connection } from '../../domain/connection.js';
import { KsefRefusal } from '../../domain/ksef-refusal.js';
import { credentialsOf } from '../ksef-calls.js';
import type { Ksef, KsefCredentials } from '../ksef-calls.js';
import { connectionAudit } from './connection-events.js';
import { requireConnection, wakeWaiting } from './disable-connection.js';
import type { ConnectionStore, OpenSubmissions } from './stores.js';

export interface TestDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly submissions: Pick<OpenSubmissions, 'wake'>;
  readonly secrets: Pick<SealedField, 'open'>;
  readonly ksef: Pick<Ksef, 'test'>;
  /** Maximum duration of a KSeF connection test. Callers get a response by then, even if KSeF does not respond. */
  readonly testMsMax: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Result of a KSeF connection test to which KSeF responded. */
export interface TestResult {
  readonly status: 'CONNECTED' | 'ERROR';
  readonly testedAt: Date;
}

export type TestConnection = (
  organizationId: string,
  connectionId: string,
  context: RequestContext,
) => Promise<TestResult>;

/** Test of a KSeF connection that is in progress. The test lasts until its last call to KSeF has completed. */
interface RunningTest {
  readonly connection: Connection;
  readonly result: Promise<TestResult>;
}

/**
 * Tests a KSeF connection: authenticates with the stored secret and checks the permissions to issue and to view
 * invoices (endpoint 13). A process runs one test of a connection at a time. Callers that arrive during a test share
 * its result, even if the first caller has disconnected. If the secret was replaced during a test, a new caller waits
 * for that test and then tests the new secret.
 * @throws DomainError not_found, wrong_state; foreign_failure when KSeF gives no conclusive response
 */
export function testConnection(deps: TestDeps): TestConnection {
  const underWay = new Map<string, RunningTest>();

  async function share(stored: Connection, context: RequestContext): Promise<TestResult> {
    for (let connection = stored; ;) {
      const credentials = openSecret(deps, connection);
      const running = underWay.get(connection.id);
      if (running !== undefined && isSameSecret(running.connection, connection)) return running.result;
      if (running === undefined) {
        const result = testOnce(deps, connection, credentials, context).finally(() => underWay.delete(connection.id));
        underWay.set(connection.id, { connection, result });
        return result;
      }
      await running.result.catch(() => {});
      connection = await requireConnection(deps.connections, connection.organizationId, connection.id);
    }
  }

  return async (organizationId, connectionId, context) => {
    const connection = await requireConnection(deps.connections, organizationId, connectionId);
    const late = Symbol('late');
    const result = await within(deps.testMsMax, share(connection, context), late);
    if (result !== late) return result;
    const refusal = new KsefRefusal('TRANSIENT', 'KSeF did not respond in time.', { code: 'KSEF_TIMEOUT' });
    await storeResult(deps, connection, { refusal, isReadOnly: false, testedAt: deps.clock.now() }, context);
    throw unanswered(refusal);
  };
}

async function testOnce(
  deps: TestDeps,
  connection: Connection,
  credentials: KsefCredentials,
  context: RequestContext,
): Promise<TestResult> {
  const answer = await answerOf(deps.ksef.test(credentials));
  const testedAt = deps.clock.now();
  const refusal = answer instanceof KsefRefusal ? answer : undefined;
  const isReadOnly = !(answer instanceof KsefRefusal) && answer.isReadOnly;
  const status = await storeResult(deps, connection, { refusal, isReadOnly, testedAt }, context);
  if (status !== undefined) return { status, testedAt };
  throw unanswered(refusal);
}

/**
 * Stores the result of a KSeF connection test.
 * @returns the new status; undefined if it does not change
 * @throws DomainError wrong_state when the secret was replaced in the meantime
 */
async function storeResult(
  deps: TestDeps,
  tested: Connection,
  {
    refusal,
    isReadOnly,
    testedAt,
  }: { readonly refusal: KsefRefusal | undefined; readonly isReadOnly: boolean; readonly testedAt: Date },
  context: RequestContext,
): Promise<TestResult['status'] | undefined> {
  const { id: connectionId, organizationId, environment, companyId } = tested;
  const status = statusAfter(refusal);
  const message = refusal?.message;
  await retryOnConflict(async () => {
    const current = await requireConnection(deps.connections, organizationId, connectionId);
    if (current.status === 'DISABLED') throw disabled();
    if (!isSameSecret(current, tested)) {
      throw new DomainError(
        'wrong_state',
        'The KSeF connection was saved again while it was being tested. Test the connection again.',
      );
    }
    const hasFailed = status === 'ERROR' && current.status !== 'ERROR';
    const failed = announce(events.ksefConnectionFailed, {
      connectionId,
      companyId,
      environment,
      message: message ?? '',
    });
    const change = {
      ...(status === undefined ? {} : { status }),
      ...(hasFailed ? { refusal: { at: testedAt, code: refusal?.code ?? '' } } : {}),
      ...(status === 'CONNECTED'
        ? { refusal: undefined, readOnlySince: isReadOnly ? (current.readOnlySince ?? testedAt) : undefined }
        : {}),
      lastTestedAt: testedAt,
      lastErrorMessage: message,
    };
    await deps.connections.save(current, change, [
      connectionAudit('tested', connectionId, context),
      ...(hasFailed ? [failed] : []),
    ]);
  });
  // A KSeF connection that is CONNECTED again can continue its queued submissions.
  if (status === 'CONNECTED') await wakeWaiting(deps, tested);
  return status;
}

/**
 * Returns the KSeF connection status after a test.
 * @returns undefined if the response does not show whether the secret is valid
 */
function statusAfter(refusal: KsefRefusal | undefined): TestResult['status'] | undefined {
  if (refusal === undefined) return 'CONNECTED';
  return refusal.kind === 'PERMANENT' && refusal.concerns !== 'REFERENCE' ? 'ERROR' : undefined;
}

function unanswered(refusal: KsefRefusal | undefined): DomainError {
  return new DomainError(
    'foreign_failure',
    `${refusal?.message} The KSeF connection is unchanged. Test the KSeF connection again later.`,
    {
      cause: refusal,
    },
  );
}

/**
 * Decrypts the secret of a KSeF connection.
 * @throws DomainError wrong_state if the connection is disabled
 */
function openSecret({ secrets }: Pick<TestDeps, 'secrets'>, connection: Connection): KsefCredentials {
  if (connection.status === 'DISABLED' || connection.secret === undefined) throw disabled();
  return credentialsOf(connection, connection.secret, secrets);
}

function disabled(): DomainError {
  return new DomainError(
    'wrong_state',
    'The KSeF connection is disabled. Save the connection again with a token or a certificate, then test it.',
  );
}

/**
 * Waits for the test of a KSeF connection up to a time limit.
 * @returns `late` if the work takes longer; the work continues in the background
 */
async function within<T, L>(msMax: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const ending = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), msMax);
  });
  // The test of a KSeF connection may still fail after the deadline. The empty catch avoids an unhandled rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work, ending]);
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf<T>(work: Promise<T>): Promise<T | KsefRefusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KsefRefusal) return error;
    throw error;
  }
}
