import type { Resource } from '../../http/description/route.js';
import { getUsage, listUsageHistory } from '../billing/usage.js';
import { getCaller } from './caller.js';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.js';
import { listAuditEvents } from './audit-events.js';
import { createCompany, deleteCompany, getCompany, listCompanies, updateCompany } from './companies.js';
import {
  acceptInvitation,
  getMember,
  inviteMember,
  listAssignees,
  listMembers,
  removeMember,
  updateMember,
} from './members.js';
import { exportOrganization } from './export.js';

import { listNotifications } from './notifications.js';
import { createView, deleteView, getView, listViews, updateView } from './views.js';
import { createSession, endCurrentSession, listSessions } from './sessions.js';
import {
  deleteOrganization,
  getOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateOrganization,
  updateReferenceValidation,
} from './organizations.js';

/** Routes that call the organization service. */
export const organizationResources: readonly Resource[] = [
  {
    tag: 'organizations',
    description: 'The organization of the API key: its settings, usage, data export, deletion and restoration.',
    routes: [
      getOrganization,
      updateOrganization,
      deleteOrganization,
      restoreOrganization,
      updateBaseCurrency,
      updateReferenceValidation,
      getUsage,
      listUsageHistory,
      exportOrganization,
    ],
  },
  {
    tag: 'companies',
    description:
      'The companies of the organization to which invoices are addressed. An invoice is assigned to a company by the VAT id of its buyer.',
    routes: [listCompanies, createCompany, getCompany, updateCompany, deleteCompany],
  },
  {
    tag: 'members',
    description: 'The members of the organization, who are invited by e-mail.',
    routes: [listMembers, inviteMember, acceptInvitation, getMember, updateMember, removeMember, listAssignees],
  },
  {
    tag: 'api-keys',
    description: 'API keys for programs, each with a role and scopes.',
    routes: [listApiKeys, createApiKey, getApiKey, updateApiKey, revokeApiKey],
  },
  {
    tag: 'sessions',
    description: 'Sessions of people in the app, and what a caller may know about itself.',
    routes: [getCaller, createSession, listSessions, endCurrentSession],
  },
  {
    tag: 'views',
    description: 'Saved views of the list of findings: named filters of a member, or of the whole organization.',
    routes: [listViews, createView, getView, updateView, deleteView],
  },
  {
    tag: 'audit-events',
    description: 'Audit events, which record who changed or read which resource.',
    routes: [listAuditEvents],
  },
  {
    tag: 'notifications',
    description: 'E-mail notifications that are sent to members.',
    routes: [listNotifications],
  },
];
