import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import express from 'express';
import { listenFast } from './listen-fast.js';

const app = express();
app.get('/', (request, response) => {
  // For each object, tells whether it was created with the prototype that Express would otherwise set on every request.
  const wasBornThere = [request, response].map((object) => Object.getPrototypeOf(object) as unknown);
  response.json({ isUnchanged: wasBornThere[0] === app.request && wasBornThere[1] === app.response });
});
const server = listenFast(app, {}).listen(0, '127.0.0.1');
afterAll(() => {
  server.close();
});

test('requests and responses are born on the prototypes that Express would set', async () => {
  if (!server.listening) await once(server, 'listening');
  const constructors = new Set<unknown>();
  server.on('request', (request, response) => constructors.add(request.constructor).add(response.constructor));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await response.json()).toEqual({ isUnchanged: true });
  expect([...constructors].map((constructor) => (constructor as { name: string }).name)).toEqual([
    'GatewayRequest',
    'GatewayResponse',
  ]);
});
