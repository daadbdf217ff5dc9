import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../erp/call.js';
import { close, send } from '../erp/delivery.js';
import type { TakenFaults } from './faults.js';
import { gatewayBlock, Refusal } from './refusal.js';

export interface Delivery {
  readonly faults: TakenFaults;
  readonly response: ServerResponse;
  /** Function that performs the KSeF call and returns the response. */
  readonly answer: () => Promise<Answer>;
  /** Renders a KSeF error in the form that the caller requested. */
  readonly refuse: (refusal: Refusal) => Answer;
  /** Function that invalidates the access token with which the KSeF call was made. */
  readonly killToken: () => void;
  readonly now: () => Date;
  /**
   * Callback that runs before the status of a KSeF response is sent, so that a client that has received the response
   * finds it in the log.
   */
  readonly onStatus: (status: number) => void;
  /** Signal that ends everything for which the KSeF simulator waits. */
  readonly signal: AbortSignal;
}

/** Responds to a KSeF call as the configured faults require, or correctly if there are none. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { faults, response, answer, refuse, now, onStatus, signal } = delivery;
  const reply = (reached: Answer): void => {
    if (response.destroyed) return;
    onStatus(reached.status);
    send(response, reached);
  };
  const act = async (): Promise<Answer> => patched(await answer(), faults.patch);
  const fault = faults.delivery?.spec;
  if (fault === undefined) {
    const reached = await act();
    // The fault HIDE of the simulated KSeF performs the call, but sends no response.
    if (faults.effect('HIDE') !== undefined) close(response);
    else reply(reached);
    return;
  }
  switch (fault.kind) {
    case 'DROP':
      close(response);
      return;
    case 'LOSE_ANSWER':
      await act();
      close(response);
      return;
    case 'STATUS': {
      if (fault.processed) await act();
      const { status, headers = {}, body, contentType } = fault;
      const isHtml = body === undefined;
      const type = contentType ?? (isHtml ? 'text/html' : typeof body === 'string' ? 'text/plain' : 'application/json');
      // A KSeF response without a body has no content type.
      const isEmpty = body === '' && contentType === undefined;
      reply({
        status,
        headers: { ...(isEmpty ? {} : { 'content-type': type }), ...lowerCased(headers) },
        body: isHtml ? `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>` : body,
      });
      return;
    }
    case 'HANG':
      if (fault.processed) await act();
      await wait(fault.seconds, signal);
      close(response);
      return;
    case 'DELAY': {
      const reached = await act();
      await wait(fault.seconds, signal);
      reply(reached);
      return;
    }
    case 'HOLD': {
      const done = fault.processed ? await act() : undefined;
      await aborted([faults.delivery?.removed, signal]);
      if (signal.aborted) close(response);
      else reply(done ?? (await act()));
      return;
    }
    case 'THROTTLE': {
      const own = refuse(
        new Refusal({ status: 429, description: 'Przekroczono limit żądań. Spróbuj ponownie później.' }),
      );
      reply({ ...own, headers: { ...own.headers, 'retry-after': String(fault.retryAfter) } });
      return;
    }
    case 'UNAUTHORIZED':
      delivery.killToken();
      reply(refuse(new Refusal({ status: 401, description: 'Wymagane jest uwierzytelnienie.' })));
      return;
    case 'BLOCKED':
      reply(gatewayBlock(now()));
      return;
    case 'PROBLEM':
      reply(refuse(new Refusal(fault)));
      return;
    case 'BODY':
      reply({ status: fault.status, headers: { 'content-type': fault.contentType }, body: fault.body });
      return;
  }
}

/** Replaces members of a successful JSON response of KSeF, as a simulated fault requires. */
function patched(answer: Answer, patch: Readonly<Record<string, unknown>> | undefined): Answer {
  const { status, body } = answer;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body);
  return patch === undefined || status >= 300 || !isObject ? answer : { ...answer, body: { ...body, ...patch } };
}

async function wait(seconds: number, signal: AbortSignal): Promise<void> {
  await delay(seconds * 1_000, undefined, { ref: false, signal }).catch(() => undefined);
}

/** Resolves as soon as one of several abort signals is aborted. */
async function aborted(signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const any = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  if (!any.aborted) await once(any, 'abort');
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
