import type { Response } from 'express';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Stages } from '@invoicecontrol/runtime/stages';

/** State of an HTTP request in the gateway, which is looked up by the response object. */
export interface RequestState {
  readonly requestId: string;
  readonly address: string;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Path template of the route, such as `/v1/invoices/{invoiceId}`. Absent until the route is known. */
  route?: string;
  /**
   * Functions that release the concurrency slots that an HTTP request uses. They are called when the response is
   * complete.
   */
  readonly slots: (() => void)[];
  isSettled: boolean;
  /** Id of the organization that sent the request. Set once the API key is known. */
  organizationId?: string;
  /**
   * Advice for the caller of a request if a service fails. Absent until a service is called, because before the call
   * nothing can have been changed.
   */
  advice?: string;
  /** Duration of each stage of a request, for routes that record stages because their request bodies are long. */
  stages?: Stages;
}

const states = new WeakMap<object, RequestState>();

export function setRequestState(response: object, state: RequestState): void {
  states.set(response, state);
}

/**
 * Returns the state of an HTTP request. Throws a TypeError for a response that the first middleware has not handled.
 */
export function requestState(response: Response): RequestState {
  const state = states.get(response);
  if (state === undefined) throw new TypeError('The gateway has not stored the state of this request, such as its id.');
  return state;
}

/**
 * Releases a resource of a request when the response was sent or the connection is closed, or immediately if that has
 * already happened.
 */
export function holdUntilSettled(response: Response, giveBack: () => void): void {
  const state = requestState(response);
  if (state.isSettled) giveBack();
  else state.slots.push(giveBack);
}

/** Releases every concurrency slot that a request uses. */
export function settleRequest(response: Response): void {
  const state = requestState(response);
  state.isSettled = true;
  for (const giveBack of state.slots.splice(0)) giveBack();
}

/** Returns the request context for calls to services that are made before the API key is known. */
export function anonymousContext({ requestId, address, traceparent, tracestate }: RequestState): RequestContext {
  return { requestId, actor: { type: 'SYSTEM', id: 'gateway' }, ip: address, traceparent, tracestate };
}
