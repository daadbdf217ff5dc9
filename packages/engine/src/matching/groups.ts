import { shortDigest } from '../facts/digest.js';
import type { Candidate } from '../facts/invoice.js';
import { compareByArrival, compareText } from '../facts/record-order.js';

/** A group of invoice records that are connected by pairs of duplicates, with the record that arrived first. */
export interface DuplicateGroup {
  /** Group id: hash of the smallest invoice id as 32 hexadecimal digits. */
  readonly groupId: string;
  readonly original: Candidate;
}

const GROUP_ID_BYTES = 16;

/**
 * Returns the group that contains the checked invoice and the records with which it forms pairs (detection reference,
 * section 5).
 */
export function groupOf(invoice: Candidate, paired: readonly Candidate[]): DuplicateGroup {
  const members = [invoice, ...paired].sort(compareByArrival);
  const [smallestId = invoice.invoiceId] = members.map((member) => member.invoiceId).sort(compareText);
  return { groupId: shortDigest(smallestId, GROUP_ID_BYTES), original: members[0] ?? invoice };
}
