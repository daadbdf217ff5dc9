import { PaymentRunServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import type {
  CheckedPayment,
  CreatePaymentRunRequest,
  PaymentRun as WirePaymentRun,
} from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal } from '@invoicecontrol/values/decimal-amount';
import type { CreateRun, CreateRunInput } from '../../application/create-run.js';
import type { RunChanges } from '../../application/change-run.js';
import type { ReleaseLine } from '../../application/release-line.js';
import type { ReportStatuses } from '../../application/report-statuses.js';
import type { RunReader, ShownLine } from '../../application/read-runs.js';
import type { PaymentRun } from '../../domain/run.js';
import type { Verdict } from '../../domain/verdict.js';
import { maskedAccounts } from '../../domain/masked-accounts.js';

interface Deps {
  readonly createRun: CreateRun;
  readonly changes: RunChanges;
  readonly releaseLine: ReleaseLine;
  readonly reportStatuses: ReportStatuses;
  readonly reader: RunReader;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.PaymentRunService. */
export function paymentRunService({ createRun, changes, releaseLine, reportStatuses, reader }: Deps): Binding {
  return bind(PaymentRunServiceDefinition, {
    async createPaymentRun(request, context) {
      const { organizationId, companyId, idempotencyKey, fingerprint } = request;
      const { run, isReplayed } = await createRun(
        {
          organizationId,
          companyId,
          idempotencyKey: idempotencyKey === '' ? undefined : idempotencyKey,
          fingerprint,
          monthlyLimit: limitOf(context, 'paymentLinesPerMonth'),
          payments: readPayments(request),
        },
        context,
      );
      return { run: encodeRun(run), replayed: isReplayed };
    },
    async getPaymentRun({ organizationId, runId }) {
      return { run: encodeRun(await reader.get(organizationId, runId)) };
    },
    async listPaymentRuns(request) {
      const { organizationId, companyId } = request;
      const { items, nextPageToken } = await reader.list(organizationId, { companyId, ...readPageRequest(request) });
      return { runs: items.map(encodeRun), nextPageToken };
    },
    async listPaymentLines({ organizationId, runId, pageSize, pageToken, verdict }) {
      const { size, after } = readPageRequest({ pageSize, pageToken });
      const query = { size, after: after?.order ?? 0, verdict: readVerdict(verdict) };
      const { items, nextPageToken } = await reader.lines(organizationId, runId, query);
      return { lines: items.map(encodeLine), nextPageToken };
    },
    async recheckPaymentRun(request, context) {
      return { run: encodeRun(await changes.recheck(request, context)) };
    },
    async downloadPaymentFile({ organizationId, runId, verdict, repeat }, context) {
      const of = { organizationId, runId };
      const withheld = readVerdict(verdict);
      if (withheld !== undefined && repeat > 0) {
        throw invalidField(
          'verdict',
          'must not be sent together with repeat, because an earlier download contains only lines to pay.',
        );
      }
      const { bytes, count, fileName } =
        withheld === 'HOLD' || withheld === 'UNKNOWN'
          ? await changes.withheld(of, withheld, context)
          : repeat > 0
            ? await changes.repeat(of, repeat, context)
            : await changes.download(of, context);
      return { content: Buffer.from(bytes), count, fileName };
    },
    async releasePaymentLine(request, context) {
      const { run, line, isPending } = await releaseLine(request, context);
      return { line: encodeLine(await reader.shown(run, line)), pending: isPending };
    },
    async reportPaymentStatuses({ organizationId, runId, pain002: bytes }, context) {
      const { run, lines, isReplayed } = await reportStatuses({ organizationId, runId, bytes }, context);
      return { run: encodeRun(run), lines, replayed: isReplayed };
    },
  });
}

function readPayments({ payments }: CreatePaymentRunRequest): CreateRunInput['payments'] {
  switch (payments?.$case) {
    case 'pain001':
      return { source: 'PAIN_001', bytes: payments.value };
    case 'list':
      return { source: 'JSON', list: payments.value };
    case undefined:
      throw invalidField('payments', 'must have at least 1 item.');
  }
}

/** Status of a payment that an ERP recorded, and about which the bank reported nothing. */
const BOOKED = 'BOOKED';

const verdicts: readonly Verdict[] = ['PAY', 'HOLD', 'UNKNOWN'];

function readVerdict(text: string): Verdict | undefined {
  if (text === '') return undefined;
  const verdict = verdicts.find((one) => one === text);
  if (verdict === undefined) throw invalidField('verdict', `must be one of ${verdicts.join(', ')}.`);
  return verdict;
}

function encodeRun(run: PaymentRun): WirePaymentRun {
  const { runId, companyId, source, lineCount, counts, executionDate, downloads, createdAt, messageId } = run;
  const encodeCount = ({ count, sums }: PaymentRun['counts'][Verdict]) => ({ count, sums: [...sums] });
  return {
    runId,
    companyId,
    source,
    lineCount,
    pay: encodeCount(counts.PAY),
    hold: encodeCount(counts.HOLD),
    unknown: encodeCount(counts.UNKNOWN),
    executionDate,
    downloads: downloads.map(({ at, by, count }) => ({ downloadTime: at, downloadedBy: by, count })),
    createdTime: createdAt,
    messageId,
  };
}

function encodeLine({ line, result, release, outcome, booked, givenAt }: ShownLine): CheckedPayment {
  return {
    lineId: line.lineId,
    position: line.position,
    endToEndId: line.endToEndId,
    amount: line.amount,
    currency: line.currency,
    creditorName: line.creditorName,
    creditorAccount: line.creditorAccount?.masked,
    verdict: result.verdict,
    reasons: result.reasons.map(({ code, summary, evidence }) => ({
      code,
      summary,
      evidenceJson: JSON.stringify(evidence),
    })),
    notices: result.notices.map(({ code, summary }) => ({ code, summary })),
    invoices: result.invoices.map(({ invoiceId, invoiceNumber, amountMinor, currency }) => ({
      invoiceId,
      invoiceNumber,
      amount: minorToDecimal(BigInt(amountMinor), minorUnitsOf(currency)),
      currency,
    })),
    candidates: result.candidates.map(({ invoiceId, whyNot }) => ({ invoiceId, whyNot })),
    release: release && {
      releasedBy: release.by,
      releaseTime: release.at,
      note: release.note,
      confirmed: !release.needsConfirmation || release.confirmedBy !== undefined,
      confirmedBy: release.confirmedBy,
      confirmTime: release.confirmedAt,
      inForce: release.isInForce,
    },
    outcome:
      outcome === undefined && booked.length === 0
        ? undefined
        : {
            status: outcome?.status ?? BOOKED,
            reasonCodes: [...(outcome?.reasonCodes ?? [])],
            payeeCheck: outcome?.payeeCheck?.result ?? '',
            payeeName: outcome?.payeeCheck?.name,
            reportTime: outcome?.reportedAt,
            booked: booked.map(({ paymentId, amountMinor, currency, date }) => ({
              paymentId,
              amount: minorToDecimal(BigInt(amountMinor), minorUnitsOf(currency)),
              currency,
              date,
            })),
          },
    remittance: line.texts.map(maskedAccounts),
    givenTime: givenAt,
  };
}
