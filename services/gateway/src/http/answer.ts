import type { Response } from 'express';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { DomainError } from '@invoicecontrol/errors';
import { ClientGone } from './body.js';
import { answerTo } from './envelope.js';
import { HttpRefusal } from './refusal.js';
import { requestState } from './request-state.js';

/** Writes a JSON answer; without a body only status and headers. */
export function sendJson(
  response: Response,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === undefined) {
    response.end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Refuses the request with the envelope, unless the caller is gone or the answer has begun. */
export function sendRefusal(response: Response, error: unknown, logger: Logger): void {
  const { requestId, advice } = requestState(response);
  const isForeseen = error instanceof HttpRefusal || (error instanceof DomainError && error.kind !== 'internal');
  if (error instanceof ClientGone || response.destroyed) return;
  if (!isForeseen) logger.error({ error, requestId }, 'a request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = answerTo(error, requestId, advice);
  sendJson(response, status, body, headers);
}
