import type { ProviderCode } from './provider.js';

/** The facts of an ERP that the service knows without calling it. */
export interface ErpProduct {
  readonly code: ProviderCode;
  /** `BUSINESS_CENTRAL`: accepted in requests in place of the code. */
  readonly product: string;
  /** `Business Central`: in mails, pages and refusals. */
  readonly title: string;
  /** Set-up of a connection with credentials (endpoint 10); absent when a person gives consent in the browser (endpoint 11). */
  readonly credentials?: CredentialSetup;
}

export interface CredentialSetup {
  /** The field of requests that has the secret. */
  readonly secretName: 'client_secret' | 'api_key';
  /**
   * Reads the `config` of a request.
   * @throws DomainError invalid with every fault
   */
  readConfig(given: unknown, checks: ConfigChecks): Promise<ReadConfig>;
  /**
   * Tells whether two stored configurations may name one remote company: only a call could distinguish values that one of them leaves out
   * or names in another way.
   */
  mayBeSameCompany(one: StoredConfig, other: StoredConfig): boolean;
}

/** Configuration as it is stored and shown. */
export type StoredConfig = Readonly<Record<string, unknown>>;

export interface ReadConfig {
  readonly config: StoredConfig;
  /** The same for every way to write the same remote company. */
  readonly remoteKey: string;
}

/** Rules of the installation for addresses in configurations. */
export interface ConfigChecks {
  /** Checks that a URL of a customer may be called. */
  checkUrl(text: string): Promise<{ readonly url: URL } | { readonly problem: string }>;
  /** Origins that the token of Business Central may be sent to. */
  readonly bankOrigins: readonly string[];
}

/** Characters of a client secret or an API key. */
export const SECRET_LENGTH_MAX = 512;
