import type { Route } from '../../http/route.js';
import { listAnalyses, reanalyzeInvoice } from './analyses.js';
import {
  createRoutingRule,
  deleteRoutingRule,
  getRoutingRule,
  listRoutingRules,
  updateRoutingRule,
} from './finding-routing-rules.js';
import { assignFinding, getFinding, listFindingHistory, listFindings, reviewFinding } from './findings.js';
import { analyzeInvoice, getInvoice, getLatestAnalysis, listInvoices } from './invoices.js';
import { getCurrentPolicy, listFindingTypes } from './policies.js';

export const analysisRoutes: readonly Route[] = [
  analyzeInvoice,
  listInvoices,
  getInvoice,
  getLatestAnalysis,
  listAnalyses,
  reanalyzeInvoice,
  listFindings,
  getFinding,
  listFindingHistory,
  reviewFinding,
  assignFinding,
  listRoutingRules,
  createRoutingRule,
  getRoutingRule,
  updateRoutingRule,
  deleteRoutingRule,
  getCurrentPolicy,
  listFindingTypes,
];
