/** Response of a simulator in the form in which tests read it. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON of a simulator's response, or undefined if the response is not JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** Sends `METHOD url` to a simulator with a body, which is a text or becomes JSON. Redirects are not followed. */
export async function call(
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const [method = '', url = ''] = target.split(/ (.*)/s);
  const isText = typeof body === 'string';
  const response = await fetch(url, {
    method,
    headers: { ...(isText || body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
