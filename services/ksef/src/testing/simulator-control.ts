/**
 * Returns a function that calls the control routes of one environment of the KSeF simulator. It resolves to the JSON
 * body of the response, or to undefined if the response has none. It rejects with the text of a refusal.
 *
 * @param environmentUrl returns an address such as `${simulator.url}/test`; it is called only when a test uses it,
 * because a simulator has no address before it runs
 */
export function simulatorControl<Body = unknown>(environmentUrl: () => string) {
  return async function control<T = Body>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${environmentUrl()}/control/${path}`, {
      method,
      headers: { connection: 'close', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
