import type { PaymentFile } from './payment-file.js';
import { IDENTIFIER_LENGTH_MAX } from './payment-values.js';

/** The identifiers of a payment file that contains one part of a payment run. The bank repeats them in its reports. */
export interface PartIdentifiers {
  readonly messageId: string;
  /** Identifiers of all blocks of the payment run, in the order of `PaymentFile.blocks`. */
  readonly paymentInformationIds: readonly string[];
}

/**
 * Returns the identifiers of the payment file that contains one part of a payment run. The first part has the
 * identifiers of the original file. The identifiers of later parts end in `-2`, `-3` and so on, and are cut to 35
 * characters before that. If two blocks would get equal identifiers in this way, the number of the block is inserted
 * before the ending, because a bank refuses a file that contains an identifier twice.
 */
export function identifiersOfPart(
  { messageId, blocks }: Pick<PaymentFile, 'messageId' | 'blocks'>,
  part: number,
): PartIdentifiers {
  if (part === 1) return { messageId, paymentInformationIds: blocks.map((block) => block.paymentInformationId) };
  const end = `-${part}`;
  const simple = blocks.map((block) => withEnd(block.paymentInformationId, end));
  const counts = new Map<string, number>();
  for (const id of simple) counts.set(id, (counts.get(id) ?? 0) + 1);
  const taken = new Set(simple);
  const paymentInformationIds = blocks.map(({ paymentInformationId }, index) => {
    const id = simple[index] ?? '';
    if (counts.get(id) === 1) return id;
    for (let number = index + 1; ; number += blocks.length) {
      const numbered = withEnd(paymentInformationId, `-${number}${end}`);
      if (taken.has(numbered)) continue;
      taken.add(numbered);
      return numbered;
    }
  });
  return { messageId: withEnd(messageId, end), paymentInformationIds };
}

/**
 * Adds an ending such as `-2` to an identifier of a payment file. The identifier is shortened before the ending is
 * added, so that the result does not exceed the maximum length.
 */
function withEnd(id: string, end: string): string {
  return [...id].slice(0, IDENTIFIER_LENGTH_MAX - end.length).join('') + end;
}
