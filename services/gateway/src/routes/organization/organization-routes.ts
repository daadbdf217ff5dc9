import type { Resource } from '../../http/description/route.js';
import { getUsage } from '../billing/usage.js';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.js';
import { listAuditEvents } from './audit-events.js';
import { createCompany, deleteCompany, getCompany, listCompanies, updateCompany } from './companies.js';
import { acceptInvitation, getMember, inviteMember, listMembers, removeMember, updateMember } from './members.js';
import { exportOrganization } from './export.js';
import { listNotifications } from './notifications.js';
import {
  deleteOrganization,
  getOrganization,
  restoreOrganization,
  updateBaseCurrency,
  updateOrganization,
  updateReferenceValidation,
} from './organizations.js';

/** What the organization service answers. */
export const organizationResources: readonly Resource[] = [
  {
    tag: 'organizations',
    description: 'The organization of the key: its settings, what it has used, its end and its return.',
    routes: [
      getOrganization,
      updateOrganization,
      deleteOrganization,
      restoreOrganization,
      updateBaseCurrency,
      updateReferenceValidation,
      getUsage,
      exportOrganization,
    ],
  },
  {
    tag: 'companies',
    description: 'The companies that are billed. An invoice finds its company by the VAT id of its buyer.',
    routes: [listCompanies, createCompany, getCompany, updateCompany, deleteCompany],
  },
  {
    tag: 'members',
    description: 'The people of the organization. They are invited by e-mail.',
    routes: [listMembers, inviteMember, acceptInvitation, getMember, updateMember, removeMember],
  },
  {
    tag: 'api-keys',
    description: 'Keys for programs, each with a role and scopes.',
    routes: [listApiKeys, createApiKey, getApiKey, updateApiKey, revokeApiKey],
  },
  {
    tag: 'audit-events',
    description: 'Who changed or read what.',
    routes: [listAuditEvents],
  },
  {
    tag: 'notifications',
    description: 'The mails that people are sent.',
    routes: [listNotifications],
  },
];
