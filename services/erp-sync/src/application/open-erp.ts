import type { SecretOwner } from '@invoicecontrol/secretbox/sealed-field';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { ErpFault } from '../domain/faults.js';
import type { Credentials, ErpHttp, Provider, ProviderCode, Session } from '../providers/provider.js';
import { productOf } from '../providers/registry.js';
import type { ConnectionSecrets } from './secrets.js';

/** Fields of an ERP connection that calls to its ERP need. */
export interface CallableConnection extends SecretOwner {
  readonly provider: ProviderCode;
  readonly config: Readonly<Record<string, unknown>>;
  readonly remoteCompanyId: string;
  readonly credential: SealedValue | undefined;
}

/** Provides the access tokens of ERP connections with OAuth consent. @throws ErpFault */
export interface ConsentTokens {
  current(owner: SecretOwner, retry?: Retry): Promise<string>;
  renewed(owner: SecretOwner, refused: string, retry?: Retry): Promise<string>;
}

/** Makes a call to the ERP. After a temporary error, the call is repeated as often as the import run or test allows. */
export type Retry = <T>(call: () => Promise<T>) => Promise<T>;

/** Calls to an ERP that count towards the budget of one import run or connection test. */
export interface CountedCalls extends ErpHttp {
  readonly callsCount: number;
  readonly throttledMs: number;
  readonly retry: Retry;
}

/** Limits on the calls that one import run or connection test makes to an ERP. */
export interface CallBudget {
  readonly callsMax: number;
  readonly runMs: number;
  readonly signal: AbortSignal;
}

interface Deps {
  readonly providers: ReadonlyMap<ProviderCode, Provider>;
  /**
   * Prepares the calls that an import run or a connection test makes to an ERP.
   * @param company key of the company in the ERP; all calls to one company share a call limit
   */
  readonly openCalls: (
    provider: ProviderCode,
    company: string,
    concurrency: number,
    budget: CallBudget,
  ) => CountedCalls;
  readonly secrets: Pick<ConnectionSecrets, 'credential'>;
  readonly tokens: ConsentTokens;
  /** Maximum page size to request from an ERP. If absent, the maximum of the ERP applies. */
  readonly pageSizeMax: number | undefined;
}

/** Settings for the calls to ERPs. Tests replace them. */
export interface ErpOverrides {
  /** The providers of the ERPs that can be read. */
  readonly providers?: ReadonlyMap<ProviderCode, Provider>;
  /** False if import runs of due ERP connections are not started, so that tests can examine the connections. */
  readonly runsDue?: boolean;
}

/** An open session with the ERP of a connection. */
export interface OpenedErp {
  readonly provider: Provider;
  readonly session: Session;
  readonly calls: CountedCalls;
}

/**
 * Opens the ERP of a connection for an import run or a connection test.
 * @throws ErpFault if this version of the service does not know the ERP
 */
export const openErp =
  ({ providers, openCalls, secrets, tokens, pageSizeMax = Infinity }: Deps) =>
  (connection: CallableConnection, budget: CallBudget): OpenedErp => {
    const { provider: code, remoteCompanyId, config } = connection;
    const provider = providers.get(code);
    if (provider === undefined) {
      const { title } = productOf(code);
      throw new ErpFault('UPSTREAM_ERROR', `${title} cannot be read by this version of the service.`);
    }
    const calls = openCalls(code, remoteCompanyId, provider.concurrency, budget);
    const credentials: Credentials = {
      secret: () => Promise.resolve().then(() => openSecret(secrets, connection)),
      accessToken: () => tokens.current(connection, (call) => calls.retry(call)),
      renewedAccessToken: (refused) => tokens.renewed(connection, refused, (call) => calls.retry(call)),
    };
    const pageSize = Math.min(provider.pageSize, pageSizeMax);
    return { provider, session: provider.open({ config, http: calls, credentials, pageSize }), calls };
  };

function openSecret(secrets: Pick<ConnectionSecrets, 'credential'>, connection: CallableConnection): string {
  const { credential } = connection;
  if (credential === undefined)
    throw new ErpFault('AUTH_FAILED', 'The connection has no credentials. Connect the ERP again.');
  return secrets.credential.open(connection, credential);
}
