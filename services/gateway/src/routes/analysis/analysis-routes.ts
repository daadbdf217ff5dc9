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
import { assignFindings, reviewFindings } from './finding-batches.js';
import { analyzeInvoice, getInvoice, getLatestAnalysis, listInvoices } from './invoices.js';
import { exportInvoice } from './invoice-export.js';
import { analyzeUpload, correctUpload } from './uploaded-invoices.js';
import { getCurrentPolicy, listFindingTypes } from './policies.js';
import { exportAccountChanges } from './account-changes.js';
import { confirmVerification, getSupplier, listSuppliers, verifyAccount } from './suppliers.js';
import { listInvoiceTimeline } from './timeline.js';
import { getVendor, listVendors } from './vendors.js';

/** Routes that call the analysis service. */
export const analysisResources: readonly Resource[] = [
  {
    tag: 'invoices',
    description: 'Analyze invoices before they are paid, and read each decision with its reasons.',
    routes: [
      analyzeInvoice,
      listInvoices,
      analyzeUpload,
      getInvoice,
      exportInvoice,
      correctUpload,
      getLatestAnalysis,
      listAnalyses,
      listInvoiceTimeline,
      reanalyzeInvoice,
    ],
  },
  {
    tag: 'findings',
    description: 'Read the findings about invoices, assign them to members, and record the results of reviews.',
    // The routes for the summary and for batches of findings precede the finding route. Otherwise `summary` would be
    // read as the id of a finding.
    routes: [
      listFindings,
      summarizeFindings,
      reviewFindings,
      assignFindings,
      getFinding,
      listFindingHistory,
      reviewFinding,
      assignFinding,
    ],
  },
  {
    tag: 'finding-routing-rules',
    description: 'Routing rules that assign new findings to members.',
    routes: [listRoutingRules, createRoutingRule, getRoutingRule, updateRoutingRule, deleteRoutingRule],
  },
  {
    tag: 'vendors',
    description: 'Vendors that were imported from your ERP systems and that invoices are compared with.',
    routes: [listVendors, getVendor],
  },
  {
    tag: 'suppliers',
    description: 'The suppliers that your invoices come from, their bank accounts, and who verified them.',
    routes: [listSuppliers, getSupplier, verifyAccount, confirmVerification, exportAccountChanges],
  },
  {
    tag: 'policies',
    description: 'The policy whose thresholds determine the decisions about invoices.',
    routes: [getCurrentPolicy],
  },
  {
    tag: 'finding-types',
    description: 'The catalogue of all finding types that an analysis can raise.',
    routes: [listFindingTypes],
  },
];
