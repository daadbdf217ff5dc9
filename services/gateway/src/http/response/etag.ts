import { createHash } from 'node:crypto';
import type { Reply } from './reply.js';

/** Sent with every ETag: a private cache may keep the answer and asks each time whether it still holds. */
export const CACHE_CONTROL = 'private, no-cache';

/**
 * The answer with a strong ETag, or 304 when the caller has it already (RFC 9110, sections 8.8.3 and 13.1.2). The
 * version is a digest of the answer itself, so no change of any part can be missed.
 */
export function conditional(resource: string, body: unknown, ifNoneMatch: string | undefined): Reply {
  const version = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
  const etag = `"${resource}-${version}"`;
  const headers = { ETag: etag, 'Cache-Control': CACHE_CONTROL };
  return isKnown(etag, ifNoneMatch) ? { status: 304, headers } : { status: 200, body, headers };
}

/** If-None-Match compares weakly: a `W/` in front does not matter. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
