import { printable } from '@invoicecontrol/ledger-csv/printable';
import { counted } from './text-table.js';

const BAR_WIDTH = 30;
/**
 * Time in milliseconds after which the remaining time of a history scan is estimated. Earlier estimates would change
 * too much.
 */
const ESTIMATE_AFTER_MS = 2_000;
/**
 * Interval at which the elapsed time is shown. A single request reports no progress, so the time shows that it is still
 * running.
 */
const TICK_MS = 1_000;
/** Interval of progress lines outside a terminal, long enough not to fill a log. */
const LINE_EACH_MS = 10_000;

/** Output of the progress bar: standard output or standard error. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export interface Progress {
  /** Shows in the progress bar that a request with this number of rows is being sent. */
  send(rows: number): void;
  /** Shows in the progress line that the service has responded to the request. */
  finish(): void;
  /** Prints a message above the progress bar. */
  note(text: string): void;
  /** Clears the progress bar and stops its clock. */
  end(): void;
}

/** Calls `work`, which draws the progress bar, at this interval until the returned function is called. */
export type Every = (ms: number, work: () => void) => () => void;

/**
 * Shows a progress bar on a terminal, which is updated every second. Elsewhere it prints one line per request, and one
 * line for every ten seconds of waiting.
 */
export function createProgress(
  stream: TextStream,
  total: { readonly rows: number; readonly chunks: number },
  { now, every }: { readonly now: () => number; readonly every: Every },
): Progress {
  const startedAt = now();
  const isTerminal = stream.isTTY === true;
  let rowsDone = 0;
  let chunksDone = 0;
  let sent: { readonly rows: number; readonly at: number; linesShown: number } | undefined;

  const bar = (): string => {
    const elapsedMs = now() - startedAt;
    const share = total.rows === 0 ? 1 : rowsDone / total.rows;
    const filled = Math.round(share * BAR_WIDTH);
    const elapsed = elapsedMs < TICK_MS ? '' : `, ${duration(elapsedMs)}`;
    const isEarly = elapsedMs < ESTIMATE_AFTER_MS || share === 0 || share === 1;
    const left = isEarly ? '' : `, about ${duration(elapsedMs / share - elapsedMs)} left`;
    return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${rowsDone} of ${total.rows} rows${elapsed}${left}`;
  };
  const draw = (): void => {
    if (isTerminal) stream.write(`\r\u001b[K${bar()}`);
  };
  const stop = every(TICK_MS, () => {
    draw();
    if (isTerminal || sent === undefined) return;
    const waitedMs = now() - sent.at;
    if (waitedMs < (sent.linesShown + 1) * LINE_EACH_MS) return;
    sent.linesShown += 1;
    const request = `Request ${chunksDone + 1} of ${total.chunks} with ${counted(sent.rows, 'row')}`;
    stream.write(`${request} was sent ${duration(waitedMs)} ago and is being analyzed.\n`);
  });
  return {
    send(rows) {
      sent = { rows, at: now(), linesShown: 0 };
      draw();
    },
    finish() {
      rowsDone += sent?.rows ?? 0;
      chunksDone += 1;
      sent = undefined;
      draw();
      if (!isTerminal) stream.write(`${chunksDone} of ${total.chunks} requests, ${rowsDone} of ${total.rows} rows\n`);
    },
    note(text) {
      stream.write(`${isTerminal ? '\r\u001b[K' : ''}${printable(text, 300)}\n`);
      draw();
    },
    end() {
      stop();
      if (isTerminal) stream.write('\r\u001b[K');
    },
  };
}

/** Formats a duration for the progress bar, for example `4 s` or `2:05 min`. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}
