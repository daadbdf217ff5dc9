import type { Foundation } from '../foundation.js';
import { createAnalysisIndexes, analysisStore } from './storage/analyses.js';
import type { AnalysisDocument } from './storage/analyses.js';
import { createFindingIndexes, findingStore } from './storage/findings.js';
import type { FindingDocument } from './storage/findings.js';
import { createInvoiceIndexes, invoiceStore } from './storage/invoices.js';
import type { InvoiceDocument } from './storage/invoices.js';
import { linkStores } from './storage/links.js';
import type { LinkDocument } from './storage/links.js';
import { createScanRunIndexes, scanRunStore } from './storage/scan-runs.js';
import type { ScanRunDocument } from './storage/scan-runs.js';
import { createSupplierIndexes, supplierStore } from './storage/suppliers.js';
import type { SupplierDocument } from './storage/suppliers.js';
import { createFactBundleIndexes } from './storage/stored-facts.js';
import type { FactBundleDocument } from './storage/stored-facts.js';
import { createUploadIndexes, UPLOAD_ANALYSES, uploadStore } from './storage/uploads.js';
import type { UploadDocument } from './storage/uploads.js';

/** Stores for invoices, findings and other records that all parts of the analysis service read and write. */
export type Records = Awaited<ReturnType<typeof composeRecords>>;

export async function composeRecords({ db, outbox, clock }: Foundation) {
  const collections = {
    invoices: db.collection<InvoiceDocument>('invoices'),
    analyses: db.collection<AnalysisDocument>('analyses'),
    bundles: db.collection<FactBundleDocument>('fact_bundles'),
    findings: db.collection<FindingDocument>('findings'),
    uploads: db.collection<UploadDocument>(UPLOAD_ANALYSES),
    suppliers: db.collection<SupplierDocument>('suppliers'),
    scanRuns: db.collection<ScanRunDocument>('scan_runs'),
    // Records that count the invoices of a bank account or an order are read only by their ids, so their collection
    // needs no further index.
    links: db.collection<LinkDocument>('links'),
  };
  await Promise.all([
    createInvoiceIndexes(collections.invoices),
    createAnalysisIndexes(collections.analyses),
    createFactBundleIndexes(collections.bundles),
    createFindingIndexes(collections.findings),
    createUploadIndexes(collections.uploads),
    createSupplierIndexes(collections.suppliers),
    createScanRunIndexes(collections.scanRuns),
  ]);
  const invoices = invoiceStore(collections.invoices, outbox, clock);
  const runs = scanRunStore(collections.scanRuns);
  return {
    collections,
    invoices,
    analyses: analysisStore(collections.analyses, collections.invoices, collections.bundles),
    findings: findingStore(collections.findings, outbox, clock),
    uploads: uploadStore(collections.uploads, outbox, clock),
    suppliers: supplierStore(collections.suppliers),
    ...linkStores(collections.links),
    runs,
    /** Returns those of the given invoices and history scans that may not be counted in all records yet. */
    async unfinalized(organizationId: string, unitIds: readonly string[]): Promise<ReadonlySet<string>> {
      const open = await Promise.all([
        invoices.unfinalized(organizationId, unitIds),
        runs.unfinalized(organizationId, unitIds),
      ]);
      return new Set(open.flatMap((ids) => [...ids]));
    },
  };
}
