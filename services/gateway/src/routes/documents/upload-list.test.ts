import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const key = keyNamed('viewer');
const COMPANY_ID = '0198a000-0000-7000-8000-00000000000c';
const KSEF_NUMBER = '5265877635-20260412-010080615740-E4';
const createdTime = new Date('2026-03-02T10:00:00.000Z');
const uploaded = { uploadId: 'u1', invoiceId: 'i1', companyId: COMPANY_ID, createdTime };
const shown = { upload_id: 'u1', invoice_id: 'i1', company_id: COMPANY_ID, created_at: '2026-03-02T10:00:00.000Z' };

let gateway: RunningGateway;
let got: unknown[] = [];
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(new Map([[key, principal({ role: 'VIEWER', scopes: ['invoices:read'] })]])),
    uploadAnalyses: {
      listUploadAnalyses(request) {
        got.push(request);
        return Promise.resolve({
          uploads: [
            { ...uploaded, status: UploadAnalysisStatus.QUEUED, decision: Decision.UNSPECIFIED },
            {
              ...uploaded,
              status: UploadAnalysisStatus.COMPLETED,
              decision: Decision.BLOCK,
              riskScore: 97,
              origin: { channel: 'KSEF', externalId: KSEF_NUMBER },
            },
            {
              ...uploaded,
              status: UploadAnalysisStatus.FAILED,
              decision: Decision.UNSPECIFIED,
              failure: { reason: 'FIELDS_MISSING', message: 'Missing.', missingFields: ['issue_date'], fields: [] },
            },
          ],
          nextPageToken: 'more',
        });
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  got = [];
});
const get = (query: string) =>
  fetch(`${gateway.origin}/v1/uploads${query}`, { headers: { authorization: `Bearer ${key}` } });

test('each upload is listed with its decision, or with the reason why no invoice could be read', async () => {
  const response = await get(`?status=FAILED&company_id=${COMPANY_ID}&limit=3`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    items: [
      { ...shown, status: 'QUEUED', decision: null, risk_score: null, failure: null },
      { ...shown, status: 'COMPLETED', decision: 'BLOCK', risk_score: 97, ksefNumber: KSEF_NUMBER, failure: null },
      {
        ...shown,
        status: 'FAILED',
        decision: null,
        risk_score: null,
        failure: { code: 'PROCESSING_FAILED', message: 'Missing.', reason: 'FIELDS_MISSING' },
        missing_fields: ['issue_date'],
      },
    ],
    nextCursor: expect.any(String),
  });
  expect(got).toMatchObject([{ status: UploadAnalysisStatus.FAILED, companyId: COMPANY_ID, pageSize: 3 }]);
});

test.each(['?status=UPLOADED', '?status=failed', '?company_id=1', '?cursor=1', '?limit=101'])(
  '%s is refused before any call',
  async (query) => {
    expect((await get(query)).status).toBe(400);
    expect(got).toEqual([]);
  },
);
