import type { ErpFault } from '../domain/faults.js';
import type { ProviderCode } from '../domain/provider-code.js';
import type { RecordsOf, StreamName } from '../domain/streams.js';

export { providerCodes } from '../domain/provider-code.js';
export type { ProviderCode } from '../domain/provider-code.js';

/** One ERP: everything that is special about it. The engine knows no product. */
export interface Provider {
  readonly code: ProviderCode;
  /** `BUSINESS_CENTRAL`: accepted in requests in place of the code. */
  readonly product: string;
  /** `Business Central`: in mails and pages. */
  readonly title: string;
  /** Streams of the ERP, in the order of `streamNames`. */
  readonly streams: readonly StreamName[];
  /** Streams whose deletions show only in a complete list of ids (`Session.ids`). */
  readonly withoutDeletions: readonly StreamName[];
  /** Streams whose pages tell of deletions: their ids are compared in a full run, and where a page misses some. */
  readonly reportsDeletions?: readonly StreamName[];
  /** The greatest page that it gives. */
  readonly pageSize: number;
  /** Calls at once to one remote company. */
  readonly concurrency: number;
  /** Seconds that a window begins before the cursor. */
  readonly overlapSeconds: number;
  open(deps: SessionDeps): Session;
}

export interface SessionDeps {
  /** Stored configuration without secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly http: ErpHttp;
  readonly credentials: Credentials;
  readonly pageSize: number;
}

/** Secrets of a connection. A session never stores or logs one. */
export interface Credentials {
  /** Client secret or API key; only for providers with static credentials. */
  secret(): Promise<string>;
  /** Access token of providers with consent; refreshed before it ends. @throws ErpFault REAUTH_REQUIRED */
  accessToken(): Promise<string>;
  /** A new access token after a 401: one refresh. @throws ErpFault REAUTH_REQUIRED */
  renewedAccessToken(refused: string): Promise<string>;
}

/** A connection to one remote company for the time of a run or a test. */
export interface Session {
  /**
   * The first calls of erp.md sections 3 to 6: whether the credentials are right, the remote company exists, and each permission is there.
   * @throws ErpFault that names every missing permission
   */
  test(): Promise<RemoteCompany>;
  /** Pages of one stream. @throws ErpFault */
  read<S extends StreamName>(stream: S, window: Window): AsyncIterable<Page<RecordsOf[S]>>;
  /**
   * All ids of a stream, in any order.
   * @param after `IdPage.position` of the last page that was stored, to continue after it
   * @throws ErpFault
   */
  ids(stream: StreamName, after?: string): AsyncIterable<IdPage>;
  /** The time of the ERP's server, from its last answer; never of this machine. */
  serverTime(): string | undefined;
}

export interface RemoteCompany {
  readonly name?: string;
  /** ISO 4217: of records that name no currency. */
  readonly currency?: string;
}

export interface Window {
  /** RFC 3339 time since which rows changed; absent for all rows. */
  readonly from?: string;
  /** `YYYY-MM-DD`: only bills, credit notes and payments from this day on. */
  readonly dateFrom?: string;
  /** `Page.position` of the last page that was stored, to continue after it. */
  readonly after?: string;
}

/** Records of one stream. */
export interface RecordsPart<R> {
  readonly records: readonly R[];
  /** Rows that cannot be read: counted as failed, never stored. In our words. */
  readonly invalid: readonly InvalidRow[];
  /** External ids that the ERP reports as deleted. */
  readonly deletedIds: readonly string[];
}

/** Records of other streams: they are stored before the page that they come with. */
export type BesidesParts = { readonly [S in StreamName]?: RecordsPart<RecordsOf[S]> };

export interface Page<R> extends RecordsPart<R> {
  /** Records that the page names and their own streams do not bring: suppliers of documents, and the accounts of those. */
  readonly besides?: BesidesParts;
  /** Ids of all rows that the ERP sent, also of those that are not part of the stream; absent for those of the records. */
  readonly rowIds?: readonly string[];
  /** The ERP cannot tell all deletions of the window: the ids of the stream are compared before the cursor moves. */
  readonly missesDeletions?: boolean;
  /** Position at which a later run may continue; absent when it can only continue from the beginning of the window. */
  readonly position?: string;
}

/** A page of a list of all ids. */
export interface IdPage {
  readonly ids: readonly string[];
  /** Position at which a later run may continue; absent when it can only continue from the position before. */
  readonly position?: string;
}

export interface InvalidRow {
  readonly externalId?: string;
  readonly message: string;
}

/** Calls of one run to one ERP: bounded in time, size, rate and number; retried where that is safe. */
export interface ErpHttp {
  /**
   * Sends a request and reads the whole answer as JSON or text. Retries outages and broken connections with backoff, as long as
   * the budget of the run allows; every other answer is returned. Redirects are never followed.
   * @throws ErpFault Outage after the last try; BAD_RESPONSE for a redirect and an answer that is too large
   */
  send(request: ErpRequest): Promise<ErpAnswer>;
}

export interface ErpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Finds the fault of a response; undefined for a good one. When absent, 408, 429 and 5xx are outages. */
  readonly faultOf?: (answer: ErpAnswer) => ErpFault | undefined;
  /** Wait after RATE_LIMITED without `Retry-After`, in first pauses of the backoff: seconds with the default configuration. */
  readonly throttledPauses?: number;
}

export interface ErpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where the answer is JSON; undefined for everything else, also for JSON that was cut off. */
  readonly json: unknown;
  readonly text: string;
}
