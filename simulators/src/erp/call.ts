/** Record in the form in which the simulated ERP sends it. */
export type Row = Readonly<Record<string, unknown>>;

/** A complete HTTP request to a simulated ERP. */
export interface Call {
  readonly method: string;
  /** Decoded path of the ERP call, without the query. */
  readonly path: string;
  /** Decoded query parameters of the ERP call. If a name is repeated, the last value is used. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers of the call to the simulated ERP, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** Headers of the response of the simulated ERP, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Body of the response of the simulated ERP. Strings are sent unchanged, and so are bytes (a Buffer) with a separate
   * content type. All other values are sent as JSON.
   */
  readonly body?: unknown;
  /** Rows in the response of the simulated ERP, used in place of `body`, so that simulated faults can change them. */
  readonly page?: Page;
}

export interface Page {
  readonly rows: readonly Row[];
  /** Returns the body of a result page of the simulated ERP with the given rows. */
  readonly render: (rows: readonly Row[], change: PageChange) => unknown;
}

/** Changes that a simulated fault makes to a result page, in addition to the changes of its rows. */
export interface PageChange {
  /** True if the simulated ERP must state that another page follows, even if none does. */
  readonly isEndless: boolean;
  /** Wrong link to the next result page, which a simulated fault puts in place of the right link. */
  readonly nextLink?: string;
}

/** Returns the form fields of an ERP call with an `application/x-www-form-urlencoded` body. */
export function readForm(body: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** Returns an ERP call as the decoded text `METHOD path?query body`, which the `match` of a fault is compared with. */
export function describeCall({ method, path, query, headers, body }: Call): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const sent = isForm
    ? Object.entries(readForm(body))
        .map(([name, value]) => `${name}=${value}`)
        .join('&')
    : body;
  return `${method} ${target} ${sent}`.trimEnd();
}
