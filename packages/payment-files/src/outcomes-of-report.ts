import { identifiersOfPart } from './identifiers-of-part.js';
import type { PaymentFile, PaymentTransaction } from './payment-file.js';
import type { PaymentStatus } from './payment-status.js';
import type { NameVerification, ReportedReason, ReportedState, StatusReport } from './read-status-report.js';

/** The statements of a bank's status report about one line of a payment run. */
export interface LineOutcome {
  readonly status?: PaymentStatus;
  readonly reasons: readonly ReportedReason[];
  readonly nameVerification?: NameVerification;
}

/** The values of a payment line by which a bank's status report names the line. */
type ReportedLine = Pick<PaymentTransaction, 'lineId' | 'block' | 'endToEndId' | 'instructionId'>;

/** Identifiers of the payment run that a bank's status report is about. */
export interface ReportedRun extends Pick<PaymentFile, 'messageId' | 'blocks'> {
  readonly transactions: readonly ReportedLine[];
}

/**
 * Returns, by line id, the outcome of each payment line about which the bank's status report makes a statement. A
 * payment run may be sent to the bank as several files, called parts, and the report is about one of them. A statement
 * about a transaction takes precedence over a statement about its block, and a statement about the block over one about
 * the whole file. The lines of a transaction are found by its InstrId, or else by its EndToEndId in the block. If
 * several lines match a transaction, the statement about the transaction is ignored.
 * @param part number of the part whose MsgId the report names (see {@link identifiersOfPart})
 * @param given ids of the lines in this part; if absent, all lines of the run
 */
export function outcomesOfReport(
  report: StatusReport,
  run: ReportedRun,
  part: number,
  given?: ReadonlySet<string>,
): ReadonlyMap<string, LineOutcome> {
  const { paymentInformationIds } = identifiersOfPart(run, part);
  const lines = run.transactions.filter(({ lineId }) => given === undefined || given.has(lineId));
  const ofTransactions = matchTransactions(report, lines, paymentInformationIds);
  const ofBlocks = new Map(report.blocks.map((block) => [block.paymentInformationId, block]));
  const outcomes = new Map<string, LineOutcome>();
  for (const { lineId, block } of lines) {
    const levels = [ofTransactions.get(lineId), ofBlocks.get(paymentInformationIds[block] ?? ''), report];
    const outcome = narrowest(levels.filter((level) => level !== undefined));
    if (outcome !== undefined) outcomes.set(lineId, outcome);
  }
  return outcomes;
}

function narrowest(levels: readonly ReportedState[]): LineOutcome | undefined {
  const withStatus = levels.find(({ status }) => status !== undefined);
  const withName = levels.find(({ nameVerification }) => nameVerification !== undefined);
  if (withStatus === undefined && withName === undefined) return undefined;
  return {
    ...(withStatus?.status !== undefined && { status: withStatus.status }),
    reasons: (withStatus ?? withName)?.reasons ?? [],
    ...(withName?.nameVerification !== undefined && { nameVerification: withName.nameVerification }),
  };
}

function matchTransactions(
  report: StatusReport,
  lines: readonly ReportedLine[],
  blockIds: readonly string[],
): ReadonlyMap<string, ReportedState> {
  const byInstruction = new Map<string, ReportedLine>();
  const byEndToEnd = new Map<string, ReportedLine[]>();
  for (const line of lines) {
    if (line.instructionId !== undefined) byInstruction.set(line.instructionId, line);
    for (const key of [line.endToEndId, endToEndKey(blockIds[line.block], line.endToEndId)]) {
      if (key === undefined) continue;
      const same = byEndToEnd.get(key);
      if (same === undefined) byEndToEnd.set(key, [line]);
      else same.push(line);
    }
  }
  const found = new Map<string, ReportedState>();
  for (const transaction of report.transactions) {
    const { endToEndId, instructionId, paymentInformationId } = transaction;
    const candidates =
      byEndToEnd.get(endToEndKey(paymentInformationId, endToEndId) ?? '') ?? byEndToEnd.get(endToEndId ?? '') ?? [];
    const line = byInstruction.get(instructionId ?? '') ?? (candidates.length === 1 ? candidates[0] : undefined);
    if (line !== undefined) found.set(line.lineId, transaction);
  }
  return found;
}

/** Key of a payment (EndToEndId) in its block of the payment file. The separator cannot occur in an identifier. */
function endToEndKey(block: string | undefined, endToEndId: string | undefined): string | undefined {
  return block === undefined || endToEndId === undefined ? undefined : `${block}\n\n${endToEndId}`;
}
