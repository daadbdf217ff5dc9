import { DomainError } from '@invoicecontrol/errors';
import type { Places } from '@invoicecontrol/metering/places';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { readActor } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v7 as uuidV7 } from 'uuid';
import { newConnection } from '../domain/connection.js';
import type { Connection } from '../domain/connection.js';
import type { ConsentedTenant, GrantedTokens, OAuthFlow } from '../domain/oauth-flow.js';
import { encodeTokens } from '../domain/tokens.js';
import type { ConnectionTokens } from '../domain/tokens.js';
import type { AuthorizationServer } from './authorization-server.js';
import { auditEvent, connectionChanged } from './connection-events.js';
import type { ConsentedConnections } from './consent-stores.js';
import { remoteCompanyId } from './create-connection.js';
import type { ConnectionSecrets } from './secrets.js';
import type { ConnectionStore } from './stores.js';
import { takeConnectionPlace } from './take-place.js';

export interface ConnectDeps {
  readonly connections: Pick<ConnectionStore, 'insert' | 'live'>;
  readonly consented: ConsentedConnections;
  readonly places: Places;
  readonly secrets: Pick<ConnectionSecrets, 'tokens'>;
  readonly clock: Clock;
  /** Function that is called when an ERP connection is due for an import run. */
  readonly onDue: () => void;
}

/** Result of the OAuth consent that a user gave to a provider. */
export interface Consent {
  readonly flow: OAuthFlow;
  readonly tenant: ConsentedTenant;
  readonly granted: GrantedTokens;
  readonly server: Pick<AuthorizationServer, 'configOf'>;
  /**
   * Maximum number of ERP connections that the plan of the organization currently allows, or undefined if there is no
   * limit.
   */
  readonly limit: number | undefined;
}

/**
 * Stores the ERP connection to which a user consented. If the company in the ERP is already connected, its connection
 * gets the new OAuth tokens.
 * @returns the id of the connection, or undefined if the ERP connection belongs to another company of the organization
 * @throws DomainError usage_exceeded
 */
export const connectConsented =
  ({ connections, consented, places, secrets, clock, onDue }: ConnectDeps) =>
  (consent: Consent): Promise<string | undefined> => {
    const sealTokens = (owner: Pick<Connection, 'id' | 'organizationId'>): SealedValue =>
      secrets.tokens.seal(owner, encodeTokens(tokensOf(consent)));
    return retryOnConflict(async () => {
      const { flow, tenant, server } = consent;
      const { organizationId, provider, companyId } = flow;
      const now = clock.now();
      const live = await consented.findLive(organizationId, provider, tenant.id);
      if (live !== undefined && live.companyId !== companyId) return undefined;
      const context = contextOf(flow);
      const config = server.configOf(tenant);
      const change = { isByConsent: true, tenantName: tenant.name };
      if (live !== undefined) {
        const tokens = sealTokens(live);
        // An import run will show whether the access works. Until then, an ERP connection in ERROR becomes PENDING.
        const status = live.status === 'ERROR' ? 'PENDING' : live.status;
        const nextSyncAt = live.isPaused ? undefined : now;
        await consented.reauthorize(live, { config, tokens, status, nextSyncAt }, [
          connectionChanged(live, { status, previousStatus: live.status, ...change }),
          auditEvent('reauthorized', live.id, context),
        ]);
        onDue();
        return live.id;
      }
      const id = uuidV7();
      const connection = newConnection({
        id,
        organizationId,
        companyId,
        provider,
        config,
        remoteCompanyId: remoteCompanyId(organizationId, provider, tenant.id),
        importFrom: undefined,
        credential: undefined,
        createdAt: now,
      });
      await takeConnectionPlace({ connections, places }, organizationId, id, consent.limit);
      try {
        const events = [
          connectionChanged(connection, { status: 'PENDING', previousStatus: undefined, ...change }),
          auditEvent('created', id, context),
        ];
        await connections.insert(connection, tenant.id, events, { tokens: sealTokens(connection) });
      } catch (error) {
        // If the error does not tell whether the ERP connection was stored, the connection keeps counting towards the
        // limit of the plan. If it was not stored, the count is corrected later.
        if (!(error instanceof DomainError)) throw error;
        await places.giveBack(organizationId, id);
        // If another OAuth consent for this company of the ERP stored a connection at the same moment, the function
        // starts again and updates that connection.
        throw error.kind === 'already_exists' ? new VersionConflict() : error;
      }
      onDue();
      return id;
    });
  };

function tokensOf({ granted, tenant: { remoteConnectionId } }: Consent): ConnectionTokens {
  return { ...granted, ...(remoteConnectionId === undefined ? {} : { remoteConnectionId }) };
}

/** Returns the context of the user who started the OAuth consent, because the returning browser has no API key. */
function contextOf({ actor: { type, id, requestId, ip } }: OAuthFlow): RequestContext {
  return { requestId, actor: readActor(type, id), ip };
}
