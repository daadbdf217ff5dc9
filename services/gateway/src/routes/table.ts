import type { Route } from '../http/route.js';
import { listAnalyses, reanalyzeInvoice } from './analyses.js';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.js';
import { listAuditEvents } from './audit-events.js';
import { createCompany, deleteCompany, getCompany, listCompanies, updateCompany } from './companies.js';
import { assignFinding, getFinding, listFindingHistory, listFindings, reviewFinding } from './findings.js';
import {
  createRoutingRule,
  deleteRoutingRule,
  getRoutingRule,
  listRoutingRules,
  updateRoutingRule,
} from './finding-routing-rules.js';
import { analyzeInvoice, getInvoice, getLatestAnalysis, listInvoices } from './invoices.js';
import { acceptInvitation, getMember, inviteMember, listMembers, removeMember, updateMember } from './members.js';
import { listNotifications } from './notifications.js';
import {
  deleteOrganization,
  getOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateOrganization,
  updateReferenceValidation,
} from './organizations.js';
import { getCurrentPolicy, listFindingTypes } from './policies.js';
import { createScan, getScan, listScans } from './scans.js';
import { getUsage } from './usage.js';

/** Every route below `/v1`: what is not here does not exist. */
export const routes: readonly Route[] = [
  analyzeInvoice,
  listInvoices,
  getInvoice,
  getLatestAnalysis,
  listAnalyses,
  reanalyzeInvoice,
  createScan,
  listScans,
  getScan,
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
  getOrganization,
  updateOrganization,
  deleteOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateReferenceValidation,
  getUsage,
  listCompanies,
  createCompany,
  getCompany,
  updateCompany,
  deleteCompany,
  listMembers,
  inviteMember,
  acceptInvitation,
  getMember,
  updateMember,
  removeMember,
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  listAuditEvents,
  listNotifications,
];
