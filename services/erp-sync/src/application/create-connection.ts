import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Places } from '@invoicecontrol/metering/places';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { faultOfSecret } from '@invoicecontrol/values/secret-text';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { newConnection } from '../domain/connection.js';
import type { Connection } from '../domain/connection.js';
import { readImportFrom } from '../domain/import-from.js';
import { SECRET_LENGTH_MAX } from '../providers/product.js';
import type { ConfigChecks, CredentialSetup, ErpProduct } from '../providers/product.js';
import type { ProviderCode } from '../domain/provider-code.js';
import { findProduct, products } from '../providers/registry.js';
import { auditEvent, connectionChanged } from './connection-events.js';
import type { ConnectionSecrets } from './secrets.js';
import { alreadyConnected } from './stores.js';
import type { ConnectionStore, KnownConnections } from './stores.js';
import { takeConnectionPlace } from './take-place.js';

/**
 * Maximum number of attempts to store a new ERP connection. An attempt fails if the organization stores another
 * connection to the same provider at the same time. The next attempt compares the new connection with that other
 * connection, too.
 */
const CREATIONS_AT_ONCE_MAX = 64;

export interface CreateDeps {
  readonly connections: ConnectionStore;
  readonly places: Places;
  readonly secrets: Pick<ConnectionSecrets, 'credential'>;
  readonly tenants: Tenants;
  readonly checks: ConfigChecks;
  readonly clock: Clock;
  /** Function that is called when an ERP connection is due for an import run. */
  readonly onDue: () => void;
}

export interface NewConnection {
  readonly organizationId: string;
  /** Code of the ERP provider, or name of the ERP product, to which the organization connects. */
  readonly provider: string;
  /** Id of the company to which the ERP records belong. Undefined for the default company. */
  readonly companyId?: string | undefined;
  /** Configuration of the ERP connection as sent by the caller. */
  readonly config: unknown;
  readonly secret: string;
  /** Name of the request field that contains the secret of the ERP connection. */
  readonly secretName: string;
  readonly importFrom?: string | undefined;
  /** Number of ERP connections that the plan of the organization allows. Undefined if there is no limit. */
  readonly limit: number | undefined;
}

/**
 * Connects an ERP that uses credentials, and queues the first import run (endpoint 10).
 * @throws DomainError invalid, usage_exceeded, already_exists
 */
export const createConnection =
  ({ connections, places, secrets, tenants, checks, clock, onDue }: CreateDeps) =>
  async (request: NewConnection, context: RequestContext): Promise<Connection> => {
    const { organizationId, secret, limit } = request;
    const now = clock.now();
    const { code: provider, credentials } = readProvider(request.provider);
    checkSecret(credentials, request);
    const { config, remoteKey } = await credentials.readConfig(request.config, checks);
    const importFrom = readImportFrom(request.importFrom, now);
    const companyId = await readCompany(tenants, request, context);
    const findKnown = async (): Promise<KnownConnections> => {
      const { connections: all, next } = await connections.ofProvider(organizationId, provider);
      const known = all.filter((other) => credentials.mayBeSameCompany(config, other.config));
      if (known.some(({ status }) => status !== 'DISABLED')) throw alreadyConnected();
      return { connections: known, next };
    };
    // The service checks whether the company is connected already before it checks the limit of the plan. The caller
    // then learns of the existing connection even if the plan allows no further ERP connection.
    await findKnown();
    const id = uuidV7();
    const credential = secrets.credential.seal({ id, organizationId }, secret);
    await takeConnectionPlace({ connections, places }, organizationId, id, limit);
    try {
      const connection = await retryOnConflict(async () => {
        // A concurrent request may have stored an ERP connection for the company in the meantime, with another spelling
        // of its configuration.
        const { connections: known, next: ordinal } = await findKnown();
        const created = newConnection({
          id,
          organizationId,
          companyId,
          provider,
          config,
          remoteCompanyId: knownRemoteCompany(known, remoteCompanyId(organizationId, provider, remoteKey)),
          importFrom,
          credential,
          createdAt: now,
        });
        const announced = [
          connectionChanged(created, { status: 'PENDING', previousStatus: undefined }),
          auditEvent('created', id, context),
        ];
        await connections.insert(created, remoteKey, announced, { ordinal });
        return created;
      }, CREATIONS_AT_ONCE_MAX);
      onDue();
      return connection;
    } catch (error) {
      // After an error, it may be unknown whether the ERP connection was stored. If it was not stored, the number of
      // connections that count towards the plan is corrected later.
      if (error instanceof DomainError) await places.giveBack(organizationId, id);
      throw error;
    }
  };

/**
 * If the company of the ERP was connected before, imported records keep their ids, even if the earlier configuration
 * was written differently.
 */
function knownRemoteCompany(known: readonly Connection[], derived: string): string {
  const ids = known.map((connection) => connection.remoteCompanyId);
  return ids.includes(derived) ? derived : (ids[0] ?? derived);
}

/**
 * Derives the id of a company in the ERP. The id stays the same if the company is connected again, and the ids of
 * imported records are derived from it.
 */
export function remoteCompanyId(organizationId: string, provider: ProviderCode, remoteKey: string): string {
  return uuidV5(JSON.stringify([organizationId, provider, remoteKey]), REMOTE_COMPANY_NAMESPACE);
}

const REMOTE_COMPANY_NAMESPACE = '6c0f2a52-6d2b-4d0a-9f0c-2f3c5b7a9e11';

/**
 * Returns the company that a request for an ERP connection names, or the default company.
 * @throws DomainError invalid for a company that does not exist in the organization
 */
export async function readCompany(
  tenants: Tenants,
  { organizationId, companyId: named }: { readonly organizationId: string; readonly companyId?: string | undefined },
  context: RequestContext,
): Promise<string> {
  const tenant = await tenants.factsOf(organizationId, context, named);
  const companyId = named ?? tenant.defaultCompanyId;
  if (hasCompany(tenant, companyId)) return companyId;
  throw invalidField(
    'company_id',
    'must be the id of a company in this organization. Omit it to use the default company.',
  );
}

function readProvider(spelling: string): ErpProduct & { readonly credentials: CredentialSetup } {
  const erp = findProduct(spelling);
  if (erp?.credentials !== undefined) return { ...erp, credentials: erp.credentials };
  if (erp !== undefined) {
    throw invalidField(
      'provider',
      `${erp.title} is connected by consent in the browser. Call POST /v1/erp-connections/oauth/start instead.`,
    );
  }
  const known = products.flatMap(({ code, product, credentials }) =>
    credentials === undefined ? [] : [code, product],
  );
  throw invalidField('provider', `must be one of ${known.join(', ')}.`);
}

/**
 * Checks the form of a client secret or an API key of an ERP.
 * @throws DomainError invalid
 */
export function checkSecret(
  { secretName: expected }: Pick<CredentialSetup, 'secretName'>,
  { secretName, secret }: { readonly secretName: string; readonly secret: string },
): void {
  if (secretName !== expected) throw invalidField(expected, `is required; ${secretName} belongs to another provider.`);
  if (faultOfSecret(secret, 1, SECRET_LENGTH_MAX) !== undefined) {
    throw invalidField(
      expected,
      `must have 1 to ${SECRET_LENGTH_MAX} letters, digits and ASCII signs, without surrounding spaces, line breaks or invisible characters.`,
    );
  }
}
