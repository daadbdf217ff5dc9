import type { BankLink } from '@invoicecontrol/engine/facts/links';
import type { AccountTrust, AccountUse, EarningUse, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { v5 as uuidv5 } from 'uuid';

const ACCOUNT_NAMESPACE = '1f0a2c5e-6f0e-4c55-9d5b-0c6f2d7a9b31';

/** A bank account that a supplier has stated on its invoices. */
export interface SupplierAccount {
  /**
   * Id of a supplier's bank account, derived from organization, supplier and account, so that the id of an account is
   * the same in every response.
   */
  readonly accountId: string;
  readonly masked: string;
  readonly scheme: 'IBAN' | 'UK';
  readonly country: string | undefined;
  readonly trust: AccountTrust;
  /** Number of the day on which a supplier's bank account was first seen. */
  readonly firstSeenDay: number;
  readonly lastSeenDay: number;
  readonly invoiceCount: number;
  /** Number of other suppliers that use the bank account. */
  readonly sharedWith: number;
  readonly firstInvoiceNumber: string;
  readonly firstInvoiceId: string | undefined;
  /** False for the first bank account that became known of the supplier, and true for every other one. */
  readonly isAdditional: boolean;
}

/**
 * Returns the bank accounts of a supplier in the order in which they were first seen.
 * @param links links of the accounts, by account key
 */
export function accountsOf(
  organizationId: string,
  supplierId: string,
  { accounts }: Pick<SupplierProfile, 'accounts'>,
  links: ReadonlyMap<string, BankLink>,
): readonly SupplierAccount[] {
  const first = Math.min(...accounts.map(firstSeenDay));
  const original = accounts.find((use) => firstSeenDay(use) === first);
  return accounts
    .map((use) => {
      const link = links.get(use.key);
      const others = link?.suppliers.filter((linked) => linked.supplierId !== supplierId) ?? [];
      return {
        accountId: uuidv5(`${organizationId}|${supplierId}|${use.key}`, ACCOUNT_NAMESPACE),
        masked: use.masked,
        scheme: use.key.startsWith('GB:') ? ('UK' as const) : ('IBAN' as const),
        country: use.country,
        // A confirmed fraud with a bank account applies to all suppliers that use the account.
        trust: link?.fraud === undefined ? use.trust : ('FRAUD' as const),
        firstSeenDay: firstSeenDay(use),
        lastSeenDay: use.lastDay,
        invoiceCount: use.count,
        sharedWith: others.length,
        firstInvoiceNumber: use.firstInvoiceNumber,
        firstInvoiceId: link?.suppliers.find((linked) => linked.supplierId === supplierId)?.firstInvoiceId,
        isAdditional: use !== original,
      };
    })
    .sort((left, right) => left.firstSeenDay - right.firstSeenDay);
}

/**
 * Returns the day on which a supplier's bank account was first seen. This is the day on which the invoice was received
 * and not the date on the invoice, because the sender chooses that date. For a row of a history scan, it is the issue
 * day.
 */
function firstSeenDay({ firstDay, earning, asked, history }: AccountUse): number {
  const days = [earning, asked, history].flatMap((use: EarningUse | undefined) => use?.firstDay ?? []);
  return days.length === 0 ? firstDay : Math.min(...days);
}
