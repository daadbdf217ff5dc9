import type { Call } from './call.js';

const REQUESTS_MAX = 20_000;

export interface LoggedRequest {
  readonly n: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * Status of the response of the simulated ERP. Null before the response was sent, and if the connection was closed
   * without a response.
   */
  status: number | null;
}

/** Log of the last ERP requests of each tenant, oldest first. */
export class RequestLog {
  readonly #requests = new Map<string, LoggedRequest[]>();
  #last = 0;

  clear(tenant: string): void {
    this.#requests.delete(tenant);
  }

  add(tenant: string, call: Call, at: Date): LoggedRequest {
    this.#last += 1;
    const { method, path, query, headers, body } = call;
    const request = { n: this.#last, at: at.toISOString(), method, path, query, headers, body, status: null };
    const requests = this.#requests.get(tenant) ?? [];
    requests.push(request);
    // Old requests are removed from the log of the simulated ERP in blocks, because removing one at a time would move
    // 20,000 entries for each request.
    if (requests.length >= REQUESTS_MAX * 2) requests.splice(0, requests.length - REQUESTS_MAX);
    this.#requests.set(tenant, requests);
    return request;
  }

  after(tenant: string, n: number): readonly LoggedRequest[] {
    return (this.#requests.get(tenant) ?? []).slice(-REQUESTS_MAX).filter((request) => request.n > n);
  }
}
