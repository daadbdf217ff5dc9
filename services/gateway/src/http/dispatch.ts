import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { publicClients, tenantClients } from '../clients.js';
import type { Clients } from '../clients.js';
import { requireRight } from './access.js';
import { adviceFor } from './advice.js';
import { sendJson, sendRefusal } from './answer.js';
import { takeUnauthenticated } from './address-share.js';
import type { AddressShare } from './address-share.js';
import type { Authenticator } from './authenticate.js';
import { JSON_BODY_LIMITS, readJsonBody } from './body.js';
import type { BodyBudget, BodyReservation } from './body-budget.js';
import { fingerprintOf } from './fingerprint.js';
import type { FailureBucket } from './failure-bucket.js';
import { readIdempotencyKey } from './idempotency-key.js';
import type { LoadGauge } from './load-gauge.js';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { stages } from '@invoicecontrol/runtime/stages';
import { demandsOf, rateLimited, rateLimitFields } from './rate-limit-fields.js';
import type { Limits } from './rate-limit-fields.js';
import type { RateLimiter } from './rate-limit.js';
import { HttpRefusal } from './refusal.js';
import { anonymousContext, holdUntilSettled, requestState } from './request-state.js';
import { pathTemplate } from './route.js';
import type { AnyKeyRoute, AnyPublicRoute, Reply, Route, RouteInput } from './route.js';
import type { Share } from './share.js';
import { validate } from './validate.js';

export interface Dispatching {
  readonly clients: Clients;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  /** Of tokens; the authenticator has those of keys. */
  readonly failures: FailureBucket;
  readonly load: LoadGauge;
  /** What each address may have running without a key. */
  readonly unauthenticated: AddressShare;
  /** What each organization may have running. */
  readonly organizations: Share;
  readonly bodies: BodyBudget;
  readonly logger: Logger;
}

/** For a call to the owner, unless the route states another. */
const CALL_TIMEOUT_MS = 5_000;

type AnyInput = RouteInput<z.ZodObject, z.ZodObject, z.ZodType>;

/**
 * Answers one path. The checks come in this order and the first that fails answers (HTTP and security reference,
 * section 1.1): method 405, load 503, key 401, rate 429, role and scope 403, then shape 415, 413, 400, then the owner.
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
      if (route === undefined) throw new HttpRefusal(405, `Use ${allow} here.`, { Allow: allow });
      dispatching.load.refuseOverload(request.method);
      const reply =
        route.access === 'public'
          ? await answerPublic(route, request, response, dispatching)
          : await answerKey(route, request, response, dispatching);
      sendJson(response, reply.status, reply.body, reply.headers);
    } catch (error) {
      sendRefusal(response, wordedFor(route, error), dispatching.logger);
    }
  };
}

async function answerKey(
  route: AnyKeyRoute,
  request: Request,
  response: Response,
  { authenticator, limiter, limits, clients, load, organizations, bodies }: Dispatching,
): Promise<Reply> {
  const state = requestState(response);
  const anonymous = anonymousContext(state);
  const principal = await authenticator.authenticate(request, state.address, anonymous);
  state.organizationId = principal.organizationId;
  // Checked again: others may have been let in while the key was checked.
  load.refuseOverload(request.method);
  const giveBack = organizations.take(principal.organizationId);
  if (giveBack === undefined) throw tooManyRunning(organizations.max);
  holdUntilSettled(response, giveBack);
  load.begin();
  holdUntilSettled(response, () => load.end());
  const context = { ...anonymous, actor: { type: 'API_KEY' as const, id: principal.apiKeyId } };

  const result = await limiter.take(demandsOf(principal, request.method, route.ratePolicy, limits), context);
  if (!result.isAllowed) throw rateLimited(result.refused);
  for (const [name, value] of Object.entries(rateLimitFields(result.standings))) response.setHeader(name, value);

  requireRight(principal, route.access);
  if (route.bodyLimits !== undefined) state.stages = stages();
  const reservation = bodies.ofOrganization(principal.organizationId, route.bodyLimits !== undefined);
  const input = { ...(await readInput(route, request, response, reservation)), principal };
  const bound = tenantClients(clients, principal.organizationId, {
    context,
    timeoutMs: route.timeoutMs ?? CALL_TIMEOUT_MS,
  });
  state.advice = adviceFor(route, input.idempotencyKey);
  const reply = await during(response, 'handle', () => route.handle(input, bound));
  // Other gateways learn of the change by broadcast; this one applies it before it answers.
  if (route.access.scope === 'organization:write') authenticator.invalidateOrganization(principal.organizationId);
  return reply;
}

/** Requests without a key are limited by the refused attempts of their address. */
async function answerPublic(
  route: AnyPublicRoute,
  request: Request,
  response: Response,
  { failures, clients, unauthenticated, bodies }: Dispatching,
): Promise<Reply> {
  const state = requestState(response);
  takeUnauthenticated(response, unauthenticated);
  failures.refuseExhausted(state.address);
  const input = await readInput(route, request, response, bodies.ofAddress(state.address));
  const bound = publicClients(clients, {
    context: anonymousContext(state),
    timeoutMs: route.timeoutMs ?? CALL_TIMEOUT_MS,
  });
  state.advice = adviceFor(route, input.idempotencyKey);
  try {
    return await route.handle(input, bound);
  } catch (error) {
    if (error instanceof DomainError && isCallersFault(error)) failures.count(state.address);
    throw error;
  }
}

