import type { Route } from '../http/route.js';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.js';
import { listAuditEvents } from './audit-events.js';
import { createCompany, deleteCompany, getCompany, listCompanies, updateCompany } from './companies.js';
import { analyzeInvoice, getInvoice, getLatestAnalysis, listInvoices } from './invoices.js';
import {
  deleteOrganization,
  getOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateOrganization,
  updateReferenceValidation,
} from './organizations.js';

/** Every route below `/v1`: what is not here does not exist. */
export const routes: readonly Route[] = [
  analyzeInvoice,
  listInvoices,
  getInvoice,
  getLatestAnalysis,
  getOrganization,
  updateOrganization,
  deleteOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateReferenceValidation,
  listCompanies,
  createCompany,
  getCompany,
  updateCompany,
  deleteCompany,
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  listAuditEvents,
];
