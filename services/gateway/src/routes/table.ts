import type { Resource, Route } from '../http/description/route.js';
import { analysisResources } from './analysis/analysis-routes.js';
import { billingResources } from './billing/billing-routes.js';
import { documentResources } from './documents/document-routes.js';
import { erpResources } from './erp/erp-routes.js';
import { ksefResources } from './ksef/ksef-routes.js';
import { organizationResources } from './organization/organization-routes.js';
import { paymentRunResources } from './payment-runs/payment-run-routes.js';
import { scanResources } from './scan/scan-routes.js';
import { webhookResources } from './webhooks/webhook-routes.js';

/** All resources of the API below `/v1`, grouped by the service that owns them. */
export const resources: readonly Resource[] = [
  ...analysisResources,
  ...documentResources,
  ...scanResources,
  ...paymentRunResources,
  ...erpResources,
  ...ksefResources,
  ...webhookResources,
  ...organizationResources,
  ...billingResources,
];

export const routes: readonly Route[] = resources.flatMap((resource) => resource.routes);
