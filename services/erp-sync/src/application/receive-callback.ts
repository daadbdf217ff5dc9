import { createHash, randomBytes } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import { readCallbackQuery, untrustworthyState } from '../domain/callback-query.js';
import { ErpFault } from '../domain/faults.js';
import type { ConsentedTenant, FlowOutcome, GrantedTokens, OAuthFlow } from '../domain/oauth-flow.js';
import { readState } from '../domain/oauth-state.js';
import type { OAuthState } from '../domain/oauth-state.js';
import { decodeTokens, encodeTokens } from '../domain/tokens.js';
import { findProduct, productOf } from '../providers/registry.js';
import { consentEnded } from '../telemetry.js';
import { GrantRefused } from './authorization-server.js';
import type { AuthorizationServer, AuthorizationServers } from './authorization-server.js';
import type { Consent } from './connect-consented.js';
import type { OAuthFlows } from './consent-stores.js';
import type { FlowSecrets } from './secrets.js';
import type { OAuthSettings } from './oauth-settings.js';

export interface CallbackDeps {
  readonly flows: OAuthFlows;
  /** Authorization servers of ERP providers for OAuth callbacks, with short timeouts because a user waits. */
  readonly servers: AuthorizationServers;
  readonly secrets: FlowSecrets;
  readonly tenants: Tenants;
  readonly connect: (consent: Consent) => Promise<string | undefined>;
  /** Revokes OAuth tokens that are due soon, without waiting for the scheduled job. */
  readonly revokeSoon: () => void;
  readonly settings: OAuthSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The HTML page on which the user confirms the ERP company to connect. */
export interface ConfirmationPage {
  readonly confirmation: string;
  readonly workspaceName: string;
  readonly companyName: string;
  readonly tenantName: string;
  readonly providerName: string;
  /** Origin to which the browser is redirected after the user has decided on the ERP connection. */
  readonly returnOrigin: string;
  /** Path of the OAuth callback as seen by browsers. A proxy may add a prefix. */
  readonly actionPath: string;
}

/** Response to an OAuth callback that the browser receives. */
export type CallbackAnswer = { readonly page: ConfirmationPage } | { readonly redirectUrl: string };

/** Maximum length of an ERP company name, as it is stored and shown. */
const TENANT_NAME_LENGTH_MAX = 400;
const CONFIRMATION_BYTES = 32;
/**
 * Time after which unused OAuth tokens are revoked. A callback or a decision of the user takes much less time, unless
 * its process crashes.
 */
const ANSWER_MS_MAX = 120_000;

interface Started {
  readonly flow: OAuthFlow;
  readonly tenant: TenantFacts;
  readonly server: AuthorizationServer;
}

/**
 * Handles the redirect from the provider (ERP reference, sections 7.2 to 7.6). Checks without an external call come
 * first. The state parameter, which is valid once, is marked as used before the authorization code is exchanged.
 * @throws DomainError invalid for a query without a valid state; unavailable if the facts about the organization cannot
 *   be read, in which case the state remains valid
 */
export const receiveCallback =
  (deps: CallbackDeps) =>
  async (
    { provider, query }: { readonly provider: string | undefined; readonly query: string },
    context: RequestContext,
  ): Promise<CallbackAnswer> => {
    const { flows, servers, tenants, settings, clock } = deps;
    const parameters = readCallbackQuery(query);
    const stateText = parameters.get('state') ?? '';
    const state = readState(stateText, settings.stateKeys, clock.now());
    if (state === undefined || !isOf(provider, state.provider)) throw untrustworthyState();
    // The facts about the organization are read before the state of an OAuth callback is marked as used. If reading
    // them fails, the browser can repeat the request.
    const tenant = await factsOf(tenants, state.organizationId, context);
    const flow = await flows.consume(state.organizationId, state.flowId);
    if (flow === undefined || !isSame(flow, state)) throw untrustworthyState();

    const error = parameters.get('error');
    const code = parameters.get('code');
    if (error === 'access_denied' && code === undefined) return end(deps, flow, 'denied', 'the person refused');
    if (error !== undefined || code === undefined) {
      return end(deps, flow, 'failed', 'the provider returned an error, or no code');
    }
    const server = servers.get(flow.provider);
    if (tenant === undefined || !isAllowed(tenant, flow) || server === undefined) {
      return end(deps, flow, 'failed', 'organization, company, subscription or app no longer exists');
    }
    return goOn(deps, { flow, tenant, server }, { query, stateText, parameters });
  };

/**
 * Continues an OAuth consent from the authorization code to the confirmation page, or to the ERP connection if no
 * confirmation is needed.
 */
async function goOn(
  deps: CallbackDeps,
  { flow, tenant, server }: Started,
  { query, stateText, parameters }: { query: string; stateText: string; parameters: ReadonlyMap<string, string> },
): Promise<CallbackAnswer> {
  const { flows, secrets, settings, clock } = deps;
  let hasTokens = false;
  try {
    const granted = await server.exchange({
      query,
      state: stateText,
      redirectUri: flow.redirectUri,
      codeVerifier: secrets.codeVerifier.open(flow, flow.codeVerifier),
    });
    // The OAuth tokens are stored before they are used. If this process then crashes, a job revokes them.
    const sealed = secrets.tokens.seal(flow, encodeTokens(granted));
    await flows.keepTokens(flow, sealed, inTime(clock));
    hasTokens = true;
    const resolved = await server.resolveTenant(granted.accessToken, parameters);
    const erpCompany = { ...resolved, name: cleanLine(resolved.name, TENANT_NAME_LENGTH_MAX) || resolved.id };
    const confirmation = randomBytes(CONFIRMATION_BYTES).toString('base64url');
    await flows.awaitConfirmation(flow, {
      tenant: erpCompany,
      confirmationHash: hashOf(confirmation),
      expiresAt: new Date(clock.now().getTime() + settings.flowMs),
    });
    if (!settings.isConfirmed) {
      const decided = await flows.decide(flow, hashOf(confirmation), inTime(clock));
      if (decided === undefined) return await end(deps, flow, 'failed', 'the exchange took too long', true);
      return await connect(deps, { flow: decided, tenant, server }, erpCompany, granted);
    }
    const page: ConfirmationPage = {
      confirmation: `${flow.id}.${confirmation}`,
      workspaceName: tenant.name,
      companyName: companyNameOf(tenant, flow.companyId),
      tenantName: erpCompany.name,
      providerName: productOf(flow.provider).title,
      returnOrigin: new URL(settings.returnUrl).origin,
      actionPath: new URL(flow.redirectUri).pathname,
    };
    return { page };
  } catch (error) {
    if (!(error instanceof ErpFault || error instanceof GrantRefused)) throw error;
    return end(deps, flow, 'failed', error.message, hasTokens);
  }
}

/**
 * Handles the user's decision on the confirmation page of an ERP connection, once.
 * @throws DomainError invalid for a confirmation that is unknown, expired or already decided, and for an unknown
 *   decision
 */
export const decideConfirmation =
  (deps: CallbackDeps) =>
  async (
    request: { readonly provider: string | undefined; readonly confirmation: string; readonly decision: string },
    context: RequestContext,
  ): Promise<{ redirectUrl: string }> => {
    const { flows, servers, tenants, secrets, clock } = deps;
    const { provider, confirmation, decision } = request;
    if (decision !== 'connect' && decision !== 'cancel') {
      throw invalidField('decision', 'must be connect or cancel.');
    }
    const [flowId = '', secret = '', ...rest] = confirmation.split('.');
    const waiting = rest.length > 0 ? undefined : await flows.findConfirming(flowId, hashOf(secret));
    if (waiting === undefined || !isOf(provider, waiting.provider)) throw untrustworthyConfirmation();
    const tenant = await factsOf(tenants, waiting.organizationId, context);
    const flow = await flows.decide(waiting, hashOf(secret), decision === 'cancel' ? clock.now() : inTime(clock));
    if (flow === undefined) throw untrustworthyConfirmation();
    if (decision === 'cancel') return end(deps, flow, 'denied', 'the person canceled', true);
    const server = servers.get(flow.provider);
    if (tenant === undefined || !isAllowed(tenant, flow) || server === undefined) {
      return end(deps, flow, 'failed', 'organization, company, subscription or app no longer exists', true);
    }
    const granted = decodeTokens(secrets.tokens.open(flow, flow.tokens));
    return connect(deps, { flow, tenant, server }, flow.tenant, granted);
  };

async function connect(
  deps: CallbackDeps,
  { flow, tenant, server }: Started,
  erpCompany: ConsentedTenant,
  granted: GrantedTokens,
): Promise<{ redirectUrl: string }> {
  try {
    const limit = tenant.erpConnectionsLimit;
    const connectionId = await deps.connect({ flow, tenant: erpCompany, granted, server, limit });
    if (connectionId === undefined) {
      return await end(deps, flow, 'conflict', 'another company of the organization is connected to it', true);
    }
    return await end(deps, flow, 'connected', undefined, false, connectionId);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'usage_exceeded') throw error;
    return end(deps, flow, 'failed', error.message, true);
  }
}