function tooManyRunning(max: number): DomainError {
  return new DomainError(
    'rate_limited',
    `${max} requests of this organization are running. Wait for an answer, then repeat this one.`,
    { retryAfterSeconds: 1 },
  );
}

function isCallersFault({ kind }: DomainError): boolean {
  return kind === 'unauthenticated' || kind === 'not_found' || kind === 'invalid' || kind === 'forbidden';
}

async function readInput(
  route: Route,
  request: Request,
  response: Response,
  reservation: BodyReservation,
): Promise<AnyInput> {
  const params = route.params?.safeParse(request.params);
  if (params?.success === false) throw notFound(route.resourceName ?? 'resource');
  const query = route.query === undefined ? {} : validate(route.query, request.query, 'query');
  return {
    params: params?.data ?? {},
    query,
    ...(route.body === undefined ? noBody : await readBody(route, route.body, request, response, reservation)),
    ifNoneMatch: request.headers['if-none-match'],
  };
}

type BodyInput = Pick<AnyInput, 'body' | 'idempotencyKey' | 'fingerprint'>;

const noBody: BodyInput = { body: undefined, idempotencyKey: '', fingerprint: '' };

/** The bytes stay reserved until the request is settled: what was made of them lives as long. */
async function readBody(
  route: Route,
  schema: z.ZodType,
  request: Request,
  response: Response,
  reservation: BodyReservation,
): Promise<BodyInput> {
  holdUntilSettled(response, () => reservation.giveBack());
  const limits = route.bodyLimits ?? JSON_BODY_LIMITS;
  const sent = await during(response, 'parse', () => readJsonBody(request, response, limits, reservation));
  const { checkBody } = route;
  const body: unknown =
    checkBody === undefined
      ? validate(schema, sent, 'body')
      : await during(response, 'validate', async () => checkBody(sent));
  if (route.honoursIdempotencyKey !== true) return { ...noBody, body };
  const idempotencyKey = readIdempotencyKey(request) ?? '';
  const fingerprint = await during(response, 'fingerprint', () => fingerprintOf(sent));
  return { body, idempotencyKey, fingerprint };
}

/** Measures the work as a stage, on routes that record stages. */
function during<T>(response: Response, stage: string, work: () => Promise<T>): Promise<T> {
  return requestState(response).stages?.during(stage, work) ?? work();
}

/** A malformed, a foreign and an unknown id are refused in the same words, whatever words the owner has. */
function wordedFor(route: Route | undefined, error: unknown): unknown {
  if (route?.resourceName === undefined || !(error instanceof DomainError) || error.kind !== 'not_found') return error;
  return notFound(route.resourceName);
}
