import { setTimeout as delay } from 'node:timers/promises';
import { describeConfig } from '@invoicecontrol/runtime/config';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { databaseClock } from '@invoicecontrol/runtime/mongo/database-clock';
import { startOutbox } from '@invoicecontrol/runtime/mongo/outbox';
import { usageCounters } from '@invoicecontrol/runtime/mongo/usage';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { watchReadiness } from '@invoicecontrol/runtime/readiness';
import { repeat } from '@invoicecontrol/runtime/repeat';
import { Shutdown } from '@invoicecontrol/runtime/shutdown';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import { analyzeInvoice } from './application/analyze-invoice.js';
import { assignFinding } from './application/assign-finding.js';
import { countInvoice } from './application/count-invoice.js';
import { invoiceDecider } from './application/decide-invoice.js';
import { highAmounts } from './application/high-amounts.js';
import { loadFacts } from './application/load-facts.js';
import { keepRates, rateLoader } from './application/load-rates.js';
import { overridePolicy } from './application/override-policy.js';
import { rateBook } from './application/rate-book.js';
import { analysisReader } from './application/read-analyses.js';
import { findingReader } from './application/read-findings.js';
import { invoiceReader } from './application/read-invoices.js';
import { reanalyzeInvoice } from './application/reanalyze-invoice.js';
import { remembered } from './application/remembered.js';
import { dryRunPolicy, replayAnalyses } from './application/replay-analyses.js';
import { reviewEffects } from './application/review-effects.js';
import { reviewFinding } from './application/review-finding.js';
import { routingRules } from './application/routing-rules.js';
import { sweepInvoices } from './application/sweep-invoices.js';
import { sweepReviews } from './application/sweep-reviews.js';
import { ecbFeed } from './clients/ecb-feed.js';
import { membersFromOrganization } from './clients/members.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import type { BankLink, OrderLink } from './domain/links.js';
import { defaultPolicy } from './domain/policy.js';
import { analysisStore, createAnalysisIndexes } from './storage/analyses.js';
import type { AnalysisDocument } from './storage/analyses.js';
import { createFindingReviewIndexes, reviewStore } from './storage/finding-reviews.js';
import type { FindingReviewDocument } from './storage/finding-reviews.js';
import { createFindingIndexes, findingStore } from './storage/findings.js';
import type { FindingDocument } from './storage/findings.js';
import { createInvoiceIndexes, invoiceStore } from './storage/invoices.js';
import type { InvoiceDocument } from './storage/invoices.js';
import { linkStore } from './storage/links.js';
import type { LinkDocument } from './storage/links.js';
import { createPolicyIndexes, policyStore } from './storage/policies.js';
import type { PolicyDocument } from './storage/policies.js';
import { rateStore } from './storage/rates.js';
import type { RateDocument } from './storage/rates.js';
import { createRoutingRuleIndexes, routingRuleStore } from './storage/routing-rules.js';
import type { RoutingRuleDocument } from './storage/routing-rules.js';
import { createSupplierIndexes, supplierStore } from './storage/suppliers.js';
import type { SupplierDocument } from './storage/suppliers.js';
import { analysisService } from './transport/grpc/analyses.js';
import { findingService } from './transport/grpc/findings.js';
import { invoiceService } from './transport/grpc/invoices.js';
import { operatorGuard } from './transport/grpc/operator-guard.js';
import { policyService } from './transport/grpc/policies.js';
import { routingRuleService } from './transport/grpc/routing-rules.js';

const SERVICE = 'analysis';
/** How often each replica looks for analyses that a crash interrupted. */
const SWEEP_EACH_MS = 5_000;
const DRAIN_MS_MAX = 20_000;