/** Closes the OAuth consent flow and returns the redirect for the browser. */
async function end(
  { flows, revokeSoon, settings, clock, logger }: CallbackDeps,
  flow: OAuthFlow,
  outcome: FlowOutcome,
  reason: string | undefined,
  hasTokensToRevoke = false,
  connectionId?: string,
): Promise<{ redirectUrl: string }> {
  await flows.close(flow, outcome, hasTokensToRevoke ? clock.now() : undefined);
  if (hasTokensToRevoke) revokeSoon();
  const { id: flowId, organizationId, provider } = flow;
  consentEnded(provider, outcome);
  const line = { flowId, organizationId, provider, outcome, ...(reason === undefined ? {} : { reason }) };
  if (outcome === 'failed') logger.warn(line, 'a consent led to no connection');
  else logger.info(line, 'a consent has ended');
  const url = new URL(settings.returnUrl);
  url.searchParams.set('status', outcome);
  if (connectionId !== undefined) url.searchParams.set('connection_id', connectionId);
  return { redirectUrl: url.href };
}

/**
 * Checks whether the path of an OAuth callback names the provider. A path without a provider is valid for all
 * providers.
 */
function isOf(spelling: string | undefined, provider: string): boolean {
  return spelling === undefined || findProduct(spelling)?.code === provider;
}

