import type {
  DecisionFigures,
  GroupFigures,
  MonthFigures,
  ReportScanResponse,
} from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { Scan } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { families } from '@invoicecontrol/engine/explanation/catalogue';
import { z } from 'zod';
import { EXAMPLE_IDS } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import * as shown from '../../http/description/shown.js';
import { jsonOrCsv } from '../../http/response/list-reply.js';
import type { Columns } from '../../http/response/list-reply.js';

const AT_RISK =
  'The amount at risk from open findings of severity MEDIUM or higher, computed as in GET /v1/findings/summary: each invoice counts once, with the part that exceeds its confirmed amount.';

const decisionFigures = shown.record<DecisionFigures>()({
  decision: shown.word(
    z.enum(['PASS', 'REVIEW', 'BLOCK']).describe('The current decision on the invoices, after all reviews.'),
    'REVIEW',
  ),
  invoices: shown.count(1, 'The number of invoices of the history scan with this decision.'),
  amount: shown.text('1178.10', 'The total gross amount of these invoices that have an exchange rate.'),
});

const familyFigures = shown.record<GroupFigures>()({
  family: shown.text(
    'DUP',
    'The family of finding types. GET /v1/finding-types names the family of each type; more families may be added.',
    'key',
  ),
  findings: shown.count(1, 'The number of findings of this family, regardless of their disposition.'),
  invoices: shown.count(1, 'The number of invoices that the findings are about.'),
  amountAtRisk: shown.text('1178.10', AT_RISK),
});

const monthFigures = shown.record<MonthFigures>()({
  month: shown.text('2026-03', 'The month in which the invoices were issued.'),
  invoices: shown.count(2, 'The number of invoices of the history scan that were issued in this month.'),
  amount: shown.text('2356.20', 'The total gross amount of these invoices that have an exchange rate.'),
  amountAtRisk: shown.text('1178.10', AT_RISK),
});

const supplierFigures = shown.record<GroupFigures>()({
  supplierId: shown.id(EXAMPLE_IDS.supplier, 'The id of the supplier.', 'key'),
  supplierName: shown.text('Nordlicht Energie GmbH', 'The name of the supplier.', 'name'),
  findings: shown.count(1, 'The number of findings about the supplier, regardless of their disposition.'),
  invoices: shown.count(1, 'The number of invoices that the findings are about.'),
  amountAtRisk: shown.text('1178.10', AT_RISK),
});

interface Reported {
  readonly scan: Scan;
  readonly figures: ReportScanResponse;
}

const value = shown.record<Scan>()({
  analyzed: shown.text(
    '2356.20',
    'The total gross amount of the invoices that have an exchange rate.',
    'analyzedValue',
  ),
  currency: shown.text(
    'EUR',
    'The currency of all amounts in the report: the base currency of the organization when the scan was made.',
    'analyzedValueCurrency',
  ),
  unconverted: shown.count(
    0,
    'The number of invoices that have no exchange rate and are not part of any amount.',
    'unconvertedInvoices',
  ),
});

const savings = shown.record<Reported>()({
  potential: shown.made(
    z.string().describe('The amount of open findings of severity MEDIUM or higher, beyond the confirmed amount.'),
    ({ figures }: Reported) => figures.savingsPotential,
    '1178.10',
  ),
  confirmed: shown.made(
    z.string().describe('The amount of CONFIRMED and RESOLVED findings.'),
    ({ figures }: Reported) => figures.savingsConfirmed,
    '0.00',
  ),
  dismissed: shown.made(
    z
      .string()
      .describe(
        'The amount of FALSE_POSITIVE and ACCEPTED_RISK findings of severity MEDIUM or higher, beyond the confirmed and the potential amount.',
      ),
    ({ figures }: Reported) => figures.savingsDismissed,
    '0.00',
  ),
  currency: shown.made(
    z.string().describe('The currency of the amounts.'),
    ({ scan }: Reported) => scan.analyzedValueCurrency,
    'EUR',
  ),
});

const listOf = <S extends z.ZodObject, M>(
  { schema, present }: { readonly schema: S; readonly present: (message: M) => z.infer<S> },
  description: string,
  read: (figures: ReportScanResponse) => readonly M[],
  example: z.infer<S>,
) =>
  shown.made(z.array(schema).describe(description), ({ figures }: Reported) => read(figures).map(present), [example]);

