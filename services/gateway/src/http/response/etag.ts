import { createHash } from 'node:crypto';
import type { Reply } from './reply.js';

/**
 * Cache header that is sent with every ETag: a private cache may store the response but must ask the gateway each time
 * whether the response has changed.
 */
export const CACHE_CONTROL = 'private, no-cache';

/**
 * Returns the response of a route with a strong ETag, or 304 if the caller already has it (RFC 9110, sections 8.8.3 and
 * 13.1.2). The ETag is a digest of the response, so that no change is missed.
 */
export function conditional(resource: string, body: unknown, ifNoneMatch: string | undefined): Reply {
  const version = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
  const etag = `"${resource}-${version}"`;
  const headers = { ETag: etag, 'Cache-Control': CACHE_CONTROL };
  return isKnown(etag, ifNoneMatch) ? { status: 304, headers } : { status: 200, body, headers };
}

/** Returns the ETags of a header If-None-Match without their quotation marks. */
export function knownEtags(ifNoneMatch: string | undefined): readonly string[] {
  if (ifNoneMatch === undefined) return [];
  return ifNoneMatch.split(',').flatMap((candidate) => /^(?:W\/)?"([\w-]{1,64})"$/.exec(candidate.trim())?.[1] ?? []);
}

/** ETags in If-None-Match are compared weakly, so a leading `W/` is ignored. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
