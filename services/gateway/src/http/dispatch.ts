import { createHash } from 'node:crypto';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { publicClients, tenantClients } from '../clients.js';
import type { Clients } from '../clients.js';
import { requireRight } from './access/rights.js';
import { adviceFor } from './response/advice.js';
import { sendRefusal, sendReply } from './response/answer.js';
import type { Compressor } from './response/compress.js';
import { takeUnauthenticated } from './limits/address-share.js';
import type { AddressShare } from './limits/address-share.js';
import type { Authenticator, Caller } from './access/authenticate.js';
import {
  discardRest,
  isXml,
  JSON_BODY_LIMITS,
  PUBLIC_BODY_LIMITS,
  readFormBody,
  readJsonBody,
  readOptionalJsonBody,
  readRawBody,
  readXmlBody,
} from './body/body.js';
import { ClientGone } from './response/client-gone.js';
import type { BodyBudget, BodyReservation } from './body/body-budget.js';
import { allowBodyMs, recognizeConnection } from './connection/connections.js';
import { fingerprintOf } from './body/fingerprint.js';
import type { FailureBucket } from './limits/failure-bucket.js';
import { readIdempotencyKey } from './body/idempotency-key.js';
import { FILE_BODY_MS, TIMEOUTS } from './limits/limits.js';
import type { LoadGauge } from './limits/load-gauge.js';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { stages } from '@invoicecontrol/runtime/stages';
import { filesInFlight, longAnswersInFlight, runningRequests, takePlace, wholeRunsInFlight } from './limits/places.js';
import { demandsOf, rateLimited, rateLimitFields } from './limits/rate-limit-fields.js';
import type { Limits } from './limits/rate-limit-fields.js';
import type { RateLimiter } from './limits/rate-limit.js';
import { HttpRefusal } from './response/refusal.js';
import { countedRefusal } from './access/refused-attempts.js';
import { anonymousContext, holdUntilSettled, requestState } from './response/request-state.js';
import { CALL_TIMEOUT_MS, hasBody, isFileRoute, pathTemplate } from './description/route.js';
import type { AnyFileRoute, AnyKeyRoute, AnyPublicRoute, FileRight, Route, RouteInput } from './description/route.js';
import type { Reply } from './response/reply.js';
import { sentFile } from './body/sent-file.js';
import type { Share } from './limits/share.js';
import type { SignedSenders } from './access/signed-senders.js';
import { validate } from './body/validate.js';
import { requestRefused } from '../telemetry.js';

export interface Dispatching {
  readonly clients: Clients;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  /** Counts refused upload tokens and unreadable requests. The authenticator counts refused API keys. */
  readonly failures: FailureBucket;
  readonly load: LoadGauge;
  /** Counter that limits the concurrent requests without an API key, by address. */
  readonly unauthenticated: AddressShare;
  /** Counter that limits how many upload tokens from one client address are checked at the same time. */
  readonly tokenChecks: AddressShare;
  /** Counter that limits the concurrent requests for each organization. */
  readonly organizations: Share;
  /**
   * Counter that limits, for each organization, the HTTP connections on which a valid key, token or signature was sent.
   */
  readonly recognized: Share;
  readonly bodies: BodyBudget;
  /** Counter that limits the files that the gateway is receiving, for each organization and in total. */
  readonly files: Share;
  /** Counter that limits each organization to one long response at a time. */
  readonly longAnswers: Share;
  /** Counter that limits the payment runs that are read as a whole, for each organization. */
  readonly wholeRuns: Share;
  /** Addresses without an API key that have sent a valid signature. */
  readonly signedSenders: SignedSenders;
  readonly compressor: Compressor;
  readonly logger: Logger;
}

/**
 * Name of the owner to which connections of signed senders belong. All connections of signed senders share one limit,
 * as the connections of an organization do.
 */
const SIGNED_SENDERS = 'signed senders';

type AnyInput = RouteInput<z.ZodObject, z.ZodObject, z.ZodType>;

/**
 * Handles the requests to one path. The checks are made in this order, and the first that fails decides the response
 * (HTTP and security reference, section 1.1): method 405, load 503, key 401, rate 429, role and scope 403, and then
 * format 415, 413, 400. After that, the service is called.
 */
