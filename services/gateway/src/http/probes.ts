import { DomainError } from '@invoicecontrol/errors';
import type { Express } from 'express';
import { sendJson } from './response/answer.js';
import { onlyGet } from './response/only-get.js';

/** Tells whether this gateway accepts requests. Load balancers send requests only to gateways that do. */
export interface Readiness {
  isReady: boolean;
}

/**
 * Adds the health probes to the app. `/livez` succeeds while the process works and does not permanently refuse all
 * requests. `/readyz` succeeds until the gateway begins to stop. Neither probe depends on other services, because a
 * failure of another service affects only some requests and needs no restart of the gateway.
 */
export function probes(
  app: Express,
  { readiness, isStuck }: { readonly readiness: Readiness; readonly isStuck: () => boolean },
): void {
  onlyGet(app, '/livez', (_request, response) => {
    if (isStuck()) throw new DomainError('unavailable', 'This gateway is overloaded: no request is being completed.');
    sendJson(response, 200, { status: 'live' });
  });
  onlyGet(app, '/readyz', (_request, response) => {
    if (!readiness.isReady) throw new DomainError('unavailable', 'This gateway is stopping and accepts no requests.');
    sendJson(response, 200, { status: 'ready' });
  });
}
