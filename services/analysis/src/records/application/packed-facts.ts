import { promisify } from 'node:util';
import { gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { AnalysisFacts } from '../domain/analysis.js';

/**
 * Level at which the facts of an analysis are compressed: the fastest one. The facts repeat the names of their fields,
 * which compress well at every level.
 */
const packing = { level: 1 } as const;
const gzipAside = promisify(gzip);

export function packFacts(facts: Facts): Buffer {
  return gzipSync(JSON.stringify(facts), packing);
}

/** Compresses the facts of many scan rows together on another thread. */
export function packBundle(facts: readonly AnalysisFacts[]): Promise<Buffer> {
  return gzipAside(JSON.stringify(facts), packing);
}

export function unpackBundle(packed: Buffer): readonly AnalysisFacts[] {
  return JSON.parse(gunzipSync(packed).toString('utf8')) as readonly AnalysisFacts[];
}

/** Returns the decompressed facts of a stored analysis. */
export function unpackFacts(packed: Buffer): AnalysisFacts {
  return JSON.parse(gunzipSync(packed).toString('utf8')) as AnalysisFacts;
}
