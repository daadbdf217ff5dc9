import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding as WireFinding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingServiceDefinition, FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { ListFindingsRequest, ReviewFindingResponse } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { invalidField } from '@invoicecontrol/errors';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { AssignFinding } from '../../application/assign-finding.js';
import type { FindingQuery, ListedFinding } from '../../../records/application/finding-store.js';
import type { ReadSearch } from '../../../records/application/record-search.js';
import type { FindingReader } from '../../application/read-findings.js';
import type { ReportScan } from '../../application/report-scan.js';
import type { ChangedFinding, ReviewFinding } from '../../application/review-finding.js';
import { catalogue, families, severities } from '@invoicecontrol/engine/explanation/catalogue';
import type { Family, FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import type { FindingTotals } from '../../../records/domain/finding-summary.js';
import { dispositions } from '../../../records/domain/finding-disposition.js';
import type { Disposition } from '../../../records/domain/finding-disposition.js';
import { nextReviewOf } from '../../domain/review.js';
import type { MayBlock } from '../../domain/review.js';
import { severalOf } from '../../../records/transport/grpc/several-of.js';
import { encodeFinding } from '../../../records/transport/grpc/encode-invoice.js';

interface Deps {
  readonly reader: FindingReader;
  readonly reportScan: ReportScan;
  readonly readSearch: ReadSearch;
  readonly reviewFinding: ReviewFinding;
  readonly assignFinding: AssignFinding;
  readonly policy: Policy;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.FindingService. */
export function findingService({
  reader,
  reportScan,
  readSearch,
  reviewFinding,
  assignFinding,
  policy,
}: Deps): Binding {
  const encode = (finding: ListedFinding & Partial<MayBlock>): WireFinding => {
    const { dispositions: allowed, isNoteRequired } = nextReviewOf(finding, policy);
    return { ...encodeFinding(finding), nextReview: { dispositions: [...allowed], isNoteRequired } };
  };
  const encodeChanged = ({ finding, isChanged }: ChangedFinding): ReviewFindingResponse => ({
    finding: encode(finding),
    changed: isChanged,
  });
  return bind(FindingServiceDefinition, {
    async listFindings(request) {
      const { items, nextPageToken } = await reader.list(request.organizationId, {
        companyId: request.companyId,
        invoiceId: request.invoiceId,
        scanId: request.scanId,
        supplierId: request.supplierId,
        types: wantedTypes(request),
        severities: wantedSeverities(request),
        dispositions: several(request.disposition, request.dispositions)?.map(disposition),
        assigneeUserId: request.isUnassigned ? null : request.assigneeUserId,
        minAmountAtRisk: minAmount(request.minAmountAtRisk),
        updatedFrom: request.updatedFromTime,
        isWithoutEvidence: request.isWithoutEvidence,
        search: await readSearch(request.organizationId, request.query),
        sort: sorts[optionalEnumName(FindingSort, request.sort) ?? 'NEWEST'],
        ...readPageRequest(request),
      });
      return { findings: items.map(encode), nextPageToken };
    },
    async summarizeFindings(request, context) {
      const { organizationId, companyId, createdFromTime, createdToTime, minSeverity, knownStates } = request;
      const least = optionalEnumName(Severity, minSeverity);
      const query = { companyId, createdFrom: createdFromTime, createdTo: createdToTime, minSeverity: least };
      const { state = '', summary } = await reader.summary(organizationId, query, knownStates, context);
      const rows = (totals: readonly FindingTotals[] = []) => [...totals];
      return {
        state,
        isKnown: summary === undefined,
        baseCurrency: summary?.baseCurrency ?? '',
        total: summary?.total,
        withoutAmount: summary?.withoutAmount ?? 0,
        byType: rows(summary?.byType),
        bySeverity: rows(summary?.bySeverity),
        byDisposition: rows(summary?.byDisposition),
        byMonth: rows(summary?.byMonth),
      };
    },
    async reportScan({ organizationId, scanId, currency }) {
      const report = await reportScan(organizationId, { scanId, currency });
      const { byDecision, byFamily, byMonth, topSuppliers, savings } = report;
      return {
        byDecision: [...byDecision],
        byFamily: byFamily.map((group) => ({ ...group, name: '' })),
        byMonth: [...byMonth],
        topSuppliers: topSuppliers.map(({ supplierName, ...group }) => ({ ...group, name: supplierName })),
        savingsPotential: savings.potential,
        savingsConfirmed: savings.confirmed,
        savingsDismissed: savings.dismissed,
      };
    },
    async getFinding({ organizationId, findingId }) {
      return { finding: encode(await reader.get(organizationId, findingId)) };
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
      const isByAdmin = isRoleAtLeast(requirePrincipal(context).role, 'ADMIN');
      return encodeChanged(await reviewFinding({ ...request, note, isByAdmin }, context));
    },
    async assignFinding({ organizationId, findingId, assigneeUserId }, context) {
      return encodeChanged(await assignFinding({ organizationId, findingId, assigneeUserId }, context));
    },
  });
}

const sorts = { NEWEST: 'newest', SEVERITY: 'severity', AMOUNT_AT_RISK: 'amount_at_risk' } as const;

/** Combines the values of a filter. Gateways of an earlier release send a single value. Undefined if there is none. */
function several(single: string | undefined, values: readonly string[]): readonly string[] | undefined {
  if (values.length > 0) return values;
  return single === undefined ? undefined : [single];
}

/**
 * Combines the severity filters of a request for findings. Undefined means that findings of any severity are wanted.
 */
function wantedSeverities({
  severity,
  severities: wanted,
  minSeverity,
}: Pick<ListFindingsRequest, 'severity' | 'severities' | 'minSeverity'>): FindingQuery['severities'] {
  const only = severalOf(Severity, severity, wanted);
  if (only === undefined && minSeverity === Severity.UNSPECIFIED) return undefined;
  return severities.filter((name) => (only === undefined || only.includes(name)) && Severity[name] >= minSeverity);
}

/**
 * Returns the requested finding types. If the request also names families, only the types in these families are
 * returned.
 */
function wantedTypes({
  type,
  types,
  families: ofFamilies,
}: Pick<ListFindingsRequest, 'type' | 'types' | 'families'>): FindingQuery['types'] {
  const only = several(type, types)?.map(findingType);
  if (ofFamilies.length === 0) return only;
  const wanted = new Set(ofFamilies.map(family));
  return (only ?? (Object.keys(catalogue) as FindingType[])).filter((name) => wanted.has(catalogue[name].family));
}

function findingType(text: string): FindingType {
  if (Object.hasOwn(catalogue, text)) return text as FindingType;
  throw invalidField('type', 'must be a finding type. GET /v1/finding-types lists all finding types.');
}

function family(text: string): Family {
  if (Object.hasOwn(families, text)) return text as Family;
  throw invalidField('family', `must be one of ${Object.keys(families).join(', ')}.`);
}

function disposition(text: string): Disposition {
  const known = dispositions.find((name) => name === text);
  if (known === undefined) throw invalidField('disposition', `must be one of ${dispositions.join(', ')}.`);
  return known;
}

function minAmount(text: string | undefined): FindingQuery['minAmountAtRisk'] {
  if (text === undefined || (isDecimalAmount(text) && !text.startsWith('-'))) return text;
  throw invalidField('min_amount_at_risk', 'must be a decimal amount that is not below zero.');
}
