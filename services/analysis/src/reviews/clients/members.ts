import { MemberServiceDefinition } from '@invoicecontrol/contracts/organization/v1/member_service';
import { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Members } from '../application/members.js';

/** Timeout for calls to the organization service, shorter than the timeout of any route. */
const ASK_MS_MAX = 4_000;

/**
 * Asks the organization service about members each time, without a cache, because findings must not be assigned to a
 * removed member.
 */
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
