import { enumName } from '@invoicecontrol/contracts/enum-name';
import { SkipReason } from '@invoicecontrol/contracts/scan/v1/scan_service';
import type { Scan } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { checkScan, SCAN_BODY_LIMITS, scanRequest } from './scan-request.js';

const skippedRow = z.object({
  sourceRowNumber: z.int().describe('As the row was sent.'),
  externalId: z.string().describe('As the row was sent.'),
  reason: z
    .enum(['ALREADY_IMPORTED', 'DUPLICATE_EXTERNAL_ID_IN_FILE'])
    .describe('Whether an earlier scan imported the externalId, or an earlier row of this one has it.'),
});

const counts = z.record(z.string(), z.int().min(0));

/** A scan but for its skipped rows (specification 2.9). */
const scanFigures = {
  id: shownId().describe('The id of the scan.'),
  status: z.literal('COMPLETE').describe('Every row is analyzed or skipped.'),
  invoicesAnalyzed: z.int().min(1).describe('Rows that are invoices now.'),
  rowsSkipped: z.int().min(0).describe('Rows whose externalId was imported before, or earlier in the file.'),
  analyzedValue: z.string().describe('Gross value of the analyzed invoices that have an exchange rate.'),
  analyzedValueCurrency: z.string().describe('The base currency when the scan was made.'),
  unconvertedInvoices: z.int().min(0).describe('Analyzed invoices that have no exchange rate.'),
  decisionCounts: counts.describe('Analyzed invoices by decision.'),
  findingCounts: counts.describe('Findings by type.'),
};
const exampleFigures = {
  id: EXAMPLE_IDS.scan,
  status: 'COMPLETE' as const,
  invoicesAnalyzed: 2,
  rowsSkipped: 1,
  analyzedValue: '2356.20',
  analyzedValueCurrency: 'EUR',
  unconvertedInvoices: 0,
  decisionCounts: { PASS: 1, REVIEW: 1, BLOCK: 0 },
  findingCounts: { SUSPECTED_DUPLICATE: 1 },
};

const scan = z
  .object({ ...scanFigures, skippedRows: z.array(skippedRow).describe('The rows that were skipped.') })
  .meta({ id: 'Scan' })
  .register(examples, {
    example: {
      ...exampleFigures,
      skippedRows: [{ sourceRowNumber: 4, externalId: 'BILL-1001', reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' }],
    },
  });

/** In a list: skipped rows can be thousands in each scan. */
const scanSummary = z
  .object({
    ...scanFigures,
    companyId: shownId().describe('The company that was billed.'),
    createdAt: shownInstant().describe('When it was accepted.'),
  })
  .meta({ id: 'ScanSummary' })
  .register(examples, {
    example: { ...exampleFigures, companyId: EXAMPLE_IDS.company, createdAt: EXAMPLE_INSTANT },
  });

export const createScan = route({
  operation: 'createScan',
  method: 'post',
  path: '/scans',
  summary: 'Analyze historical invoices',
  rpc: 'invoicecontrol.scan.v1.ScanService/CreateScan',
  access: { scope: 'scans:write' },
  // The owner answers before: whether the rows are stored and worked on, or nothing of them is stored.
  timeoutMs: 130_000,
  body: scanRequest,
  bodyLimits: SCAN_BODY_LIMITS,
  checkBody: checkScan,
  honoursIdempotencyKey: true,
  ratePolicy: 'scans',
  responses: {
    201: { description: 'Every row is analyzed or skipped.', schema: scan, headers: ['Location'] },
  },
  refusals: [409],
  async handle({ body, fingerprint, idempotencyKey, principal }, { scans }): Promise<Reply> {
    const reply = await scans.createScan({
      companyId: body.companyId?.toLowerCase(),
      invoiceRows: body.rows,
      idempotencyKey,
      fingerprint,
      scanRowsPerMonthLimit: principal.limits?.scanRowsPerMonth,
    });
    const created = presentScan(stated(reply.scan));
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
  summary: 'List scans, newest first',
  rpc: 'invoicecontrol.scan.v1.ScanService/ListScans',
  access: { scope: 'scans:read' },
  query: pageQuery.extend({ company_id: uuid().optional().describe('Only scans for this company.') }),
  responses: { 200: { description: 'A page of scans, without their skipped rows.', schema: pageOf(scanSummary) } },
  async handle({ query }, { scans }): Promise<Reply> {
    const list = listRequest('listScans', query);
    const reply = await scans.listScans({
      ...list.request,
      companyId: query.company_id,
    });
    return { status: 200, body: list.page(reply.scans.map(presentSummary), reply.nextPageToken) };
  },
});

export const getScan = route({
  operation: 'getScan',
  method: 'get',
  path: '/scans/:scanId',
  summary: 'Read a scan',
  rpc: 'invoicecontrol.scan.v1.ScanService/GetScan',
  resourceName: 'scan',
  access: { scope: 'scans:read' },
  params: z.object({ scanId: pathId('scan') }),
  responses: { 200: { description: 'The scan.', schema: scan } },
  async handle({ params }, { scans }): Promise<Reply> {
    const reply = await scans.getScan({ scanId: params.scanId });
    return { status: 200, body: presentScan(stated(reply.scan)) };
  },
});

function presentFigures(message: Scan) {
  return {
    id: message.scanId,
    status: 'COMPLETE' as const,
    invoicesAnalyzed: message.invoicesAnalyzed,
    rowsSkipped: message.rowsSkipped,
    analyzedValue: message.analyzedValue,
    analyzedValueCurrency: message.analyzedValueCurrency,
    unconvertedInvoices: message.unconvertedInvoices,
    decisionCounts: message.decisionCounts,
    findingCounts: message.findingCounts,
  };
}

export function presentScan(message: Scan): z.infer<typeof scan> {
  const skippedRows = message.skippedRows.map(({ sourceRowNumber, externalId, reason }) => ({
    sourceRowNumber,
    externalId,
    reason: enumName(SkipReason, reason),
  }));
  return { ...presentFigures(message), skippedRows };
}

export function presentSummary(message: Scan): z.infer<typeof scanSummary> {
  return { ...presentFigures(message), companyId: message.companyId, createdAt: showInstant(message.createdTime) };
}
