import { trustedAgents } from '@invoicecontrol/egress/agents';
import type { Peer } from '@invoicecontrol/egress/agents';
import { CallTimeout } from '@invoicecontrol/egress/bounded';
import { call } from '@invoicecontrol/egress/call';
import { joinHeaders } from '@invoicecontrol/egress/http-answer';
import { ErpFault, Outage } from '../domain/faults.js';

/** Makes HTTP calls without following redirects, with limits on the time and size of the whole response. */
export type BoundedFetch = (url: string, init: RequestInit) => Promise<Response>;

const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;

/**
 * Creates a fetch function for configured addresses, which need no egress guard.
 * @param callMs timeout of the HTTP call including its body
 * @throws ErpFault TIMEOUT, UPSTREAM_ERROR, BAD_RESPONSE for a response that is too large
 */
export function boundedFetch({
  callMs,
  answerBytesMax,
  peer,
}: {
  readonly callMs: number;
  readonly answerBytesMax: number;
  readonly peer: Peer;
}): BoundedFetch {
  const agents = trustedAgents({ connectionsPerOrigin: CONNECTIONS_PER_ORIGIN, connectMs: CONNECT_MS_MAX, peer });
  return async (url, init) => {
    try {
      // The constructor `Request` only converts headers and body to a uniform form. No call is made.
      const request = new Request(url, init);
      const headers = { 'accept-encoding': 'gzip', ...Object.fromEntries(request.headers) };
      const content = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const answer = await call(
        agents,
        { method: request.method, url, headers, body: content },
        { deadlineMs: callMs, bytesMax: answerBytesMax, signal: init.signal ?? undefined },
      );
      const { status, body } = answer;
      if (body === undefined) throw new ErpFault('BAD_RESPONSE', 'The ERP response is larger than the limit.');
      return new Response(isBodyless(status) ? null : body, { status, headers: joinHeaders(answer.headers) });
    } catch (error) {
      if (error instanceof ErpFault) throw error;
      // The error message of a failed HTTP call contains neither the address nor the cause, because a customer may see
      // the message.
      throw error instanceof CallTimeout || init.signal?.aborted === true
        ? new Outage('TIMEOUT', 'The ERP did not respond in time.')
        : new Outage('UPSTREAM_ERROR', 'The ERP is unavailable.');
    }
  };
}

/** Checks whether an HTTP response with the given status must not have a body. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
