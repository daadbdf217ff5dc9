import { DomainError } from '@invoicecontrol/errors';
import type { Connection } from './connection.js';
import { credentialNames, lackOf } from './permissions.js';

/** Fault in the bytes or the content of a document, found before KSeF is called (KSeF reference, section 9). */
export type DocumentFault =
  | 'NOT_FA3'
  | 'BYTE_ORDER_MARK'
  | 'OTHER_ENCODING'
  | 'PROCESSING_INSTRUCTION'
  | 'FORBIDDEN_CHARACTER'
  | 'DOCTYPE'
  | 'ATTACHMENT';

/** Facts about an FA(3) document that decide whether it can be submitted to KSeF. */
export interface DocumentFacts {
  /** SHA-256 hash of the submitted document in base64. */
  readonly hash: string;
  readonly byteSize: number;
  readonly faults: readonly DocumentFault[];
  readonly sellerNip: string;
  readonly kind: string;
  readonly number: string;
  readonly issueDate: string;
}

export const DOCUMENT_BYTES_MAX = 1_000_000;

const sentences: Readonly<Record<DocumentFault, string>> = {
  NOT_FA3:
    'The document of the invoice is not FA(3) XML. Upload the FA(3) file of the invoice and submit the invoice from that upload.',
  BYTE_ORDER_MARK:
    'The document begins with a byte order mark, which KSeF refuses. Save the document as UTF-8 without a byte order mark and upload it again.',
  OTHER_ENCODING:
    'The document is not encoded in UTF-8, or declares another encoding. Save the document as UTF-8 and upload it again.',
  PROCESSING_INSTRUCTION:
    'The document has a processing instruction, which KSeF refuses. Remove it and upload the document again.',
  FORBIDDEN_CHARACTER:
    'The document contains a character that KSeF refuses. Remove all control characters and upload the document again.',
  DOCTYPE: 'The document has a DOCTYPE, which KSeF refuses. Remove it and upload the document again.',
  ATTACHMENT:
    'The document has an attachment (Zalacznik), which KSeF accepts only in batches. Submit the document without the attachment.',
};

/**
 * Requires a KSeF connection with which invoices can be submitted: it is CONNECTED, and it may issue invoices.
 * @throws DomainError wrong_state, which explains what to change
 */
export function requireSender(connection: Pick<Connection, 'status' | 'authentication' | 'readOnlySince'>): void {
  const fault = faultOfSender(connection);
  if (fault !== undefined) throw new DomainError('wrong_state', fault);
}

function faultOfSender({
  status,
  authentication,
  readOnlySince,
}: Parameters<typeof requireSender>[0]): string | undefined {
  switch (status) {
    case 'PENDING':
      return `The status of the connection is PENDING because its ${credentialNames[authentication]} has not been tested. Test the connection (POST .../test), and submit the invoice when the status is CONNECTED.`;
    case 'ERROR':
      return 'The status of the connection is ERROR; its `lastErrorMessage` states the reason. Remove the cause or save a new token or certificate, test the connection, and submit the invoice when the status is CONNECTED.';
    case 'DISABLED':
      return 'The connection is DISABLED. Save the connection again with a token or a certificate (POST /v1/ksef-connections), test it, and submit the invoice when the status is CONNECTED.';
    case 'CONNECTED':
      return readOnlySince === undefined
        ? undefined
        : `${lackOf('InvoiceWrite', authentication)}, so the connection can only receive invoices. Grant InvoiceWrite in KSeF, test the connection (POST .../test), then submit the invoice.`;
  }
}

/**
 * Refuses an FA(3) document that KSeF would refuse.
 * @param polishDay today in Poland, `YYYY-MM-DD`
 * @throws DomainError wrong_state
 */
export function requireSendable(facts: DocumentFacts, polishDay: string): void {
  const [fault] = facts.faults;
  if (fault !== undefined) throw new DomainError('wrong_state', sentences[fault]);
  if (facts.byteSize > DOCUMENT_BYTES_MAX) {
    throw new DomainError(
      'wrong_state',
      `The document has ${facts.byteSize} bytes; KSeF accepts at most ${DOCUMENT_BYTES_MAX}. Split the invoice.`,
    );
  }
  if (facts.issueDate > polishDay) {
    throw new DomainError(
      'wrong_state',
      `The issue date of the invoice, ${facts.issueDate}, is in the future in Poland. Submit the invoice on that day or later.`,
    );
  }
}

/** Hours by which Polish time, which KSeF uses, is ahead of UTC, in summer and in winter. */
const POLISH_HOURS = [2, 1];

/**
 * Returns the time at which a day ends in Poland.
 * @param day `YYYY-MM-DD`
 */
export function endOfPolishDay(day: string): Date {
  const utcMs = Date.parse(`${day}T24:00:00Z`);
  const [summer = utcMs, winter = utcMs] = POLISH_HOURS.map((hours) => utcMs - hours * 3_600_000);
  // In winter, the end of the day computed with summer time is still 23:00 of the given day in Poland. The end computed
  // with winter time is then correct.
  return new Date(polishDayOf(new Date(summer)) > day ? summer : winter);
}

/** Returns the current day in Poland as `YYYY-MM-DD`, which KSeF compares with issue dates. */
export function polishDayOf(at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw', dateStyle: 'short' }).format(at);
}
