import type { Agents } from '@invoicecontrol/egress/agents';
import { CallTimeout } from '@invoicecontrol/egress/bounded';
import { call, UnaskedEncoding } from '@invoicecontrol/egress/call';
import type { Answer } from '@invoicecontrol/egress/call';
import { BlockedAddressError } from '@invoicecontrol/egress/egress';
import { joinHeaders } from '@invoicecontrol/egress/http-answer';
import { parseJson } from '@invoicecontrol/values/json';
import { ErpFault, Outage } from '../domain/faults.js';
import type { ErpAnswer, ErpRequest } from '../providers/provider.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Outcome of one HTTP call to an ERP. `isTimeUp` means that the call was aborted at its deadline. */
export type Attempt = { readonly answer: ErpAnswer } | { readonly fault: ErpFault; readonly isTimeUp: boolean };

interface Call {
  readonly request: ErpRequest;
  readonly agents: Agents;
  readonly deadlineMs: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/** Sends a request to an ERP once and reads the whole response. */
export async function callOnce({ request, agents, deadlineMs, bytesMax, signal }: Call): Promise<Attempt> {
  const { method, url, headers, body } = request;
  const outgoing = { method, url, body, headers: { 'accept-encoding': 'gzip', ...headers } };
  try {
    const answer = await call(agents, outgoing, { deadlineMs, bytesMax, signal });
    return { answer: readAnswer(answer, bytesMax) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { fault: faultOfError(error, deadlineMs), isTimeUp: error instanceof CallTimeout };
  }
}

function readAnswer({ status, headers: received, body }: Answer, bytesMax: number): ErpAnswer {
  if (REDIRECTS.has(status)) {
    throw new ErpFault('BAD_RESPONSE', 'The ERP responded with a redirect. Redirects are not followed.');
  }
  if (body === undefined) throw new ErpFault('BAD_RESPONSE', `The ERP responded with more than ${bytesMax} bytes.`);
  const headers = joinHeaders(received);
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  return { status, headers, json: looksLikeJson(text, headers) ? parseJson(text) : undefined, text };
}

function looksLikeJson(text: string, headers: Readonly<Record<string, string>>): boolean {
  return /\bjson\b/i.test(headers['content-type'] ?? '') || /^\s*[[{]/.test(text);
}

/**
 * Returns the fault for a failed call to an ERP. The message of the fault contains no address, because callers see it.
 */
function faultOfError(error: unknown, deadlineMs: number): ErpFault {
  if (error instanceof ErpFault) return error;
  if (error instanceof CallTimeout) {
    const seconds = Math.ceil(deadlineMs / 1_000);
    return new Outage('TIMEOUT', `The ERP response was not complete within ${seconds} seconds.`);
  }
  if (error instanceof BlockedAddressError)
    return new ErpFault('BAD_RESPONSE', 'The host of the ERP resolves to an address that must not be called.');
  if (error instanceof UnaskedEncoding)
    return new ErpFault('BAD_RESPONSE', 'The ERP response has an encoding that was not requested.');
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ETIMEDOUT') return new Outage('TIMEOUT', 'The ERP did not respond in time.');
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new Outage('BAD_RESPONSE', 'The ERP responded with data that cannot be decompressed.');
  }
  return new Outage('UPSTREAM_ERROR', 'The ERP is unavailable, or its response was interrupted.');
}
