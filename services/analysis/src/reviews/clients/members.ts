import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Members } from '../application/members.js';

/** Less than any route gives the whole of its answer. */
const ASK_MS_MAX = 4_000;

/** Members as the organization service knows them; asked each time, since a removed member must get no more work. */
export function membersFromOrganization(channel: Channel): Members {
  const organization = client(MemberServiceDefinition, channel);
  return {
    async isActive(organizationId, userId, context) {
      try {
        const { member } = await organization.getMember({ organizationId, userId }, { context, timeoutMs: ASK_MS_MAX });
        return member?.status === 'ACTIVE';
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'not_found') return false;
        throw error;
      }
    },
  };
}
