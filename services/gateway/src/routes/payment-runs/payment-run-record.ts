import type {
  BookedPayment,
  CheckedPayment,
  PaidInvoice,
  PaymentCandidate,
  PaymentDownload,
  PaymentNotice,
  PaymentOutcome,
  PaymentReason,
  PaymentRelease,
  PaymentRun,
  PaymentSum,
  VerdictCount,
} from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID } from '../../http/description/examples.js';
import * as shown from '../../http/description/shown.js';

const EXAMPLE_ACTOR = `API_KEY:${EXAMPLE_KEY_ID}`;

const sum = shown.record<PaymentSum>()({
  currency: shown.text('EUR', 'The currency of the payments, as an ISO 4217 code.'),
  amount: shown.text('1166.20', 'The sum of all payments of the payment run that are made in this currency.'),
});

const verdictCount = shown.record<VerdictCount>('PaymentVerdictCount')({
  count: shown.count(
    1,
    'The number of payment lines that have the verdict of the parent object: pay, hold or unknown.',
  ),
  sums: shown.list(
    sum,
    'The sums of the payment lines that have the verdict of the parent object, one for each currency.',
  ),
});

const download = shown.record<PaymentDownload>()({
  at: shown.instant(EXAMPLE_INSTANT, 'The time when the payment file was downloaded.', 'downloadTime'),
  by: shown.text(EXAMPLE_ACTOR, 'The person or the API key that downloaded the payment file.', 'downloadedBy'),
  count: shown.count(1, 'The number of payment lines in the downloaded file.'),
});

export const paymentRun = shown.record<PaymentRun>('PaymentRun')({
  id: shown.id(EXAMPLE_IDS.run, 'The id of the payment run.', 'runId'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company that pays.'),
  status: shown.made(
    z
      .literal('CHECKED')
      .describe('The status of the payment run. Always CHECKED, which means that every line has a verdict.'),
    () => 'CHECKED' as const,
    'CHECKED',
  ),
  source: shown.word(
    z
      .enum(['PAIN_001', 'JSON'])
      .describe(
        'The form in which the payment run was sent: PAIN_001 (a file for the bank) or JSON (a list of payments).',
      ),
    'PAIN_001',
  ),
  lineCount: shown.count(3, 'The number of lines of the payment run.'),
  pay: shown.part(verdictCount, 'The lines of the payment run that may be paid.'),
  hold: shown.part(verdictCount, 'The lines of the payment run that are held, each for at least one reason.'),
  unknown: shown.part(verdictCount, 'The lines of the payment run that could not be matched with an invoice.'),
  executionDate: shown.orNull(
    z.string().meta({ format: 'date' }),
    '2026-03-20',
    'The earliest date on which payments of the payment run are executed, or null if no line states a date.',
  ),
  downloads: shown.list(
    download,
    'The downloads of the payment file, oldest first. A download with `repeat` or `verdict` is not listed.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the payment run was received.', 'createdTime'),
});

const comparison = z.object({
  field: z.string().describe('The compared field of the payment, such as `creditor_account` or `amount`.'),
  invoiceId: z.string().optional().describe('The id of the invoice with which the payment was compared.'),
  line: z
    .string()
    .nullable()
    .describe('The value of the field in the payment, or null if the payment does not state the field.'),
  record: z
    .string()
    .nullable()
    .describe(
      'The value of the field in the invoice or vendor, or null if the invoice or vendor does not have the field.',
    ),
});
const evidence = z
  .object({
    comparisons: z
      .array(comparison)
      .describe(
        'The values of the payment, each with the value of the invoice or vendor with which the payment was compared.',
      ),
    explanation: z
      .array(z.string())
      .describe('Sentences for people about the reason to hold the payment, each about one fact.'),
  })
  .describe('The evidence for the reason to hold the payment.');

const EXAMPLE_EVIDENCE = {
  comparisons: [
    {
      field: 'creditor_account',
      invoiceId: EXAMPLE_IDS.invoice,
      line: 'DE02**************0006',
      record: 'DE89**************3000',
    },
  ],
  explanation: ['Invoice RE-2026-0101 states the account DE89**************3000.'],
};

const reason = shown.record<PaymentReason>('PaymentReason')({
  code: shown.text(
    'ACCOUNT_DIFFERS',
    'The code of the reason to hold the payment, such as ACCOUNT_DIFFERS. Clients should branch on this code; more codes may be added.',
  ),
  summary: shown.text(
    'The payment goes to DE02**************0006. Invoice RE-2026-0101 names DE89**************3000.',
    'A sentence that states why the payment is held.',
  ),
  evidence: shown.made(
    evidence,
    ({ evidenceJson }: PaymentReason) => JSON.parse(evidenceJson) as z.infer<typeof evidence>,
    EXAMPLE_EVIDENCE,
  ),
});

const notice = shown.record<PaymentNotice>('PaymentNotice')({
  code: shown.text('NOT_DUE', 'The code of a remark about the payment, such as NOT_DUE. More codes may be added.'),
  summary: shown.text(
    'Invoice RE-2026-0101 is due on 2026-04-04, after the payment on 2026-03-20.',
    'A sentence for people that states what to notice about the payment.',
  ),
});

const paidInvoice = shown.record<PaidInvoice>()({
  invoiceId: shown.id(EXAMPLE_IDS.invoice, 'The id of the invoice that the payment line pays.'),
  invoiceNumber: shown.text('RE-2026-0101', 'The number of the invoice that the payment line pays.'),
  amount: shown.text(
    '1166.20',
    'The part of the line that pays the invoice, in the currency of the invoice. Negative for a credit note.',
  ),
});

const candidate = shown.record<PaymentCandidate>()({
  invoiceId: shown.id(EXAMPLE_IDS.relatedInvoice, 'The id of an invoice that resembles the payment.'),
  whyNot: shown.text(
    'OTHER_AMOUNT',
    'The reason why the payment line was not matched with the invoice: OTHER_NUMBER, OTHER_AMOUNT, OTHER_SUPPLIER or WITHDRAWN.',
  ),
});

const release = shown.record<PaymentRelease>('PaymentRelease')({
  by: shown.text(EXAMPLE_ACTOR, 'The person or the API key that released the payment line.', 'releasedBy'),
  at: shown.instant(EXAMPLE_INSTANT, 'The time when the payment line was released.', 'releaseTime'),
  note: shown.text(
    'The supplier confirmed the new account by telephone.',
    'The note of the person who released the payment line.',
  ),
  confirmed: shown.flag(
    true,
    'Whether the release of the payment needs no further confirmation. False while a second person must confirm it.',
  ),
  confirmedBy: shown.optional(
    z.string(),
    undefined,
    'The second person who confirmed the release of the payment line.',
  ),
  inForce: shown.flag(
    true,
    'Whether the released payment line may be paid. False while the release waits, and after a later check found a worse result.',
  ),
});

const booked = shown.record<BookedPayment>('BookedPayment')({
  paymentId: shown.text('0198a000-0000-5000-8000-0000000000d1', 'The id of the payment in the ERP data.'),
  amount: shown.text('1166.20', 'The amount of the payment.'),
  currency: shown.text('EUR', 'The currency of the payment, as an ISO 4217 code.'),
  date: shown.text('2026-03-21', 'The date of the payment in the ERP.'),
});

const outcome = shown.record<PaymentOutcome>('PaymentOutcome')({
  status: shown.text(
    'ACSC',
    'The status of the payment that the bank reported, such as ACSC (settled) or RJCT (rejected). BOOKED if the bank reported no status and an ERP recorded the payment.',
  ),
  reasonCodes: shown.field(
    z.array(z.string()).describe('The codes of the reasons that the bank reported for the status of the payment.'),
    [],
  ),
  payeeCheck: shown.text(
    'MATCH',
    'The result of the verification of the payee by the bank: MATCH, CLOSE_MATCH, NO_MATCH or NOT_POSSIBLE. Empty if the bank reported no result.',
  ),
  payeeName: shown.optional(z.string(), undefined, 'The name of the payee that the bank reported.'),
  at: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the report was received, or null if the bank reported nothing.',
    'reportTime',
  ),
  booked: shown.list(booked, 'The payments in ERPs in which the payment line was recorded.'),
});

