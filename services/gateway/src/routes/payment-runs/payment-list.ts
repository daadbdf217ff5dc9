import type { ListedPayment, PaymentList } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { schemaOfKind } from '@invoicecontrol/invoice/schema';
import * as kinds from '@invoicecontrol/invoice/kinds';
import { z } from 'zod';
import type { BodyLimits } from '../../http/body/body.js';
import { eachInTurns } from '../../http/body/turns.js';
import { validate } from '../../http/body/validate.js';
import { examples } from '../../http/description/examples.js';
import { calendarDay, nonNegativeAmount, text } from '../../http/description/fields.js';

/** Maximum number of payments in one payment run. The limit applies to a list of payments and to a file. */
const PAYMENTS_MAX = 10_000;
/** Maximum size of a file for the bank, and of a list of payments. */
export const PAYMENT_FILE_BYTES_MAX = 10 * 1024 * 1024;
/** Maximum length of the texts of a payment, which is longer than any text that a bank transfers. */
const PAYMENT_TEXT_LENGTH_MAX = 400;
const ID_LENGTH_MAX = 100;
const ACCOUNT_LENGTH_MAX = 64;
const INVOICE_NUMBERS_MAX = 200;

export const PAYMENT_LIST_LIMITS: BodyLimits = {
  bytesMax: PAYMENT_FILE_BYTES_MAX,
  valuesMax: 400_000,
  advice: `A payment run has at most ${PAYMENTS_MAX} payments. Send the remaining payments as further runs.`,
};

const payeeAccount = z
  .xor([
    text(ACCOUNT_LENGTH_MAX).describe('The IBAN of the payee.'),
    z.strictObject({ iban: text(ACCOUNT_LENGTH_MAX).describe('The IBAN of the payee.') }),
    z.strictObject({
      sort_code: schemaOfKind(kinds.ukSortCode).describe('The UK sort code of the account of the payee.'),
      account_number: schemaOfKind(kinds.ukAccountNumber).describe('The UK account number of the payee.'),
    }),
  ])
  .describe('The account of the payee: an IBAN, or an object with `iban`, or with `sort_code` and `account_number`.');

const payment = z.strictObject({
  id: text(ID_LENGTH_MAX).describe('The id of the payment, chosen by the caller and unique in the request.'),
  amount: nonNegativeAmount().describe('The amount of the payment.'),
  currency: schemaOfKind(kinds.currencyCode).describe('The currency of the payment, as an ISO 4217 code.'),
  creditor_name: text(PAYMENT_TEXT_LENGTH_MAX).optional().describe('The name of the payee.'),
  creditor_account: payeeAccount.optional(),
  creditor_tax_id: text(ID_LENGTH_MAX).optional().describe('The tax id of the payee.'),
  invoice_numbers: z
    .array(text(PAYMENT_TEXT_LENGTH_MAX))
    .max(INVOICE_NUMBERS_MAX)
    .optional()
    .describe('The numbers of the invoices and credit notes that the payment settles.'),
  ksef_number: text(ID_LENGTH_MAX).optional().describe('The KSeF number of the invoice that the payment settles.'),
  creditor_reference: text(ID_LENGTH_MAX).optional().describe('The reference of the payee, such as an RF reference.'),
  end_to_end_id: text(ID_LENGTH_MAX).optional().describe('The end-to-end id of the payment.'),
  remittance: text(PAYMENT_TEXT_LENGTH_MAX).optional().describe('The remittance text for the payee.'),
  execution_date: calendarDay().optional().describe('The date on which the payment is executed.'),
});

function listOf<P extends z.ZodType>(item: P) {
  return z.strictObject({
    execution_date: calendarDay()
      .optional()
      .describe('The execution date of the payments that state no date themselves.'),
    payments: z
      .array(item)
      .min(1)
      .max(PAYMENTS_MAX)
      .describe('The payments of the payment run, in the order in which they are checked.'),
  });
}

type ReadPaymentList = PaymentList;

const publishedList = listOf(payment)
  .meta({ id: 'PaymentRunRequest' })
  .register(examples, {
    example: {
      execution_date: '2026-03-20',
      payments: [
        {
          id: '4711',
          amount: '1166.20',
          currency: 'EUR',
          creditor_name: 'Nordlicht Energie GmbH',
          creditor_account: 'DE89 3704 0044 0532 0130 00',
          invoice_numbers: ['RE-2026-0101'],
        },
      ],
    },
  });
/** Published schema of a request with a list of payments. {@link checkPaymentList} reads the body. */
export const paymentListRequest = publishedList as z.ZodType as z.ZodType<ReadPaymentList>;
const listFrame = listOf(z.unknown());

/**
 * Reads the body of POST /payment-runs, with its payments in the form that the analysis service expects. Payments are
 * read one by one, so that other requests can run in between.
 * @throws DomainError invalid
 */
export async function checkPaymentList(body: unknown): Promise<ReadPaymentList> {
  const frame = validate(listFrame, withoutExcess(body), 'body');
  const payments: ListedPayment[] = [];
  await eachInTurns(frame.payments, (item, index) => {
    payments.push(listed(validate(payment, item, 'body', ['payments', index])));
  });
  return { payments, executionDate: frame.execution_date };
}

/**
 * If a list has more payments than the maximum, keeps only one payment more than the maximum. That is sufficient to
 * refuse the list.
 */
function withoutExcess(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { payments } = body as { payments?: unknown };
  return Array.isArray(payments) ? { ...body, payments: payments.slice(0, PAYMENTS_MAX + 1) } : body;
}

interface Account {
  readonly iban?: string;
  readonly sort_code?: string;
  readonly account_number?: string;
}

function listed(sent: z.infer<typeof payment>): ListedPayment {
  const { creditor_account: stated } = sent;
  const account: Account = typeof stated === 'string' ? { iban: stated } : (stated ?? {});
  return {
    id: sent.id.trim(),
    endToEndId: sent.end_to_end_id,
    amount: sent.amount,
    currency: sent.currency,
    creditorName: sent.creditor_name,
    creditorTaxId: sent.creditor_tax_id,
    iban: account.iban,
    sortCode: account.sort_code,
    accountNumber: account.account_number,
    invoiceNumbers: sent.invoice_numbers ?? [],
    ksefNumber: sent.ksef_number,
    creditorReference: sent.creditor_reference,
    remittance: sent.remittance,
    executionDate: sent.execution_date,
  };
}
