// Measures paging through an ERP without the product: requests the pages that a synchronisation has read, one after the
// other, and parses them. It runs as a separate process.
import { Agent, request } from 'undici';

export interface PagingOrder {
  readonly origin: string;
  readonly pages: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[];
}

/** Headers that are not copied from the recorded ERP requests, because the HTTP client sets them itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

process.once('message', (order: PagingOrder) => {
  void page(order).then((ms) => process.send?.(ms, () => process.disconnect()));
});

async function page({ origin, pages }: PagingOrder): Promise<number> {
  const dispatcher = new Agent({ connections: 1 });
  const beganMs = performance.now();
  for (const { method, path, headers, body } of pages) {
    const response = await request(`${origin}${path}`, {
      dispatcher,
      method: method as 'GET' | 'POST',
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))),
      ...(body === '' ? {} : { body }),
    });
    const answer = (await response.body.json()) as unknown;
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${JSON.stringify(answer)}`);
  }
  const tookMs = performance.now() - beganMs;
  await dispatcher.close();
  return tookMs;
}
