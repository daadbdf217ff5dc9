import { trustedAgents } from '@invoicecontrol/egress/agents';
import { call as callWithin } from '@invoicecontrol/egress/call';
import { parseJson } from '@invoicecontrol/values/json';
import { parseUrl } from '@invoicecontrol/values/url';
import { z } from 'zod';
import { KeyRefused, ProviderUnavailable, UnknownAtProvider } from '../application/provider-api.js';
import type { ProviderApi } from '../application/provider-api.js';
import { readMeaning } from '../domain/provider-answer.js';

const CALL_MS_MAX = 8_000;
const CONNECT_MS_MAX = 8_000;
const CONNECTIONS_PER_ORIGIN = 64;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_SIZE = 200;
/**
 * Maximum number of pages of the Paddle API, enough for two million subscriptions. The maximum guards against an API
 * that always returns a next page.
 */
const PAGES_MAX = 10_000;

const page = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ pagination: z.object({ next: z.string().nullish(), has_more: z.boolean() }) }),
});
const single = z.object({ data: z.unknown() });
const customer = z.object({ data: z.object({ email: z.string().min(1).max(320) }) });
/**
 * Schema of an error response of Paddle. Only the error code is passed on, because the error text could contain data
 * from the request.
 */
const refusal = z.object({ error: z.object({ code: z.string().regex(/^[a-z][a-z0-9_]{0,79}$/) }) });
const portalSession = z.object({ data: z.object({ urls: z.object({ general: z.object({ overview: z.url() }) }) }) });
const transaction = z.object({ data: z.object({ checkout: z.object({ url: z.url({ protocol: /^https?$/ }) }) }) });

/**
 * Client for the Paddle Billing API with the five calls that the billing service needs. Section 9 of the billing
 * reference describes how each response is interpreted.
 * @param baseUrl `https://api.paddle.com`, or the URL of the sandbox
 * @param apiKey without a key, every call fails
 */
export function paddleApi(baseUrl: string, apiKey: string | undefined): ProviderApi {
  const agents = trustedAgents({
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    peer: 'paddle',
  });
  const call = async (path: string, posted?: object, signal?: AbortSignal): Promise<unknown> => {
    if (apiKey === undefined) throw new ProviderUnavailable('PADDLE_API_KEY is not set');
    const request = {
      method: posted === undefined ? 'GET' : 'POST',
      url: `${baseUrl.replace(/\/$/, '')}${path}`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
      },
      body: posted === undefined ? undefined : JSON.stringify(posted),
    };
    try {
      const { status, body } = await callWithin(agents, request, {
        deadlineMs: CALL_MS_MAX,
        bytesMax: ANSWER_BYTES_MAX,
        signal,
      });
      if (body === undefined) throw new ProviderUnavailable('the API responded with more than 16 MiB');
      const text = body.toString('utf8');
      const code = status >= 200 && status < 300 ? undefined : refusal.safeParse(parseJson(text)).data?.error.code;
      const said = `the API responded with ${status}${code === undefined ? '' : ` ${code}`}`;
      const meaning = readMeaning(status, code);
      if (meaning === 'NOT_FOUND') throw new UnknownAtProvider(said);
      if (meaning === 'KEY_REFUSED') throw new KeyRefused(said);
      if (meaning === 'UNAVAILABLE') throw new ProviderUnavailable(said);
      return JSON.parse(text);
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      throw new ProviderUnavailable('the API did not respond', { cause: error });
    }
  };
  const read = <T>(schema: z.ZodType<T>, answer: unknown): T => {
    const result = schema.safeParse(answer);
    if (!result.success) throw new ProviderUnavailable('the response of the API does not have the expected fields');
    return result.data;
  };
  return {
    async *subscriptions(signal) {
      let after: string | undefined;
      for (let pages = 0; pages < PAGES_MAX; pages++) {
        const query = new URLSearchParams({ per_page: String(PAGE_SIZE), ...(after === undefined ? {} : { after }) });
        const { data, meta } = read(page, await call(`/subscriptions?${query.toString()}`, undefined, signal));
        yield* data;
        const { has_more: hasMore, next } = meta.pagination;
        const cursor = typeof next === 'string' ? parseUrl(next)?.searchParams.get('after') : undefined;
        if (!hasMore) return;
        if (typeof cursor !== 'string' || cursor === after)
          throw new ProviderUnavailable('the list has more pages but no link to the next one');
        after = cursor;
      }
      throw new ProviderUnavailable(`the list has more than ${PAGES_MAX} pages`);
    },
    async subscription(subscriptionId) {
      return read(single, await call(`/subscriptions/${encodeURIComponent(subscriptionId)}`)).data;
    },
    async customerEmail(customerId) {
      return read(customer, await call(`/customers/${encodeURIComponent(customerId)}`)).data.email;
    },
    async createPortalSession(customerId, subscriptionIds) {
      const answer = await call(
        `/customers/${encodeURIComponent(customerId)}/portal-sessions`,
        subscriptionIds.length === 0 ? {} : { subscription_ids: subscriptionIds },
      );
      return read(portalSession, answer).data.urls.general.overview;
    },
    async createTransaction(items, customData) {
      const answer = await call('/transactions', {
        items: items.map(({ priceId, quantity }) => ({ price_id: priceId, quantity })),
        custom_data: customData,
      });
      return read(transaction, answer).data.checkout.url;
    },
  };
}
