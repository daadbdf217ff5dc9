// Measures how hostile, large and broken uploads slow down clients that send ordinary uploads.
import { setTimeout as delay } from 'node:timers/promises';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { makeDocuments } from '../bench/document-files.js';
import type { DocumentFile } from '../bench/document-files.js';
import { sampleDuring } from '../bench/memory.js';
import { percentilesOf } from '../bench/percentiles.js';
import { analyzeUpload, putContent, reserve, upload } from '../bench/upload-client.js';
import type { UploadTarget } from '../bench/upload-client.js';
import type { AttackedSystem } from './attacked-system.js';
import { hostileFiles } from './hostile-files.js';
import type { HostileFile } from './hostile-files.js';
import { head, open, tally, write } from './wire.js';

const MIB = 1024 * 1024;
/** Maximum additional memory of the gateway and the documents service during 40 concurrent uploads. */
export const UPLOADS_BYTES_MAX = 400 * MIB;
/** Maximum duration of ordinary uploads, as a multiple of their duration without an attack. */
export const SLOWER_MAX = 2;

const UPLOADS_AT_ONCE = 40;
const WRITTEN_AT_ONCE = 256 * 1024;
const SAMPLE_EACH_MS = 20;
/** Interval in milliseconds between ordinary uploads, so that 4 begin in each second. */
const ORDINARY_EACH_MS = 250;
const ATTACKERS = 6;
/** Interval between the uploads of an attacker, who would otherwise reach the rate limit. */
const ATTACKER_PAUSE_MS = 1_000;
const WARM_UP_DOCUMENTS = 40;
const WARM_UP_SCANS = 4;
const MEMORY_MS_MAX = 60_000;

/** Uploads ordinary documents of every kind, so that all code is loaded and compiled before anything is measured. */
export async function warmUpUploads(system: AttackedSystem): Promise<void> {
  const target = targetOf(system, system.bystander.keys.owner);
  await sendOrdinary(target, await makeDocuments('xml', 100_000, WARM_UP_DOCUMENTS));
  await sendOrdinary(target, await makeDocuments('text', 100_000, WARM_UP_DOCUMENTS));
  await sendOrdinary(target, await makeDocuments('ocr', 100_000, WARM_UP_SCANS));
}

async function sendOrdinary(target: UploadTarget, files: readonly DocumentFile[]): Promise<void> {
  const waiting = files.values();
  const send = async (): Promise<void> => {
    for (const file of waiting) {
      const { status } = await upload(target, file);
      if (status !== 200) throw new Error(`An ordinary upload was answered ${status}.`);
    }
  };
  await Promise.all([send(), send()]);
}

export interface LargeUploads {
  readonly answers: string;
  readonly idleBytes: number;
  readonly peakBytes: number;
}

/**
 * Measures the memory of the gateway, the documents service and its child processes while 40 clients send a file of the
 * given size at the same time.
 */
export async function sendLargeUploads(system: AttackedSystem, bytes: number): Promise<LargeUploads> {
  const file = { mediaType: 'application/pdf', bytes: largeFile(bytes) };
  const target = targetOf(system, system.tenant.keys.owner);
  const reserved = await Promise.all(
    Array.from({ length: UPLOADS_AT_ONCE }, () => reserve(target, file.mediaType, bytes)),
  );
  const idleBytes = await system.receivingBytes();
  const { result, peakBytes } = await watchPeak(system, () =>
    Promise.all(reserved.map((reservation) => putContent(target, reservation, file))),
  );
  return { answers: tally(result), idleBytes, peakBytes };
}

/** Parts of uploads that are stored although their uploads never became documents. */
export interface Remains {
  readonly files: number;
  readonly pieces: number;
}

/**
 * Lets 40 clients each send half of a file and disconnect, and waits until the service has removed the received data.
 * @returns the data that is still stored at the end of the waiting time
 */
export async function leaveHalfway(system: AttackedSystem, bytes: number): Promise<Remains> {
  const file = largeFile(bytes);
  const target = targetOf(system, system.tenant.keys.owner);
  const before = await storedOf(system);
  await Promise.all(
    Array.from({ length: UPLOADS_AT_ONCE }, async () => {
      const { upload_url } = await reserve(target, 'application/pdf', bytes);
      const socket = await open(system.port);
      socket.write(head('PUT', upload_url, 'Content-Type: application/pdf', `Content-Length: ${bytes}`));
      await write(socket, pieces(file.subarray(0, bytes / 2)));
      socket.destroy();
    }),
  );
  const deadline = performance.now() + MEMORY_MS_MAX;
  for (;;) {
    const now = await storedOf(system);
    const remains = { files: now.files - before.files, pieces: now.pieces - before.pieces };
    if ((remains.files === 0 && remains.pieces === 0) || performance.now() > deadline) return remains;
    await delay(SAMPLE_EACH_MS);
  }
}

