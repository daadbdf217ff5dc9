import type { Route } from '../http/route.js';
import { analysisRoutes } from './analysis/analysis-routes.js';
import { organizationRoutes } from './organization/organization-routes.js';
import { scanRoutes } from './scan/scan-routes.js';

/** Every route below `/v1`, by the service that answers. */
export const routes: readonly Route[] = [...analysisRoutes, ...scanRoutes, ...organizationRoutes];