export function dispatch(routes: readonly Route[], dispatching: Dispatching): RequestHandler {
  const byMethod = new Map(routes.map((route) => [route.method.toUpperCase(), route]));
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  const allow = [...byMethod.keys()].sort().join(', ');
  const template = `/v1${pathTemplate(routes[0]?.path ?? '')}`;
  return async (request, response) => {
    const route = byMethod.get(request.method);
    try {
      requestState(response).route = template;
      if (route === undefined)
        throw new HttpRefusal(405, `This path does not support this method. Use ${allow}.`, { Allow: allow });
      dispatching.load.refuseOverload(request.method);
      await sendReply(response, await answer(route, request, response, dispatching), {
        takenWithinMs: TIMEOUTS.writeMs,
        compressor: dispatching.compressor,
      });
    } catch (error) {
      const refusal = route === undefined ? countedRefusal(error, request, response, dispatching) : error;
      sendRefusal(response, wordedFor(route, refusal), dispatching.logger);
    }
  };
}

function answer(route: Route, request: Request, response: Response, dispatching: Dispatching): Promise<Reply> {
  if (isFileRoute(route)) return answerFile(route, request, response, dispatching);
  if (route.access === 'public') return answerPublic(route as AnyPublicRoute, request, response, dispatching);
  return answerKey(route as AnyKeyRoute, request, response, dispatching);
}

/** The caller of a request, after the API key, the load, the rate and the rights have been checked. */
interface Admitted {
  readonly principal: Principal;
  readonly context: RequestContext;
  /**
   * Returns the request context for a service call that begins now. During a long request, such as an export, the
   * caller is authenticated again, so that its grant never expires and a revoked API key ends the request.
   */
  currentContext(): RequestContext | Promise<RequestContext>;
}

async function admit(
  route: AnyKeyRoute | AnyFileRoute,
  request: Request,
  response: Response,
  { authenticator, limiter, limits, load, organizations, recognized }: Dispatching,
): Promise<Admitted> {
  const state = requestState(response);
  const anonymous = anonymousContext(state);
  let principal = await authenticator.authenticate(request, state.address, anonymous);
  state.organizationId = principal.organizationId;
  recognizeConnection(request.socket, recognized, principal.organizationId);
  // The load of the gateway is checked again, because other requests may have been admitted while the API key was
  // checked.
  load.refuseOverload(request.method);
  takePlace(response, organizations, principal.organizationId, runningRequests);
  const contextOf = ({ apiKeyId, grant }: Caller): RequestContext => ({
    ...anonymous,
    actor: { type: 'API_KEY', id: apiKeyId },
    grant,
  });
  let context = contextOf(principal);

  const result = await limiter.take(demandsOf(principal, request.method, route.ratePolicy, limits), context);
  if (!result.isAllowed) {
    requestRefused('rate');
    throw rateLimited(result.refused);
  }
  for (const [name, value] of Object.entries(rateLimitFields(result.standings))) response.setHeader(name, value);

  requireRight(principal, route.access);
  return {
    principal,
    context,
    currentContext: () =>
      authenticator.isOutdated(principal)
        ? authenticator.authenticate(request, state.address, anonymous).then((again) => {
            principal = again;
            context = contextOf(again);
            return context;
          })
        : context,
  };
}

async function answerKey(
  route: AnyKeyRoute,
  request: Request,
  response: Response,
  dispatching: Dispatching,
): Promise<Reply> {
  const { authenticator, clients, bodies, load, longAnswers, wholeRuns } = dispatching;
  const state = requestState(response);
  const { principal, currentContext } = await admit(route, request, response, dispatching);
  if (route.isOneAtATime === true) takePlace(response, longAnswers, principal.organizationId, longAnswersInFlight);
  if (route.readsWholeRun === true) takePlace(response, wholeRuns, principal.organizationId, wholeRunsInFlight);
  if (route.bodyLimits !== undefined) state.stages = stages();
  const reservation = bodies.ofOrganization(principal.organizationId, route.bodyLimits !== undefined);
  const input = { ...(await readInput(route, request, response, reservation)), principal };
  // From this point on, the request counts towards the load of the gateway. Until its body was received, the request
  // only counted as a concurrent request.
  load.begin();
  holdUntilSettled(response, () => load.end());
  const bound = tenantClients(clients, principal.organizationId, {
    currentContext,
    timeoutMs: route.timeoutMs ?? CALL_TIMEOUT_MS,
  });
  state.advice = adviceFor(route, input.idempotencyKey);
  const reply = await during(response, 'handle', () => route.handle(input, bound));
  // Other gateways learn of a revoked or changed API key by an event. This gateway applies the change before it
  // responds.
  if (route.access.scope === 'organization:write') authenticator.invalidateOrganization(principal.organizationId);
  if (route.endsSession === true && principal.session !== undefined) {
    authenticator.invalidateSession(principal.session.sessionId);
  }
  return reply;
}

