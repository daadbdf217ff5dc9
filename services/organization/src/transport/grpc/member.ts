import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import type { Member as WireMember } from '@invoicecontrol/contracts/organization/v1/member_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import {
  acceptInvitation,
  getMember,
  inviteMember,
  listMembers,
  removeMember,
  updateMember,
} from '../../application/members.js';
import { newestPageOf, readPageRequest } from '@invoicecontrol/runtime/page';
import type { PageRequest } from '@invoicecontrol/runtime/page';
import { nameActors } from '../../application/name-actors.js';
import type { NamingDeps } from '../../application/name-actors.js';
import { requireOrganization } from '../../application/organizations.js';
import type { MemberDeps } from '../../application/members.js';
import type { ViewLists } from '../../application/views.js';
import { isActive, shownNameOf } from '../../domain/roster.js';
import type { Member } from '../../domain/roster.js';
import { grantorOf } from './grantor.js';

export function memberService(deps: MemberDeps & NamingDeps & { readonly views: ViewLists }): Binding {
  return bind(MemberServiceDefinition, {
    async listMembers(request) {
      const page = readPageRequest(request);
      const { items, nextPageToken } = pageOfMembers(await listMembers(deps)(request.organizationId), page);
      return { members: items.map(({ member }) => toWire(member)), nextPageToken };
    },
    async listAssignees(request) {
      const page = readPageRequest(request);
      const members = await listMembers(deps)(request.organizationId);
      const { items, nextPageToken } = pageOfMembers(members.filter(isActive), page);
      const assignees = items.map(({ member }) => ({ userId: member.userId, name: shownNameOf(member) }));
      return { assignees, nextPageToken };
    },
    async nameActors({ organizationId, actors }) {
      await requireOrganization(deps.organizations, organizationId);
      const references = actors.map(({ actorType, actorId }) => ({ type: actorType, id: actorId }));
      const names = await nameActors(deps)(organizationId, references);
      return { names: names.map((name = '') => name) };
    },
    async getMember(request) {
      return { member: toWire(await getMember(deps)(request)) };
    },
    async inviteMember(input, context) {
      return { member: toWire(await inviteMember(deps)(input, { grantor: grantorOf(context), context })) };
    },
    async acceptInvitation(request, context) {
      return { member: toWire(await acceptInvitation(deps)(request, context)) };
    },
    async updateMember(input, context) {
      return { member: toWire(await updateMember(deps)(input, { grantor: grantorOf(context), context })) };
    },
    async removeMember(input, context) {
      await removeMember(deps)(input, { grantor: grantorOf(context), context });
      return {};
    },
  });
}

function pageOfMembers(members: readonly Member[], page: PageRequest) {
  const listed = members.map((member) => ({ id: member.userId, createdAt: member.createdAt, member }));
  return newestPageOf(listed, page);
}

export function toWire(member: Member): WireMember {
  const { userId, email, name = '', role, createdAt } = member;
  return { userId, email, name, role, status: isActive(member) ? 'ACTIVE' : 'INVITED', createdTime: createdAt };
}
