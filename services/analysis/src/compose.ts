import { events } from '@invoicecontrol/contracts/events';
import { stuckCounters } from '@invoicecontrol/metering/stuck-counters';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { usageData } from '@invoicecontrol/metering/usage-data';
import { USAGE_NOTICES, usageNotices } from '@invoicecontrol/metering/usage-notices';
import { usageReconciliation } from '@invoicecontrol/metering/usage-reconciliation';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { AUDIT_LINES, auditBuffer } from '@invoicecontrol/retention/audit';
import { ownedDocuments, prefixedDocuments } from '@invoicecontrol/retention/tenant-data';
import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { createCache } from '@invoicecontrol/runtime/cache';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import type { Db } from 'mongodb';
import { analyzeInvoice } from './application/analyze-invoice.js';
import { uploadAnalyzer } from './application/analyze-upload.js';
import { analyzeRows } from './application/rows/analyze-rows.js';
import { assignFinding } from './application/assign-finding.js';
import { countInvoice } from './application/count-invoice.js';
import { countRows } from './application/rows/count-rows.js';
import { documentFactsOf } from './application/document-facts.js';
import { invoiceDecider } from './application/decide-invoice.js';
import { highAmounts } from './application/high-amounts.js';
import { withoutAbandonedScans } from './application/abandoned-scans.js';
import { loadFacts } from './application/load-facts.js';
import type { DocumentFactsOf } from './application/load-facts.js';
import { keepRates, rateLoader } from './application/load-rates.js';
import { overridePolicy } from './application/override-policy.js';
import { rateBook } from './application/rate-book.js';
import { analysisReader } from './application/read-analyses.js';
import { completeImport, vendorListsOf } from './application/erp/complete-import.js';
import { deleteRecords, reconcileIds } from './application/erp/delete-records.js';
import { endMaster } from './application/erp/end-master.js';
import { examineBooks } from './application/erp/examine-books.js';
import { importBills } from './application/erp/import-bills.js';
import { importOrders } from './application/erp/import-orders.js';
import type { StoredOrder } from './application/erp/import-orders.js';
import { importPayments } from './application/erp/import-payments.js';
import type { StoredPayment } from './application/erp/import-payments.js';
import { importVendorAccounts } from './application/erp/import-vendor-accounts.js';
import { importVendors } from './application/erp/import-vendors.js';
import { reviewedAccounts } from './application/erp/reviewed-accounts.js';
import { loadErpRecords } from './application/erp/load-erp-records.js';
import { vendorReader } from './application/erp/read-vendors.js';
import { findingReader } from './application/read-findings.js';
import { invoiceReader } from './application/read-invoices.js';
import { uploadReader } from './application/read-uploads.js';
import { reloadFacts } from './application/reload-facts.js';
import { reanalyzeInvoice } from './application/reanalyze-invoice.js';
import { dryRunPolicy, replayAnalyses } from './application/replay-analyses.js';
import { reviewEffects } from './application/review-effects.js';
import { reviewFinding } from './application/review-finding.js';
import { routingRules } from './application/routing-rules.js';
import { ANALYSES_METER } from './application/resume-invoice.js';
import { stuckAnalyses } from './application/stuck-analyses.js';
import { sweepInvoices } from './application/sweep-invoices.js';
import { sweepReviews } from './application/sweep-reviews.js';
import { uploadWorker } from './application/upload-worker.js';
import { documentsFromService } from './clients/documents.js';
import { ecbFeed } from './clients/ecb-feed.js';
import { membersFromOrganization } from './clients/members.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { analysisStore, createAnalysisIndexes, createFactBundleIndexes } from './storage/analyses.js';
import type { AnalysisDocument, FactBundleDocument } from './storage/analyses.js';
import { billStore, deletableBills } from './storage/bills.js';
import { booksStore } from './storage/books.js';
import { createErpOrderIndexes } from './storage/erp-orders.js';
import type { ErpOrderDocument } from './storage/erp-orders.js';
import { createErpPaymentIndexes } from './storage/erp-payments.js';
import type { ErpPaymentDocument } from './storage/erp-payments.js';
import { erpRecordStore } from './storage/erp-records.js';
import { createErpSourceIndexes, erpSourceStore } from './storage/erp-sources.js';
import type { ErpSourceDocument } from './storage/erp-sources.js';
import { createFindingReviewIndexes, reviewStore } from './storage/finding-reviews.js';
import type { FindingReviewDocument } from './storage/finding-reviews.js';
import { createFindingIndexes, findingStore } from './storage/findings.js';
import type { FindingDocument } from './storage/findings.js';
import { importedStore } from './storage/imported-records.js';
import { createInvoiceIndexes, invoiceStore } from './storage/invoices.js';
import type { InvoiceDocument } from './storage/invoices.js';
import { linkStores } from './storage/links.js';
import type { LinkDocument } from './storage/links.js';
import { archivedKinds } from './storage/archive.js';
import { createPolicyIndexes, policyStore, registerReleasePolicy } from './storage/policies.js';
import type { PolicyDocument, ReleasePolicyDocument } from './storage/policies.js';
import { rateStore } from './storage/rates.js';
import type { RateDocument } from './storage/rates.js';
import { createRoutingRuleIndexes, routingRuleStore } from './storage/routing-rules.js';
import type { RoutingRuleDocument } from './storage/routing-rules.js';
import { rowStore } from './storage/rows.js';
import { createScanRunIndexes, scanRunStore } from './storage/scan-runs.js';
import type { ScanRunDocument } from './storage/scan-runs.js';
import { createSupplierIndexes, supplierStore } from './storage/suppliers.js';
import type { SupplierDocument } from './storage/suppliers.js';
import { createUploadIndexes, UPLOAD_ANALYSES, uploadStore } from './storage/uploads.js';
import type { UploadDocument } from './storage/uploads.js';
import { createVendorIndexes, vendorStore } from './storage/vendors.js';
import type { VendorDocument } from './storage/vendors.js';
import { analysisService } from './transport/grpc/analyses.js';
import { erpImportService } from './transport/grpc/erp-import.js';
import { findingService } from './transport/grpc/findings.js';
import { invoiceService } from './transport/grpc/invoices.js';
import { operatorService } from './transport/grpc/operator.js';
import { policyService } from './transport/grpc/policies.js';
import { routingRuleService } from './transport/grpc/routing-rules.js';
import { uploadAnalysisService } from './transport/grpc/uploads.js';
import { rowAnalysisService } from './transport/grpc/rows.js';
import { vendorService } from './transport/grpc/vendors.js';

