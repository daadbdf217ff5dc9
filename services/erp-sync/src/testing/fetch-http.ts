import { ErpFault } from '../domain/faults.js';
import type { ErpAnswer, ErpHttp, ErpRequest } from '../providers/provider.js';

/** Calls as an `ErpHttp` does, each once: for tests of providers against the simulators. */
export function fetchHttp(): ErpHttp & { readonly calls: readonly ErpRequest[] } {
  const calls: ErpRequest[] = [];
  return {
    calls,
    async send(request) {
      calls.push(request);
      const { method, url, headers = {}, body, retries } = request;
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      const json = parseJson(text);
      const { status } = response;
      const isTemporary = retries?.(status, json ?? text) ?? (status === 408 || status === 429 || status >= 500);
      if (status === 429) throw new ErpFault('RATE_LIMITED', 'The ERP takes no more calls at the moment.');
      if (isTemporary) throw new ErpFault('UPSTREAM_ERROR', 'The ERP answered with an error of its own.');
      return { status, headers: Object.fromEntries(response.headers), json, text } satisfies ErpAnswer;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
