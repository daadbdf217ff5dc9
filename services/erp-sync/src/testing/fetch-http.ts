import { Outage } from '../domain/faults.js';
import { outageByStatus } from '../providers/answers.js';
import type { ErpAnswer, ErpHttp, ErpRequest } from '../providers/provider.js';

/** Makes each call to a simulated ERP once, without retries, for tests of the code that reads an ERP. */
export function fetchHttp(): ErpHttp & { readonly calls: readonly ErpRequest[] } {
  const calls: ErpRequest[] = [];
  return {
    calls,
    async send(request) {
      calls.push(request);
      const { method, url, headers = {}, body, faultOf = outageByStatus } = request;
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      const json = parseJson(text);
      const { status } = response;
      const answer: ErpAnswer = { status, headers: Object.fromEntries(response.headers), json, text };
      const fault = faultOf(answer);
      if (fault instanceof Outage) throw fault;
      return answer;
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
