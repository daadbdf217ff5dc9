import type { ErpFault } from '../domain/faults.js';
import type { ProviderCode } from '../domain/provider-code.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';

export { providerCodes } from '../domain/provider-code.js';
export type { ProviderCode } from '../domain/provider-code.js';

/** Implementation for one ERP product. All code outside the implementations is the same for every ERP product. */
export interface Provider {
  readonly code: ProviderCode;
  /** Name of the ERP product in requests, such as `BUSINESS_CENTRAL`. Requests may state it instead of the code. */
  readonly product: string;
  /** Product title in e-mails and pages, such as `Business Central`. */
  readonly title: string;
  /** Streams that the ERP provides, in the order of `streamNames`. */
  readonly streams: readonly StreamName[];
  /** ERP streams in which deletions can be detected only from a complete list of ids (`Session.ids`). */
  readonly withoutDeletions: readonly StreamName[];
  /**
   * ERP streams whose pages report deletions. For these streams, the list of all record ids is compared with the stored
   * records only in a full import run, and if a page of ERP records may miss deletions.
   */
  readonly reportsDeletions?: readonly StreamName[];
  /** Maximum number of records on a page that the ERP allows. */
  readonly pageSize: number;
  /** Maximum number of concurrent calls to one company in the ERP. */
  readonly concurrency: number;
  /** Number of seconds by which a time window begins before the cursor of its ERP stream. */
  readonly overlapSeconds: number;
  open(deps: SessionDeps): Session;
}

export interface SessionDeps {
  /** Configuration of the ERP connection in its stored form, without secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly http: ErpHttp;
  readonly credentials: Credentials;
  readonly pageSize: number;
}

/** Secrets of an ERP connection. A session never stores or logs them. */
export interface Credentials {
  /** Returns the client secret or API key for an ERP provider that uses credentials. */
  secret(): Promise<string>;
  /**
   * Returns the access token for an ERP provider that uses consent. The token is refreshed before it expires.
   * @throws ErpFault REAUTH_REQUIRED
   */
  accessToken(): Promise<string>;
  /**
   * Returns a new access token after a 401 response of an ERP. The token is refreshed at most once.
   * @throws ErpFault REAUTH_REQUIRED
   */
  renewedAccessToken(refused: string): Promise<string>;
}

/** A session with one ERP company, for an import run or a test. */
export interface Session {
  /**
   * Makes the first calls to an ERP, as described in erp.md, sections 3 to 6. The calls check the credentials, the
   * company and each permission.
   * @throws ErpFault that names all missing permissions
   */
  test(): Promise<RemoteCompany>;
  /**
   * Yields the pages of one stream of ERP records.
   * @throws ErpFault
   */
  read<S extends StreamName>(stream: S, window: Window): AsyncIterable<Page<RecordsOf[S]>>;
  /**
   * Yields all record ids in an ERP stream, in any order.
   * @param after `IdPage.position` of the last stored page, to continue after it
   * @throws ErpFault
   */
  ids(stream: StreamName, after?: string): AsyncIterable<IdPage>;
  /** Returns the ERP server's time as stated in its last response, never the time of this machine. */
  serverTime(): string | undefined;
}

export interface RemoteCompany {
  readonly name?: string;
  /** ISO 4217 currency code for ERP records that state no currency. */
  readonly currency?: string;
}

export interface Window {
  /** Time in RFC 3339 format since which ERP rows must have changed. Absent for all rows. */
  readonly from?: string;
  /** First date (`YYYY-MM-DD`) from which bills, credit notes and payments are read. */
  readonly dateFrom?: string;
  /** Position of the last stored page of ERP records (`Page.position`), to continue after it. */
  readonly after?: string;
}

/** The records of one stream on a page of ERP records. */
export interface RecordsPart<R> {
  readonly records: readonly R[];
  /**
   * ERP rows that cannot be read, each with an error message of this product. They are counted as failed and never
   * stored.
   */
  readonly invalid: readonly InvalidRow[];
  /** External ids that the ERP reports as deleted. */
  readonly deletedIds: readonly string[];
}

/** Records from other ERP streams, which are stored before the page of ERP records that contains them. */
export type BesidesParts = { readonly [S in StreamName]?: RecordsPart<RecordsOf[S]> };

export interface Page<R> extends RecordsPart<R> {
  /**
   * Records to which the page of ERP records refers and which the streams of these records do not contain: the
   * suppliers that documents name, and their bank accounts.
   */
  readonly besides?: BesidesParts;
  /**
   * Ids of all rows that the ERP sent, including rows that are not part of the stream. Absent if they are the ids of
   * the records.
   */
  readonly rowIds?: readonly string[];
  /**
   * True if the ERP cannot report all deletions in the time window. The record ids of the stream are then compared
   * before its cursor moves.
   */
  readonly missesDeletions?: boolean;
  /**
   * Position in the ERP stream from which a later run can continue. Absent if it can continue only from the beginning
   * of the time window.
   */
  readonly position?: string;
}

/** A page of a list of all record ids in an ERP stream. */
export interface IdPage {
  readonly ids: readonly string[];
  /**
   * Position in the list of ERP record ids from which a later run can continue. Absent if it can continue only from the
   * previous position.
   */
  readonly position?: string;
}

export interface InvalidRow {
  readonly externalId?: string;
  readonly message: string;
}

/**
 * Makes the calls of one import run to one ERP, with limits on time, size, rate and number, and with retries where they
 * are safe.
 */
export interface ErpHttp {
  /**
   * Sends a request to an ERP and reads the whole response as JSON or text. Outages and lost connections are retried
   * with increasing delays, as far as the budget of the import run allows. Every other response is returned. Redirects
   * are never followed.
   * @throws ErpFault Outage after the last attempt; BAD_RESPONSE for a redirect or a response that is too large
   */
  send(request: ErpRequest): Promise<ErpAnswer>;
}

export interface ErpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Returns the fault for a response of the ERP, or undefined for a successful response. If this function is absent,
   * 408, 429 and 5xx responses are outages.
   */
  readonly faultOf?: (answer: ErpAnswer) => ErpFault | undefined;
  /**
   * Delay after an ERP response RATE_LIMITED without `Retry-After`, as a multiple of the first delay (which is a second
   * by default).
   */
  readonly throttledPauses?: number;
}

export interface ErpAnswer {
  readonly status: number;
  /** Headers of the ERP's response, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON body of an ERP response. Undefined for any other response, including incomplete JSON. */
  readonly json: unknown;
  readonly text: string;
}
