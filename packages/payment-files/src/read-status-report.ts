import type { PaymentStatus, NameResult } from './payment-status.js';
import { nameResultOf, paymentStatusOf } from './payment-status.js';
import { refusal } from './payment-file-refused.js';
import { readIdentifier } from './payment-values.js';
import { child, childrenOf, placeOf, readElements, textAt, textOf } from './xml-elements.js';
import type { XmlElement } from './xml-elements.js';
import { versionOf } from './xml-version.js';

/** Versions of the status report of banks (CustomerPaymentStatusReport) that are read. */
const statusReportVersions: readonly string[] = ['pain.002.001.03', 'pain.002.001.10'];

/** Maximum number of transactions of a bank's status report. A payment run has at most 10,000. */
const REPORTED_TRANSACTIONS_MAX = 20_000;

/** Maximum length of the text of a reason in a bank's status report (Max105Text). */
const TEXT_LENGTH_MAX = 105;

/** A status report of a bank about a payment run (pain.002). */
export interface StatusReport extends ReportedState {
  readonly version: string;
  readonly messageId?: string;
  /** MsgId of the payment file that the report is about. */
  readonly originalMessageId: string;
  readonly blocks: readonly ReportedBlock[];
  /** Transactions that the bank's status report names, in its order. */
  readonly transactions: readonly ReportedTransaction[];
}

/** The state of one level of a bank's status report: group, block or transaction. */
export interface ReportedState {
  /** Code of the payment status as in the bank's report. */
  readonly code?: string;
  /** The payment status, if the product uses the code of the bank. */
  readonly status?: PaymentStatus;
  readonly reasons: readonly ReportedReason[];
  readonly nameVerification?: NameVerification;
}

export interface ReportedBlock extends ReportedState {
  readonly paymentInformationId: string;
}

export interface ReportedTransaction extends ReportedState {
  /** PmtInfId of the block, as in the payment file that the bank received. */
  readonly paymentInformationId: string;
  readonly endToEndId?: string;
  readonly instructionId?: string;
}

export interface ReportedReason {
  /** Code of the bank's reason, such as AC01, or the proprietary reason. */
  readonly code?: string;
  readonly texts: readonly string[];
}

/** Result of the bank's comparison between the name of the payee and the name of the account owner. */
export interface NameVerification {
  readonly result: NameResult;
  /** The name of the owner of the account, which the bank states if the names match closely. */
  readonly name?: string;
}

const BLOCK = 'OrgnlPmtInfAndSts';
const TRANSACTION = 'TxInfAndSts';

/**
 * Reads a status report of a bank in pain.002. Throws a PaymentFileRefused with the place in the report that must be
 * changed.
 */
export function readStatusReport(bytes: Uint8Array): StatusReport {
  const blocks: ReportedBlock[] = [];
  const transactions: ReportedTransaction[] = [];
  let open: Omit<ReportedTransaction, 'paymentInformationId'>[] = [];
  let version = '';
  const { root } = readElements(bytes, {
    checkRoot(name, namespace) {
      version = versionOf(name, namespace, statusReportVersions);
    },
    repeated: new Set([BLOCK, TRANSACTION]),
    onRepeated(element) {
      if (element.name === TRANSACTION) {
        if (element.parent?.name !== BLOCK) {
          throw refusal(
            placeOf(element),
            `${TRANSACTION} is not inside ${BLOCK}. Ask the bank for another status report.`,
          );
        }
        if (transactions.length + open.length >= REPORTED_TRANSACTIONS_MAX) {
          throw refusal(
            placeOf(element),
            `The status report has more than ${REPORTED_TRANSACTIONS_MAX} transactions. Ask the bank for several smaller reports.`,
          );
        }
        open.push(readTransaction(element));
        return;
      }
      const paymentInformationId = readIdentifier(element, 'OrgnlPmtInfId') ?? '';
      blocks.push({ paymentInformationId, ...readState(element, 'PmtInfSts') });
      transactions.push(...open.map((one) => ({ paymentInformationId, ...one })));
      open = [];
    },
  });
  const report = child(root, 'CstmrPmtStsRpt');
  const group = child(report, 'OrgnlGrpInfAndSts');
  if (group === undefined) {
    throw refusal('', 'The status report has no OrgnlGrpInfAndSts. Send a status report (pain.002) of a bank.');
  }
  const name = textAt(group, 'OrgnlMsgNmId');
  if (name !== undefined && !/^pain\.001\b/i.test(name)) {
    throw refusal(
      `${placeOf(group)}/OrgnlMsgNmId`,
      'The status report is not about a credit transfer (pain.001). Send a report about a credit transfer.',
    );
  }
  const originalMessageId = readIdentifier(group, 'OrgnlMsgId');
  if (originalMessageId === undefined) {
    throw refusal(
      placeOf(group),
      'OrgnlMsgId is missing. The status report must name the payment file that it is about.',
    );
  }
  const messageId = readIdentifier(report, 'GrpHdr', 'MsgId');
  return {
    version,
    ...(messageId !== undefined && { messageId }),
    originalMessageId,
    ...readState(group, 'GrpSts'),
    blocks,
    transactions,
  };
}

function readTransaction(element: XmlElement): Omit<ReportedTransaction, 'paymentInformationId'> {
  const endToEndId = readIdentifier(element, 'OrgnlEndToEndId');
  const instructionId = readIdentifier(element, 'OrgnlInstrId');
  return {
    ...(endToEndId !== undefined && { endToEndId }),
    ...(instructionId !== undefined && { instructionId }),
    ...readState(element, 'TxSts'),
  };
}

function readState(element: XmlElement, statusName: string): ReportedState {
  const code = textAt(element, statusName);
  const reasons = childrenOf(element, 'StsRsnInf').map(readReason);
  const status = code === undefined ? undefined : paymentStatusOf(code);
  const nameVerification = readNameVerification(code, reasons);
  return {
    ...(code !== undefined && { code }),
    ...(status !== undefined && { status }),
    reasons,
    ...(nameVerification !== undefined && { nameVerification }),
  };
}

function readReason(element: XmlElement): ReportedReason {
  const code = textAt(element, 'Rsn', 'Cd') ?? textAt(element, 'Rsn', 'Prtry');
  const texts = childrenOf(element, 'AddtlInf').flatMap((text) => textOf(text) ?? []);
  return { ...(code !== undefined && { code }), texts };
}

/**
 * Reads the result of the verification of payee, which banks report as a status or as a reason. If the names match
 * closely, the texts of the report contain the name of the account owner. The name is split if it is longer than one
 * text.
 */
function readNameVerification(
  code: string | undefined,
  reasons: readonly ReportedReason[],
): NameVerification | undefined {
  const ofStatus = nameResultOf(code ?? '');
  const reason = reasons.find((one) => nameResultOf(one.code ?? '') !== undefined);
  const result = ofStatus ?? nameResultOf(reason?.code ?? '');
  if (result === undefined) return undefined;
  const name = result === 'CLOSE_MATCH' ? joinTexts((reason ?? reasons[0])?.texts ?? []) : '';
  return { result, ...(name !== '' && { name }) };
}

/**
 * Joins the texts of a bank's reason to one. If a text has the maximum length, the next text continues the same word.
 */
function joinTexts(texts: readonly string[]): string {
  return texts.reduce((all, text, index) => {
    const isDivided = [...(texts[index - 1] ?? '')].length === TEXT_LENGTH_MAX;
    return index === 0 || isDivided ? all + text : `${all} ${text}`;
  }, '');
}
