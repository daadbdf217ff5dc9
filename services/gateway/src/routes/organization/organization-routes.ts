import type { Route } from '../../http/route.js';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.js';
import { listAuditEvents } from './audit-events.js';
import { createCompany, deleteCompany, getCompany, listCompanies, updateCompany } from './companies.js';
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
import { getUsage } from './usage.js';

export const organizationRoutes: readonly Route[] = [
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
