import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GetDocumentFieldsResponse } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { notFound } from '@invoicecontrol/errors';
import { EXAMPLE_IDS } from '../../http/description/examples.js';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const analyst = keyNamed('analyst');
const invoiceId = EXAMPLE_IDS.invoice;
const none = { raw: undefined, page: undefined, xpath: undefined, correctedBy: undefined, correctedTime: undefined };

let gateway: RunningGateway;
let asked: unknown[];
let answer: GetDocumentFieldsResponse;

beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(new Map([[analyst, principal({ role: 'ANALYST', scopes: ['documents:read'] })]])),
    uploadAnalyses: {
      getDocumentFields(request) {
        asked.push(request);
        return request.invoiceId === invoiceId ? Promise.resolve(answer) : Promise.reject(notFound('upload'));
      },
    },
  });
});
beforeEach(() => {
  asked = [];
});
afterAll(() => gateway.stop());

async function get(id: string) {
  const response = await fetch(`${gateway.origin}/v1/invoices/${id}/document/fields`, {
    headers: { authorization: `Bearer ${analyst}` },
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

describe('GET /invoices/{id}/document/fields', () => {
  test('shows every page, and each field with its place and its origin', async () => {
    const correctedTime = new Date('2026-03-01T12:00:00Z');
    answer = {
      pages: 2,
      fields: [
        {
          ...none,
          field: 'gross_amount',
          value: '1190.00',
          raw: '1.190,00',
          page: 2,
          box: [0.1, 0.2, 0.3, 0.4],
          confidence: 0.97,
          method: 'LABEL',
        },
        {
          ...none,
          field: 'due_date',
          value: '2026-04-01',
          box: [],
          confidence: 1,
          method: 'USER',
          correctedBy: 'USER:1',
          correctedTime,
        },
      ],
    };
    expect(await get(invoiceId)).toEqual({
      status: 200,
      body: {
        pages: [{ page: 1 }, { page: 2 }],
        fields: {
          gross_amount: {
            value: '1190.00',
            raw: '1.190,00',
            page: 2,
            box: [0.1, 0.2, 0.3, 0.4],
            confidence: 0.97,
            method: 'LABEL',
            xpath: null,
          },
          due_date: {
            value: '2026-04-01',
            raw: null,
            page: null,
            box: null,
            confidence: 1,
            method: 'USER',
            xpath: null,
            correctedBy: 'USER:1',
            correctedAt: '2026-03-01T12:00:00.000Z',
          },
        },
      },
    });
    expect(asked).toEqual([{ organizationId: ORGANIZATION_ID, invoiceId }]);
  });

  test('is empty for a document that could not be read', async () => {
    answer = { pages: 0, fields: [] };
    expect(await get(invoiceId)).toEqual({ status: 200, body: { pages: [], fields: {} } });
  });

  test('lists at most 10,000 pages, also of a document that states a billion', async () => {
    for (const pages of [10_000, 10_001, 1_000_000_000]) {
      answer = { pages, fields: [] };
      const { status, body } = await get(invoiceId);
      expect([status, (body as { pages: unknown[] }).pages.length]).toEqual([200, 10_000]);
    }
  });

  test('of an invoice without a document, of another organization and of nothing look the same', async () => {
    for (const id of [EXAMPLE_IDS.company, 'not-an-id']) {
      expect(await get(id)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND', message: 'No such invoice.' } },
      });
    }
  });
});
