import express from 'express';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { change, measure } from '@invoicecontrol/runtime/telemetry';
import { readTraceparent } from '@invoicecontrol/runtime/trace-context';
import type { TraceHeaders } from '@invoicecontrol/runtime/trace-context';
import { methodOf, requestAttributes } from './request-attributes.js';
import type { Method } from './request-attributes.js';
import { sendRefusal } from './response/answer.js';
import { takeUnauthenticated } from './limits/address-share.js';
import type { AddressShare } from './limits/address-share.js';
import { docsSite } from './description/docs-site.js';
import { clientAddress } from './limits/client-address.js';
import { expectAnswer } from './connection/client-errors.js';
import { isClosing, refuseExcess, trackRequest } from './connection/connections.js';
import { consolePage } from './console-page.js';
import { dispatch } from './dispatch.js';
import type { Dispatching } from './dispatch.js';
import { HEADER_VALUE_LENGTH_MAX, URL_LENGTH_MAX } from './limits/limits.js';
import { probes } from './probes.js';
import type { Readiness } from './probes.js';
import { HttpRefusal } from './response/refusal.js';
import { countedRefusal } from './access/refused-attempts.js';
import { requestIdOf } from './response/request-id.js';
import { requestState, setRequestState, settleRequest } from './response/request-state.js';
import type { Route } from './description/route.js';
import { securityHeaders } from './response/security-headers.js';

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly dispatching: Dispatching;
  readonly readiness: Readiness;
  /** The published API description in JSON format. */
  readonly openApi: string;
  readonly trustedProxyHops: number;
  /** Folder of the built web application. Undefined if it is not served. */
  readonly consoleFolder: string | undefined;
}

/** Creates the app: routes under `/v1`, probes, the API description, the documentation site and the web application. */
export function createApp({
  routes,
  dispatching,
  readiness,
  openApi,
  trustedProxyHops,
  consoleFolder,
}: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxyHops);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(begin(dispatching, readiness));
  probes(app, { readiness, isStuck: () => dispatching.load.isStuck() });
  app.use(outsideVersion(dispatching.unauthenticated));
  docsSite(app, openApi);
  for (const path of new Set(routes.map((route) => route.path))) {
    const handler = dispatch(
      routes.filter((route) => route.path === path),
      dispatching,
    );
    app.all(`/v1${path}`, handler);
  }
  // Express compares a request with the routes in their order, so API requests are registered before the routes of web
  // pages.
  if (consoleFolder !== undefined) consolePage(app, consoleFolder);
  app.use(() => {
    throw unknownRoute();
  });
  app.use(refuse(dispatching));
  return app;
}

/** Prepares every HTTP request: its id, its security headers, its connection and its log line. */
function begin({ logger }: Dispatching, readiness: Readiness): RequestHandler {
  return (request, response, next) => {
    if (isClosing(request.socket)) return;
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    const method = methodOf(request.method);
    const measured = measure('server', method, {
      stranger: traceOf(request),
      requestId,
      duration: 'http.server.request.duration',
    });
    setRequestState(response, {
      requestId,
      address: clientAddress(request),
      ...measured.headers,
      slots: [],
      isSettled: false,
    });
    change('http.server.active_requests', 1, {});
    expectAnswer(request.socket, response);
    response.setHeader('X-Request-Id', requestId);
    // Clients of a stopping gateway must reconnect, so that the load balancer assigns another gateway.
    if (!readiness.isReady) response.setHeader('Connection', 'close');
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    trackRequest(request.socket, response, () => {
      settleRequest(response);
      change('http.server.active_requests', -1, {});
      measured.end(outcomeOf(method, request, response));
      measured.during(() => logRequest(logger, request, response, performance.now() - startedAt));
    });
    measured.during(() => {
      refuseExcess(request.socket);
      refuseMalformed(request);
      next();
    });
  };
}

/**
 * Names the request in traces by its route and not by its path, because paths contain ids and callers can invent any
 * path.
 */
