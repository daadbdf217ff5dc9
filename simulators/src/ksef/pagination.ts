import type { Call } from '../erp/call.js';
import { badRequest } from './refusal.js';

const PAGE_SIZE_MIN = 10;
const PAGE_SIZE_MAX = 1_000;

/** Returns one page of a KSeF list, selected by `pageSize` and the header `x-continuation-token`. */
export function paginate<T>(
  rows: readonly T[],
  call: Call,
): { readonly page: readonly T[]; readonly continuationToken: string | null } {
  const pageSize = Number(call.query['pageSize'] ?? PAGE_SIZE_MIN);
  if (!Number.isInteger(pageSize) || pageSize < PAGE_SIZE_MIN || pageSize > PAGE_SIZE_MAX) {
    throw badRequest(21_405, `pageSize: wymagana liczba od ${PAGE_SIZE_MIN} do ${PAGE_SIZE_MAX}.`);
  }
  const token = call.headers['x-continuation-token'] ?? '';
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (token !== '' && !/^from \d{1,9}$/.test(text)) throw badRequest(21_418);
  const from = token === '' ? 0 : Number(text.slice('from '.length));
  const next = from + pageSize;
  const continuationToken = next < rows.length ? Buffer.from(`from ${next}`).toString('base64url') : null;
  return { page: rows.slice(from, next), continuationToken };
}
