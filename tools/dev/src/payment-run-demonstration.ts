// Demonstrates payment runs: two files for the bank, checked against the invoices of the demonstration.
import { createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { table } from './decision-table.js';
import { demonstrationInvoices } from './demonstration-invoices.js';

/** A payment of the demonstration, with the verdict that it gets and the reason for it. */
export interface DemonstrationPayment {
  readonly about: string;
  readonly verdict: 'PAY' | 'HOLD' | 'UNKNOWN';
  /** Code of the reason for which the payment is held. */
  readonly reason?: string;
  readonly payee: string;
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
  /** Invoice number that the payment names. */
  readonly number: string;
}

const NORDLICHT = { payee: 'Nordlicht Energie GmbH', account: 'DE89370400440532013000', currency: 'EUR' };
const THAMES = { payee: 'Thames Paper Ltd', account: 'GB29NWBK60161331926819', currency: 'GBP' };

/** Returns the payment of last week, and the eight payments of this week's payment run. */
export function demonstrationPayments(since: Date): {
  readonly before: readonly DemonstrationPayment[];
  readonly now: readonly DemonstrationPayment[];
} {
  const invoices = demonstrationInvoices(since);
  const numberOf = (about: string): string =>
    invoices.find((one) => one.about === about)?.invoice.invoice_number ?? unknownInvoice(about);
  const first = numberOf('a clean first invoice');
  const monthly = numberOf('the next month, clean');
  const paper = numberOf('a UK supplier, paid by IBAN');
  const last = { ...NORDLICHT, about: 'last week', verdict: 'PAY' as const, amount: '1166.20', number: first };
  return {
    before: [last],
    now: [
      { ...NORDLICHT, about: 'a bill in full', verdict: 'PAY', amount: '1190.00', number: monthly },
      { ...THAMES, about: 'a bill less 2 % discount', verdict: 'PAY', amount: '470.40', number: paper },
      { ...last, about: 'paid already, last week', verdict: 'HOLD', reason: 'PAID_ALREADY' },
      {
        ...NORDLICHT,
        about: 'the first bill once more',
        verdict: 'HOLD',
        reason: 'TWICE_IN_RUN',
        amount: '1190.00',
        number: monthly,
      },
      {
        ...NORDLICHT,
        about: 'a bill that was blocked',
        verdict: 'HOLD',
        reason: 'INVOICE_BLOCKED',
        account: 'LT121000011101001000',
        amount: '1201.90',
        number: numberOf('another account'),
      },
      {
        ...NORDLICHT,
        about: 'a copy that waits for a review',
        verdict: 'HOLD',
        reason: 'INVOICE_IN_REVIEW',
        amount: '1190.00',
        number: numberOf('a copy with a suffix'),
      },
      {
        ...THAMES,
        about: 'an account that was exchanged',
        verdict: 'HOLD',
        reason: 'ACCOUNT_DIFFERS',
        account: 'LT601010012345678901',
        amount: '498.00',
        number: numberOf('the same account as sort code'),
      },
      {
        about: 'a bill that nobody has',
        verdict: 'UNKNOWN',
        payee: 'Kanzlei Hofer',
        account: 'AT611904300234573201',
        amount: '249.90',
        currency: 'EUR',
        number: 'H-7731',
      },
    ],
  };
}

/**
 * Sends last week's payment file and downloads it, sends this week's file, and prints the verdict on each of its
 * payments. A repeated call shows the results of the first call.
 */
export async function demonstratePayments(
  baseUrl: string,
  apiKey: string,
  print: (line: string) => void,
): Promise<void> {
  const api = createClient({ baseUrl, apiKey });
  const since = new Date((await api.get('/organizations/current')).data.createdAt);
  const { before, now } = demonstrationPayments(since);
  const paid = await send(api, fileOf(before, { messageId: 'WEEK-1', since }));
  if (paid.downloads.length === 0) await api.file('/payment-runs/{runId}/file', { path: { runId: paid.id } });
  const run = await send(api, fileOf(now, { messageId: 'WEEK-2', since }));
  const { items } = (await api.get('/payment-runs/{runId}/lines', { path: { runId: run.id } })).data;
  const rows = items.map(({ creditorName, amount, currency, verdict, reasons }, index) => {
    const { about = '', number = '' } = now[index] ?? {};
    const codes = reasons.map(({ code }) => code).join(', ');
    return [about, number, creditorName ?? '', `${amount} ${currency}`, verdict, codes || '-'];
  });
  print('');
  print('A file with payments, checked before it goes to the bank:');
  for (const line of table([['', 'number', 'payee', 'amount', 'verdict', 'reasons'], ...rows])) print(line);
  print(`What may be paid: curl -s ${baseUrl}/payment-runs/${run.id}/file -H 'Authorization: Bearer ${apiKey}'`);
}

/** Sends a payment file. The same file is the same payment run, so a repeat returns the stored run. */
async function send(api: Client, text: string): Promise<Schemas['PaymentRun']> {
  return (await api.postXml('/payment-runs', Buffer.from(text))).data;
}

/** Writes payments as an ERP or a bank portal does, in the format pain.001. */
function fileOf(
  payments: readonly DemonstrationPayment[],
  { messageId, since }: { messageId: string; since: Date },
): string {
  const cents = payments.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
  const total = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
  const transactions = payments.map(
    ({ payee, account, amount, currency, number }, index) => `
      <CdtTrfTxInf>
        <PmtId><EndToEndId>${messageId}-${index + 1}</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>
        <Cdtr><Nm>${payee}</Nm></Cdtr>
        <CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct>
        <RmtInf><Ustrd>${number}</Ustrd></RmtInf>
      </CdtTrfTxInf>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>${messageId}</MsgId>
      <CreDtTm>${since.toISOString().slice(0, 19)}</CreDtTm>
      <NbOfTxs>${payments.length}</NbOfTxs>
      <CtrlSum>${total}</CtrlSum>
      <InitgPty><Nm>Demonstration Ltd</Nm></InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>${messageId}-A</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      <ReqdExctnDt><Dt>${since.toISOString().slice(0, 10)}</Dt></ReqdExctnDt>
      <Dbtr><Nm>Demonstration Ltd</Nm></Dbtr>
      <DbtrAcct><Id><IBAN>DE02500105170137075030</IBAN></Id></DbtrAcct>
      <DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>${transactions.join('')}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;
}

function unknownInvoice(about: string): never {
  throw new Error(`The demonstration has no invoice for the story: ${about}.`);
}
