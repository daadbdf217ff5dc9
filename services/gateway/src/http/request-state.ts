import type { Response } from 'express';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Stages } from '@invoicecontrol/runtime/stages';

/** What is known about a request; found by its response. */
export interface RequestState {
  readonly requestId: string;
  readonly address: string;
  readonly traceparent: string | undefined;
  /** Path pattern of the route that answers, `none` until one is found. */
  route: string;
  /** Set once the key is known. */
  organizationId?: string;
  /** How long each stage took, for routes with long bodies. */
  stages?: Stages;
}

const states = new WeakMap<object, RequestState>();

export function setRequestState(response: object, state: RequestState): void {
  states.set(response, state);
}

/** Throws a TypeError for a response that the first middleware has not seen. */
export function requestState(response: Response): RequestState {
  const state = states.get(response);
  if (state === undefined) throw new TypeError('This request has no state.');
  return state;
}

/** The context of calls made before the key is known. */
export function anonymousContext({ requestId, address, traceparent }: RequestState): RequestContext {
  return { requestId, actor: { type: 'SYSTEM', id: 'gateway' }, ip: address, traceparent };
}
