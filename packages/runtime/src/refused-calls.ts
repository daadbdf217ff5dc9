import type { Logger } from './logger.js';
import { onceAMinute } from './once-a-minute.js';
import { timesAMinute } from './times-a-minute.js';

/** A call from another service that was refused. The call named an organization. */
export interface RefusedCall {
  readonly organizationId: string;
  /** Name of the service that called. */
  readonly caller: string;
  /** Refused rpc, such as `invoicecontrol.operations.v1.OperatorService/ListDeadLetters`. */
  readonly rpc: string;
  /** Reason of the refusal, as the metric `rpc.refused` has it. */
  readonly reason: string;
  readonly requestId: string;
}

const ORGANIZATION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the organization that a request names, or undefined if its type has no such field. */
export function organizationOf(request: unknown): string | undefined {
  const { organizationId } = (request ?? {}) as { readonly organizationId?: unknown };
  return typeof organizationId === 'string' ? organizationId : undefined;
}

/** Returns the organization that a request names, or undefined if the request names none or its id is malformed. */
export function organizationIn(request: unknown): string | undefined {
  const organizationId = organizationOf(request);
  return organizationId !== undefined && ORGANIZATION_ID.test(organizationId) ? organizationId : undefined;
}

const REQUEST_ID_LENGTH_MAX = 128;
/**
 * Maximum number of refused calls that one process records in a minute for each caller and reason. A caller whose calls
 * are refused for a harmless reason can therefore not hide a call that is refused for a serious one.
 */
export const RECORDS_A_MINUTE_MAX = 60;

/**
 * Returns a function that records refused calls, so that an attacker who controls a service cannot cause endless
 * records. The same call for the same organization is recorded once a minute. If more calls are refused than are
 * recorded, the log says so once a minute and names one of the organizations.
 */
export function boundedRefusals(record: (refused: RefusedCall) => Promise<void>, logger: Logger) {
  const isDue = onceAMinute();
  const isLossDue = onceAMinute();
  const hasRoom = timesAMinute(RECORDS_A_MINUTE_MAX);
  return (refused: RefusedCall): void => {
    const { caller, rpc, reason, organizationId } = refused;
    if (!isDue(`${organizationId} ${caller} ${rpc} ${reason}`)) return;
    const kind = `${caller} ${reason}`;
    if (!hasRoom(kind)) {
      if (isLossDue(kind))
        logger.error({ caller, rpc, reason, organizationId }, 'more calls were refused in a minute than are recorded');
      return;
    }
    record({ ...refused, requestId: refused.requestId.slice(0, REQUEST_ID_LENGTH_MAX) }).catch((error: unknown) =>
      logger.error({ error, caller, rpc, organizationId }, 'a refused call could not be recorded'),
    );
  };
}
