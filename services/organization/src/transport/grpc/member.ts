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
import type { MemberDeps } from '../../application/members.js';
import { isActive } from '../../domain/roster.js';
import type { Member } from '../../domain/roster.js';
import { readGrantor } from './grantor.js';

export function memberService(deps: MemberDeps): Binding {
  return bind(MemberServiceDefinition, {
    async listMembers(request) {
      const page = readPageRequest(request);
      const members = await listMembers(deps)(request.organizationId);
      const listed = members.map((member) => ({ id: member.userId, createdAt: member.createdAt, member }));
      const { items, nextPageToken } = newestPageOf(listed, page);
      return { members: items.map(({ member }) => toWire(member)), nextPageToken };
    },
    async getMember(request) {
      return { member: toWire(await getMember(deps)(request)) };
    },
    async inviteMember({ grantor, ...input }, context) {
      return { member: toWire(await inviteMember(deps)(input, { grantor: readGrantor(grantor), context })) };
    },
    async acceptInvitation(request, context) {
      return { member: toWire(await acceptInvitation(deps)(request, context)) };
    },
    async updateMember({ grantor, ...input }, context) {
      return { member: toWire(await updateMember(deps)(input, { grantor: readGrantor(grantor), context })) };
    },
    async removeMember({ grantor, ...input }, context) {
      await removeMember(deps)(input, { grantor: readGrantor(grantor), context });
      return {};
    },
  });
}

export function toWire(member: Member): WireMember {
  const { userId, email, name = '', role, createdAt } = member;
  return { userId, email, name, role, status: isActive(member) ? 'ACTIVE' : 'INVITED', createdTime: createdAt };
}
