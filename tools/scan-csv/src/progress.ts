import { printable } from './printable.js';

const BAR_WIDTH = 30;
/** Earlier estimates would be unstable. */
const ESTIMATE_AFTER_MS = 2_000;

/** Standard output or error. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export interface Progress {
  /** Updates the bar. */
  advance(rowsDone: number, chunksDone: number): void;
  /** Prints a message above the bar. */
  note(text: string): void;
  /** Clears the bar. */
  end(): void;
}

/** On a terminal one progress bar, elsewhere a line per request. */
export function createProgress(
  stream: TextStream,
  total: { readonly rows: number; readonly chunks: number },
  now: () => number,
): Progress {
  const startedAt = now();
  const isTerminal = stream.isTTY === true;
  let bar = '';
  const draw = (): void => {
    if (isTerminal) stream.write(`\r\u001b[K${bar}`);
  };
  return {
    advance(rowsDone, chunksDone) {
      const elapsedMs = now() - startedAt;
      const share = total.rows === 0 ? 1 : rowsDone / total.rows;
      const filled = Math.round(share * BAR_WIDTH);
      const left =
        elapsedMs < ESTIMATE_AFTER_MS || share === 0 ? '' : `, ${duration(elapsedMs / share - elapsedMs)} left`;
      bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${rowsDone} of ${total.rows} rows${left}`;
      draw();
      if (!isTerminal && chunksDone > 0) {
        stream.write(`${chunksDone} of ${total.chunks} requests, ${rowsDone} of ${total.rows} rows\n`);
      }
    },
    note(text) {
      stream.write(`${isTerminal ? '\r\u001b[K' : ''}${printable(text, 300)}\n`);
      draw();
    },
    end() {
      if (isTerminal) stream.write('\r\u001b[K');
    },
  };
}

/** `4 s`, `2:05 min`. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}