export interface UnderAttack {
  /** Describes the responses to the hostile uploads for people. */
  readonly answers: string;
  /** Number of uploads that got 500 or no response, which is a fault of the service. */
  readonly defects: number;
  readonly quiet: Latency;
  readonly attacked: Latency;
  readonly beforeBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
}

export interface Latency {
  readonly uploads: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/**
 * Uploads ordinary XML invoices four times a second, first without other load, and then while others upload hostile
 * files.
 */
export async function uploadUnderAttack(
  system: AttackedSystem,
  { quietSeconds, attackSeconds, shareMax }: { quietSeconds: number; attackSeconds: number; shareMax: number },
): Promise<UnderAttack> {
  const files = await hostileFiles();
  const ordinary = targetOf(system, system.bystander.keys.owner);
  const quiet = await uploadSteadily(ordinary, 0, quietSeconds);
  const beforeBytes = await system.receivingBytes();
  const statuses: number[] = [];
  const over = new AbortController();
  const { result: attacked, peakBytes } = await watchPeak(system, async () => {
    const attackers = Array.from({ length: ATTACKERS }, (_, index) =>
      attack(targetOf(system, system.tenant.keys.owner), files, index, { statuses, signal: over.signal }),
    );
    try {
      return await uploadSteadily(ordinary, 50_000, attackSeconds);
    } finally {
      over.abort();
      await Promise.all(attackers);
    }
  });
  const deadline = performance.now() + MEMORY_MS_MAX;
  let afterBytes = await system.receivingBytes();
  while (afterBytes > beforeBytes * shareMax && performance.now() < deadline) {
    await delay(SAMPLE_EACH_MS);
    afterBytes = await system.receivingBytes();
  }
  const defects = statuses.filter((status) => status === 500).length;
  return { answers: tally(statuses), defects, quiet, attacked, beforeBytes, peakBytes, afterBytes };
}

/** Uploads one hostile file after the other until the attack test ends. */
async function attack(
  target: UploadTarget,
  files: readonly HostileFile[],
  first: number,
  { statuses, signal }: { readonly statuses: number[]; readonly signal: AbortSignal },
): Promise<void> {
  for (let index = first * 2; !signal.aborted; index += 1) {
    const file = files[index % files.length];
    if (file === undefined) return;
    statuses.push(await attackOnce(target, file));
    await delay(ATTACKER_PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

async function attackOnce(target: UploadTarget, file: HostileFile): Promise<number> {
  const reservation = await reserve(target, file.mediaType, file.bytes.length);
  const stored = await putContent(target, reservation, file);
  // The attacker uploads its next file without waiting for the analysis of the previous one.
  return stored === 204 ? analyzeUpload(target, reservation, 1) : stored;
}

/** Uploads files of an ordinary client at fixed times, whether or not its earlier files have been decided. */
async function uploadSteadily(target: UploadTarget, first: number, seconds: number): Promise<Latency> {
  const count = Math.round((seconds * 1_000) / ORDINARY_EACH_MS);
  const files = await makeDocuments('xml', first, count);
  const begunAtMs = performance.now();
  const durations = await Promise.all(
    files.map(async (file, index) => {
      await delay(Math.max(0, begunAtMs + index * ORDINARY_EACH_MS - performance.now()));
      const { putMs, analyzeMs, status } = await upload(target, file);
      if (status !== 200) throw new Error(`An ordinary upload was answered ${status}.`);
      return putMs + analyzeMs;
    }),
  );
  const { p50Ms, p95Ms } = percentilesOf(durations);
  return { uploads: count, p50Ms, p95Ms };
}

function targetOf({ origin }: AttackedSystem, key: string): UploadTarget {
  return { origin, key };
}

function largeFile(bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 'x');
  file.write('%PDF-1.7\n');
  return file;
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += WRITTEN_AT_ONCE) yield bytes.subarray(at, at + WRITTEN_AT_ONCE);
}

async function watchPeak<T>(
  system: AttackedSystem,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly peakBytes: number }> {
  let peakBytes = 0;
  const sample = async (): Promise<void> => {
    peakBytes = Math.max(peakBytes, await system.receivingBytes());
  };
  const result = await sampleDuring(SAMPLE_EACH_MS, sample, work);
  return { result, peakBytes };
}

async function storedOf({ mongodbUrl, databasePrefix }: AttackedSystem): Promise<Remains> {
  const { db, close } = await connectMongo({
    url: mongodbUrl,
    databaseName: `${databasePrefix}documents`,
    appName: 'attack',
  });
  try {
    return {
      files: await db.collection('contents.files').countDocuments(),
      pieces: await db.collection('contents.chunks').countDocuments(),
    };
  } finally {
    await close();
  }
}
