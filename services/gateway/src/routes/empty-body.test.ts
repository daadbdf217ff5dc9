import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFileRoute } from '../http/description/route.js';
import { accessFor, keyNamed, principal, refuseEverything } from '../testing/fakes.js';
import { parseAnswer, sendRaw } from '../testing/raw-http.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';
import { routes } from './table.js';

const key = keyNamed('owner');
const ANY_ID = '0198a000-0000-7000-8000-000000000009';

const withoutBody = routes.filter(
  (route) => !isFileRoute(route) && (route.body === undefined || route.isBodyOptional === true),
);

let gateway: RunningGateway;
const rpcs: string[] = [];
beforeAll(async () => {
  const refusing = refuseEverything((rpc) => rpcs.push(rpc));
  gateway = await startGateway({ ...refusing, access: accessFor(new Map([[key, principal()]])) });
});
afterAll(() => gateway.stop());

/** Sends a request to the gateway and returns the response with the rpcs that the gateway called. */
async function answerTo(method: string, path: string, lines: readonly string[], body: string): Promise<unknown> {
  rpcs.length = 0;
  const filled = path.replace(/:\w+/g, ANY_ID);
  const head = [
    `${method.toUpperCase()} /v1${filled} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Connection: close',
    ...lines,
  ];
  const { status, body: text } = parseAnswer(await sendRaw(gateway.port, [`${head.join('\r\n')}\r\n\r\n`, body]));
  const message: unknown = /"message":"([^"]*)"/.exec(text)?.[1];
  // Some routes call two rpcs at the same time, which arrive in any order.
  return { status, message, rpcs: new Set(rpcs) };
}

describe('an empty body in chunks, as a proxy that streams sends it, is no body', () => {
  test.each(withoutBody)('for $operation', async ({ method, path }) => {
    const expected = await answerTo(method, path, [], '');
    const chunked = 'Transfer-Encoding: chunked';
    for (const lines of [[], ['Content-Type: application/json'], ['Content-Type: application/octet-stream']]) {
      expect(await answerTo(method, path, [chunked, ...lines], '0\r\n\r\n')).toEqual(expected);
      expect(await answerTo(method, path, ['Content-Length: 0', ...lines], '')).toEqual(expected);
    }
    expect(await answerTo(method, path, [chunked, 'Expect: 100-continue'], '0\r\n\r\n')).toMatchObject({
      rpcs: (expected as { rpcs: unknown }).rpcs,
    });
  });
});

describe('a body that may be left out', () => {
  const optional = withoutBody.filter((route) => route.isBodyOptional === true);

  test.each(optional)('is still read when it comes in chunks, for $operation', async ({ method, path }) => {
    const chunked = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];
    expect(await answerTo(method, path, chunked, '1\r\n{\r\n0\r\n\r\n')).toMatchObject({
      status: 400,
      rpcs: new Set(),
    });
  });

  test.each(optional)('is refused when it is no JSON, for $operation', async ({ method, path }) => {
    for (const body of ['1\r\nx\r\n0\r\n\r\n', `80000\r\n${'x'.repeat(0x80000)}\r\n0\r\n\r\n`]) {
      const answer = await answerTo(method, path, ['Transfer-Encoding: chunked', 'Content-Type: text/plain'], body);
      expect(answer).toMatchObject({ status: 415, rpcs: new Set() });
    }
    expect(await answerTo(method, path, ['Content-Length: 1'], 'x')).toMatchObject({ status: 415, rpcs: new Set() });
  });
});
