import { createHash } from 'node:crypto';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { eachInTurns } from './turns.js';

/**
 * Returns the SHA-256 hash of the request body as canonical JSON in hexadecimal digits. The hash does not depend on
 * member order and white space.
 */
export async function fingerprintOf(body: unknown): Promise<string> {
  const hash = createHash('sha256');
  await eachInTurns(canonicalPieces(body), (piece) => void hash.update(piece));
  return hash.digest('hex');
}

/** Yields the {@link canonicalJson} of a request body in parts, split at list items. */
function* canonicalPieces(body: unknown): Generator<string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    yield canonicalJson(body);
    return;
  }
  yield '{';
  const members = body as Readonly<Record<string, unknown>>;
  for (const [index, name] of Object.keys(members).sort().entries()) {
    const member = members[name];
    yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (Array.isArray(member)) yield* canonicalItems(member);
    else yield canonicalJson(member);
  }
  yield '}';
}

function* canonicalItems(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of list.entries()) yield `${index === 0 ? '' : ','}${canonicalJson(item)}`;
  yield ']';
}
