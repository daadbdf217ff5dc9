import { trustedAgents } from '@invoicecontrol/egress/agents';
import { CallTimeout } from '@invoicecontrol/egress/bounded';
import { call } from '@invoicecontrol/egress/call';
import { joinHeaders } from '@invoicecontrol/egress/http-answer';
import { ErpFault, Outage } from '../domain/faults.js';

/** Calls that follow no redirect and whose whole answer is bounded in time and size. */
export type BoundedFetch = (url: string, init: RequestInit) => Promise<Response>;

const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;

/**
 * Fetches from the addresses of the configuration, which need no guard of egress.
 * @param callMs time limit of the call with its body
 * @throws ErpFault TIMEOUT, UPSTREAM_ERROR, BAD_RESPONSE for an answer that is too large
 */
export function boundedFetch({
  callMs,
  answerBytesMax,
}: {
  readonly callMs: number;
  readonly answerBytesMax: number;
}): BoundedFetch {
  const agents = trustedAgents({ connectionsPerOrigin: CONNECTIONS_PER_ORIGIN, connectMs: CONNECT_MS_MAX });
  return async (url, init) => {
    try {
      // Reads whatever form the headers and the body have; it calls nobody.
      const request = new Request(url, init);
      const headers = { 'accept-encoding': 'gzip', ...Object.fromEntries(request.headers) };
      const content = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const answer = await call(
        agents,
        { method: request.method, url, headers, body: content },
        { deadlineMs: callMs, bytesMax: answerBytesMax, signal: init.signal ?? undefined },
      );
      const { status, body } = answer;
      if (body === undefined) throw new ErpFault('BAD_RESPONSE', 'The response of the ERP is larger than the limit.');
      return new Response(isBodyless(status) ? null : body, { status, headers: joinHeaders(answer.headers) });
    } catch (error) {
      if (error instanceof ErpFault) throw error;
      // Neither address nor cause: a message may reach the customer.
      throw error instanceof CallTimeout || init.signal?.aborted === true
        ? new Outage('TIMEOUT', 'The ERP did not respond in time.')
        : new Outage('UPSTREAM_ERROR', 'The ERP is unavailable.');
    }
  };
}

/** A Response of these cannot be made with a body. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
