import { readBounded } from '@invoicecontrol/runtime/http-answer';
import { ErpFault, Outage } from '../domain/faults.js';

/** Calls that follow no redirect and whose whole answer is bounded in time and size. */
export type BoundedFetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * For the addresses of the configuration, which need no guard of egress.
 * @param callMs for the call with its body
 * @throws ErpFault TIMEOUT, UPSTREAM_ERROR, BAD_RESPONSE for an answer that is too large
 */
export function boundedFetch({
  callMs,
  answerBytesMax,
}: {
  readonly callMs: number;
  readonly answerBytesMax: number;
}): BoundedFetch {
  return async (url, init) => {
    const timeout = AbortSignal.timeout(callMs);
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const body = await readBounded(response.body, answerBytesMax);
      if (body === undefined) throw new ErpFault('BAD_RESPONSE', 'The ERP sent a larger answer than it may.');
      return new Response(isBodyless(response.status) ? null : body, {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      if (error instanceof ErpFault) throw error;
      // Neither address nor cause: a message may reach the customer.
      throw signal.aborted
        ? new Outage('TIMEOUT', 'The ERP did not answer in time.')
        : new Outage('UPSTREAM_ERROR', 'The ERP cannot be reached.');
    }
  };
}

/** A Response of these cannot be made with a body. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
