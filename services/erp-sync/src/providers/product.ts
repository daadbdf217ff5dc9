import type { ProviderCode } from './provider.js';

/** What the service knows of an ERP without calling it. */
export interface ErpProduct {
  readonly code: ProviderCode;
  /** `BUSINESS_CENTRAL`: accepted in requests beside the code. */
  readonly product: string;
  /** `Business Central`: in mails, pages and refusals. */
  readonly title: string;
  /** How credentials connect it (endpoint 10); absent: a person gives consent in the browser (endpoint 11). */
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
   * Whether two configurations, as they are stored, may name one remote company: what one of them leaves out, or names in another
   * way, only a call could tell apart.
   */
  mayBeSameCompany(one: StoredConfig, other: StoredConfig): boolean;
}

/** As it is stored and shown. */
export type StoredConfig = Readonly<Record<string, unknown>>;

export interface ReadConfig {
  readonly config: StoredConfig;
  /** The same for every way to write the same remote company. */
  readonly remoteKey: string;
}

/** What the installation says about addresses in configurations. */
export interface ConfigChecks {
  /** Whether a URL that a customer gave may be called. */
  checkUrl(text: string): Promise<{ readonly url: URL } | { readonly problem: string }>;
  /** Origins that the token of Business Central may be sent to. */
  readonly bankOrigins: readonly string[];
}

/** Characters of a client secret or an API key. */
export const SECRET_LENGTH_MAX = 512;
