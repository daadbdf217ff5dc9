import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type { Scan, SkippedRow } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { pathId, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { checkScan, SCAN_BODY_LIMITS, scanRequest } from './scan-request.js';

const skippedRow = shown.record<SkippedRow>()({
  sourceRowNumber: shown.field(
    z.int().describe('The number of the skipped row in the file of the caller, as sent.'),
    4,
  ),
  externalId: shown.text('BILL-1001', 'The externalId of the skipped row, as sent.'),
  reason: shown.name(
    z
      .enum(['ALREADY_IMPORTED', 'DUPLICATE_EXTERNAL_ID_IN_FILE'])
      .describe(
        'The reason why the row of the history scan was skipped: ALREADY_IMPORTED (an earlier scan imported the externalId) or DUPLICATE_EXTERNAL_ID_IN_FILE (an earlier row of the same scan has the externalId).',
      ),
    SkipReason,
    'DUPLICATE_EXTERNAL_ID_IN_FILE',
  ),
});

const counts = z.record(z.string(), z.int().min(0));

/** Fields of a history scan without its skipped rows (specification 2.9). */
const scanFields = {
  id: shown.id(EXAMPLE_IDS.scan, 'The id of the history scan.', 'scanId'),
  status: shown.made(
    z
      .literal('COMPLETE')
      .describe('The status of the history scan. Always COMPLETE, which means that every row is analyzed or skipped.'),
    () => 'COMPLETE' as const,
    'COMPLETE',
  ),
  invoicesAnalyzed: shown.field(
    z.int().min(1).describe('The number of rows of the history scan that were analyzed as invoices.'),
    2,
  ),
  rowsSkipped: shown.count(
    1,
    'The number of rows of the history scan that were skipped because their externalId was already imported or appeared earlier in the file.',
  ),
  analyzedValue: shown.text('2356.20', 'The total gross amount of the analyzed invoices that have an exchange rate.'),
  analyzedValueCurrency: shown.text(
    'EUR',
    'The currency of the analyzed value: the base currency of the organization when the scan was made.',
  ),
  unconvertedInvoices: shown.count(
    0,
    'The number of invoices of the history scan that have no exchange rate and are not part of the analyzed value.',
  ),
  decisionCounts: shown.field(counts.describe('The number of invoices of the history scan for each decision.'), {
    PASS: 1,
    REVIEW: 1,
    BLOCK: 0,
  }),
  findingCounts: shown.field(counts.describe('The number of findings of the history scan for each finding type.'), {
    SUSPECTED_DUPLICATE: 1,
  }),
};

export const scan = shown.record<Scan>('Scan')({
  ...scanFields,
  skippedRows: shown.list(skippedRow, 'The rows of the history scan that were skipped.'),
});

/** A history scan in a list, without its skipped rows, because there may be thousands of them. */
export const scanSummary = shown.record<Scan>('ScanSummary')({
  ...scanFields,
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company to which the invoice is addressed.'),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the history scan was accepted.', 'createdTime'),
});

export const createScan = route({
  operation: 'createScan',
  method: 'post',
  path: '/scans',
  summary: 'Scan historical invoices',
  description:
    'Analyzes the rows as past invoices and responds when all rows are analyzed: within seconds for a few hundred rows, and within two minutes for 5,000. If the time is not sufficient, the response is 504 and the analysis continues; a repeated request with the same Idempotency-Key returns its result.',
  rpc: 'invoicecontrol.scan.v1.ScanService/CreateScan',
  access: { scope: 'scans:write' },
  // The history scan service responds earlier than this timeout: either the rows are stored and being analyzed, or no
  // row is stored.
  timeoutMs: 130_000,
  body: scanRequest,
  bodyLimits: SCAN_BODY_LIMITS,
  checkBody: checkScan,
  honoursIdempotencyKey: true,
  ratePolicy: 'scans',
  responses: {
    201: {
      description: 'The completed history scan, in which every row is analyzed or skipped.',
      schema: scan.schema,
      headers: ['Location'],
    },
  },
  refusals: [409],
  async handle({ body, fingerprint, idempotencyKey }, { scans }) {
    const reply = await scans.createScan({
      companyId: body.companyId?.toLowerCase(),
      invoiceRows: body.rows,
      idempotencyKey,
      fingerprint,
    });
    const created = scan.present(stated(reply.scan));
    return {
      status: 201,
      body: created,
      headers: {
        Location: `/v1/scans/${created.id}`,
        ...(reply.replayed ? { 'Idempotency-Replayed': 'true' } : {}),
      },
    };
  },
});

export const listScans = route({
  operation: 'listScans',
  method: 'get',
  path: '/scans',
  summary: 'List history scans, newest first',
  rpc: 'invoicecontrol.scan.v1.ScanService/ListScans',
  access: { scope: 'scans:read' },
  query: pageQuery.extend({
    company_id: uuid()
      .optional()
      .describe('Return only history scans of invoices that were billed to the company with this id.'),
  }),
  responses: {
    200: {
      description: 'A page of history scans, without their skipped rows.',
      schema: pageOf('history scans', scanSummary.schema),
    },
  },
  async handle({ query }, { scans }) {
    const list = listRequest('listScans', query);
    const reply = await scans.listScans({
      ...list.request,
      companyId: query.company_id,
    });
    return { status: 200, body: list.page(reply.scans.map(scanSummary.present), reply.nextPageToken) };
  },
});

export const getScan = route({
  operation: 'getScan',
  method: 'get',
  path: '/scans/:scanId',
  summary: 'Read a history scan',
  rpc: 'invoicecontrol.scan.v1.ScanService/GetScan',
  access: { scope: 'scans:read' },
  params: z.object({ scanId: pathId('scan', 'scan', 'history scan') }),
  responses: { 200: { description: 'The history scan that was requested.', schema: scan.schema } },
  async handle({ params }, { scans }) {
    const reply = await scans.getScan({ scanId: params.scanId });
    return { status: 200, body: scan.present(stated(reply.scan)) };
  },
});
