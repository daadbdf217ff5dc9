// Measures documents in the running product, from the PUT to the decision, in comparison with the document parser
// alone.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { watchProcessors } from './busy.js';
import { endChild, messageFrom, ownChild } from './children.js';
import type { CeilingOrder } from './document-ceiling.js';
import { makeDocuments } from './document-files.js';
import type { DocumentFile, DocumentKind } from './document-files.js';
import { percentilesOf } from './percentiles.js';
import { step } from './progress.js';
import { upload } from './upload-client.js';
import type { UploadTarget, UploadTimes } from './upload-client.js';

/** Number of documents of a kind, and number of clients that send the documents at the same time. */
interface Plan {
  /**
   * Number of documents that are sent before the measurement, so that every reading process has compiled and loaded its
   * code.
   */
  readonly warmUp: number;
  readonly alone: number;
  readonly together: number;
  readonly clients: number;
}

const plans: Readonly<Record<DocumentKind, { readonly full: Plan; readonly quick: Plan }>> = {
  xml: {
    full: { warmUp: 200, alone: 200, together: 400, clients: 8 },
    quick: { warmUp: 60, alone: 60, together: 100, clients: 8 },
  },
  hybrid: {
    full: { warmUp: 120, alone: 100, together: 150, clients: 4 },
    quick: { warmUp: 40, alone: 30, together: 40, clients: 4 },
  },
  text: {
    full: { warmUp: 120, alone: 100, together: 150, clients: 4 },
    quick: { warmUp: 40, alone: 30, together: 40, clients: 4 },
  },
  ocr: {
    full: { warmUp: 6, alone: 12, together: 12, clients: 4 },
    quick: { warmUp: 4, alone: 4, together: 4, clients: 2 },
  },
};

const UNREAD = 422;
/** Default number of processes of the documents service that read documents. */
const PARSERS = Math.min(availableParallelism(), 4);

/**
 * Duration in milliseconds for each uploaded document, and documents per second when several clients send documents at
 * the same time.
 */
interface Speed {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly perSecond: number;
}

export interface KindMeasured {
  readonly kind: DocumentKind;
  /** Mean size of the uploaded documents in bytes. */
  readonly bytes: number;
  /**
   * Number of documents, among those sent one at a time, that could not be read. An unreadable document is a valid
   * result.
   */
  readonly unread: number;
  readonly product: Speed & { readonly putP50Ms: number; readonly analyzeP50Ms: number };
  readonly ceiling: Speed;
  /** Share of the CPU time that was used while one document at a time was sent, from 0 to 1. */
  readonly busy: number;
}

/**
 * Uploads documents of a kind, first one at a time and then several at once. Before and after each of these two
 * measurements, the speed of the document parser alone is measured for comparison.
 */
export async function measureUploads(
  kind: DocumentKind,
  target: UploadTarget,
  isQuick: boolean,
): Promise<KindMeasured> {
  const plan = plans[kind][isQuick ? 'quick' : 'full'];
  step(`${kind}: making the documents`);
  const [warmUp, alone, together] = [
    await makeDocuments(kind, 0, plan.warmUp),
    await makeDocuments(kind, plan.warmUp, plan.alone),
    await makeDocuments(kind, plan.warmUp + plan.alone, plan.together),
  ];
  const parsers = Array.from({ length: PARSERS }, startParser);
  try {
    const [parser] = parsers;
    if (parser === undefined) throw new Error('there is no processor');
    step(`${kind}: warming up`);
    await Promise.all(parsers.map((each) => each.parse(kind, warmUp)));
    await sendAll(target, warmUp, plan.clients);
    step(`${kind}: one at a time`);
    const parsedMs = await parser.parse(kind, alone);
    const busySoFar = watchProcessors();
    const sent = await sendAll(target, alone, 1);
    const busy = busySoFar();
    parsedMs.push(...(await parser.parse(kind, alone)));
    step(`${kind}: ${plan.clients} clients at once`);
    const perSecond = await rateOf(together.length, () => sendAll(target, together, plan.clients));
    const parsedPerSecond = await rateOf(together.length, () =>
      Promise.all(
        parsers.map((each, index) =>
          each.parse(
            kind,
            together.filter((_, place) => place % PARSERS === index),
          ),
        ),
      ),
    );
    const { p50Ms, p95Ms } = percentilesOf(sent.map(({ putMs, analyzeMs }) => putMs + analyzeMs));
    const ceiling = percentilesOf(parsedMs);
    return {
      kind,
      unread: sent.filter(({ status }) => status === UNREAD).length / sent.length,
      bytes: alone.reduce((sum, { bytes }) => sum + bytes.length, 0) / alone.length,
      product: {
        p50Ms,
        p95Ms,
        perSecond,
        putP50Ms: percentilesOf(sent.map(({ putMs }) => putMs)).p50Ms,
        analyzeP50Ms: percentilesOf(sent.map(({ analyzeMs }) => analyzeMs)).p50Ms,
      },
      ceiling: { p50Ms: ceiling.p50Ms, p95Ms: ceiling.p95Ms, perSecond: parsedPerSecond },
      busy,
    };
  } finally {
    await Promise.all(parsers.map((each) => each.stop()));
  }
}

/**
 * Uploads the document files from several clients. Each client sends its next document when the previous one is
 * decided.
 * @throws Error for a document to which the response is neither a decision nor the list of its missing fields
 */
async function sendAll(target: UploadTarget, files: readonly DocumentFile[], clients: number): Promise<UploadTimes[]> {
  const waiting = files.values();
  const times: UploadTimes[] = [];
  const send = async (): Promise<void> => {
    for (const file of waiting) {
      const taken = await upload(target, file);
      const { status } = taken;
      if (status !== 200 && status !== UNREAD) throw new Error(`A document of the benchmark was answered ${status}.`);
      times.push(taken);
    }
  };
  await Promise.all(Array.from({ length: clients }, send));
  return times;
}

async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return count / ((performance.now() - beganMs) / 1_000);
}

interface Parser {
  /**
   * Parses the document files with the document parser alone, without the product.
   * @returns the duration for each document
   */
  parse(kind: DocumentKind, files: readonly DocumentFile[]): Promise<number[]>;
  stop(): Promise<void>;
}

function startParser(): Parser {
  const program = fileURLToPath(new URL('document-ceiling.js', import.meta.url));
  const child = ownChild(fork(program, [], { serialization: 'advanced' }));
  return {
    parse(kind, files) {
      child.send({ kind, files: files.map(({ bytes }) => bytes) } satisfies CeilingOrder);
      return messageFrom(child);
    },
    stop: () => endChild(child),
  };
}
