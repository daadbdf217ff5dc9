import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';
import { texts } from './texts.js';

export type Role = Schemas['Member']['role'];

export const MEMBERS = 'members';
export const KEYS = 'api-keys';
export const COMPANIES = 'companies';
export const RULES = 'rules';
export const ORGANIZATION = 'organization';

const roles = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'] as const satisfies readonly Role[];

/** The form field that asks for a role. */
export function roleField(value: Role) {
  return { label: texts.role, kind: 'choice', value, options: roles.map((role) => [role, role] as const) } as const;
}

export function useMembers() {
  return useList([MEMBERS, 'list'], (query, signal) => client.get('/members', { query, signal }));
}

export function useKeys() {
  return useList([KEYS, 'list'], (query, signal) => client.get('/api-keys', { query, signal }));
}

export function useCompanies() {
  return useList([COMPANIES, 'list'], (query, signal) => client.get('/companies', { query, signal }));
}

export function useRules() {
  return useList([RULES, 'list'], (query, signal) => client.get('/finding-routing-rules', { query, signal }));
}

export function useUsage() {
  return useQuery({
    queryKey: [ORGANIZATION, 'usage'],
    queryFn: async ({ signal }) => (await client.get('/organizations/current/usage', { signal })).data,
  });
}

export function useOrganization() {
  return useQuery({
    queryKey: [ORGANIZATION],
    queryFn: async ({ signal }) => (await client.get('/organizations/current', { signal })).data,
  });
}

export function useSubscription() {
  return useQuery({
    queryKey: [ORGANIZATION, 'subscription'],
    queryFn: async ({ signal }) => (await client.get('/billing/subscription', { signal })).data,
  });
}

/**
 * First and last day of the period in which the listed records were created. Both days are included. If a day is an
 * empty text, the period has no limit on that side.
 */
export interface Days {
  readonly from: string;
  readonly to: string;
}

export function useAuditEvents({ from, to }: Days) {
  return useList(['audit-events', from, to], (page, signal) => {
    const query = {
      ...page,
      ...(from === '' ? {} : { created_from: startOf(from) }),
      ...(to === '' ? {} : { created_to: startOf(to, 1) }),
    };
    return client.get('/audit-events', { query, signal });
  });
}

/** Returns the time at which a day begins in the time zone of the person. */
function startOf(day: string, daysLater = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

export function useNotifications() {
  return useList(['notifications'], (query, signal) => client.get('/notifications', { query, signal }));
}
