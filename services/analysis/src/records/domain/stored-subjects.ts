import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import { accountsOf, evidenceKey, subject } from '@invoicecontrol/engine/explanation/subject';
import type { Subject } from '@invoicecontrol/engine/explanation/subject';
import { isSignOfFraud } from '@invoicecontrol/engine/supplier/suspicion';

type StoredFinding = Pick<Finding, 'type' | 'family' | 'evidence' | 'relatedInvoiceIds'> & {
  /**
   * Subjects of the finding, such as its invoices and its account. Absent in findings that were stored before findings
   * had subjects.
   */
  readonly subjects?: readonly Subject[];
};

interface SubjectInvoice {
  readonly invoiceId: string;
  readonly supplierId: string;
  readonly bankKey?: string | undefined;
}

/**
 * Returns a stored finding with its subjects. For an old finding, subjects are derived: the pairs from its related
 * records, and the invoice's own account if the evidence key contains it.
 */
export function withSubjects<F extends StoredFinding>(
  finding: F,
  { invoiceId, supplierId, bankKey }: SubjectInvoice,
): F & { readonly subjects: readonly Subject[] } {
  const { type, family, evidence, relatedInvoiceIds, subjects } = finding;
  if (subjects !== undefined) return { ...finding, subjects };
  const isAboutPairs = family === 'DUP' && type !== 'DUPLICATE_DOCUMENT';
  const pairs = isAboutPairs ? relatedInvoiceIds.map((related) => subject.pair(invoiceId, related)) : [];
  const isAboutAccount =
    bankKey !== undefined &&
    (family === 'BANK'
      ? [[supplierId, bankKey], [bankKey]].some((about) => evidenceKey(type, about) === evidence.key)
      : isSignOfFraud(finding));
  const accounts = isAboutAccount ? accountsOf({ bankKey }) : [];
  return { ...finding, subjects: [...pairs, ...accounts] };
}
