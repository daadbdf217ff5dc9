import type { Express, RequestHandler } from 'express';
import { HttpRefusal } from './refusal.js';
import { requestState } from './request-state.js';

/** Adds a path outside `/v1` that supports only GET. */
export function onlyGet(app: Express, path: string, handler: RequestHandler): void {
  app.all(path, (_request, response, next) => {
    requestState(response).route = path;
    next();
  });
  app.get(path, handler);
  app.all(path, () => {
    throw new HttpRefusal(405, 'This path does not support this method. Use GET, HEAD.', { Allow: 'GET, HEAD' });
  });
}
