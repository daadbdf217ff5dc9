import { DomainError } from '@invoicecontrol/errors';
import type { Express } from 'express';
import { sendJson } from './response/answer.js';
import { onlyGet } from './response/only-get.js';

/** Tells whether balancers should send requests here. */
export interface Readiness {
  isReady: boolean;
}

/**
 * `/livez`: the process turns, and does not refuse everything for ever. `/readyz`: it wants requests; false from the moment it begins to
 * stop. Neither asks another service: their failure is answered request by request and heals without us.
 */
export function probes(
  app: Express,
  { readiness, isStuck }: { readonly readiness: Readiness; readonly isStuck: () => boolean },
): void {
  onlyGet(app, '/livez', (_request, response) => {
    if (isStuck()) throw new DomainError('unavailable', 'This gateway is overloaded: no request completes.');
    sendJson(response, 200, { status: 'live' });
  });
  onlyGet(app, '/readyz', (_request, response) => {
    if (!readiness.isReady) throw new DomainError('unavailable', 'This gateway is stopping.');
    sendJson(response, 200, { status: 'ready' });
  });
}