function isSame(flow: OAuthFlow, { organizationId, provider, companyId }: OAuthState): boolean {
  return flow.organizationId === organizationId && flow.provider === provider && flow.companyId === companyId;
}

function isAllowed(tenant: TenantFacts, { companyId }: OAuthFlow): boolean {
  return tenant.hasActiveSubscription && hasCompany(tenant, companyId);
}

/** Returns the facts about an organization, or undefined if it is unknown or deleted. */
async function factsOf(
  tenants: Tenants,
  organizationId: string,
  context: RequestContext,
): Promise<TenantFacts | undefined> {
  try {
    return await tenants.factsOf(organizationId, context);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

function companyNameOf({ companies }: TenantFacts, companyId: string): string {
  return companies.find((company) => company.companyId === companyId)?.name ?? '';
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function untrustworthyConfirmation(): DomainError {
  return new DomainError(
    'invalid',
    'confirmation: is missing, has expired or was already decided. Connect the ERP again from the beginning.',
    {
      details: [
        {
          path: 'confirmation',
          message: 'The consent to connect the ERP is no longer valid. Connect the ERP again from the beginning.',
        },
      ],
    },
  );
}

function inTime(clock: Clock): Date {
  return new Date(clock.now().getTime() + ANSWER_MS_MAX);
}