/** How often each replica searches for analyses and reviews that a crash interrupted. */
const SWEEP_EACH_MS = 5_000;
/** What every decision of an organization needs costs no step of the flow; this process invalidates what it changes. */
const CACHED_BY_ORGANIZATION = { freshMs: 2_000, entriesMax: 10_000 };
/** A process that is killed loses the audit lines of so much reading. */
const AUDIT_EACH_MS = 1_000;

/** Starts the analysis service and resolves when it takes calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'analysis',
      schema: configSchema,
      config,
      callsEndMsMax: 20_000,
      messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, bus, clock, logger, openOutbox, onStop }: TenantConnections,
): Promise<TenantParts> {
  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS);
  onStop('organization', () => organizationChannel.close());
  // A reading is larger than usual: what a document says may take many fields and lines.
  const documentsChannel = openChannel(config.DOCUMENTS_ADDRESS, { messageBytesMax: LARGE_MESSAGE_BYTES_MAX });
  onStop('documents', () => documentsChannel.close());
  const collections = await openCollections(db);
  const outbox = await openOutbox(['invoices', 'findings', UPLOAD_ANALYSES, AUDIT_LINES, USAGE_NOTICES]);
  const audit = await auditBuffer(events.analysisAuditRecorded, { db, outbox, clock, logger });
  onStop('audit lines', () => audit.flush());

  const invoices = invoiceStore(collections.invoices, outbox, clock);
  const analyses = analysisStore(collections.analyses, collections.bundles);
  const findings = findingStore(collections.findings, outbox, clock);
  const uploads = uploadStore(collections.uploads, outbox, clock);
  const documentFacts: DocumentFactsOf = async ({ invoiceId, source }, organizationId) => {
    const upload = source === 'UPLOAD' ? await uploads.find(organizationId, invoiceId) : undefined;
    return upload === undefined ? undefined : documentFactsOf(upload);
  };
  const suppliers = supplierStore(collections.suppliers);
  const { bankLinks, orderLinks } = linkStores(collections.links);
  const usage = usageCounters(
    db,
    clock,
    await usageNotices(events.analysisUsageReached, { db, outbox, clock, logger }),
  );
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const members = membersFromOrganization(organizationChannel);

  const rates = rateStore(collections.rates);
  const book = rateBook(rates);
  await book.refresh();
  if (config.ECB_FEED_URL === undefined) logger.warn({}, 'no ECB_FEED_URL: exchange rates are not brought up to date');
  else {
    const loader = rateLoader({ rates, book, feed: ecbFeed(config.ECB_FEED_URL), clock, logger });
    const loading = keepRates(loader, logger);
    onStop('rates', () => loading.stop());
  }

  const policy = defaultPolicy;
  await registerReleasePolicy(collections.releasePolicies, policy, clock.now());
  const reviews = reviewStore(collections.reviews);
  const storedPolicies = policyStore(collections.policies, policy, () => clock.now());
  const policies = createCache({ ...CACHED_BY_ORGANIZATION, load: (id) => storedPolicies.current(id) });
  const storedRules = routingRuleStore(collections.routingRules);
  const rules = createCache({ ...CACHED_BY_ORGANIZATION, load: (id) => storedRules.all(id) });
  const usualAmounts = highAmounts({ invoices, logger });
  const runs = scanRunStore(collections.scanRuns);
  // What is counted as one is an invoice or a whole scan.
  const unfinalized = async (organizationId: string, unitIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const open = await Promise.all([
      invoices.unfinalized(organizationId, unitIds),
      runs.unfinalized(organizationId, unitIds),
    ]);
    return new Set(open.flatMap((ids) => [...ids]));
  };
  const withoutAbandoned = withoutAbandonedScans({ runs, clock });
  const erpSources = erpSourceStore(collections.erpSources);
  const vendorLists = createCache({ ...CACHED_BY_ORGANIZATION, load: vendorListsOf(erpSources) });
  const erpRecords = loadErpRecords({
    vendorLists,
    records: erpRecordStore({ ...collections, orders: collections.erpOrders }),
    logger,
  });
  const decider = invoiceDecider({
    invoices,
    analyses,
    findings,
    loadFacts: loadFacts({
      invoices,
      suppliers,
      bankLinks,
      orderLinks,
      policy,
      publishedRates: book.published,
      highAmounts: usualAmounts,
      withoutAbandonedScans: withoutAbandoned,
      documentFacts,
      erpRecords,
      logger,
    }),
    reloadFacts: reloadFacts({
      invoices,
      suppliers,
      bankLinks,
      publishedRates: book.published,
      withoutAbandonedScans: withoutAbandoned,
      documentFacts,
    }),
    countInvoice: countInvoice({ suppliers, bankLinks, orderLinks, unfinalized, clock }),
    reviews,
    policies,
    routingRules: rules,
    clock,
    logger,
  });
  const effects = reviewEffects({
    invoices,
    findings,
    reviews,
    suppliers,
    bankLinks,
    policies: storedPolicies,
    cachedPolicies: policies,
    clock,
  });
  const bills = billStore(collections.invoices);
  const reader = invoiceReader({ invoices, bills, findings, uploads, audit, clock });
  const documents = documentsFromService(documentsChannel);
  const worker = uploadWorker({ uploads, invoices, suppliers, documents, usage, tenants, decider, clock, logger });
  onStop('work on uploads', () => worker.stop());
  return {
    rpcGroups: [
      invoiceService({
        analyzeInvoice: analyzeInvoice({ invoices, analyses, suppliers, usage, tenants, decider, clock }),
        reader,
      }),
      uploadAnalysisService({
        analyzer: uploadAnalyzer({ uploads, invoices, documents, worker, usage, tenants, clock }),
        reader: uploadReader({ uploads, invoices, reader, audit }),
        invoices: reader,
      }),
      findingService({
        reader: findingReader({ findings, invoices, tenants }),
        reviewFinding: reviewFinding({ findings, invoices, effects, policy, audit, clock, logger }),
        assignFinding: assignFinding({ findings, invoices, members, clock }),
      }),
      routingRuleService(routingRules({ rules: storedRules, cachedRules: rules, suppliers, members, tenants, clock })),
      analysisService({
        reader: analysisReader({ invoices, analyses, uploads }),
        invoices: reader,
        reanalyzeInvoice: reanalyzeInvoice({ invoices, analyses, runs, tenants, decider, uploads }),
      }),
      operatorService({
        replayAnalyses: replayAnalyses({ analyses, policies: storedPolicies, logger }),
        dryRunPolicy: dryRunPolicy({ invoices, analyses, clock }),
        overridePolicy: overridePolicy({ policies: storedPolicies, cachedPolicies: policies }),
      }),
      erpImportService(
        erpImports(collections, {
          sources: erpSources,
          suppliers,
          bills,
          policy,
          vendorLists,
          examineBooks: examineBooks({
            books: booksStore({ ...collections, payments: collections.erpPayments }),
            findings,
            reviewed: reviewedAccounts({ findings, bankLinks }),
            policies,
            routingRules: rules,
            clock,
            logger,
          }),
          clock,
        }),
      ),
      vendorService({
        reader: vendorReader({
          sources: erpSources,
          vendors: vendorStore(collections.vendors),
          bills,
          suppliers,
          invoices,
          findings,
          policy,
        }),
      }),
      archiveService(archivedKinds(collections)),
      policyService({ policies }),
      rowAnalysisService({
        analyzeRows: analyzeRows({
          runs,
          rows: rowStore(collections, outbox, clock),
          invoices,
          findings,
          suppliers,
          bankLinks,
          orderLinks,
          erpRecords,
          countRows: countRows({ suppliers, bankLinks, orderLinks, unfinalized }),
          reviews,
          tenants,
          policies,
          routingRules: rules,
          policy,
          publishedRates: book.published,
          highAmounts: usualAmounts,
          clock,
          logger,
        }),
      }),
      usageService(
        {
          [ANALYSES_METER]: (organizationId, month) => usage.used({ organizationId, month, meter: ANALYSES_METER }),
        },
        clock,
      ),
    ],
    tenantData: [...tenantDataOf(collections), ...usageData(db)],
    stuckWork: [stuckAnalyses({ invoices, findings, uploads }), stuckCounters(db, 'analysis')],
    jobs: [
      {
        name: 'sweep of invoices',
        pauseMs: SWEEP_EACH_MS,
        run: sweepInvoices({ invoices, tenants, usage, decider, clock, logger }),
      },
      { name: 'sweep of uploads', pauseMs: SWEEP_EACH_MS, run: () => worker.sweep() },
      { name: 'sweep of reviews', pauseMs: SWEEP_EACH_MS, run: sweepReviews({ findings, effects, clock, logger }) },
      { name: 'flush of audit lines', pauseMs: AUDIT_EACH_MS, run: () => audit.flush() },
      await usageReconciliation({
        db,
        clock,
        logger,
        marks: {
          [ANALYSES_METER]: async (...month) => {
            const counts = await Promise.all([invoices.analysesOf(...month), uploads.analysesOf(...month)]);
            return counts.reduce((sum, count) => sum + count, 0);
          },
        },
      }),
    ],
  };
}

/** What takes pages from synchronisations of ERP systems. */
function erpImports(
  collections: Awaited<ReturnType<typeof openCollections>>,
  deps: Pick<Parameters<typeof importBills>[0], 'suppliers' | 'bills' | 'policy'> &
    Parameters<typeof completeImport>[0],
): Parameters<typeof erpImportService>[0] {
  const { sources, suppliers, bills, policy, clock } = deps;
  const vendors = vendorStore(collections.vendors);
  const orders = importedStore<StoredOrder>(collections.erpOrders);
  const payments = importedStore<StoredPayment>(collections.erpPayments);
  const stores = {
    VENDOR: vendors,
    BILL: deletableBills(collections.invoices, 'BILL'),
    CREDIT_NOTE: deletableBills(collections.invoices, 'CREDIT_NOTE'),
    ORDER: orders,
    PAYMENT: payments,
  };
  return {
    importVendors: importVendors({ sources, vendors, clock }),
    importVendorAccounts: importVendorAccounts({ sources, vendors, clock }),
    importBills: importBills({ sources, vendors, suppliers, bills, policy, clock }),
    importOrders: importOrders({ sources, orders, clock }),
    importPayments: importPayments({ sources, payments, clock }),
    reconcileIds: reconcileIds({ sources, vendors, stores, clock }),
    deleteRecords: deleteRecords({ sources, vendors, stores, clock }),
    completeImport: completeImport(deps),
    endMaster: endMaster(deps),
  };
}

