import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@invoicecontrol/client';
import { afterEach, expect, test } from 'vitest';
import { registerOwnWebhook } from './own-webhook.js';

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** Starts an API that records its requests and gives each the next response. */
async function startApi(responses: readonly { readonly status: number; readonly body?: object }[]) {
  const requests: { target: string; authorization: string | undefined; body: string }[] = [];
  const left = [...responses];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      requests.push({ target: `${method} ${url}`, authorization: headers.authorization, body });
      const { status, body: answer } = left.shift() ?? { status: 500 };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(answer === undefined ? undefined : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

test('registers the receiver, returns the secret and deletes the webhook at the end', async () => {
  const { api, requests } = await startApi([{ status: 201, body: { id: 'w-1', secret: 'whsec_x' } }, { status: 204 }]);
  const url = 'http://127.0.0.1:4100/hooks';
  const own = await registerOwnWebhook({ api, key: 'ick_live_k', url, events: ['finding.created'] });
  expect(own.secret).toBe('whsec_x');
  await own.remove();
  expect(requests.map(({ target }) => target)).toEqual(['POST /v1/webhooks', 'DELETE /v1/webhooks/w-1']);
  expect(requests[0]).toMatchObject({ authorization: 'Bearer ick_live_k' });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ url, events: ['finding.created'] });
});

test('passes on the refusal of the API, such as that of an address that it does not call', async () => {
  const error = { code: 'INVALID_REQUEST', message: 'The request is invalid.', request_id: 'req_1' };
  const { api } = await startApi([{ status: 400, body: { error } }]);
  const registering = registerOwnWebhook({ api, key: 'ick_live_k', url: 'http://127.0.0.1/', events: [] });
  await expect(registering).rejects.toThrow(ApiError);
});