/** Query parameter with a token that replaces an API key. */
const TOKEN_PARAMETER = 'token';

/**
 * Receives an uploaded file. The request has an API key, or an upload token in its URL in place of the key. With a
 * valid key or token, the request counts towards the limits of the organization and not of the IP address, because
 * behind a proxy that is not trusted all organizations have the same address. The bytes are passed on while they are
 * received, and the service may refuse the file before its end.
 */
async function answerFile(
  route: AnyFileRoute,
  request: Request,
  response: Response,
  dispatching: Dispatching,
): Promise<Reply> {
  const { failures, clients, files } = dispatching;
  const state = requestState(response);
  const token = request.query[TOKEN_PARAMETER];
  try {
    const { organizationId, right, context } =
      typeof token === 'string'
        ? await admitToken(route, token, request, response, dispatching)
        : await admitFile(route, request, response, dispatching);
    takePlace(response, files, organizationId, filesInFlight);
    const params = readParams(route, request);
    allowBodyMs(request.socket, response, FILE_BODY_MS);
    const bound = publicClients(clients, { context, timeoutMs: route.timeoutMs ?? CALL_TIMEOUT_MS });
    state.advice = adviceFor(route, '');
    return await route.receive({ params, right, file: sentFile(request, response) }, bound);
  } catch (error) {
    const isGuess = error instanceof DomainError && (error.kind === 'unauthenticated' || error.kind === 'not_found');
    if (!(error instanceof ClientGone)) await discardRest(request, response);
    // A request with a valid upload token is served even if other callers at its IP address have guessed tokens.
    throw typeof token === 'string' && isGuess ? failures.countedRefusal(state.address, error) : error;
  }
}

/** Checks the caller who sends a file, with the API key or token that authorizes it. */
interface AdmittedFile {
  readonly organizationId: string;
  readonly right: FileRight;
  readonly context: RequestContext;
}

async function admitFile(
  route: AnyFileRoute,
  request: Request,
  response: Response,
  dispatching: Dispatching,
): Promise<AdmittedFile> {
  const { principal, context } = await admit(route, request, response, dispatching);
  const { organizationId } = principal;
  return { organizationId, right: { organizationId }, context };
}

/** The request counts towards the share of its IP address only until the upload token is known to be valid. */
async function admitToken(
  route: AnyFileRoute,
  token: string,
  request: Request,
  response: Response,
  { tokenChecks, organizations, recognized, clients }: Dispatching,
): Promise<AdmittedFile> {
  const state = requestState(response);
  const giveBack = takeUnauthenticated(response, tokenChecks);
  const context = anonymousContext(state);
  const bound = publicClients(clients, { context, timeoutMs: CALL_TIMEOUT_MS });
  const organizationId = await route.authorize({ params: readParams(route, request), token }, bound);
  state.organizationId = organizationId;
  recognizeConnection(request.socket, recognized, organizationId);
  takePlace(response, organizations, organizationId, runningRequests);
  giveBack();
  return { organizationId, right: { token }, context };
}

/**
 * An address that sends requests without an API key may make only a limited number of refused attempts, including
 * requests with unreadable bodies.
 */
async function answerPublic(
  route: AnyPublicRoute,
  request: Request,
  response: Response,
  { failures, clients, unauthenticated, bodies, signedSenders, recognized }: Dispatching,
): Promise<Reply> {
  const state = requestState(response);
  const { address } = state;
  // The limit on guessed tokens does not apply to signed requests, because a signature cannot be guessed, and one
  // sender sends many signed requests.
  const isSigned = route.rawBodyBytesMax !== undefined;
  if (!isSigned) {
    takeUnauthenticated(response, unauthenticated);
    failures.refuseExhausted(state.address);
  }
  const reservation = isSigned ? bodies.ofSender(address, signedSenders.has(address)) : bodies.ofAddress(address);
  try {
    const input = await readInput(route, request, response, reservation);
    const bound = publicClients(clients, {
      context: anonymousContext(state),
      timeoutMs: route.timeoutMs ?? CALL_TIMEOUT_MS,
    });
    state.advice = adviceFor(route, input.idempotencyKey);
    const reply = await route.handle(input, bound);
    if (isSigned) {
      signedSenders.add(address);
      recognizeConnection(request.socket, recognized, SIGNED_SENDERS);
    }
    return reply;
  } catch (error) {
    if (!isSigned && isCallersFault(error)) failures.count(state.address);
    throw error;
  }
}