/** What is kept of organizations; first what work begins from, so that none begins on what is about to go. */
function tenantDataOf(collections: Awaited<ReturnType<typeof openCollections>>): readonly TenantData[] {
  const { uploads, scanRuns, invoices, findings, analyses, bundles, reviews } = collections;
  const { suppliers, policies, routingRules, links, erpSources, vendors, erpOrders, erpPayments } = collections;
  return [
    ownedDocuments(erpSources),
    ownedDocuments(vendors),
    ownedDocuments(erpOrders),
    ownedDocuments(erpPayments),
    ownedDocuments(uploads),
    ownedDocuments(scanRuns),
    ownedDocuments(invoices),
    ownedDocuments(findings),
    ownedDocuments(analyses),
    ownedDocuments(bundles),
    ownedDocuments(reviews),
    ownedDocuments(suppliers),
    ownedDocuments(policies),
    ownedDocuments(routingRules),
    prefixedDocuments(links, (organizationId) => `${organizationId}|`),
  ];
}

/** The collections of the service with their indexes. */
async function openCollections(db: Db) {
  const invoices = db.collection<InvoiceDocument>('invoices');
  const analyses = db.collection<AnalysisDocument>('analyses');
  const findings = db.collection<FindingDocument>('findings');
  const uploads = db.collection<UploadDocument>(UPLOAD_ANALYSES);
  const reviews = db.collection<FindingReviewDocument>('finding_reviews');
  const policies = db.collection<PolicyDocument>('policies');
  const routingRules = db.collection<RoutingRuleDocument>('routing_rules');
  const suppliers = db.collection<SupplierDocument>('suppliers');
  const scanRuns = db.collection<ScanRunDocument>('scan_runs');
  const bundles = db.collection<FactBundleDocument>('fact_bundles');
  const erpSources = db.collection<ErpSourceDocument>('erp_sources');
  const vendors = db.collection<VendorDocument>('vendors');
  const erpOrders = db.collection<ErpOrderDocument>('erp_orders');
  const erpPayments = db.collection<ErpPaymentDocument>('erp_payments');
  await Promise.all([
    createInvoiceIndexes(invoices),
    createAnalysisIndexes(analyses),
    createFindingIndexes(findings),
    createUploadIndexes(uploads),
    createFindingReviewIndexes(reviews),
    createPolicyIndexes(policies),
    createRoutingRuleIndexes(routingRules),
    createSupplierIndexes(suppliers),
    createScanRunIndexes(scanRuns),
    createFactBundleIndexes(bundles),
    createErpSourceIndexes(erpSources),
    createVendorIndexes(vendors),
    createErpOrderIndexes(erpOrders),
    createErpPaymentIndexes(erpPayments),
  ]);
  // These are read by _id alone.
  const links = db.collection<LinkDocument>('links');
  const rates = db.collection<RateDocument>('rates');
  const releasePolicies = db.collection<ReleasePolicyDocument>('release_policies');
  return {
    invoices,
    analyses,
    findings,
    uploads,
    reviews,
    policies,
    routingRules,
    suppliers,
    scanRuns,
    links,
    bundles,
    erpSources,
    vendors,
    erpOrders,
    erpPayments,
    rates,
    releasePolicies,
  };
}
