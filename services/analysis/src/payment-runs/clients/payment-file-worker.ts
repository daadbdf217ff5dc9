// Worker thread that reads and writes payment files. The thread keeps no state and can access nothing except the file
// in its task.
import { identifiersOfPart } from '@invoicecontrol/payment-files/identifiers-of-part';
import { outcomesOfReport } from '@invoicecontrol/payment-files/outcomes-of-report';
import { PaymentFileRefused } from '@invoicecontrol/payment-files/payment-file-refused';
import type { RefusalReason } from '@invoicecontrol/payment-files/payment-file-refused';
import { readPaymentFile } from '@invoicecontrol/payment-files/read-payment-file';
import { readStatusReport } from '@invoicecontrol/payment-files/read-status-report';
import { writePaymentFile } from '@invoicecontrol/payment-files/write-payment-file';
import { linesOfFile } from '../application/lines-of-file.js';
import type { PartOfFile, ReportedLine } from '../application/payment-files.js';
import { hasBit } from '../domain/run.js';
import type { GivenLines } from '../domain/run.js';

/**
 * Number of payment lines in one piece of the result of a worker thread. The main thread reads the pieces one by one,
 * because reading all lines at once would delay other requests.
 */
const LINES_PER_PIECE = 250;

export type FileTask =
  | { readonly kind: 'READ'; readonly bytes: Uint8Array }
  | { readonly kind: 'PART'; readonly bytes: Uint8Array; readonly lines: Uint8Array; readonly part: number }
  | {
      readonly kind: 'REPORT';
      readonly report: Uint8Array;
      readonly bytes: Uint8Array;
      readonly downloads: readonly Pick<GivenLines, 'number' | 'lines'>[];
    };

/** Content of a payment file, as a worker thread returns it. The payment lines are pieces of JSON. */
export interface ReadFile {
  readonly messageId: string;
  readonly debtorTaxIds: readonly string[];
  readonly pieces: readonly string[];
}

export interface FileResults {
  readonly READ: ReadFile;
  readonly PART: PartOfFile;
  readonly REPORT: ReadonlyMap<string, ReportedLine> | undefined;
}

/**
 * The refusal of a payment file, as a worker thread returns it, because an error loses its class and fields between
 * threads.
 */
interface Refused {
  readonly refused: { readonly reason: RefusalReason; readonly place: string; readonly message: string };
}

export type FileReply<K extends FileTask['kind']> = { readonly result: FileResults[K] } | Refused;

/** Reads one payment file. The pool of threads calls this function by its name. */
export function work(task: FileTask): FileReply<FileTask['kind']> {
  try {
    return { result: resultOf(task) };
  } catch (error) {
    if (!(error instanceof PaymentFileRefused)) throw error;
    const { reason, place, message } = error;
    return { refused: { reason, place, message } };
  }
}

function resultOf(task: FileTask): FileResults[FileTask['kind']] {
  switch (task.kind) {
    case 'READ':
      return read(task.bytes);
    case 'PART':
      return writePart(task.bytes, task.lines, task.part);
    case 'REPORT':
      return readReport(task);
  }
}

function read(bytes: Uint8Array): ReadFile {
  const file = readPaymentFile(bytes);
  const lines = linesOfFile(file);
  const pieces: string[] = [];
  for (let from = 0; from < lines.length; from += LINES_PER_PIECE) {
    pieces.push(JSON.stringify(lines.slice(from, from + LINES_PER_PIECE)));
  }
  return { messageId: file.messageId, debtorTaxIds: file.blocks.flatMap((block) => block.debtorTaxIds), pieces };
}

function writePart(bytes: Uint8Array, lines: Uint8Array, part: number): PartOfFile {
  const file = readPaymentFile(bytes);
  const kept = file.transactions.filter(({ position }) => hasBit(lines, position)).map(({ lineId }) => lineId);
  return { bytes: writePaymentFile(bytes, file, new Set(kept), part), count: kept.length };
}

function readReport({
  report: reported,
  bytes,
  downloads,
}: Extract<FileTask, { kind: 'REPORT' }>): FileResults['REPORT'] {
  const report = readStatusReport(reported);
  const file = readPaymentFile(bytes);
  const parts = Array.from({ length: Math.max(1, downloads.length) }, (_, index) => index + 1);
  const part = parts.find((number) => identifiersOfPart(file, number).messageId === report.originalMessageId);
  if (part === undefined) return undefined;
  const download = downloads.find(({ number }) => number === part);
  const given =
    download === undefined
      ? undefined
      : new Set(
          file.transactions.filter(({ position }) => hasBit(download.lines, position)).map(({ lineId }) => lineId),
        );
  const outcomes = outcomesOfReport(report, file, part, given);
  return new Map(
    [...outcomes].map(([lineId, { status, reasons, nameVerification }]) => [
      lineId,
      {
        status: status ?? '',
        reasonCodes: reasons.flatMap(({ code }) => code ?? []),
        payeeCheck: nameVerification,
      },
    ]),
  );
}
