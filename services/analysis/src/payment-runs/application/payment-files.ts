import type { NameVerification } from '@invoicecontrol/payment-files/read-status-report';
import type { PaymentLine } from '../domain/payment-line.js';
import type { GivenLines, Outcome } from '../domain/run.js';

/** The payments of a file or a list that a request for a payment run sends. */
export interface SentPayments {
  readonly lines: readonly PaymentLine[];
  readonly messageId: string | undefined;
  readonly debtorTaxIds: readonly string[];
}

/**
 * The status, the reasons and the verification of the payee that a bank's status report states for one payment line.
 */
export type ReportedLine = Pick<Outcome, 'status' | 'reasonCodes'> & {
  readonly payeeCheck: NameVerification | undefined;
};

/**
 * Reads and writes payment files for banks. A large file takes a second, so it is read in another thread while other
 * requests are processed.
 */
export interface PaymentFiles {
  /**
   * Reads a payment file in the format pain.001.
   * @throws DomainError too_large; invalid with the place of the fault; unavailable if too many files are read at once,
   * or if the file could not be read in time
   */
  read(bytes: Uint8Array): Promise<SentPayments>;
  /**
   * Writes a copy of a payment file that contains only some of its payment lines and is otherwise unchanged, byte for
   * byte.
   * @param lines positions of these lines as a set of bits
   * @param part number of the download; from the second download on, the identifiers in the file end with this number
   */
  part(bytes: Uint8Array, lines: Uint8Array, part: number): Promise<PartOfFile>;
  /**
   * Reads the status report of a bank about a payment file.
   * @returns outcomes by line id, or undefined if the report is about another file
   * @throws DomainError as `read`
   */
  report(
    report: Uint8Array,
    bytes: Uint8Array,
    downloads: readonly Pick<GivenLines, 'number' | 'lines'>[],
  ): Promise<ReadonlyMap<string, ReportedLine> | undefined>;
}

/** Bytes of a payment file that contains only some lines, with the number of these lines. */
export interface PartOfFile {
  readonly bytes: Uint8Array;
  readonly count: number;
}