const report = shown.record<Reported>('ScanReport')({
  scanId: shown.made(
    z.string().meta({ format: 'uuid' }).describe('The id of the history scan.'),
    ({ scan }: Reported) => scan.scanId,
    EXAMPLE_IDS.scan,
  ),
  value: shown.made(
    value.schema.describe('The value of the analyzed invoices.'),
    ({ scan }: Reported) => value.present(scan),
    { analyzed: '2356.20', currency: 'EUR', unconverted: 0 },
  ),
  byDecision: listOf(
    decisionFigures,
    'The invoices by their current decision: PASS, REVIEW and BLOCK.',
    ({ byDecision }) => byDecision,
    { decision: 'REVIEW', invoices: 1, amount: '1178.10' },
  ),
  byFamily: listOf(
    familyFigures,
    'The findings by family, largest amount at risk first. Families without findings are left out.',
    ({ byFamily }) => byFamily,
    { family: 'DUP', findings: 1, invoices: 1, amountAtRisk: '1178.10' },
  ),
  byMonth: listOf(
    monthFigures,
    'The invoices by the month in which they were issued, oldest first.',
    ({ byMonth }) => byMonth,
    { month: '2026-03', invoices: 2, amount: '2356.20', amountAtRisk: '1178.10' },
  ),
  topSuppliers: listOf(
    supplierFigures,
    'The 10 suppliers with the largest amounts at risk, largest first.',
    ({ topSuppliers }) => topSuppliers,
    {
      supplierId: EXAMPLE_IDS.supplier,
      supplierName: 'Nordlicht Energie GmbH',
      findings: 1,
      invoices: 1,
      amountAtRisk: '1178.10',
    },
  ),
  savings: shown.made(
    savings.schema.describe(
      'The amounts that the scan may save. No amount counts twice: a group of duplicates counts once, with the smallest gross amount of its invoices.',
    ),
    (reported: Reported) => savings.present(reported),
    { potential: '1178.10', confirmed: '0.00', dismissed: '0.00', currency: 'EUR' },
  ),
});

type Report = ReturnType<typeof report.present>;

/** A row of the report as CSV. Each figure of the report has one row. */
interface Row {
  readonly section: 'VALUE' | 'DECISION' | 'FAMILY' | 'MONTH' | 'SUPPLIER' | 'SAVINGS';
  readonly key: string;
  readonly name?: string;
  readonly findings?: number;
  readonly invoices?: number;
  readonly amount?: string;
  readonly amountAtRisk?: string;
}

function rowsOf({ value: total, byDecision, byFamily, byMonth, topSuppliers, savings: saved }: Report): Row[] {
  return [
    { section: 'VALUE', key: 'ANALYZED', amount: total.analyzed },
    { section: 'VALUE', key: 'UNCONVERTED', invoices: total.unconverted },
    ...byDecision.map(({ decision, ...row }): Row => ({ section: 'DECISION', key: decision, ...row })),
    ...byFamily.map(({ family, ...row }): Row => ({
      section: 'FAMILY',
      key: family,
      name: Object.entries(families).find(([key]) => key === family)?.[1] ?? family,
      ...row,
    })),
    ...byMonth.map(({ month, ...row }): Row => ({ section: 'MONTH', key: month, ...row })),
    ...topSuppliers.map(({ supplierId, supplierName, ...row }): Row => ({
      section: 'SUPPLIER',
      key: supplierId,
      name: supplierName,
      ...row,
    })),
    { section: 'SAVINGS', key: 'POTENTIAL', amount: saved.potential },
    { section: 'SAVINGS', key: 'CONFIRMED', amount: saved.confirmed },
    { section: 'SAVINGS', key: 'DISMISSED', amount: saved.dismissed },
  ];
}

const columnsIn = (currency: string): Columns<Row> => ({
  section: ({ section }) => section,
  key: ({ key }) => key,
  name: ({ name }) => name,
  findings: ({ findings }) => findings,
  invoices: ({ invoices }) => invoices,
  amount: ({ amount }) => amount,
  amount_at_risk: ({ amountAtRisk }) => amountAtRisk,
  currency: () => currency,
});

export const getScanReport = route({
  operation: 'getScanReport',
  method: 'get',
  path: '/scans/:scanId/report',
  summary: 'Read the report about a history scan',
  description:
    'Adds up the invoices and findings of the scan as they are after all reviews. The invoices and findings are those of GET /v1/invoices and GET /v1/findings with the filter `scan_id`.\n\nThe report is a CSV file (RFC 4180, UTF-8) with a heading row and one row for each figure if the request has `Accept: text/csv`. A cell that a spreadsheet would execute as a formula begins with an apostrophe.',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ReportScan',
  alsoAsks: ['invoicecontrol.scan.v1.ScanService/GetScan'],
  access: { scope: 'scans:read' },
  timeoutMs: 10_000,
  params: z.object({ scanId: pathId('scan', 'scan', 'history scan') }),
  responses: {
    200: {
      description: 'The report about the history scan.',
      schema: report.schema,
      mediaTypes: ['text/csv'],
      headers: ['Content-Disposition'],
    },
  },
  refusals: [409],
  async handle({ params, headers, isHead }, { scans, findings }) {
    const scan = stated((await scans.getScan({ scanId: params.scanId })).scan);
    const { scanId, analyzedValueCurrency: currency } = scan;
    const body = report.present({ scan, figures: await findings.reportScan({ scanId, currency }) });
    const file = { name: `scan-${scanId}`, rows: () => rowsOf(body), columns: columnsIn(currency) };
    return jsonOrCsv(body, file, { headers, isHead });
  },
});
