import type { Response } from 'express';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Stages } from '@invoicecontrol/runtime/stages';

/** State of a request; found by its response. */
export interface RequestState {
  readonly requestId: string;
  readonly address: string;
  readonly traceparent: string | undefined;
  /** Template of the route that answers, `/v1/invoices/{invoiceId}`; absent until one is found. */
  route?: string;
  /** Give back what the request holds; called once it is settled. */
  readonly slots: (() => void)[];
  isSettled: boolean;
  /** Set once the key is known. */
  organizationId?: string;
  /** Set when the owner is asked: what a caller should do if that fails. Before, nothing was done. */
  advice?: string;
  /** Duration of each stage, for routes with long bodies. */
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

/** Gives something back once the answer has left or the connection is gone, at once when that has happened. */
export function holdUntilSettled(response: Response, giveBack: () => void): void {
  const state = requestState(response);
  if (state.isSettled) giveBack();
  else state.slots.push(giveBack);
}

/** Gives back everything that the request holds. */
export function settleRequest(response: Response): void {
  const state = requestState(response);
  state.isSettled = true;
  for (const giveBack of state.slots.splice(0)) giveBack();
}

/** The context of calls made before the key is known. */
export function anonymousContext({ requestId, address, traceparent }: RequestState): RequestContext {
  return { requestId, actor: { type: 'SYSTEM', id: 'gateway' }, ip: address, traceparent };
}
