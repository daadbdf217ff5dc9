import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { createdWithin } from '../../format/days.js';
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

/** Number of months of which the use is shown. */
const MONTHS = 12;

export function useUsageHistory() {
  return useQuery({
    queryKey: [ORGANIZATION, 'usage', 'history'],
    queryFn: async ({ signal }) =>
      (await client.get('/organizations/current/usage/history', { query: { months: MONTHS }, signal })).data,
  });
}

export function useOrganization() {
  return useQuery({
    queryKey: [ORGANIZATION],
    queryFn: async ({ signal }) => (await client.get('/organizations/current', { signal })).data,
  });
}

/** Pause between two requests for a subscription whose payment has not been confirmed. */
const POLL_MS = 2_000;

/** @param isBought true if the person has just paid, and the subscription should appear */
export function useSubscription(isBought: boolean) {
  return useQuery({
    queryKey: [ORGANIZATION, 'subscription'],
    queryFn: async ({ signal }) => (await client.get('/billing/subscription', { signal })).data,
    refetchInterval: ({ state: { data } }) => (isBought && data?.status === 'none' ? POLL_MS : false),
  });
}

export const outcomes = ['SUCCEEDED', 'REFUSED'] as const;

/** Filters of the audit trail. An empty text means that a filter is not used. */
interface AuditFilters {
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: (typeof outcomes)[number] | undefined;
}

export function useAuditEvents({ from, to, actor, action, target, outcome }: AuditFilters) {
  return useList(['audit-events', from, to, actor, action, target, outcome], (page, signal) => {
    const query = {
      ...page,
      ...createdWithin({ from, to }),
      ...(actor === '' ? {} : { actor_id: actor }),
      ...(action === '' ? {} : { action }),
      ...(target === '' ? {} : { target }),
      ...(outcome === undefined ? {} : { outcome }),
    };
    return client.get('/audit-events', { query, signal });
  });
}

export function useNotifications() {
  return useList(['notifications'], (query, signal) => client.get('/notifications', { query, signal }));
}
