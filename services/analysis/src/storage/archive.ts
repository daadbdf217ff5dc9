import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { Reading, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { newestRecords, recordsById } from '@invoicecontrol/retention/archive-pages';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import type { Collection, WithId } from 'mongodb';
import { invoiceFromReading } from '../application/invoice-from-reading.js';
import type { Provenance } from '../application/invoice-from-reading.js';
import type { AnalysisDocument } from './analyses.js';
import type { FindingDocument } from './findings.js';
import type { ErpOrderDocument } from './erp-orders.js';
import type { ErpPaymentDocument } from './erp-payments.js';
import type { SupplierDocument } from './suppliers.js';
import type { VendorDocument } from './vendors.js';
import { toRecord as toUploadRecord } from './uploads.js';
import type { UploadDocument } from './uploads.js';

/** What an organization takes with it beside what the lists of the API show. Each field is chosen here. */
export function archivedKinds({
  analyses,
  findings,
  suppliers,
  uploads,
  vendors,
  erpOrders,
  erpPayments,
}: {
  readonly analyses: Collection<AnalysisDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly suppliers: Collection<SupplierDocument>;
  readonly uploads: Collection<UploadDocument>;
  readonly vendors: Collection<VendorDocument>;
  readonly erpOrders: Collection<ErpOrderDocument>;
  readonly erpPayments: Collection<ErpPaymentDocument>;
}): Readonly<Record<string, ReadArchivePage>> {
  return {
    analyses: newestRecords(analyses, toAnalysisRecord, { projection: { facts: 0 } }),
    finding_history: newestRecords(findings, toHistoryRecord, { projection: { history: 1, createdAt: 1 } }),
    readings: newestRecords(uploads, toReadingRecord),
    suppliers: recordsById(suppliers, toSupplierRecord),
    vendors: recordsById(vendors, toVendorRecord),
    erp_orders: recordsById(erpOrders, toOrderRecord),
    erp_payments: recordsById(erpPayments, toPaymentRecord),
  };
}

function toAnalysisRecord(document: AnalysisDocument): Readonly<Record<string, unknown>> {
  const {
    _id: id,
    invoiceId,
    number,
    decision,
    riskScore,
    versions,
    supplierId,
    findings,
    previous,
    createdAt,
  } = document;
  return {
    id,
    invoiceId,
    number,
    decision,
    riskScore,
    versions,
    supplierId,
    findings: findings.map((finding) => ({
      id: finding.findingId,
      type: finding.type,
      severity: finding.severity,
      summary: finding.summary,
      recommendedAction: finding.recommendedAction,
      confidence: finding.confidence / 100,
      evidence: finding.evidence,
      relatedInvoiceIds: finding.relatedInvoiceIds,
      disposition: finding.disposition,
    })),
    previousAnalysisId: previous?.analysisId ?? null,
    differences: previous?.differences ?? [],
    createdAt,
  };
}

function toHistoryRecord({ _id: findingId, history, createdAt }: FindingDocument): Readonly<Record<string, unknown>> {
  const changes = history.map(({ at, actor, action, from, to, note }) => ({ at, actor, action, from, to, note }));
  return {
    findingId,
    items: [{ at: createdAt, actor: { type: 'SYSTEM', id: 'system' }, action: 'CREATED' }, ...changes],
  };
}

function toSupplierRecord({
  _id: id,
  name,
  taxKey,
  taxCountry,
  profile,
}: SupplierDocument): Readonly<Record<string, unknown>> {
  return {
    id,
    name,
    taxId: taxKey ?? null,
    country: taxCountry ?? null,
    invoices: profile.count,
    firstInvoiceDate: profile.firstDay === null ? null : dateOfDayNumber(profile.firstDay),
    lastInvoiceDate: profile.lastDay === null ? null : dateOfDayNumber(profile.lastDay),
    invoicesByCurrency: profile.currencies,
  };
}

/** What was read from a document, also from one that failed, with what people corrected. */
function toReadingRecord(document: WithId<UploadDocument>): Readonly<Record<string, unknown>> {
  const { invoiceId, uploadId, companyId, state, createdAt, failure, corrections, ...upload } =
    toUploadRecord(document);
  const { document: original, outcome, validation } = upload.extracted ?? {};
  const reading = outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
  const { provenance } = invoiceFromReading({ ...upload, corrections });
  return {
    invoiceId,
    uploadId,
    companyId,
    status: state,
    purchaseOrderRef: upload.request.purchaseOrderRef ?? null,
    failure:
      failure === undefined
        ? null
        : { reason: failure.reason, message: failure.message, missingFields: failure.missingFields },
    document:
      original === undefined
        ? null
        : { mediaType: original.mediaType, byteSize: original.byteSize, sha256: original.sha256 },
    reading: reading === undefined ? null : shownReading(reading, provenance),
    corrections: corrections.map(({ field, value, by, at }) => ({ field, value, by, at })),
    validation: validation === undefined ? null : shownValidation(validation),
    createdAt,
  };
}

function shownReading(reading: Reading, provenance: readonly Provenance[]): Readonly<Record<string, unknown>> {
  return {
    method: reading.method,
    format: reading.format,
    profile: reading.profile ?? null,
    kind: reading.kind,
    payableAmount: reading.payableAmount ?? null,
    embeddedFile: reading.embeddedFile ?? null,
    pages: reading.pages ?? null,
    fields: Object.fromEntries(
      provenance.map(({ field, value, raw, page, box, confidence, method, xpath, correctedBy, correctedAt }) => [
        field,
        {
          value,
          raw: raw ?? null,
          page: page ?? null,
          box: box.length === 0 ? null : box,
          confidence,
          method,
          xpath: xpath ?? null,
          ...(correctedBy === undefined ? {} : { correctedBy, correctedAt }),
        },
      ]),
    ),
    lines: reading.lines.map(({ description, quantity, unit, unitPrice, netAmount, taxRate }) => ({
      description: description ?? null,
      quantity: quantity ?? null,
      unit: unit ?? null,
      unitPrice: unitPrice ?? null,
      netAmount: netAmount ?? null,
      taxRate: taxRate ?? null,
    })),
    tamperSigns: reading.tamperSigns.map(({ kind }) => kind),
    hiddenTexts: reading.hiddenTexts.map(({ page, hiddenBy, holds, snippet }) => ({ page, hiddenBy, holds, snippet })),
    conflicts: reading.conflicts.map(({ field, source, machineValue, visibleValue }) => ({
      field,
      source,
      machineValue,
      visibleValue: visibleValue ?? null,
    })),
  };
}

function shownValidation({ mode, profile, ruleSets, schemaErrors, rules, total }: Validation): object {
  return {
    mode: enumName(ValidationMode, mode),
    profile: profile ?? null,
    ruleSets,
    schemaErrors: schemaErrors.map(({ message, location }) => ({ message, location })),
    rules: rules.map(({ id, flag, message, location }) => ({ id, flag, message, location })),
    total,
  };
}

/** With whole accounts: they are the organization's own data, as its invoices have them. */
function toVendorRecord(document: VendorDocument): Readonly<Record<string, unknown>> {
  const { details, accounts } = document;
  return {
    ...importedMembers(document),
    number: details.number ?? null,
    name: details.name,
    taxId: details.taxId ?? null,
    registrationNumber: details.registrationNumber ?? null,
    address: details.address ?? null,
    email: details.email ?? null,
    phone: details.phone ?? null,
    currency: details.currency ?? null,
    status: details.status,
    mergedIntoExternalId: details.mergedIntoExternalId ?? null,
    accounts: accounts.map(({ externalId, iban, sortCode, accountNumber, raw, holder, bic }) => ({
      externalId: externalId ?? null,
      iban: iban ?? null,
      sortCode: sortCode ?? null,
      accountNumber: accountNumber ?? null,
      raw,
      holder: holder ?? null,
      bic: bic ?? null,
    })),
    url: details.url ?? null,
  };
}

function toOrderRecord(document: ErpOrderDocument): Readonly<Record<string, unknown>> {
  const { number, vendorId, currency, netAmount, grossAmount } = document;
  return {
    ...importedMembers(document),
    number,
    vendorId,
    currency,
    netAmount: netAmount ?? null,
    grossAmount: grossAmount ?? null,
  };
}

function toPaymentRecord(document: ErpPaymentDocument): Readonly<Record<string, unknown>> {
  const { vendorId, date, currency, amount, reference, invoiceIds, account, isReturned } = document;
  return {
    ...importedMembers(document),
    vendorId,
    date,
    currency,
    amount,
    reference: reference ?? null,
    invoiceIds,
    account: account?.raw ?? null,
    isReturned,
  };
}

function importedMembers({
  _id: id,
  companyId,
  connectionId,
  externalId,
  createdAt,
  deletedAt,
}: VendorDocument | ErpOrderDocument | ErpPaymentDocument) {
  return { id, companyId, connectionId, externalId, createdAt, deletedAt: deletedAt ?? null };
}
