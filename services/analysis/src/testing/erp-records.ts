import { BillKind, BillState, VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type {
  ErpAccount,
  ErpBill,
  ErpOrder,
  ErpPayment,
  ErpVendor,
  ErpVendorAccount,
  ImportSource,
} from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { v7 as uuidV7 } from 'uuid';

// Records of a fictional ERP in the form that erp-sync sends. Tests change the fields that they need.

/** Returns the import state of a new ERP connection, for tests. */
export function erpSource(organizationId: string, changes: Partial<ImportSource> = {}): ImportSource {
  return {
    organizationId,
    companyId: 'c-main',
    connectionId: uuidV7(),
    remoteCompanyId: 'remote-1',
    runId: uuidV7(),
    provider: 'PROVIDER_A',
    ...changes,
  };
}

export function erpAccount(changes: Partial<ErpAccount> = {}): ErpAccount {
  return { raw: changes.iban ?? '', isMasked: false, ...changes };
}

export function erpVendor(externalId: string, changes: Partial<ErpVendor> = {}): ErpVendor {
  return {
    externalId,
    name: `Vendor ${externalId} GmbH`,
    isTaxIdMasked: false,
    status: VendorStatus.ACTIVE,
    hasAccounts: false,
    accounts: [],
    modifiedTime: undefined,
    ...changes,
  };
}

export function erpVendorAccount(
  externalId: string,
  vendorExternalId: string | undefined,
  iban: string,
  changes: Partial<ErpVendorAccount> = {},
): ErpVendorAccount {
  return {
    account: erpAccount({ externalId, iban }),
    ...(vendorExternalId === undefined ? {} : { vendorExternalId }),
    ...changes,
  };
}

export function erpBill(externalId: string, changes: Partial<ErpBill> = {}): ErpBill {
  return {
    externalId,
    kind: BillKind.BILL,
    documentNumber: `RE-${externalId}`,
    vendorExternalId: 'v1',
    vendorName: 'Vendor v1 GmbH',
    issueDate: '2026-09-14',
    currency: 'EUR',
    grossAmount: '1190.00',
    purchaseOrderRefs: [],
    state: BillState.OPEN,
    modifiedTime: undefined,
    ...changes,
  };
}

export function erpOrder(externalId: string, changes: Partial<ErpOrder> = {}): ErpOrder {
  return {
    externalId,
    number: `PO-${externalId}`,
    vendorExternalId: 'v1',
    currency: 'EUR',
    grossAmount: '500.00',
    modifiedTime: undefined,
    ...changes,
  };
}

export function erpPayment(externalId: string, changes: Partial<ErpPayment> = {}): ErpPayment {
  return {
    externalId,
    vendorExternalId: 'v1',
    date: '2026-09-20',
    currency: 'EUR',
    amount: '1190.00',
    billExternalIds: [],
    account: undefined,
    isReturned: false,
    modifiedTime: undefined,
    ...changes,
  };
}
