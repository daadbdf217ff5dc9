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
  const known = knownEtag(etag, ifNoneMatch);
  const headers = { ETag: known ?? etag, 'Cache-Control': CACHE_CONTROL };
  return known === undefined ? { status: 200, body, headers } : { status: 304, headers };
}

/** Pattern for the end of the ETag of a compressed response, which names its content coding: `-br"` or `-gzip"`. */
const CODED = /-(?:br|gzip)"$/;

/**
 * Returns the ETag of a response that is sent compressed. It differs from the ETag of the uncompressed response,
 * because a strong ETag stands for one exact sequence of bytes.
 * @param encoding content coding of the response
 */
export function codedEtag(etag: string, encoding: 'br' | 'gzip'): string {
  return `${etag.slice(0, -1)}-${encoding}"`;
}

/**
 * Finds the ETag in If-None-Match that stands for the response or for a compressed form of it. The 304 response repeats
 * this ETag. ETags are compared weakly, so a leading `W/` is ignored.
 */
export function knownEtag(etag: string, ifNoneMatch: string | undefined): string | undefined {
  if (ifNoneMatch === undefined) return undefined;
  if (ifNoneMatch.trim() === '*') return etag;
  return etagsIn(ifNoneMatch).find((candidate) => candidate === etag || candidate.replace(CODED, '"') === etag);
}

/** Checks whether If-None-Match names the response. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  return knownEtag(etag, ifNoneMatch) !== undefined;
}

/**
 * Returns the texts between the quotation marks of the ETags in If-None-Match. For the ETag of a compressed response,
 * the text without the content coding is included too.
 */
export function knownStates(ifNoneMatch: string | undefined): readonly string[] {
  const etags = etagsIn(ifNoneMatch ?? '').flatMap((etag) => [etag, etag.replace(CODED, '"')]);
  return [...new Set(etags)].flatMap((etag) => /^"([\w-]{1,64})"$/.exec(etag)?.[1] ?? []);
}

function etagsIn(ifNoneMatch: string): string[] {
  return ifNoneMatch.split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
}
