import type { BankAccount } from '@invoicecontrol/values/bank-account';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Encoding } from './encoding.js';

export const MAX_PAYMENT_FILE_BYTES = 10 * 1024 * 1024;
export const MAX_PAYMENT_TRANSACTIONS = 10_000;

/** Versions of the payment file format CustomerCreditTransferInitiation that are read. */
export const paymentFileVersions: readonly string[] = ['pain.001.001.03', 'pain.001.001.08', 'pain.001.001.09'];

/** A payment run as a file for the bank states it (pain.001). Texts are trimmed, and otherwise as in the file. */
export interface PaymentFile {
  /** Name of the version of the payment file format, such as `pain.001.001.09`. */
  readonly version: string;
  readonly messageId: string;
  /** Time when the payment file was created (CreDtTm), as written in the file. It may have no time zone. */
  readonly createdAt?: string;
  readonly transactionCount: number;
  readonly blocks: readonly PaymentBlock[];
  /** The transactions of all blocks in the order of the payment file. */
  readonly transactions: readonly PaymentTransaction[];
  /**
   * Byte positions of the parts of the payment file that {@link writePaymentFile} changes. The positions are valid only
   * for the bytes that were read.
   */
  readonly layout: PaymentFileLayout;
}

/** A block of payments that are debited from one account on one day (PmtInf). */
export interface PaymentBlock {
  readonly paymentInformationId: string;
  readonly executionDate?: CalendarDate;
  readonly debtorName?: string;
  readonly debtorAccount?: PaymentAccount;
  readonly debtorTaxIds: readonly string[];
  readonly batchBooking?: boolean;
}

/** One payment (transaction, CdtTrfTxInf) of a payment file. */
export interface PaymentTransaction {
  /**
   * Id of a payment, `<PmtInf>.<CdtTrfTxInf>`: the positions of the block in the file and of the transaction in its
   * block, both from 1.
   */
  readonly lineId: string;
  /** Position of the payment in the file, from 1. */
  readonly position: number;
  /** Index of the block that contains the payment, in `PaymentFile.blocks`. */
  readonly block: number;
  readonly endToEndId?: string;
  readonly instructionId?: string;
  /** Amount of the payment as the payment file states it, which is part of the control sum (CtrlSum). */
  readonly amount: DecimalAmount;
  readonly currency: string;
  /**
   * The amount in the currency in which the payment file states it, if another currency is transferred (EqvtAmt).
   * `amount` and `currency` then have the same values, and `transferCurrency` is the currency that the creditor gets.
   */
  readonly equivalent?: { readonly amount: DecimalAmount; readonly currency: string };
  readonly transferCurrency?: string;
  readonly creditorName?: string;
  /** Bank account of the payee as in the payment file. */
  readonly creditorAccount?: PaymentAccount;
  /** The bank account of the payee in the form in which accounts are compared, if it could be converted. */
  readonly creditorBankAccount?: BankAccount;
  readonly creditorBic?: string;
  readonly creditorTaxIds: readonly string[];
  readonly creditorCountry?: string;
  /** Unstructured texts of a payment (Ustrd), followed by the additional texts of structured remittance information. */
  readonly remittance: readonly string[];
  readonly documents: readonly PaidDocument[];
  /** The first creditor reference of the payment. */
  readonly creditorReference?: string;
  readonly creditorReferences: readonly string[];
  /** A telephone number, an e-mail address or another name for an account (Prxy). */
  readonly proxy?: string;
  /** Payment method: TRF for transfers, CHK for cheques, TRA for transfers with an advice. */
  readonly paymentMethod?: string;
}

/** A document that a transaction names in structured form (RfrdDocInf), with its amount (RfrdDocAmt). */
export interface PaidDocument {
  readonly number?: string;
  /** Code such as CINV (invoice) or CREN (credit note), or the proprietary type. */
  readonly type?: string;
  readonly date?: CalendarDate;
  /** Amount that the payment pays for a document. Absent if several documents share an amount. */
  readonly amount?: DecimalAmount;
  readonly currency?: string;
}

export interface PaymentAccount {
  /** IBAN with correct check digits, in capital letters and without spaces. */
  readonly iban?: string;
  /** A number of the account that is not an IBAN, such as a BBAN or a Bankgiro number. */
  readonly other?: string;
  /** Code or proprietary name of the scheme of an account number that is no IBAN, such as BBAN. */
  readonly scheme?: string;
}

/** A range of bytes in a payment file, without the byte at `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The contents of the elements in the header of a payment file, without their tags. */
export interface HeaderLayout {
  readonly id: ByteRange;
  readonly count?: ByteRange;
  readonly sum?: ByteRange;
}

export interface PaymentFileLayout {
  readonly byteCount: number;
  readonly encoding: Encoding;
  readonly header: HeaderLayout;
  readonly blocks: readonly { readonly element: ByteRange; readonly header: HeaderLayout }[];
  readonly transactions: readonly ByteRange[];
}
