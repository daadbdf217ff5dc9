import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { createCache } from '@invoicecontrol/runtime/cache';
import { CACHED_BY_ORGANIZATION, SWEEP_EACH_MS } from '../foundation.js';
import type { Foundation } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import { searchReader } from '../records/application/record-search.js';
import type { Records } from '../records/compose.js';
import { assignFinding } from './application/assign-finding.js';
import { countFindings } from './application/count-findings.js';
import { findingReader } from './application/read-findings.js';
import { reportScan } from './application/report-scan.js';
import { reviewEffects } from './application/review-effects.js';
import { reviewFinding } from './application/review-finding.js';
import { routingRules } from './application/routing-rules.js';
import { sweepReviews } from './application/sweep-reviews.js';
import { membersFromOrganization } from './clients/members.js';
import { findingCounterStore } from './storage/finding-counters.js';
import type { FindingCountersDocument } from './storage/finding-counters.js';
import { createFindingReviewIndexes, reviewStore } from './storage/finding-reviews.js';
import type { FindingReviewDocument } from './storage/finding-reviews.js';
import { createRoutingRuleIndexes, routingRuleStore } from './storage/routing-rules.js';
import type { RoutingRuleDocument } from './storage/routing-rules.js';
import { findingService } from './transport/grpc/findings.js';
import { routingRuleService } from './transport/grpc/routing-rules.js';

/** Use cases for routing rules and for reviews of findings. */
export type Reviews = Awaited<ReturnType<typeof composeReviews>>;

export async function composeReviews(
  foundation: Foundation,
  { records, policies, organizationChannel }: { records: Records; policies: Policies; organizationChannel: Channel },
) {
  const { db, audit, tenants, clock, logger } = foundation;
  const collections = {
    reviews: db.collection<FindingReviewDocument>('finding_reviews'),
    routingRules: db.collection<RoutingRuleDocument>('routing_rules'),
    findingCounters: db.collection<FindingCountersDocument>('finding_counters'),
  };
  await Promise.all([
    createFindingReviewIndexes(collections.reviews),
    createRoutingRuleIndexes(collections.routingRules),
  ]);
  const { invoices, findings, suppliers } = records;
  const members = membersFromOrganization(organizationChannel);
  const rules = routingRuleStore(collections.routingRules);
  const cachedRules = createCache({ ...CACHED_BY_ORGANIZATION, load: (id) => rules.all(id) });
  const reviews = reviewStore(collections.reviews);
  const counted = countFindings({ findings, counters: findingCounterStore(collections.findingCounters), clock });
  const effects = reviewEffects({
    ...records,
    reviews,
    policies: policies.storedPolicies,
    cachedPolicies: policies.policies,
    clock,
  });
  return {
    collections,
    reviews,
    routingRules: cachedRules,
    rpcGroups: [
      findingService({
        reader: findingReader({ findings, invoices, tenants, counted }),
        reportScan: reportScan({ findings, invoices }),
        readSearch: searchReader(suppliers),
        reviewFinding: reviewFinding({ findings, invoices, effects, policy: policies.policy, audit, clock, logger }),
        assignFinding: assignFinding({ findings, invoices, members, clock }),
        policy: policies.policy,
      }),
      routingRuleService(routingRules({ rules, cachedRules, suppliers, members, tenants, clock })),
    ],
    jobs: [
      { name: 'sweep of reviews', pauseMs: SWEEP_EACH_MS, run: sweepReviews({ findings, effects, clock, logger }) },
    ],
  };
}
