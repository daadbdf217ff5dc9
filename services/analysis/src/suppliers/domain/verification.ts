import { DomainError, invalidField } from '@invoicecontrol/errors';
import { faultOfLine, faultOfNote, normaliseNote } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';

const methods = ['CALL_BACK', 'LETTER', 'PORTAL', 'IN_PERSON'] as const;
export type VerificationMethod = (typeof methods)[number];

/** Sources from which a person may take the contact of a supplier, other than the invoice. */
const contactSources = ['VENDOR_MASTER', 'CONTRACT', 'PUBLIC_REGISTER'] as const;
export type ContactSource = (typeof contactSources)[number];

const CONTACT_LENGTH_MAX = 200;
const NOTE_LENGTH_MAX = 4_000;

/** Record of what a person did to verify a supplier's bank account. */
export interface VerificationInput {
  readonly method: VerificationMethod;
  readonly contactSource: ContactSource;
  /** Phone number, address or portal by which the supplier was reached. */
  readonly contact: string;
  readonly note: string;
}

/**
 * A person's verification that a bank account belongs to a supplier. The verification does not change any decision
 * about an invoice.
 */
export interface Verification extends VerificationInput {
  readonly verificationId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly supplierId: string;
  readonly accountId: string;
  /**
   * The bank account as it was known when it was verified. It is stored here, because the supplier profile may drop the
   * account later.
   */
  readonly account: VerifiedAccount;
  /** Person who verified the bank account, as `personOf` returns it. */
  readonly verifiedBy: string;
  readonly createdAt: Date;
  /** Second person, who confirmed the verification of the bank account. */
  readonly confirmation: { readonly by: string; readonly at: Date } | undefined;
}

export interface VerifiedAccount {
  readonly masked: string;
  readonly firstSeen: string;
  readonly firstInvoiceNumber: string;
  readonly firstInvoiceId?: string | undefined;
}

/**
 * Reads from a request what a person did to verify a bank account.
 * @throws DomainError invalid
 */
export function readVerification(input: Readonly<Record<keyof VerificationInput, string>>): VerificationInput {
  const contact = input.contact.trim();
  const fault = faultOfLine(contact);
  if (fault !== undefined) throw invalidField('contact', fault);
  if (contact === '' || isLongerThan(contact, CONTACT_LENGTH_MAX)) {
    throw invalidField('contact', `must have 1 to ${CONTACT_LENGTH_MAX} characters.`);
  }
  const note = normaliseNote(input.note);
  const noteFault = faultOfNote(note);
  if (noteFault !== undefined) throw invalidField('note', noteFault);
  if (isLongerThan(note, NOTE_LENGTH_MAX)) {
    throw invalidField('note', `must have at most ${NOTE_LENGTH_MAX} characters.`);
  }
  return {
    method: readWord('method', methods, input.method),
    contactSource: readWord('contact_source', contactSources, input.contactSource),
    contact,
    note,
  };
}

function readWord<W extends string>(path: string, words: readonly W[], word: string): W {
  const found = words.find((known) => known === word);
  if (found === undefined) throw invalidField(path, `must be one of ${words.join(', ')}.`);
  return found;
}

/**
 * Confirms the verification of a bank account. A repeated request of the same person changes nothing.
 * @throws DomainError wrong_state for the person who verified the account, and for a third person
 */
export function confirmVerification(verification: Verification, { by, at }: { by: string; at: Date }): Verification {
  if (by === verification.verifiedBy) {
    throw new DomainError(
      'wrong_state',
      'The person who recorded the verification of the bank account cannot confirm it. Another person must send the confirmation with an API key of their own.',
    );
  }
  if (verification.confirmation?.by === by) return verification;
  if (verification.confirmation !== undefined) {
    throw new DomainError(
      'wrong_state',
      'Another person has already confirmed this verification of the bank account. No further confirmation is needed.',
    );
  }
  return { ...verification, confirmation: { by, at } };
}