function outcomeOf(method: Method, request: Request, response: Response) {
  const { route } = requestState(response);
  // A request that its caller abandoned has no status, which distinguishes it from an error of the gateway.
  const status = response.writableFinished ? response.statusCode : undefined;
  return {
    failed: status !== undefined && status >= 500,
    name: route === undefined ? method : `${method} ${route}`,
    attributes: requestAttributes(method, route, status),
    spanAttributes: { 'url.scheme': request.secure ? 'https' : 'http' },
  };
}

/** Web pages are public, so the number of concurrent requests from each address is limited. */
function outsideVersion(unauthenticated: AddressShare): RequestHandler {
  return (request, response, next) => {
    if (!request.path.startsWith('/v1/')) takeUnauthenticated(response, unauthenticated);
    next();
  };
}

function traceOf({ headers: { traceparent, tracestate } }: Request): TraceHeaders | undefined {
  const read = typeof traceparent === 'string' ? readTraceparent(traceparent) : undefined;
  if (read === undefined) return undefined;
  return { traceparent: read, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}

/** Maximum length of the name of a request header in a refusal, because callers may send any name. */
const HEADER_NAME_SHOWN_MAX = 64;

/**
 * Request headers whose length is not limited. An API key that is too long is refused like any other wrong key. From
 * the header `Cookie`, the gateway reads only its session cookie, and browsers also send long cookies of other
 * applications.
 */
const UNBOUNDED_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/**
 * Refuses requests that Node.js accepts although HTTP/1.1 forbids them, and requests with headers that are longer than
 * any header that this API reads. Before this check, only the headers with the request id, the trace and the address
 * are read, each in one pass.
 */
function refuseMalformed(request: Request): void {
  if (request.url.length > URL_LENGTH_MAX) {
    throw new HttpRefusal(414, `The URL is longer than ${URL_LENGTH_MAX} characters. Send a shorter URL.`);
  }
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    if (UNBOUNDED_HEADERS.has(name) || joinedLength(values) <= HEADER_VALUE_LENGTH_MAX) continue;
    const shown = name.slice(0, HEADER_NAME_SHOWN_MAX);
    throw new HttpRefusal(431, `The header ${shown} is longer than 4 KiB. Send a shorter value.`);
  }
  const hosts = request.headersDistinct['host']?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw new HttpRefusal(400, 'The request must have exactly one Host header.');
  }
}

/**
 * Returns the length of `values.join(', ')`, the joined values of a header. The string is not built, because every
 * request checks all headers.
 */
function joinedLength(values: readonly string[]): number {
  return values.reduce((length, value) => length + ', '.length + value.length, -', '.length);
}

/**
 * Writes one log line for each HTTP request, without the body and the API key. The line contains the template of the
 * path, because the ids in a path are personal data.
 */
function logRequest(logger: Logger, request: Request, response: Response, durationMs: number): void {
  const { requestId, organizationId, route, stages } = requestState(response);
  const isAnswered = response.writableFinished;
  logger.info(
    {
      method: request.method,
      route: route ?? 'none',
      ...(isAnswered ? { status: response.statusCode } : {}),
      durationMs: Math.round(durationMs * 10) / 10,
      requestId,
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(stages === undefined ? {} : { stagesMs: stages.ms() }),
    },
    isAnswered ? 'request' : 'the caller disconnected before the response',
  );
}

function refuse(dispatching: Dispatching): ErrorRequestHandler {
  // The framework Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    // A request path with invalid percent-encoding identifies no resource.
    const refusal = error instanceof URIError ? unknownRoute() : error;
    sendRefusal(response, countedRefusal(refusal, request, response, dispatching), dispatching.logger);
  };
}

function unknownRoute(): HttpRefusal {
  return new HttpRefusal(404, 'This path does not exist. GET /openapi.json lists all paths.', {}, 'NOT_FOUND');
}
