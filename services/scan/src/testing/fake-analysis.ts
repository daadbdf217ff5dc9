import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type {
  AnalyzeRowsRequest,
  AnalyzeRowsResponse,
} from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { DomainError } from '@invoicecontrol/errors';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

/** A fake of the analysis service that returns fixed results and records its requests. */
export interface FakeAnalysis extends GrpcServer {
  /**
   * Returns every request to the fake analysis service for the organization, including repeated requests, oldest first.
   */
  requestsOf(organizationId: string): readonly AnalyzeRowsRequest[];
  /** Returns the maximum number of calls to the fake analysis service that ran at the same time. */
  callsAtOnceMax(organizationId: string): number;
  /** Returns for each request to the fake analysis service whether its caller has stopped waiting. */
  abandoned(organizationId: string): readonly boolean[];
  /** Makes the next calls of the analysis service for the organization fail, one call with each of the errors. */
  failNext(organizationId: string, ...errors: readonly DomainError[]): void;
  /** Makes calls to the fake analysis service for the organization wait until `open` is called. */
  close(organizationId: string): void;
  open(organizationId: string): void;
}

/** The only currency that the fake analysis service converts, at a rate of one to two. */
const CONVERTED_CURRENCY = 'USD';

export async function startFakeAnalysis(logger: Logger): Promise<FakeAnalysis> {
  const requests: AnalyzeRowsRequest[] = [];
  const signals: AbortSignal[] = [];
  const answers = new Map<string, AnalyzeRowsResponse>();
  const failures = new Map<string, DomainError[]>();
  const callsAtOnce = new Map<string, { now: number; max: number }>();
  const gates = new Map<string, { opened: Promise<void>; open: () => void }>();
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('analysis'),
    logger,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
    bindings: [
      bind(RowAnalysisServiceDefinition, {
        async analyzeRows(request, { signal = new AbortController().signal }) {
          requests.push(request);
          signals.push(signal);
          const failure = failures.get(request.organizationId)?.shift();
          if (failure !== undefined) throw failure;
          const calls = callsAtOnce.get(request.organizationId) ?? { now: 0, max: 0 };
          callsAtOnce.set(request.organizationId, calls);
          calls.max = Math.max(calls.max, ++calls.now);
          // The fake analysis service waits at least one turn of the event loop, so that concurrent calls would be
          // noticed.
          await (gates.get(request.organizationId)?.opened ?? nextTurn());
          calls.now--;
          // A repeated call to the fake analysis service with the same scan id gets the result of the first call.
          const answer = answers.get(request.scanId) ?? answerTo(request);
          answers.set(request.scanId, answer);
          return answer;
        },
      }),
    ],
  });
  return {
    ...server,
    requestsOf: (organizationId) => requests.filter((request) => request.organizationId === organizationId),
    abandoned: (organizationId) =>
      signals.filter((_, index) => requests[index]?.organizationId === organizationId).map(({ aborted }) => aborted),
    callsAtOnceMax: (organizationId) => callsAtOnce.get(organizationId)?.max ?? 0,
    failNext: (organizationId, ...errors) => failures.set(organizationId, [...errors]),
    close(organizationId) {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gates.set(organizationId, { opened, open });
    },
    open(organizationId) {
      gates.get(organizationId)?.open();
      gates.delete(organizationId);
    },
  };
}

function answerTo({ rows, baseCurrency }: AnalyzeRowsRequest): AnalyzeRowsResponse {
  let total = 0n;
  let unconvertedInvoices = 0;
  for (const { invoice } of rows) {
    const { currency, grossAmount } = invoice ?? { currency: '', grossAmount: '0' };
    if (currency === baseCurrency) total += toMicro(grossAmount);
    else if (currency === CONVERTED_CURRENCY) total += toMicro(grossAmount) / 2n;
    else unconvertedInvoices++;
  }
  return {
    invoicesAnalyzed: rows.length,
    decisionCounts: { PASS: rows.length, REVIEW: 0, BLOCK: 0 },
    findingCounts: {},
    convertedTotal: microToDecimal(total),
    unconvertedInvoices,
  };
}
