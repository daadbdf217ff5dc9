import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { SupplierServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import type {
  AccountChange as WireAccountChange,
  KnownSupplier as WireSupplier,
  SupplierAccount as WireAccount,
  Verification as WireVerification,
} from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { invalidField } from '@invoicecontrol/errors';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { MALFORMED_CURSOR, readPageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { AccountChange, listAccountChanges } from '../../application/list-account-changes.js';
import type { ListedSupplier, SupplierReader, VerifiableAccount } from '../../application/read-suppliers.js';
import type { SupplierPosition } from '../../application/supplier-records.js';
import type { confirmAccount, verifyAccount } from '../../application/verify-account.js';
import type { Verification } from '../../domain/verification.js';

interface Deps {
  readonly reader: SupplierReader;
  readonly verify: ReturnType<typeof verifyAccount>;
  readonly confirm: ReturnType<typeof confirmAccount>;
  readonly listChanges: ReturnType<typeof listAccountChanges>;
}

/** Maximum number of verifications of one bank account in the list of changes. */
const VERIFICATIONS_MAX = 100;

/** Implements the gRPC service invoicecontrol.analysis.v1.SupplierService. */
export function supplierService({ reader, verify, confirm, listChanges }: Deps): Binding {
  return bind(SupplierServiceDefinition, {
    async listSuppliers({ organizationId, pageSize, pageToken, query }) {
      const { size } = readPageRequest({ pageSize, pageToken: '' });
      const asked = { size, after: readPosition(pageToken), text: query?.trim() ?? '' };
      const { items, next } = await reader.list(organizationId, asked);
      return { suppliers: items.map(encodeSupplier), nextPageToken: next === undefined ? '' : writePosition(next) };
    },
    async getSupplier({ organizationId, supplierId }, context) {
      const { accounts, ...listed } = await reader.get(organizationId, supplierId);
      return {
        supplier: encodeSupplier(listed),
        accounts: accounts.map((account) => encodeAccount(account, maySeeContacts(context))),
      };
    },
    async createVerification({ organizationId, supplierId, accountId, ...stated }, context) {
      const verification = await verify({ organizationId, supplierId, accountId }, stated, context);
      return { verification: encodeVerification(verification, maySeeContacts(context)) };
    },
    async confirmVerification({ verificationId, ...account }, context) {
      const verification = await confirm(account, verificationId, context);
      return { verification: encodeVerification(verification, maySeeContacts(context)) };
    },
    async listAccountChanges({ organizationId, fromDate: from, toDate: to, companyId, pageToken }, context) {
      const { items, next } = await listChanges(organizationId, { from, to, companyId, afterId: pageToken }, context);
      return { changes: items.map(encodeChange), nextPageToken: next ?? '' };
    },
  });
}

/** Checks whether a caller may see the persons and numbers by which bank accounts were verified. */
function maySeeContacts(context: RequestContext): boolean {
  return isRoleAtLeast(requirePrincipal(context).role, 'ADMIN');
}

function encodeSupplier({ supplier, openFindings }: ListedSupplier): WireSupplier {
  const { identity, profile } = supplier;
  const { taxKey, taxCountry } = identity;
  return {
    supplierId: identity.supplierId,
    name: identity.name,
    taxIds: taxKey === undefined ? [] : [`${taxCountry ?? ''}${taxKey}`],
    country: taxCountry,
    status: profile.accounts.some(({ trust }) => trust === 'FRAUD') ? 'BLOCKED' : profile.count > 1 ? 'KNOWN' : 'NEW',
    invoiceCount: profile.count,
    firstInvoiceDate: profile.firstDay === null ? undefined : dateOfDayNumber(profile.firstDay),
    lastInvoiceDate: profile.lastDay === null ? undefined : dateOfDayNumber(profile.lastDay),
    openFindings,
  };
}

function encodeAccount(account: VerifiableAccount, includesContacts: boolean): WireAccount {
  return {
    accountId: account.accountId,
    maskedAccount: account.masked,
    scheme: account.scheme,
    country: account.country,
    trust: account.trust,
    firstSeen: dateOfDayNumber(account.firstSeenDay),
    lastSeen: dateOfDayNumber(account.lastSeenDay),
    invoiceCount: account.invoiceCount,
    sharedWith: account.sharedWith,
    verifications: account.verifications.map((verification) => encodeVerification(verification, includesContacts)),
  };
}

function encodeVerification(verification: Verification, includesContact: boolean): WireVerification {
  const { confirmation } = verification;
  return {
    verificationId: verification.verificationId,
    supplierId: verification.supplierId,
    accountId: verification.accountId,
    maskedAccount: verification.account.masked,
    method: verification.method,
    contactSource: verification.contactSource,
    contact: includesContact ? verification.contact : undefined,
    note: verification.note,
    verifiedBy: verification.verifiedBy,
    verifiedTime: verification.createdAt,
    confirmedBy: confirmation?.by,
    confirmedTime: confirmation?.at,
  };
}

function encodeChange(change: AccountChange): WireAccountChange {
  const { firstInvoice } = change;
  return {
    supplierId: change.supplierId,
    supplierName: change.supplierName,
    accountId: change.accountId,
    maskedAccount: change.masked,
    trust: change.trust,
    firstSeen: change.firstSeen,
    firstInvoiceId: change.firstInvoiceId,
    firstInvoiceNumber: change.firstInvoiceNumber,
    companyId: firstInvoice?.companyId,
    source: firstInvoice === undefined ? InvoiceSource.UNSPECIFIED : InvoiceSource[firstInvoice.source],
    receivedTime: firstInvoice?.receivedAt,
    isAdditional: change.isAdditional,
    verifications: change.verifications
      .slice(0, VERIFICATIONS_MAX)
      .map((verification) => encodeVerification(verification, true)),
  };
}

/** Encodes a position in the list of suppliers that is sorted by name. */
function writePosition({ nameKey, id }: SupplierPosition): string {
  return Buffer.from(`${id}|${nameKey}`).toString('base64url');
}

function readPosition(token: string): SupplierPosition | undefined {
  if (token === '') return undefined;
  const [, id, nameKey] = /^([0-9a-f-]{36})\|(.{0,400})$/su.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  // The decoder of page tokens in the supplier list also accepts other spellings of a token, so the token is compared
  // with its encoding.
  if (id === undefined || nameKey === undefined || writePosition({ nameKey, id }) !== token) {
    throw invalidField('cursor', MALFORMED_CURSOR);
  }
  return { nameKey, id };
}
