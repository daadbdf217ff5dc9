import { randomUUID } from 'node:crypto';
import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { notFound } from '@invoicecontrol/errors';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

/** An organization that a test creates. */
interface Tenant {
  readonly baseCurrency: string;
  readonly defaultCompanyId: string;
  readonly companies: { companyId: string; name: string; taxId?: string }[];
  readonly members: Map<string, 'ACTIVE' | 'INVITED'>;
  plan: string;
  hasActiveSubscription: boolean;
  erpConnectionsLimit: number | undefined;
  referenceValidationMode: string;
  fourEyes: boolean;
}

/** Id of the second company of every organization. The first one is the default company. */
export const SECOND_COMPANY_ID = '0192a000-0000-7000-8000-00000000c002';

/** A fake of the organization service, with the organizations that a test creates. */
export interface FakeOrganization extends GrpcServer {
  newTenant(baseCurrency?: string): string;
  /** Changes the plan of the fake organization without publishing an event. */
  setPlan(organizationId: string, plan: string): void;
  /** Changes the subscription of the fake organization without publishing an event. */
  setSubscription(organizationId: string, isActive: boolean): void;
  /** Changes the limit of ERP connections of an organization without publishing an event. */
  setErpConnectionsLimit(organizationId: string, limit: number | undefined): void;
  /** Changes the reference validation mode of the fake organization without publishing an event. */
  setReferenceValidation(organizationId: string, mode: string): void;
  /**
   * Sets whether a second person must confirm payments of the fake organization (four eyes), without publishing an
   * event.
   */
  setFourEyes(organizationId: string, fourEyes: boolean): void;
  /** Deletes the fake organization without publishing an event. */
  deleteTenant(organizationId: string): void;
  /** Returns how often the facts of an organization were requested. */
  factRequestsOf(organizationId: string): number;
  /** Adds a company to the fake organization without publishing an event. */
  newCompany(organizationId: string): string;
  /** Adds a member of the fake organization, who is active or only invited. */
  newMember(organizationId: string, status?: 'ACTIVE' | 'INVITED'): string;
}

export async function startFakeOrganization(logger: Logger): Promise<FakeOrganization> {
  const tenants = new Map<string, Tenant>();
  const factRequests = new Map<string, number>();
  const refuse = (): Promise<never> => Promise.reject(notFound('organization'));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger,
    bindings: [
      bind(OrganizationServiceDefinition, {
        async getTenantFacts({ organizationId }) {
          factRequests.set(organizationId, (factRequests.get(organizationId) ?? 0) + 1);
          const tenant = tenants.get(organizationId);
          if (tenant === undefined) throw notFound('organization');
          const companies = tenant.companies.map((company) => ({ country: undefined, taxId: undefined, ...company }));
          return {
            name: 'Workspace',
            defaultCompanyId: tenant.defaultCompanyId,
            companies,
            baseCurrency: tenant.baseCurrency,
            referenceValidationMode: tenant.referenceValidationMode,
            fourEyes: tenant.fourEyes,
            version: 1,
            plan: tenant.plan,
            hasActiveSubscription: tenant.hasActiveSubscription,
            erpConnectionsLimit: tenant.erpConnectionsLimit,
          };
        },
        getOrganization: refuse,
        getBillingContact: refuse,
        updateOrganization: refuse,
        updateBaseCurrency: refuse,
        updateReferenceValidation: refuse,
        deleteOrganization: refuse,
        restoreOrganization: refuse,
        beginExport: refuse,
      }),
      bind(MemberServiceDefinition, {
        async getMember({ organizationId, userId }) {
          const status = tenants.get(organizationId)?.members.get(userId);
          if (status === undefined) throw notFound('member');
          return {
            member: { userId, email: 'a@b.example', name: 'A', role: 'ANALYST', status, createdTime: undefined },
          };
        },
        listMembers: refuse,
        listAssignees: refuse,
        nameActors: refuse,
        inviteMember: refuse,
        acceptInvitation: refuse,
        updateMember: refuse,
        removeMember: refuse,
      }),
    ],
  });
  return {
    ...server,
    factRequestsOf: (organizationId) => factRequests.get(organizationId) ?? 0,
    newTenant(baseCurrency = 'EUR') {
      const organizationId = randomUUID();
      tenants.set(organizationId, {
        baseCurrency,
        defaultCompanyId: 'c-main',
        companies: [
          { companyId: 'c-main', name: 'Main' },
          { companyId: SECOND_COMPANY_ID, name: 'Poland', taxId: 'PL5260250995' },
        ],
        members: new Map(),
        plan: 'SCALE',
        hasActiveSubscription: true,
        erpConnectionsLimit: 10,
        referenceValidationMode: 'DECLARED_PROFILES',
        fourEyes: false,
      });
      return organizationId;
    },
    setPlan(organizationId, plan) {
      const tenant = tenants.get(organizationId);
      if (tenant !== undefined) tenant.plan = plan;
    },
    setSubscription(organizationId, isActive) {
      const tenant = tenants.get(organizationId);
      if (tenant !== undefined) tenant.hasActiveSubscription = isActive;
    },
    setErpConnectionsLimit(organizationId, limit) {
      const tenant = tenants.get(organizationId);
      if (tenant !== undefined) tenant.erpConnectionsLimit = limit;
    },
    setReferenceValidation(organizationId, mode) {
      const tenant = tenants.get(organizationId);
      if (tenant !== undefined) tenant.referenceValidationMode = mode;
    },
    setFourEyes(organizationId, fourEyes) {
      const tenant = tenants.get(organizationId);
      if (tenant !== undefined) tenant.fourEyes = fourEyes;
    },
    deleteTenant(organizationId) {
      tenants.delete(organizationId);
    },
    newCompany(organizationId) {
      const companyId = randomUUID();
      tenants.get(organizationId)?.companies.push({ companyId, name: 'New' });
      return companyId;
    },
    newMember(organizationId, status = 'ACTIVE') {
      const userId = randomUUID();
      tenants.get(organizationId)?.members.set(userId, status);
      return userId;
    },
  };
}
