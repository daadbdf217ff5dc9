import type { ProviderCode } from './provider.js';

/** Properties of an ERP product that are known without calling it. */
export interface ErpProduct {
  readonly code: ProviderCode;
  /** Name of the ERP product in requests, such as `BUSINESS_CENTRAL`. Requests may state it instead of the code. */
  readonly product: string;
  /** Product title in e-mails, pages and messages, such as `Business Central`. */
  readonly title: string;
  /**
   * Set-up of an ERP connection that uses credentials (endpoint 10). Absent if a user consents in the browser (endpoint
   * 11).
   */
  readonly credentials?: CredentialSetup;
}

export interface CredentialSetup {
  /** Name of the request field that contains the secret of the ERP connection. */
  readonly secretName: 'client_secret' | 'api_key';
  /**
   * Reads the `config` of a request to connect the ERP.
   * @throws DomainError invalid with all faults
   */
  readConfig(given: unknown, checks: ConfigChecks): Promise<ReadConfig>;
  /**
   * Checks whether two stored configurations may name the same company in an ERP. They may if one leaves out a value or
   * writes it differently, because only a call to the ERP could then show the difference.
   */
  mayBeSameCompany(one: StoredConfig, other: StoredConfig): boolean;
}

/** Configuration of an ERP connection in the form in which it is stored and returned. */
export type StoredConfig = Readonly<Record<string, unknown>>;

export interface ReadConfig {
  readonly config: StoredConfig;
  /** Key of the company in the ERP, which is the same for all spellings of its configuration. */
  readonly remoteKey: string;
}

/** Rules of the installation for URLs in configurations of ERP connections. */
export interface ConfigChecks {
  /** Checks whether a customer URL of an ERP may be called. */
  checkUrl(text: string): Promise<{ readonly url: URL } | { readonly problem: string }>;
  /** Origins to which the Business Central token may be sent. */
  readonly bankOrigins: readonly string[];
}

/** Maximum length of a client secret or an API key of an ERP. */
export const SECRET_LENGTH_MAX = 512;
