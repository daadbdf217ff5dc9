import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { ORGANIZATION_WHOLE_RUNS_MAX } from '../../http/limits/limits.js';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const PATH = '/v1/payment-runs/0198a000-0000-7000-8000-00000000000f';
const [key, secondKey, otherKey] = [keyNamed('owner'), keyNamed('second'), keyNamed('other')];
const OTHER_ID = '0198a000-0000-7000-8000-0000000000aa';

let gateway: RunningGateway;
/** Functions that end the downloads in progress. */
const waiting: (() => void)[] = [];
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [key, principal()],
        [secondKey, principal({ apiKeyId: 'second0000000000' })],
        [otherKey, principal({ apiKeyId: 'other00000000000', organizationId: OTHER_ID })],
      ]),
    ),
    paymentRuns: {
      downloadPaymentFile: async () => {
        await new Promise<void>((done) => waiting.push(done));
        return { content: Buffer.from('<Document/>'), count: 1, fileName: 'payment-run-1.xml' };
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  waiting.length = 0;
});

const send = (of: string, path: string, method = 'GET'): Promise<Response> =>
  fetch(gateway.origin + PATH + path, { method, headers: { authorization: `Bearer ${of}` } });
const endAll = (): void => waiting.splice(0).forEach((done) => done());

describe('payment runs that are read as a whole', () => {
  test(`are at most ${ORGANIZATION_WHOLE_RUNS_MAX} at once for an organization, whatever its keys and requests`, async () => {
    const downloads = Array.from({ length: ORGANIZATION_WHOLE_RUNS_MAX }, () => send(key, '/file?verdict=HOLD'));
    await eventually(() => expect(waiting).toHaveLength(ORGANIZATION_WHOLE_RUNS_MAX));
    for (const [method, path] of [
      ['GET', '/file'],
      ['POST', '/recheck'],
      ['POST', '/reports'],
    ] as const) {
      const refused = await send(secondKey, path, method);
      expect([path, refused.status, refused.headers.has('retry-after')]).toEqual([path, 429, true]);
    }
    const other = send(otherKey, '/file');
    await eventually(() => expect(waiting).toHaveLength(ORGANIZATION_WHOLE_RUNS_MAX + 1));
    endAll();
    for (const { status } of await Promise.all([...downloads, other])) expect(status).toBe(200);
    const next = send(key, '/file');
    await eventually(() => expect(waiting).toHaveLength(1));
    endAll();
    expect((await next).status).toBe(200);
  });
});
