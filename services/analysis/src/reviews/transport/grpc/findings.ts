import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingServiceDefinition, FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { ListFindingsRequest, ReviewFindingResponse } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { invalidField } from '@invoicecontrol/errors';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AssignFinding } from '../../application/assign-finding.js';
import type { FindingQuery } from '../../../records/application/finding-store.js';
import type { ReadSearch } from '../../../records/application/record-search.js';
import type { FindingReader } from '../../application/read-findings.js';
import type { ChangedFinding, ReviewFinding } from '../../application/review-finding.js';
import { catalogue, severities } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { dispositions } from '../../../records/domain/finding-disposition.js';
import { encodeFinding } from '../../../records/transport/grpc/encode-invoice.js';

interface Deps {
  readonly reader: FindingReader;
  readonly readSearch: ReadSearch;
  readonly reviewFinding: ReviewFinding;
  readonly assignFinding: AssignFinding;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.FindingService. */
export function findingService({ reader, readSearch, reviewFinding, assignFinding }: Deps): Binding {
  return bind(FindingServiceDefinition, {
    async listFindings(request) {
      const { items, nextPageToken } = await reader.list(request.organizationId, {
        companyId: request.companyId,
        invoiceId: request.invoiceId,
        scanId: request.scanId,
        supplierId: request.supplierId,
        type: findingType(request.type),
        severities: wantedSeverities(request),
        disposition: disposition(request.disposition),
        assigneeUserId: request.assigneeUserId,
        search: await readSearch(request.organizationId, request.query),
        sort: sorts[optionalEnumName(FindingSort, request.sort) ?? 'NEWEST'],
        ...readPageRequest(request),
      });
      return { findings: items.map(encodeFinding), nextPageToken };
    },
    async summarizeFindings({ organizationId, companyId, createdFromTime, createdToTime, minSeverity }, context) {
      const least = optionalEnumName(Severity, minSeverity);
      const query = { companyId, createdFrom: createdFromTime, createdTo: createdToTime, minSeverity: least };
      const { byType, bySeverity, byDisposition, byMonth, ...summary } = await reader.summary(
        organizationId,
        query,
        context,
      );
      return {
        ...summary,
        byType: [...byType],
        bySeverity: [...bySeverity],
        byDisposition: [...byDisposition],
        byMonth: [...byMonth],
      };
    },
    async getFinding({ organizationId, findingId }) {
      return { finding: encodeFinding(await reader.get(organizationId, findingId)) };
    },
    async listFindingHistory({ organizationId, findingId }) {
      const changes = await reader.history(organizationId, findingId);
      return {
        changes: changes.map(({ at, actor, action, from, to, note }) => ({
          changeTime: at,
          actorType: actor.type,
          actorId: actor.id,
          action,
          from,
          to,
          note,
        })),
      };
    },
    async reviewFinding({ note, ...request }, context) {
      return encodeChanged(await reviewFinding({ ...request, note }, context));
    },
    async assignFinding({ organizationId, findingId, assigneeUserId }, context) {
      return encodeChanged(await assignFinding({ organizationId, findingId, assigneeUserId }, context));
    },
  });
}

function encodeChanged({ finding, isChanged }: ChangedFinding): ReviewFindingResponse {
  return { finding: encodeFinding(finding), changed: isChanged };
}

const sorts = { NEWEST: 'newest', SEVERITY: 'severity', AMOUNT_AT_RISK: 'amount_at_risk' } as const;

/**
 * Combines the two severity filters of a request for findings. Undefined means that findings of any severity are
 * wanted.
 */
function wantedSeverities({
  severity,
  minSeverity,
}: Pick<ListFindingsRequest, 'severity' | 'minSeverity'>): FindingQuery['severities'] {
  if (severity === Severity.UNSPECIFIED && minSeverity === Severity.UNSPECIFIED) return undefined;
  const only = optionalEnumName(Severity, severity);
  return severities.filter((name) => (only === undefined || name === only) && Severity[name] >= minSeverity);
}

function findingType(text: string | undefined): FindingType | undefined {
  if (text === undefined || Object.hasOwn(catalogue, text)) return text as FindingType | undefined;
  throw invalidField('type', 'must be a finding type. GET /v1/finding-types lists all finding types.');
}

function disposition(text: string | undefined): FindingQuery['disposition'] {
  const known = dispositions.find((name) => name === text);
  if (text !== undefined && known === undefined) {
    throw invalidField('disposition', `must be one of ${dispositions.join(', ')}.`);
  }
  return known;
}
