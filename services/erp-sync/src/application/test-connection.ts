import { DomainError } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection, ConnectionError } from '../domain/connection.js';
import { ErpFault } from '../domain/faults.js';
import type { Session } from '../providers/provider.js';
import { requireConnection, requireNotDisabled } from './change-connections.js';
import { auditLine } from './connection-events.js';
import type { ConnectionStore } from './stores.js';

export interface TestDeps {
  readonly connections: Pick<ConnectionStore, 'find'>;
  /** Opens a session with an ERP for one connection test, with few calls and a short time limit. */
  readonly openTestSession: (connection: Connection) => Session;
  /** Time limit for an ERP connection test. Its caller gets a response by then in any case. */
  readonly testMsMax: number;
  readonly audit: Pick<AuditBuffer, 'record'>;
  readonly clock: Clock;
}

export interface TestResult {
  readonly status: 'CONNECTED' | 'ERROR';
  readonly testedAt: Date;
  readonly fault: ConnectionError | undefined;
}

/**
 * Calls the ERP in the same way as the first import run, to check the credentials, the company and each permission.
 * Only an audit event is stored.
 * @throws DomainError not_found, wrong_state; foreign_failure if the ERP does not respond correctly
 */
export const testConnection =
  ({ connections, openTestSession, testMsMax, audit, clock }: TestDeps) =>
  async (organizationId: string, connectionId: string, context: RequestContext): Promise<TestResult> => {
    const connection = await requireConnection(connections, organizationId, connectionId);
    requireNotDisabled(connection);
    const fault = await faultOf(() => within(testMsMax, () => openTestSession(connection).test()));
    audit.record(organizationId, context, auditLine('tested', connectionId));
    if (fault === undefined) return { status: 'CONNECTED', testedAt: clock.now(), fault };
    const { code, message } = fault;
    if (fault.needsAPerson) return { status: 'ERROR', testedAt: clock.now(), fault: { code, message } };
    throw new DomainError(
      'foreign_failure',
      `${message} The ERP connection is unchanged. Test the ERP connection again later.`,
      {
        cause: fault,
      },
    );
  };

/**
 * Waits for the test of an ERP connection up to a time limit.
 * @throws ErpFault TIMEOUT
 */
async function within<T>(msMax: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ErpFault('TIMEOUT', 'The ERP did not respond in time.')), msMax);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function faultOf(work: () => Promise<unknown>): Promise<ErpFault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ErpFault) return error;
    throw error;
  }
}