export const paymentLine = shown.record<CheckedPayment>('PaymentLine')({
  id: shown.text(
    '1.1',
    'The id of the line in its payment run: the `id` of a JSON payment, or the positions of the block and of the transaction in the file, such as `2.7`.',
    'lineId',
  ),
  position: shown.field(z.int().min(1).describe('The position of the payment line in the file, from 1.'), 1),
  endToEndId: shown.orNull(z.string(), 'NOTPROVIDED', 'The end-to-end id of the payment, or null if it has none.'),
  amount: shown.text('1166.20', 'The amount of the payment.'),
  currency: shown.text('EUR', 'The currency of the payment, as an ISO 4217 code.'),
  creditorName: shown.orNull(z.string(), 'Nordlicht Energie GmbH', 'The name of the payee, or null if not stated.'),
  creditorAccount: shown.orNull(
    z.string(),
    'DE89**************3000',
    'The masked account of the payee, or null for a payment without an account.',
  ),
  remittance: shown.field(
    z.array(z.string()).describe('The remittance text for the payee, with bank accounts masked.'),
    ['RE-2026-0101'],
  ),
  verdict: shown.word(
    z
      .enum(['PAY', 'HOLD', 'UNKNOWN'])
      .describe(
        'The verdict on the payment: PAY (nothing speaks against the payment), HOLD (at least one reason holds the payment) or UNKNOWN (the payment could not be matched with an invoice).',
      ),
    'PAY',
  ),
  reasons: shown.list(reason, 'The reasons for which the payment is held. Empty if the verdict is PAY.', {
    example: [],
  }),
  notices: shown.list(notice, 'Remarks about the payment that are no reason to hold it.'),
  invoices: shown.list(paidInvoice, 'The invoices that the payment line pays.'),
  candidates: shown.list(
    candidate,
    'The invoices that resemble the payment most, if the payment could not be matched with an invoice.',
    {
      example: [],
    },
  ),
  release: shown.partOrNull(release, 'The release of the payment line by a person, or null if there is none.'),
  outcome: shown.partOrNull(
    outcome,
    'The outcome of the payment, or null if neither the bank reported a status nor an ERP recorded the payment.',
  ),
  givenAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the payment line was first downloaded in a payment file, or null if it was not downloaded.',
    'givenTime',
  ),
});
