import { randomBytes } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { OAuthFlow } from '../domain/oauth-flow.js';
import { signState } from '../domain/oauth-state.js';
import type { ErpProduct } from '../providers/product.js';
import { findProduct, products } from '../providers/registry.js';
import type { AuthorizationServers } from './authorization-server.js';
import type { ConsentedConnections, OAuthFlows } from './consent-stores.js';
import { readCompany } from './create-connection.js';
import { planIsUsedUp } from './take-place.js';
import type { FlowSecrets } from './secrets.js';
import type { OAuthSettings } from './oauth-settings.js';
import type { ConnectionStore } from './stores.js';

export interface StartDeps {
  readonly flows: Pick<OAuthFlows, 'insert'>;
  readonly connections: Pick<ConnectionStore, 'countLive'>;
  readonly consented: Pick<ConsentedConnections, 'hasLive'>;
  readonly servers: AuthorizationServers;
  readonly secrets: FlowSecrets;
  readonly tenants: Tenants;
  readonly settings: OAuthSettings;
  readonly clock: Clock;
}

export interface ConsentRequest {
  readonly organizationId: string;
  /** Code of the ERP provider, or name of the ERP product, to which the organization connects. */
  readonly provider: string;
  /** Id of the company to which the imported ERP records will belong. Undefined for the default company. */
  readonly companyId: string | undefined;
  /** Number of ERP connections that the plan of the organization allows. Undefined if there is no limit. */
  readonly limit: number | undefined;
}

const FLOW_ID_BYTES = 16;
/**
 * Number of random bytes in a PKCE verifier of an OAuth consent: 256 bits, which are 43 characters, the minimum that
 * PKCE requires.
 */
const VERIFIER_BYTES = 32;

/**
 * Returns the URL of the provider's consent page (endpoint 11, ERP reference section 7.1). Nothing is connected before
 * the browser returns and the company in the ERP is confirmed.
 * @throws DomainError invalid, usage_exceeded; unavailable if the installation has no app at the provider
 */
export const startOAuth =
  ({ flows, connections, consented, servers, secrets, tenants, settings, clock }: StartDeps) =>
  async ({ organizationId, provider: spelling, companyId: named, limit }: ConsentRequest, context: RequestContext) => {
    const { code: provider, title } = readProvider(spelling);
    const companyId = await readCompany(tenants, { organizationId, companyId: named }, context);
    // The limit of the plan is enforced only when the ERP connection is stored. Before that, an OAuth consent is
    // refused only if it cannot lead to a connection. If the plan allows no further connection, the consent may still
    // renew an existing connection.
    if (limit !== undefined && (await connections.countLive(organizationId)) >= limit) {
      const mayRenew = await consented.hasLive(organizationId, provider, companyId);
      if (!mayRenew) throw planIsUsedUp(limit);
    }
    const server = servers.get(provider);
    if (server === undefined) {
      throw new DomainError(
        'unavailable',
        `This installation has no app registered with ${title}, so ${title} cannot be connected. Ask the operator of the installation to configure such an app.`,
      );
    }
    const now = clock.now();
    const id = randomBytes(FLOW_ID_BYTES).toString('hex');
    const codeVerifier = randomBytes(VERIFIER_BYTES).toString('base64url');
    const flow: OAuthFlow = {
      id,
      organizationId,
      provider,
      companyId,
      actor: { ...context.actor, requestId: context.requestId, ip: context.ip },
      redirectUri: `${settings.callbackUrl}/${provider}`,
      codeVerifier: secrets.codeVerifier.seal({ id, organizationId }, codeVerifier),
      expiresAt: new Date(now.getTime() + settings.flowMs),
      createdAt: now,
    };
    const { expiresAt, redirectUri } = flow;
    const state = signState(
      { flowId: id, organizationId, provider, companyId, issuedAt: now, expiresAt },
      settings.stateKeys,
    );
    const authorizeUrl = await server.authorizeUrl({ state, redirectUri, codeVerifier });
    await flows.insert(flow);
    return { authorizeUrl };
  };

function readProvider(spelling: string): ErpProduct {
  const erp = findProduct(spelling);
  if (erp !== undefined && erp.credentials === undefined) return erp;
  if (erp !== undefined) {
    throw invalidField(
      'provider',
      `${erp.title} is connected with credentials. Call POST /v1/erp-connections instead.`,
    );
  }
  const known = products.flatMap(({ code, product, credentials }) =>
    credentials === undefined ? [code, product] : [],
  );
  throw invalidField('provider', `must be one of ${known.join(', ')}.`);
}
