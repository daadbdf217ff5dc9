import { shortDigest } from '../facts/digest.js';
import type { Candidate } from '../facts/invoice.js';
import { compareText } from '../facts/record-order.js';

/**
 * Subject of a finding. It is stored with the finding, so that code that acts on the finding (blocks an account, clears
 * a pair) does not need to derive it. A bank key is a complete account number, so subjects never leave the service that
 * stores them.
 */
export type Subject =
  | { readonly kind: 'ACCOUNT'; readonly bankKey: string }
  | { readonly kind: 'ORDER'; readonly poKey: string }
  | { readonly kind: 'PAIR'; readonly pairKey: string }
  | { readonly kind: 'SUPPLIER'; readonly supplierId: string };

export const subject = {
  account: (bankKey: string): Subject => ({ kind: 'ACCOUNT', bankKey }),
  order: (poKey: string): Subject => ({ kind: 'ORDER', poKey }),
  pair: (oneId: string, otherId: string): Subject => ({ kind: 'PAIR', pairKey: pairKey(oneId, otherId) }),
  supplier: (supplierId: string): Subject => ({ kind: 'SUPPLIER', supplierId }),
} as const;

/** Returns the bank account to which an invoice requests payment, if it states one. */
export function accountsOf({ bankKey }: Pick<Candidate, 'bankKey'>): Subject[] {
  return bankKey === undefined ? [] : [subject.account(bankKey)];
}

const KEY_BYTES = 16;

/** Returns the key of a pair of invoice records. The key is the same whichever of the two is named first. */
export function pairKey(oneId: string, otherId: string): string {
  const [smaller, larger] = [oneId, otherId].toSorted(compareText);
  return shortDigest(`${smaller}|${larger}`, KEY_BYTES);
}

/** Returns the stable key of a finding, which is built from its type and its subjects in any order. */
export function evidenceKey(type: string, about: readonly (Subject | string)[]): string {
  return shortDigest([type, ...about.map(idOf).sort(compareText)].join('|'), KEY_BYTES);
}

function idOf(about: Subject | string): string {
  if (typeof about === 'string') return about;
  switch (about.kind) {
    case 'ACCOUNT':
      return about.bankKey;
    case 'ORDER':
      return about.poKey;
    case 'PAIR':
      return about.pairKey;
    case 'SUPPLIER':
      return about.supplierId;
  }
}