function isCallersFault(error: unknown): boolean {
  if (error instanceof HttpRefusal) return true;
  if (!(error instanceof DomainError)) return false;
  const { kind } = error;
  return kind === 'unauthenticated' || kind === 'not_found' || kind === 'invalid' || kind === 'forbidden';
}

async function readInput(
  route: Route,
  request: Request,
  response: Response,
  reservation: BodyReservation,
): Promise<AnyInput> {
  const params = readParams(route, request);
  const query = route.query === undefined ? {} : validate(route.query, request.query, 'query');
  return {
    params,
    query,
    rawQuery: request.url.split('?').slice(1).join('?'),
    ...(hasBody(route) ? await readBody(route, route.body, request, response, reservation) : noBody),
    ifNoneMatch: request.headers['if-none-match'],
    headers: request.headers,
    isHead: request.method === 'HEAD',
  };
}

/** A malformed id in the request path is refused like an unknown id. */
function readParams(route: Route, request: Request): Record<string, unknown> {
  const params = route.params?.safeParse(request.params);
  if (params?.success === false) throw notFound(route.resourceName ?? 'resource');
  return params?.data ?? {};
}

type BodyInput = Pick<AnyInput, 'body' | 'rawBody' | 'idempotencyKey' | 'fingerprint'>;

const noBody: BodyInput = { body: undefined, rawBody: Buffer.alloc(0), idempotencyKey: '', fingerprint: '' };

/**
 * Reads a request body and reserves its size until the response is complete, because the parsed body stays in memory
 * until then.
 */
async function readBody(
  route: Route,
  schema: z.ZodType | undefined,
  request: Request,
  response: Response,
  reservation: BodyReservation,
): Promise<BodyInput> {
  holdUntilSettled(response, () => reservation.giveBack());
  if (route.rawBodyBytesMax !== undefined) {
    return { ...noBody, rawBody: await readRawBody(request, response, route.rawBodyBytesMax, reservation) };
  }
  if (route.isForm === true && schema !== undefined) {
    return { ...noBody, body: validate(schema, await readFormBody(request, response, reservation), 'body') };
  }
  if (route.xml !== undefined && (schema === undefined || isXml(request))) {
    const rawBody = await readXmlBody(request, response, route.xml.bytesMax, reservation);
    const fingerprint = createHash('sha256').update(rawBody).digest('hex');
    return { ...noBody, rawBody, idempotencyKey: readIdempotencyKey(request) ?? '', fingerprint };
  }
  if (schema === undefined) return noBody;
  const limits = route.bodyLimits ?? (route.access === 'public' ? PUBLIC_BODY_LIMITS : JSON_BODY_LIMITS);
  const readJson = route.isBodyOptional === true ? readOptionalJsonBody : readJsonBody;
  const sent = await during(response, 'parse', () => readJson(request, response, limits, reservation));
  const { checkBody } = route;
  const body: unknown =
    checkBody === undefined
      ? validate(schema, sent, 'body')
      : await during(response, 'validate', async () => checkBody(sent));
  if (route.honoursIdempotencyKey !== true) return { ...noBody, body };
  const idempotencyKey = readIdempotencyKey(request) ?? '';
  const fingerprint = await during(response, 'fingerprint', () => fingerprintOf(sent));
  return { ...noBody, body, idempotencyKey, fingerprint };
}

/**
 * Runs one stage of processing a request, such as reading its body, and measures its duration on routes that record
 * stages.
 */
function during<T>(response: Response, stage: string, work: () => Promise<T>): Promise<T> {
  return requestState(response).stages?.during(stage, work) ?? work();
}

/**
 * Gives refusals of malformed, foreign and unknown ids the same message, regardless of the message that the service
 * sent.
 */
function wordedFor(route: Route | undefined, error: unknown): unknown {
  if (route?.resourceName === undefined || !(error instanceof DomainError) || error.kind !== 'not_found') return error;
  return notFound(route.resourceName);
}
