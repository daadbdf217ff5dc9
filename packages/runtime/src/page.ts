import { invalidField } from '@invoicecontrol/errors';

const PAGE_SIZE_MAX = 100;
const PAGE_SIZE_DEFAULT = 50;

/** A place in a list that is ordered newest first, and within one instant by id. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** @throws DomainError invalid when the size is outside 0 to 100; 0 means the default */
export function pageSize(asked: number): number {
  if (asked === 0) return PAGE_SIZE_DEFAULT;
  if (asked < 0 || asked > PAGE_SIZE_MAX) {
    throw invalidField('limit', `must be between 1 and ${PAGE_SIZE_MAX}.`);
  }
  return asked;
}

/** Opaque to callers: where the next page of a list begins. */
export function writePageToken(position: ListPosition | undefined): string {
  return position === undefined ? '' : writeNumberedToken(position.createdAt.getTime(), position.id);
}

/** @throws DomainError invalid when the token is not one of ours */
export function readPageToken(token: string): ListPosition | undefined {
  const read = readNumberedToken(token);
  return read && { createdAt: new Date(read.number), id: read.id };
}

/** The token of a list that is ordered by a whole number and then by id. */
export function writeNumberedToken(number: number, id: string): string {
  return Buffer.from(`${number}|${id}`).toString('base64url');
}

/** @throws DomainError invalid when the token is not one of ours */
export function readNumberedToken(token: string): { number: number; id: string } | undefined {
  if (token === '') return undefined;
  const match = /^(\d{1,15})\|([0-9a-f-]{36})$/.exec(Buffer.from(token, 'base64url').toString('latin1'));
  if (match === null) throw invalidField('cursor', 'is not one that this list gave.');
  return { number: Number(match[1]), id: match[2] ?? '' };
}
