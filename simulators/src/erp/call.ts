/** A record as the ERP sends it. */
export type Row = Readonly<Record<string, unknown>>;

/** A request to an ERP, read whole. */
export interface Call {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  /** Decoded; the last one of a repeated name. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, and so are bytes (a Buffer) under a content type of their own; anything else as JSON. */
  readonly body?: unknown;
  /** Instead of `body`: rows, which faults may change. */
  readonly page?: Page;
}

export interface Page {
  readonly rows: readonly Row[];
  /** The body with these rows. */
  readonly render: (rows: readonly Row[], change: PageChange) => unknown;
}

/** Changes of a fault to a page, besides its rows. */
export interface PageChange {
  /** Says that another page follows, whatever there is. */
  readonly isEndless: boolean;
  /** Takes the place of the link to the next page. */
  readonly nextLink?: string;
}

/** The form fields of a body `application/x-www-form-urlencoded`. */
export function readForm(body: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** The text that the `match` of a fault is tried on: `METHOD path?query body`, decoded. */
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
