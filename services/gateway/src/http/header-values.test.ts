import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, principal, refuseEverything } from '../testing/fakes.js';
import { parseAnswer, sendRaw } from '../testing/raw-http.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';
import { HEADER_VALUE_LENGTH_MAX } from './limits/limits.js';

const key = keyNamed('owner');
const authorization = `Authorization: Bearer ${key}`;

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ ...refuseEverything(), access: accessFor(new Map([[key, principal()]])) });
  // A first request puts the API key into the cache, so that no later refusal is counted.
  await answerTo();
});
afterAll(() => gateway.stop());

async function answerTo(...lines: string[]): Promise<{ status: number; message: unknown }> {
  const head = ['GET /v1/organizations/current HTTP/1.1', 'Host: x', authorization, 'Connection: close', ...lines];
  const { status, body } = parseAnswer(await sendRaw(gateway.port, [`${head.join('\r\n')}\r\n\r\n`]));
  return { status, message: (JSON.parse(body) as { error: { message: string } }).error.message };
}

const ofLength = (length: number): string => 'x'.repeat(length);

describe('the value of a header', () => {
  test.each(['Idempotency-Key', 'traceparent', 'Prefer', 'Content-Type', 'X-Request-Id', 'X-Anything'])(
    'may have 4 KiB and not one character more: %s',
    async (name) => {
      expect((await answerTo(`${name}: ${ofLength(HEADER_VALUE_LENGTH_MAX)}`)).status).toBe(409);
      expect(await answerTo(`${name}: ${ofLength(HEADER_VALUE_LENGTH_MAX + 1)}`)).toEqual({
        status: 431,
        message: `The header ${name.toLowerCase()} is longer than 4 KiB. Send a shorter value.`,
      });
    },
  );

  test('is that of all headers of a name, joined as they are read', async () => {
    const half = HEADER_VALUE_LENGTH_MAX / 2;
    const [first, second] = [`Prefer: ${ofLength(half)}`, `Prefer: ${ofLength(half - ', '.length)}`];
    expect((await answerTo(first, second)).status).toBe(409);
    expect((await answerTo(first, `${second}x`)).status).toBe(431);
  });

  test('makes a key of more characters one that is wrong', async () => {
    const { status } = parseAnswer(
      await sendRaw(gateway.port, [
        `GET /v1/organizations/current HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ofLength(HEADER_VALUE_LENGTH_MAX)}\r\nConnection: close\r\n\r\n`,
      ]),
    );
    expect(status).toBe(401);
  });

  test('may be longer where it is a cookie, which nobody reads', async () => {
    expect((await answerTo(`Cookie: ${ofLength(HEADER_VALUE_LENGTH_MAX + 1)}`)).status).toBe(409);
  });

  test('is named by no more than 64 characters', async () => {
    const { message } = await answerTo(`${ofLength(5_000)}: ${ofLength(5_000)}`);
    expect(message).toBe(`The header ${ofLength(64)} is longer than 4 KiB. Send a shorter value.`);
  });
});