/** Builds the analysis service from its adapters and starts it. */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service: SERVICE, level: config.LOG_LEVEL });
  logger.info({ config: describeConfig(configSchema, config) }, 'starting');
  const shutdown = new Shutdown(logger);
  try {
    const telemetry = await startTelemetry(SERVICE, config.OTEL_EXPORTER_OTLP_ENDPOINT);
    shutdown.add('telemetry', () => telemetry.stop());
    const mongo = await connectMongo({
      url: config.MONGODB_URL,
      databaseName: config.DATABASE_NAME,
      appName: SERVICE,
    });
    shutdown.add('database', () => mongo.close());
    const bus = await connectNats({ url: config.NATS_URL, name: SERVICE, logger });
    shutdown.add('broker', () => bus.close());
    const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS);
    shutdown.add('organization', () => organizationChannel.close());
    const { db } = mongo;
    const clock = await databaseClock(db, logger);
    shutdown.add('clock', () => clock.stop());

    const invoiceDocuments = db.collection<InvoiceDocument>('invoices');
    const analysisDocuments = db.collection<AnalysisDocument>('analyses');
    const findingDocuments = db.collection<FindingDocument>('findings');
    const reviewDocuments = db.collection<FindingReviewDocument>('finding_reviews');
    const ruleDocuments = db.collection<RoutingRuleDocument>('routing_rules');
    const policyDocuments = db.collection<PolicyDocument>('policies');
    const supplierDocuments = db.collection<SupplierDocument>('suppliers');
    await Promise.all([
      createInvoiceIndexes(invoiceDocuments),
      createAnalysisIndexes(analysisDocuments),
      createFindingIndexes(findingDocuments),
      createFindingReviewIndexes(reviewDocuments),
      createPolicyIndexes(policyDocuments),
      createRoutingRuleIndexes(ruleDocuments),
      createSupplierIndexes(supplierDocuments),
    ]);
    const publisher = await eventPublisher(bus, SERVICE);
    const outbox = await startOutbox({ db, collectionNames: ['invoices', 'findings'], publisher, clock, logger });
    shutdown.add('outbox', () => outbox.stop());

    const invoices = invoiceStore(invoiceDocuments, outbox, clock);
    const analyses = analysisStore(analysisDocuments);
    const findings = findingStore(findingDocuments, outbox, clock);
    const suppliers = supplierStore(supplierDocuments);
    const bankLinks = linkStore(db.collection<LinkDocument<BankLink>>('bank_links'));
    const orderLinks = linkStore(db.collection<LinkDocument<OrderLink>>('order_links'));
    const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
    shutdown.add('tenants', () => tenants.close());

    const rates = rateStore(db.collection<RateDocument>('rates'));
    const book = rateBook(rates);
    await book.refresh();
    if (config.ECB_FEED_URL === undefined)
      logger.warn({}, 'no ECB_FEED_URL: exchange rates are not brought up to date');
    else {
      const loader = rateLoader({ rates, book, feed: ecbFeed(config.ECB_FEED_URL), clock, logger });
      const loading = keepRates(loader, logger);
      shutdown.add('rates', () => loading.stop());
    }

    const policy = defaultPolicy;
    const reviews = reviewStore(reviewDocuments);
    const storedPolicies = policyStore(policyDocuments, policy, () => clock.now());
    const policies = remembered((organizationId) => storedPolicies.current(organizationId));
    const storedRules = routingRuleStore(ruleDocuments);
    const rules = remembered((organizationId) => storedRules.all(organizationId));
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
        highAmounts: highAmounts({ invoices, logger }),
      }),
      countInvoice: countInvoice({ invoices, suppliers, bankLinks, orderLinks, clock }),
      reviews,
      policies,
      routingRules: rules,
      clock,
      logger,
    });
    const usage = usageCounters(db);
    const sweep = repeat(SWEEP_EACH_MS, sweepInvoices({ invoices, tenants, usage, decider, clock, logger }), (error) =>
      logger.warn({ error }, 'the sweep failed'),
    );
    shutdown.add('sweep', () => sweep.stop());

    const effects = reviewEffects({
      invoices,
      findings,
      reviews,
      suppliers,
      bankLinks,
      policies: storedPolicies,
      remembered: policies,
      clock,
    });
    const reviewSweep = repeat(SWEEP_EACH_MS, sweepReviews({ findings, effects, clock, logger }), (error) =>
      logger.warn({ error }, 'the sweep of reviews failed'),
    );
    shutdown.add('sweep of reviews', () => reviewSweep.stop());
    const members = membersFromOrganization(organizationChannel);

    const reader = invoiceReader({ invoices, findings });
    const asOperator = operatorGuard(config.OPERATOR_TOKEN);
    const server = await startGrpcServer({
      host: config.GRPC_HOST,
      port: config.GRPC_PORT,
      hasReflection: config.GRPC_REFLECTION,
      logger,
      bindings: [
        invoiceService({
          analyzeInvoice: analyzeInvoice({ invoices, analyses, suppliers, usage, tenants, decider, clock }),
          reader,
        }),
        findingService({
          reader: findingReader({ findings, invoices }),
          reviewFinding: reviewFinding({ findings, effects, policy, clock, logger }),
          assignFinding: assignFinding({ findings, members, clock }),
        }),
        routingRuleService(routingRules({ rules: storedRules, remembered: rules, members, tenants, clock })),
        analysisService({
          reader: analysisReader({ invoices, analyses }),
          invoices: reader,
          reanalyzeInvoice: reanalyzeInvoice({ invoices, analyses, tenants, decider }),
          replayAnalyses: replayAnalyses({ analyses, policies: storedPolicies, logger }),
          dryRunPolicy: dryRunPolicy({ invoices, analyses, clock }),
          asOperator,
        }),
        policyService({
          policies,
          overridePolicy: overridePolicy({ policies: storedPolicies, remembered: policies }),
          asOperator,
        }),
      ],
    });
    shutdown.add('rpcs', () => server.stop(DRAIN_MS_MAX));
    const dependencies = [
      { name: 'database', probe: mongo.ping },
      { name: 'broker', probe: bus.ping },
    ];
    const readiness = watchReadiness(dependencies, server.setReady, logger);
    shutdown.add('readiness', async () => {
      readiness.stop();
      await delay(config.DRAIN_DELAY_SECONDS * 1_000);
    });
    logger.info({ address: server.address }, 'serving');
    return { address: server.address, stop: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
