import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT, run } from './run.js';

/** The keys that the server got, which stands for the API. */
const keys: (string | undefined)[] = [];
const server = createServer((request, response) => {
  keys.push(request.headers.authorization);
  response.setHeader('content-type', 'application/json').end('{"items":[],"nextCursor":null}');
});
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());

async function start(args: readonly string[], env: Record<string, string> = {}, signal = new AbortController().signal) {
  const errors: string[] = [];
  const code = await run(args, {
    env,
    readFile: () => Promise.resolve(new TextEncoder().encode('{}')),
    readDemonstration: () => Promise.resolve(JSON.stringify({ baseUrl, keys: { owner: 'ick_live_demonstration' } })),
    print: () => {},
    printError: (line) => errors.push(line),
    signal,
  });
  return { code, errors };
}

const REPLAY = ['replay', '--webhook', '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14'];

test('the key of the demonstration is sent to the demonstration, and to no other address', async () => {
  expect(await start(REPLAY)).toEqual({ code: EXIT.ok, errors: [] });
  expect(keys.splice(0)).toEqual(['Bearer ick_live_demonstration']);
  const refused = { code: EXIT.usage, errors: [expect.stringMatching(/^The command needs an API key/)] };
  expect(await start([...REPLAY, '--api', baseUrl])).toEqual(refused);
  expect(await start(REPLAY, { INVOICE_CONTROL_URL: baseUrl })).toEqual(refused);
  expect(keys).toEqual([]);
});

test('an interrupted post or replay does not end like one with the decision PASS', async () => {
  const interrupted = { code: EXIT.failed, errors: ['The command was interrupted before it finished.'] };
  for (const args of [['post', 'invoice.json'], REPLAY]) {
    expect(await start(args, {}, AbortSignal.abort())).toEqual(interrupted);
  }
  expect(await start(['tail'], {}, AbortSignal.abort())).toEqual({ code: EXIT.ok, errors: [] });
});
