import type { Resource } from '../../http/description/route.js';
import { listAnalyses, reanalyzeInvoice } from './analyses.js';
import {
  createRoutingRule,
  deleteRoutingRule,
  getRoutingRule,
  listRoutingRules,
  updateRoutingRule,
} from './finding-routing-rules.js';
import {
  assignFinding,
  getFinding,
  listFindingHistory,
  listFindings,
  reviewFinding,
  summarizeFindings,
} from './findings.js';
import { analyzeInvoice, getInvoice, getLatestAnalysis, listInvoices } from './invoices.js';
import { exportInvoice } from './invoice-export.js';
import { analyzeUpload, correctUpload } from './uploaded-invoices.js';
import { getCurrentPolicy, listFindingTypes } from './policies.js';
import { getVendor, listVendors } from './vendors.js';

/** What the analysis service answers. */
export const analysisResources: readonly Resource[] = [
  {
    tag: 'invoices',
    description: 'Send an invoice before it is paid, and read what was decided and why.',
    routes: [
      analyzeInvoice,
      listInvoices,
      analyzeUpload,
      getInvoice,
      exportInvoice,
      correctUpload,
      getLatestAnalysis,
      listAnalyses,
      reanalyzeInvoice,
    ],
  },
  {
    tag: 'findings',
    description: 'What was found about invoices: read it, assign it, and record what people make of it.',
    // The summary stands before the finding whose id it would be taken for.
    routes: [listFindings, summarizeFindings, getFinding, listFindingHistory, reviewFinding, assignFinding],
  },
  {
    tag: 'finding-routing-rules',
    description: 'Rules that assign new findings to members.',
    routes: [listRoutingRules, createRoutingRule, getRoutingRule, updateRoutingRule, deleteRoutingRule],
  },
  {
    tag: 'vendors',
    description: 'The vendors of your ERP systems, as invoices are compared with them.',
    routes: [listVendors, getVendor],
  },
  {
    tag: 'policies',
    description: 'The numbers that decide.',
    routes: [getCurrentPolicy],
  },
  {
    tag: 'finding-types',
    description: 'The catalogue of what can be found.',
    routes: [listFindingTypes],
  },
];
