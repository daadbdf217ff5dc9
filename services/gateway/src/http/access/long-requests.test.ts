import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const UPLOAD_ID = '0198a000-0000-7000-8000-0000000000aa';
const key = keyNamed('owner');
const keys = new Map([[key, principal()]]);

let gateway: RunningGateway;
let nowMs = Date.now();
let authentications: number;
/** Time in milliseconds that the first of the two calls of a request takes. */
let firstCallMs: number;
/** Function that is called during the first of the two calls of a request. */
let during: () => void;

beforeAll(async () => {
  const access = accessFor(keys);
  gateway = await startGateway(
    {
      access: {
        ...access,
        authenticateKey: (request, context) => {
          authentications += 1;
          return access.authenticateKey(request, context);
        },
      },
      uploads: {
        async getUpload() {
          nowMs += firstCallMs;
          during();
          const createdTime = new Date(0);
          return {
            upload: {
              uploadId: UPLOAD_ID,
              mediaType: 'application/pdf',
              byteSize: 1,
              state: UploadState.UPLOADED,
              sha256: undefined,
              createdTime,
              expiresTime: createdTime,
              origin: undefined,
            },
          };
        },
      },
      uploadAnalyses: {
        getUploadAnalysis: async () => ({
          status: UploadAnalysisStatus.UNSPECIFIED,
          invoiceId: undefined,
          decision: 0,
          riskScore: undefined,
          failure: undefined,
        }),
      },
    },
    { clock: { now: () => new Date(nowMs) } },
  );
});
beforeEach(() => {
  // The authentication of the test before is no longer used.
  nowMs += 60_000;
  authentications = 0;
  firstCallMs = 0;
  during = () => {};
  keys.set(key, principal());
});
afterAll(() => gateway.stop());

async function statusOfRequest(): Promise<number> {
  const response = await fetch(`${gateway.origin}/v1/uploads/${UPLOAD_ID}/status`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status;
}

test.each([
  [40_000, 1],
  [40_001, 2],
])('a request whose first call took %i ms is authenticated %i times', async (ms, times) => {
  firstCallMs = ms;
  expect(await statusOfRequest()).toBe(200);
  expect(authentications).toBe(times);
});

test('a request ends when its key is revoked while it runs for long', async () => {
  firstCallMs = 60_000;
  during = () => keys.delete(key);
  expect(await statusOfRequest()).toBe(401);
});
