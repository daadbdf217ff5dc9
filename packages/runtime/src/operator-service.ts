import { OperatorServiceDefinition, ResendOutcome } from '@invoicecontrol/contracts/operations/v1/operator_service';
import type { DeadLetter as WireDeadLetter } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { invalidField } from '@invoicecontrol/errors';
import { organizationOf, readDeadLetter, resendDeadLetters } from './dead-letters.js';
import type { DeadLetter, DeadLetterDeps } from './dead-letters.js';
import { bind } from './grpc/server.js';
import type { Binding } from './grpc/server.js';
import { maskText } from './mask-secrets.js';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './page.js';
import { listStuckWork } from './stuck-work.js';
import type { FindStuckWork } from './stuck-work.js';

/** A kind of data that a service stores about organizations. */
export interface TenantDocuments {
  /** Name of the database collection, which is unique in the service. */
  readonly name: string;
  /** Counts the documents of an organization that the database collection contains. */
  count(organizationId: string): Promise<number>;
}

/**
 * Implements the gRPC service invoicecontrol.operations.v1.OperatorService, which every service with a database
 * provides.
 */
export function operatorService(
  deps: DeadLetterDeps & {
    readonly sources: readonly FindStuckWork[];
    readonly tenantData: readonly TenantDocuments[];
  },
): Binding {
  const listStuck = listStuckWork(deps);
  const read = readDeadLetter(deps);
  const resend = resendDeadLetters(deps);
  return bind(OperatorServiceDefinition, {
    async listDeadLetters({ pageSize, pageToken }) {
      const size = pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
      if (size < 1 || size > PAGE_SIZE_MAX) throw invalidField('page_size', `must be from 1 to ${PAGE_SIZE_MAX}.`);
      const found = await deps.letters.list(size + 1, pageToken === '' ? undefined : pageToken);
      const page = found.slice(0, size);
      return {
        deadLetters: page.map(encode),
        nextPageToken: found.length > size ? (page.at(-1)?.id ?? '') : '',
      };
    },
    async getDeadLetter({ deadLetterId }) {
      const letter = await read(deadLetterId);
      return { deadLetter: encode(letter), payloadJson: letter.payload };
    },
    async resendDeadLetters({ deadLetterIds, reason }, context) {
      const results = await resend({ ids: deadLetterIds, reason }, context);
      return {
        results: results.map((result) => ({
          deadLetterId: result.id,
          outcome: ResendOutcome[result.outcome],
          error: result.outcome === 'FAILED' ? result.error : '',
          resends: result.outcome === 'FAILED' ? result.resends : 0,
        })),
      };
    },
    async listStuckWork({ olderThanSeconds }) {
      const { items, hasMore } = await listStuck(olderThanSeconds);
      return { items: items.map(({ since: sinceTime, ...item }) => ({ ...item, sinceTime })), hasMore };
    },
    async countTenantDocuments({ organizationId }) {
      if (organizationId === '') throw invalidField('organization_id', 'must be the id of an organization.');
      const counted = deps.tenantData.map(async (kind) => ({
        collection: kind.name,
        documents: await kind.count(organizationId),
      }));
      return { collections: await Promise.all(counted) };
    },
  });
}

function encode(letter: DeadLetter): WireDeadLetter {
  const { id: deadLetterId, subject, at: deadTime, resends = 0, resentAt: resentTime } = letter;
  const [organizationId, error] = [organizationOf(letter), maskText(letter.error)];
  return { deadLetterId, subject, organizationId, error, deadTime, resends, resentTime };
}
