import type { Express, Request, RequestHandler } from 'express';
import { HttpRefusal } from './refusal.js';
import { requestState } from './request-state.js';

/** Adds a route outside `/v1` to the gateway that supports only GET. */
export function onlyGet(app: Express, path: string, handler: RequestHandler): void {
  app.all(path, (request, response, next) => {
    requestState(response).route = path;
    refuseOtherMethods(request);
    next();
  });
  app.get(path, handler);
}

/** Refuses every HTTP method but GET and HEAD. */
export function refuseOtherMethods({ method }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new HttpRefusal(405, 'This path does not support this method. Use GET, HEAD.', { Allow: 'GET, HEAD' });
}
